import type { queue } from '@intake/contracts';
import { invalidField, Refusal, systemCaller } from '@intake/rpc';
import { checkContent } from '@intake/schema';
import type { Annotation } from './annotation.types';
import type { AnnotationTools } from './annotations';
import type { Status } from './status';

/** What a queue and a schema have to say about the way of an annotation. */
export type Rules = ReturnType<typeof createRules>;

export function createRules({ queues, content, schemas }: Pick<AnnotationTools, 'queues' | 'content' | 'schemas'>) {
  const hasExportLeg = (q: queue.Queue): boolean => q.connectorId !== undefined || q.hookIds.length > 0;
  const afterExportRequest = (q: queue.Queue): Status => (hasExportLeg(q) ? 'exporting' : 'exported');
  return {
    /** The queue an annotation is in. */
    async getQueue({ queueId, organizationId }: Pick<Annotation, 'queueId' | 'organizationId'>): Promise<queue.Queue> {
      const { queues: found } = await queues.getQueues({ ids: [queueId] }, systemCaller('annotation', organizationId));
      if (!found[0]) throw new Refusal('NOT_FOUND', { cause: `queue ${queueId}` });
      return found[0];
    },
    afterExportRequest,
    afterConfirm: (q: queue.Queue): Status => (q.useConfirmedState ? 'confirmed' : afterExportRequest(q)),
    /** Refuses to let an annotation that breaks its schema's constraints go on. API: annotations.md section 5, step 2. */
    async requireValid(annotation: Annotation): Promise<void> {
      const nodes = await content.list(annotation.id);
      const schema = await schemas.get(annotation.organizationId, annotation.schemaId);
      const errors = checkContent(schema, nodes).filter(({ type }) => type === 'error');
      if (errors.length > 0) throw new Refusal('INVALID_ANNOTATION', { extra: { messages: errors } });
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
