import { systemCaller } from '@intake/rpc';
import type { AnnotationTools } from '../annotation/annotation-tools';
import { changeState } from '../annotation/changes';
import type { createPurge } from '../annotation/purge';

const BATCH = 100;

/**
 * Annotations that are older than the `document_lifetime` of their queue are purged, whatever their state is (API: states.md
 * section 6). Deleting and purging are two steps, both in the history.
 */
export function createRetention(tools: AnnotationTools, purge: Pick<ReturnType<typeof createPurge>, 'purgeRequested'>) {
  const { store, queues } = tools;

  const expireOld = async (organizationId: number, queueId: number, before: Date): Promise<number> => {
    const caller = systemCaller('annotation', organizationId);
    let count = 0;
    for (;;) {
      const old = await store.findOld(organizationId, queueId, before, BATCH);
      if (old.length === 0) return count;
      for (const { id, status } of old) {
        const now = new Date();
        if (status === 'deleted') await store.requestPurge(caller, { ids: [id], queueId: undefined }, now);
        else {
          await changeState(tools, caller, id, 'expire', {
            unless: (annotation) => ['deleted', 'purged'].includes(annotation.status),
            patch: { purgeRequestedAt: now },
          });
        }
      }
      count += old.length;
    }
  };

  return {
    /** Purges what is too old. Answers how many annotations that were. */
    async expire(now = new Date()): Promise<number> {
      let count = 0;
      for (const { organizationId, queueIds } of await store.findQueuesInUse()) {
        const caller = systemCaller('annotation', organizationId);
        for (let i = 0; i < queueIds.length; i += BATCH) {
          const { queues: found } = await queues.getQueues({ ids: queueIds.slice(i, i + BATCH) }, caller);
          for (const { id, documentLifetimeS } of found) {
            if (documentLifetimeS === undefined) continue;
            count += await expireOld(organizationId, id, new Date(now.getTime() - documentLifetimeS * 1000));
          }
        }
      }
      if (count > 0) await purge.purgeRequested();
      return count;
    },
  };
}
