import type { annotation, documentStorage } from '@intake/contracts';
import { annotationToJson, documentToJson, nodeToJson, readNodes } from '@intake/resources';
import { type Client, systemCaller } from '@intake/rpc';
import type { ApiUrls } from '@intake/urls';
import type { JsonObject } from '../webhook/outcome';

/** Where payloads are made from. */
export interface PayloadSources {
  readonly annotations: Pick<Client<typeof annotation.AnnotationServiceService>, 'getAnnotations' | 'getContent'>;
  readonly storage: Pick<Client<typeof documentStorage.DocumentStorageServiceService>, 'getDocuments'>;
  readonly urls: ApiUrls;
}

/** An annotation and its document, as payloads are made of them. */
export interface Subject {
  readonly annotation: annotation.Annotation;
  readonly document: documentStorage.Document | undefined;
}

/** Makes payloads of annotation events. API: hooks-and-connectors.md section 3.2. */
export type AnnotationPayloads = ReturnType<typeof createAnnotationPayloads>;

export function createAnnotationPayloads({ annotations, storage, urls }: PayloadSources) {
  const shown = ({ annotation: row, document }: Subject, change: JsonObject) => {
    const { annotations: _, ...file } = document ? documentToJson(document, urls) : { annotations: [] };
    return { annotation: { ...annotationToJson(row, urls), ...change }, document: document ? file : null };
  };
  return {
    /** Undefined: it is gone. */
    async find(organizationId: number, annotationId: number): Promise<Subject | undefined> {
      const caller = systemCaller('extension', organizationId);
      const [row] = (await annotations.getAnnotations({ ids: [annotationId] }, caller)).annotations;
      if (!row) return undefined;
      const { documents } = await storage.getDocuments({ ids: [row.documentId] }, caller);
      return { annotation: row, document: documents[0] };
    },

    /** What a change of state is told with: the annotation as it was then. */
    ofStatus: (subject: Subject, status: string, previousStatus: string | null): JsonObject =>
      shown(subject, { status, previous_status: previousStatus }),

    /** What an event of content is told with. @param updated ids of the datapoints that changed */
    async ofContent(subject: Subject, previousStatus: string | null, updated: readonly number[]): Promise<JsonObject> {
      const { id, organizationId } = subject.annotation;
      const { treeJson } = await annotations.getContent(
        { annotationId: id },
        systemCaller('extension', organizationId),
      );
      const content = readNodes(treeJson).map((node) => nodeToJson(node, id, urls));
      return { ...shown(subject, { previous_status: previousStatus, content }), updated_datapoints: [...updated] };
    },
  };
}
