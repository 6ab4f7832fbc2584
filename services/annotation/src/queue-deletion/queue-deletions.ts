import type { Backbone } from '@intake/bus';
import { startSweep, transaction } from '@intake/mongo';
import { systemCaller } from '@intake/rpc';
import type { Runtime } from '@intake/service';
import type { AnnotationStore } from '../annotation/annotation.store';
import { eventFor } from '../annotation/changes';
import type { QueueDeletion, QueueDeletionStore } from './queue-deletion.store';

const BATCH = 50;
/** How long one turn lasts at most; the lease is longer. */
const TURN_MS = 5000;
const SWEEP_MS = 1000;

export type QueueDeletions = ReturnType<typeof createQueueDeletions>;

/**
 * The annotations of a queue that is deleted go, one at a time, in the background; when none is left, `queue.emptied` says so
 * (API: workspaces-queues.md section 4).
 */
export function createQueueDeletions({
  backbone,
  store,
  deletions,
}: {
  readonly backbone: Backbone;
  readonly store: AnnotationStore;
  readonly deletions: QueueDeletionStore;
}) {
  const remove = ({ organizationId }: QueueDeletion, id: number) =>
    transaction(backbone.database, async (session) => {
      const caller = systemCaller('annotation', organizationId);
      const before = await store.get(caller, id, session);
      const now = new Date();
      const after = { ...before, status: 'purged' as const, version: before.version + 1, purgedAt: now };
      await deletions.removeAnnotation(session, id);
      // The bytes of a document go with its last annotation.
      const isLast = await deletions.isLastOfDocument(session, id, before.documentId);
      backbone.emit(session, eventFor(after, before.status, 'purge', caller, now, { lastOfDocument: isLast }));
    });

  /** False when nothing is left of it. */
  const proceed = async (deletion: QueueDeletion): Promise<boolean> => {
    const ids = await deletions.findAnnotations(deletion, BATCH);
    for (const id of ids) await remove(deletion, id);
    if (ids.length > 0) return true;
    await transaction(backbone.database, async (session) => {
      await deletions.finish(session, deletion);
      await backbone.emit(session, {
        subject: 'queue.emptied',
        aggregate: `queue:${deletion.queueId}`,
        version: 2,
        payload: deletion,
      });
    });
    return false;
  };

  return {
    /** The effect of `queue.deleted`. */
    begin: deletions.begin,

    /** Goes on with what waits, for some seconds. */
    async turn(): Promise<void> {
      const end = Date.now() + TURN_MS;
      for (let next = await deletions.findNext(); next && Date.now() < end; next = await deletions.findNext()) {
        while (Date.now() < end && (await proceed(next)));
      }
    },
  };
}

/** Goes on with deletions, in one replica at a time. */
export function startQueueDeletions(
  runtime: Runtime,
  backbone: Pick<Backbone, 'leases'>,
  deletions: QueueDeletions,
): void {
  startSweep(runtime, backbone.leases, 'queue-deletion', SWEEP_MS, deletions.turn);
}
