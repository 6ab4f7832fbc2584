import { queue as contract, type queue } from '@intake/contracts';
import { createShare, invalidField, Refusal, systemCaller } from '@intake/rpc';
import { type ContentNode, checkContent } from '@intake/schema';
import type { Annotation } from './annotation.types';
import type { AnnotationTools } from './annotation-tools';
import type { Status } from './status';

/** What a queue and a schema have to say about the way of an annotation. */
export type Rules = ReturnType<typeof createRules>;

export function createRules({ queues, content, schemas }: Pick<AnnotationTools, 'queues' | 'content' | 'schemas'>) {
  const share = createShare<{ queues: readonly queue.Queue[] }>();
  const hasHook = async ({ id, organizationId, hookIds }: queue.Queue, event: string): Promise<boolean> => {
    if (hookIds.length === 0) return false;
    const filter = { queueIds: [id], active: true, events: [event], page: 1, pageSize: 1 };
    const request = contract.ListHooksRequest.fromPartial(filter);
    return (await queues.listHooks(request, systemCaller('annotation', organizationId))).total > 0;
  };
  const asks = async (q: queue.Queue, event: string) => q.connectorId !== undefined || (await hasHook(q, event));
  const afterExportRequest = async (q: queue.Queue): Promise<Status> =>
    (await asks(q, 'annotation_content.export')) ? 'exporting' : 'exported';
  /** Refuses to let an annotation that breaks its schema's constraints go on. API: annotations.md section 5, step 2. */
  const requireValid = async (annotation: Annotation, given?: readonly ContentNode[]): Promise<void> => {
    const nodes = given ?? (await content.list(annotation.id));
    const schema = await schemas.get(annotation.organizationId, annotation.schemaId);
    const errors = checkContent(schema, nodes).filter(({ type }) => type === 'error');
    if (errors.length > 0) throw new Refusal('INVALID_ANNOTATION', { extra: { messages: errors } });
  };
  /** Refuses to let a document on of which nothing was ever read. */
  const requireContent = async ({ id, organizationId, schemaId }: Annotation): Promise<void> => {
    if (await content.has(id)) return;
    if ((await schemas.get(organizationId, schemaId)).length === 0) return;
    throw new Refusal('CONFLICT_STATUS', {
      detail: 'The document was not read, so there is nothing to review. Import it again.',
    });
  };
  return {
    /** The queue an annotation is in. */
    async getQueue({ queueId, organizationId }: Pick<Annotation, 'queueId' | 'organizationId'>): Promise<queue.Queue> {
      const { queues: found } = await share(`${organizationId}/${queueId}`, () =>
        queues.getQueues({ ids: [queueId] }, systemCaller('annotation', organizationId)),
      );
      if (!found[0]) throw new Refusal('NOT_FOUND', { detail: `Queue ${queueId} is gone.` });
      return found[0];
    },
    afterExportRequest,
    afterConfirm: async (q: queue.Queue): Promise<Status> =>
      q.useConfirmedState ? 'confirmed' : afterExportRequest(q),
    /** Whether extensions are asked about a document that was just read. */
    asksAtImport: (q: queue.Queue): Promise<boolean> => asks(q, 'annotation_content.initialize'),
    /** Whether the export is over when the connector has answered, so that who confirms can wait for it. */
    async savesAtOnce(q: queue.Queue): Promise<boolean> {
      if (q.connectorId === undefined || (await hasHook(q, 'annotation_content.export'))) return false;
      const request = contract.ListConnectorsRequest.fromPartial({ ids: [q.connectorId], page: 1, pageSize: 1 });
      const { connectors } = await queues.listConnectors(request, systemCaller('annotation', q.organizationId));
      return connectors[0]?.asynchronous === false;
    },
    requireValid,
    requireContent,
    /**
     * Refuses a state that the content does not allow. API: states.md section 3.
     *
     * @param given content that the annotation is about to get; otherwise what it has
     */
    async requireContentFor(status: string, annotation: Annotation, given?: readonly ContentNode[]): Promise<void> {
      if (['confirmed', 'exporting', 'exported'].includes(status)) await requireValid(annotation, given);
      if (['to_review', 'postponed'].includes(status)) await requireContent(annotation);
    },
    /** Refuses a state that the queue has switched off. @param field of the request, that the error names */
    requireStatusOf(q: queue.Queue, status: string, field = 'status'): void {
      if (status === 'rejected' && !allowsRejection(q)) {
        throw invalidField(field, 'Rejection is not enabled on the queue.');
      }
      if (status === 'confirmed' && !q.useConfirmedState) {
        throw invalidField(field, 'The queue does not use the state confirmed.');
      }
    },
    /** Whether the queue has the state at all. */
    hasStatus: (q: queue.Queue, status: string): boolean =>
      status === 'rejected' ? allowsRejection(q) : status === 'confirmed' ? q.useConfirmedState : true,
  };
}

function allowsRejection(q: queue.Queue): boolean {
  const { rejection_config: config } = (q.settings ?? {}) as { rejection_config?: { enabled?: boolean } };
  return config?.enabled !== false;
}
