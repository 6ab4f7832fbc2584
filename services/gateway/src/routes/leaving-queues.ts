import { queue } from '@intake/contracts';
import { type Caller, isNeighbourAway, withoutEnd } from '@intake/rpc';
import type { Services } from '../services';

/** How long an answer is good for, in milliseconds: another gateway may have taken a deletion meanwhile. */
const FRESH_MS = 1000;
/** Annotations that leave are listed rather than none at all. */
const PATIENCE_MS = 2000;
/** A queue leaves within a day or so: there are never many. */
const MOST = 1000;

/**
 * Queues whose deletion was asked for: their annotations are not listed (API: annotations.md section 2). While the queue service is
 * away, none.
 */
export type LeavingQueues = ReturnType<typeof createLeavingQueues>;

export function createLeavingQueues({ queue: queues }: Pick<Services, 'queue'>) {
  let known = new Map<string, { readonly ids: Promise<number[]>; readonly until: number }>();

  const read = async (caller: Caller): Promise<number[]> => {
    const wanted = queue.ListQueuesRequest.fromPartial({ deleting: true, page: 1, pageSize: MOST });
    try {
      return (await queues.listQueues(wanted, caller, { timeoutMs: PATIENCE_MS })).queues.map(({ id }) => id);
    } catch (error) {
      if (isNeighbourAway(error)) return [];
      throw error;
    }
  };

  return {
    /** Ids of those that the caller may see. */
    find(caller: Caller): Promise<number[]> {
      const key = `${caller.organizationId}/${caller.userId}`;
      const now = Date.now();
      const there = known.get(key);
      if (there && there.until > now) return there.ids;
      for (const [old, { until }] of known) if (until <= now) known.delete(old);
      const ids = withoutEnd(() => read(caller));
      known.set(key, { ids, until: now + FRESH_MS });
      ids.catch(() => known.delete(key));
      return ids;
    },
    /** A deletion was asked for here. */
    forget(): void {
      known = new Map();
    },
  };
}
