import { setTimeout } from 'node:timers/promises';
import { annotation, type auth, type documentStorage, type queue } from '@intake/contracts';
import { ahead, type Caller, type Client, organizationOf, Refusal, systemCaller } from '@intake/rpc';
import type { SchemaContent } from '@intake/schema';
import type { ApiUrls } from '@intake/urls';
import { type ExportRecord, toRecord } from './record';

/** The services that an export is read from. */
export interface Neighbours {
  readonly annotations: Client<typeof annotation.AnnotationServiceService>;
  readonly documents: Client<typeof documentStorage.DocumentStorageServiceService>;
  readonly queues: Client<typeof queue.QueueServiceService>;
  readonly users: Client<typeof auth.AuthServiceService>;
}

/** An open stream of annotations. */
export interface OpenAnnotations {
  /** Number of all that match, on every page; their schemas and queues, ascending. */
  readonly header: annotation.ExportHeader;
  readonly items: AsyncIterable<annotation.ExportAnnotation>;
  /** Ends the stream when it is not read to its end. */
  close(): Promise<void>;
}

/** Which schemas have the columns of an export. */
export interface SchemasConcerned {
  readonly current: readonly SchemaContent[];
  /** Further ones that annotations of the result have, newest first. */
  older(): Promise<readonly SchemaContent[]>;
}

/** Longest export, in milliseconds; the edge's own deadline may be shorter. */
const STREAM_MS = 3600_000;
/** Annotations whose documents and users are asked for together, and whose content is held at a time. */
const BATCH = 50;
/** How long an export that is to end in `exported` waits for the connectors and hooks of its annotations. */
const EXPORT_WAIT_MS = 300_000;
/** How often their state is asked for meanwhile. */
const WAIT_STEP_MS = 200;

/** Reads everything that one export needs, on behalf of one caller. */
export function createSources(neighbours: Neighbours, caller: Caller) {
  const { annotations, documents, queues, users } = neighbours;
  // Whoever may see an annotation may see the names that its export shows.
  const system = systemCaller('export', organizationOf(caller));
  const usernames = new Map<number, string>();
  const schemas = new Map<number, Promise<SchemaContent>>();

  const readSchema = (id: number): Promise<SchemaContent> => {
    const known = schemas.get(id);
    if (known) return known;
    const read = queues.getSchema({ id }, system).then(({ contentJson }) => JSON.parse(contentJson) as SchemaContent);
    schemas.set(id, read);
    return read;
  };

  const toRecords = async (batch: annotation.ExportAnnotation[], urls: ApiUrls): Promise<ExportRecord[]> => {
    const fields = batch.flatMap((item) => item.annotation ?? []);
    const unknown = new Set(fields.flatMap(({ modifierId }) => modifierId ?? []));
    for (const id of usernames.keys()) unknown.delete(id);
    const [found, foundUsers] = await Promise.all([
      documents.getDocuments({ ids: [...new Set(fields.map(({ documentId }) => documentId))] }, system),
      unknown.size > 0 ? users.getUsers({ ids: [...unknown] }, system) : { users: [] },
    ]);
    for (const { id, username } of foundUsers.users) usernames.set(id, username);
    const documentOf = new Map(found.documents.map((document) => [document.id, document]));
    return batch.map((item) =>
      toRecord(item, {
        urls,
        document: documentOf.get(item.annotation?.documentId ?? 0),
        username: usernames.get(item.annotation?.modifierId ?? 0),
      }),
    );
  };

  const waitForExports = async (ids: readonly number[]): Promise<void> => {
    const end = Date.now() + EXPORT_WAIT_MS;
    const request = annotation.ListAnnotationsRequest.fromPartial({
      ids: [...ids],
      statuses: ['exporting'],
      page: 1,
      pageSize: 1,
    });
    while (ids.length > 0 && Date.now() < end) {
      const { total } = await annotations.listAnnotations(request, caller);
      if (total === 0) return;
      await setTimeout(WAIT_STEP_MS);
    }
  };

  return {
    /** Opens the stream and waits for its totals. */
    async openAnnotations(filter: annotation.ListAnnotationsRequest): Promise<OpenAnnotations> {
      const stream = annotations.streamForExport(filter, caller, { timeoutMs: STREAM_MS })[Symbol.asyncIterator]();
      const first = await stream.next();
      if (first.done || !first.value.header) {
        await stream.return?.();
        throw new Refusal('INTERNAL', { cause: 'the stream of annotations began without a header' });
      }
      const iterator: AsyncIterableIterator<annotation.ExportItem> = {
        next: () => stream.next(),
        return: async (value) => (await stream.return?.(value)) ?? { done: true, value },
        [Symbol.asyncIterator]: () => iterator,
      };
      async function* readItems() {
        for await (const { annotation: item } of iterator) if (item) yield item;
      }
      return {
        header: first.value.header,
        items: readItems(),
        close: async () => void (await stream.return?.()),
      };
    },

    /**
     * Starts the export of all that match. With `wait`, answers when none of them is under way any more, or after five
     * minutes, whatever their state then. Answers the ids of what matched, in order.
     */
    async requestExports(filter: annotation.ListAnnotationsRequest, wait: boolean): Promise<number[]> {
      const { ids, exportingIds } = await annotations.requestExports(filter, caller, { timeoutMs: STREAM_MS });
      if (wait) await waitForExports(exportingIds);
      return ids;
    },

    /** Records of annotations, their documents and users read in batches. */
    async *readRecords(items: AsyncIterable<annotation.ExportAnnotation>, urls: ApiUrls): AsyncGenerator<ExportRecord> {
      async function* read() {
        let batch: annotation.ExportAnnotation[] = [];
        for await (const item of items) {
          batch.push(item);
          if (batch.length < BATCH) continue;
          yield await toRecords(batch, urls);
          batch = [];
        }
        if (batch.length > 0) yield await toRecords(batch, urls);
      }
      for await (const records of ahead(read())) yield* records;
    },

    /** The schemas that columns may come from (API: export.md section 4.2): of the queues asked for, or of those in the result. */
    async readSchemas(
      askedQueueIds: readonly number[],
      { schemaIds, queueIds }: annotation.ExportHeader,
    ): Promise<SchemasConcerned> {
      const ids = askedQueueIds.length > 0 ? [...askedQueueIds] : queueIds;
      const found = ids.length > 0 ? await queues.getQueues({ ids }, caller) : { queues: [] };
      const schemaOf = new Map(found.queues.map(({ id, schemaId }) => [id, schemaId]));
      const currentIds = [...new Set(ids.flatMap((id) => schemaOf.get(id) ?? []))];
      const olderIds = schemaIds.filter((id) => !currentIds.includes(id)).reverse();
      return {
        current: await Promise.all(currentIds.map(readSchema)),
        older: () => Promise.all(olderIds.map(readSchema)),
      };
    },
  };
}
