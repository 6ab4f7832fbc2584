import { type ClientSession, type Database, isMongoUnavailable, rowsOf, transaction } from '@intake/mongo';
import { type Caller, organizationOf, systemCaller } from '@intake/rpc';
import type { Logger } from '@intake/service';
import { Schema } from 'mongoose';
import type { AnnotationStore } from './annotation.store';
import type { HistoryStore, StatusCount } from './history.store';

/** Counts of a queue as they were without the changes that were counted since `at`. */
interface Base {
  readonly _id: number;
  readonly organizationId: number;
  readonly at: Date;
  readonly takenAt: Date;
  readonly counts: Readonly<Record<string, number>>;
}

export interface StatusCountsOptions {
  readonly database: Database;
  readonly store: Pick<AnnotationStore, 'countByStatus'>;
  readonly history: Pick<HistoryStore, 'sumCounts'>;
  readonly log: Logger;
  /** Queues of fewer annotations are counted each time. */
  readonly largeFrom?: number;
}

const LARGE_FROM = 5000;
/** No transaction takes so long (MongoDB ends it after a minute), clocks that differ included, in milliseconds. */
const LONGEST_CHANGE_MS = 90_000;
/** A base is taken anew so often, in milliseconds; and when so many changes have to be added to it, but not before. */
const RENEW_MS = 10 * 60_000;
const MOST_CHANGES = 5000;
const SOONEST_MS = 30_000;
const FORGET_S = 24 * 3600;

/** How many annotations queues have in each status. */
export type StatusCounts = ReturnType<typeof createStatusCounts>;

/**
 * Counts annotations of queues by status. Those of a large queue are not counted each time: they were counted at some time,
 * and what the audit trail says of changes since then is added. Always exact: a count and the changes in it are read from one snapshot.
 */
export function createStatusCounts({ database, store, history, log, largeFrom = LARGE_FROM }: StatusCountsOptions) {
  const schema = new Schema(
    { _id: Number, organizationId: Number, at: Date, takenAt: Date, counts: Schema.Types.Mixed },
    { collection: 'status_counts', versionKey: false },
  );
  schema.index({ takenAt: 1 }, { expireAfterSeconds: FORGET_S });
  database.connection.model('StatusCounts', schema);
  const bases = rowsOf<Base>(database, 'status_counts');
  const underWay = new Map<number, Promise<void>>();
  /** Queues that had so many when they were last counted; of others no base is looked for. */
  const large = new Set<number>();

  const take = async (organizationId: number, queueId: number): Promise<void> => {
    const takenAt = new Date();
    const at = new Date(takenAt.getTime() - LONGEST_CHANGE_MS);
    await transaction(database, async (session: ClientSession) => {
      const counted = await store.countByStatus(systemCaller('annotation', organizationId), [queueId], session);
      const changed = await history.sumCounts([{ queueId, at }], session);
      const counts = toTotals([...counted, ...changed.map((one) => ({ ...one, count: -one.count }))]);
      const base = { organizationId, at, takenAt, counts: Object.fromEntries(counts) };
      await bases.replaceOne({ _id: queueId }, base, { upsert: true, session });
    });
  };
  /** Nobody waits for it: until then it is counted as before. */
  const renew = (organizationId: number, queueId: number): void => {
    if (underWay.has(queueId)) return;
    const renewal = take(organizationId, queueId)
      .catch((error) => log.warn({ err: error, queue: queueId, mongo: isMongoUnavailable(error) }, 'not counted anew'))
      .finally(() => underWay.delete(queueId));
    underWay.set(queueId, renewal);
  };

  const countAll = async (caller: Caller, queueIds: readonly number[]): Promise<StatusCount[]> => {
    if (queueIds.length === 0) return [];
    const counted = await store.countByStatus(caller, queueIds);
    const { organizationId } = caller;
    if (organizationId === null) return counted;
    for (const queueId of queueIds) {
      const own = counted.filter((one) => one.queueId === queueId);
      if (own.reduce((sum, { count }) => sum + count, 0) < largeFrom) large.delete(queueId);
      else {
        large.add(queueId);
        renew(organizationId, queueId);
      }
    }
    return counted;
  };

  const addTo = async (found: readonly Base[]): Promise<StatusCount[]> => {
    if (found.length === 0) return [];
    const changed = await history.sumCounts(found.map(({ _id: queueId, at }) => ({ queueId, at })));
    return found.flatMap(({ _id: queueId, organizationId, takenAt, counts }) => {
      const own = changed.filter((one) => one.queueId === queueId);
      const changes = own.reduce((sum, one) => sum + one.changes, 0);
      const ageMs = Date.now() - takenAt.getTime();
      if (ageMs > RENEW_MS || (ageMs > SOONEST_MS && changes > MOST_CHANGES)) renew(organizationId, queueId);
      const base = Object.entries(counts).map(([status, count]) => ({ status, count }));
      const totals = [...toTotals([...base, ...own])].filter(([, count]) => count > 0);
      return totals.map(([status, count]) => ({ queueId, status, count }));
    });
  };

  const countLarge = async (caller: Caller, queueIds: readonly number[]): Promise<StatusCount[]> => {
    if (queueIds.length === 0) return [];
    const found = await bases.find({ _id: { $in: [...queueIds] }, organizationId: organizationOf(caller) }).toArray();
    const known = new Set(found.map(({ _id }) => _id));
    const rest = queueIds.filter((id) => !known.has(id));
    return (await Promise.all([countAll(caller, rest), addTo(found)])).flat();
  };

  return {
    /** Of each status that some of a queue's annotations have. Queues that the caller does not see have none. */
    async list(caller: Caller, queueIds: readonly number[]): Promise<StatusCount[]> {
      const visible = [...new Set(queueIds)].filter((id) => caller.queueIds === 'all' || caller.queueIds.includes(id));
      const few = visible.filter((id) => !large.has(id));
      const many = visible.filter((id) => large.has(id));
      const [counted, added] = await Promise.all([countAll(caller, few), countLarge(caller, many)]);
      return [...counted, ...added];
    },
    /** Returns when no count is under way. */
    async settle(): Promise<void> {
      await Promise.all(underWay.values());
    },
  };
}

function toTotals(counts: readonly Omit<StatusCount, 'queueId'>[]): Map<string, number> {
  const totals = new Map<string, number>();
  for (const { status, count } of counts) totals.set(status, (totals.get(status) ?? 0) + count);
  return totals;
}
