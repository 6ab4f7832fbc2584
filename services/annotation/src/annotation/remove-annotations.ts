import type { Backbone } from '@intake/bus';
import { transaction } from '@intake/mongo';
import { type Caller, organizationOf, Refusal, systemCaller } from '@intake/rpc';
import type { ContentStore } from '../content/content.store';
import type { QueueDeletionStore } from '../queue-deletion/queue-deletion.store';
import type { AnnotationStore } from './annotation.store';
import { eventFor } from './changes';

export interface RemoveAnnotationsOptions {
  readonly backbone: Backbone;
  readonly store: AnnotationStore;
  readonly content: ContentStore;
  readonly deletions: QueueDeletionStore;
}

/**
 * Removes one annotation for good, whatever its state; its document stays. Throws ANNOTATION_NOT_YOURS while another user reviews it.
 * API: annotations.md section 4.
 */
export function createRemoveAnnotation({ backbone, store, deletions }: Omit<RemoveAnnotationsOptions, 'content'>) {
  return (caller: Caller, id: number): Promise<void> =>
    transaction(backbone.database, async (session) => {
      const before = await store.get(caller, id, session);
      if (before.status === 'reviewing' && before.reviewerId !== caller.userId) {
        throw new Refusal('ANNOTATION_NOT_YOURS');
      }
      const now = new Date();
      await deletions.removeAnnotation(session, id);
      const after = { ...before, status: 'purged' as const, version: before.version + 1, purgedAt: now };
      const event = eventFor(after, before.status, 'remove', caller, now);
      backbone.emit(session, { ...event, payload: { ...event.payload, removed: true } });
    });
}

/**
 * Removes all annotations of a document that is to be deleted. Throws CONFLICT when one of them has datapoints.
 * API: documents-and-uploads.md section 1.
 */
export function createRemoveAnnotations({ backbone, store, content, deletions }: RemoveAnnotationsOptions) {
  return async (caller: Caller, documentId: number): Promise<void> => {
    const system = systemCaller('annotation', organizationOf(caller));
    const now = new Date();
    await transaction(backbone.database, async (session) => {
      const found = await store.findOfDocument(system, documentId, session);
      for (const { id } of found) {
        if (!(await content.has(id, session))) continue;
        throw new Refusal('CONFLICT', {
          detail: 'Document cannot be deleted due to existing datapoint references.',
        });
      }
      for (const [i, before] of found.entries()) {
        const after = { ...before, status: 'purged' as const, version: before.version + 1, purgedAt: now };
        await deletions.removeAnnotation(session, before.id);
        const isLast = i === found.length - 1;
        await backbone.emit(session, eventFor(after, before.status, 'purge', caller, now, { lastOfDocument: isLast }));
      }
    });
  };
}
