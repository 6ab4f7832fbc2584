import type { annotation, documentStorage, mailIngest } from '@intake/contracts';
import {
  type AnnotationMail,
  annotationToJson,
  documentToJson,
  nodeToJson,
  readAnnotationMail,
  readNodes,
} from '@intake/resources';
import { type Client, systemCaller } from '@intake/rpc';
import type { ApiUrls } from '@intake/urls';
import type { JsonObject } from '../webhook/outcome';
import type { Sideloads } from './sideloads';

/** Where payloads are made from. */
export interface PayloadSources {
  readonly annotations: Pick<Client<typeof annotation.AnnotationServiceService>, 'getAnnotations' | 'getContent'>;
  readonly storage: Pick<Client<typeof documentStorage.DocumentStorageServiceService>, 'getDocuments'>;
  readonly mail: Pick<Client<typeof mailIngest.MailIngestServiceService>, 'listEmails' | 'listThreads'>;
  readonly sideloads: Sideloads;
  readonly urls: ApiUrls;
}

/** An annotation, its document and its e-mails, as payloads are made of them. */
export interface Subject {
  readonly annotation: annotation.Annotation;
  readonly document: documentStorage.Document | undefined;
  readonly mail: AnnotationMail | undefined;
}

/** Makes payloads of annotation events. API: hooks-and-connectors.md section 3.2. */
export type AnnotationPayloads = ReturnType<typeof createAnnotationPayloads>;

export function createAnnotationPayloads({ annotations, storage, mail, sideloads, urls }: PayloadSources) {
  const shown = ({ annotation: row, document, mail: emails }: Subject, change: JsonObject) => {
    const { annotations: _, ...file } = document ? documentToJson(document, urls) : { annotations: [] };
    return { annotation: { ...annotationToJson(row, urls, emails), ...change }, document: document ? file : null };
  };
  return {
    /** Undefined: it is gone. */
    async find(organizationId: number, annotationId: number): Promise<Subject | undefined> {
      const caller = systemCaller('extension', organizationId);
      const [row] = (await annotations.getAnnotations({ ids: [annotationId] }, caller)).annotations;
      if (!row) return undefined;
      const [{ documents }, mailOf] = await Promise.all([
        storage.getDocuments({ ids: [row.documentId] }, caller),
        readAnnotationMail({ mail }, [row], caller),
      ]);
      return { annotation: row, document: documents[0], mail: mailOf(row.id) };
    },

    /** What a change of state is told with: the annotation as it was then. @param wanted sideloads of the hook */
    ofStatus: async (
      subject: Subject,
      { status, previousStatus }: { readonly status: string; readonly previousStatus: string | null },
      wanted: readonly string[],
    ): Promise<JsonObject> => ({
      ...(await sideloads.load(subject, wanted)),
      ...shown(subject, { status, previous_status: previousStatus }),
    }),

    /** What an event of content is told with, and the ids of its nodes. @param wanted sideloads of the hook */
    async ofContent(
      subject: Subject,
      {
        previousStatus,
        updatedIds,
      }: { readonly previousStatus: string | null; readonly updatedIds: readonly number[] },
      wanted: readonly string[],
    ): Promise<{ parts: JsonObject; nodeIds: ReadonlySet<number> }> {
      const { id, organizationId } = subject.annotation;
      const { treeJson } = await annotations.getContent(
        { annotationId: id },
        systemCaller('extension', organizationId),
      );
      const nodes = readNodes(treeJson);
      const content = nodes.map((node) => nodeToJson(node, id, urls));
      const parts = {
        ...(await sideloads.load(subject, wanted)),
        ...shown(subject, { previous_status: previousStatus, content }),
        updated_datapoints: [...updatedIds],
      };
      return { parts, nodeIds: new Set(idsOf(nodes)) };
    },
  };
}

function idsOf(nodes: ReturnType<typeof readNodes>): number[] {
  return nodes.flatMap(({ id, children = [] }) => [id, ...idsOf(children)]);
}
