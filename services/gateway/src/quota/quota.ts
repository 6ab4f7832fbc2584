import { randomUUID } from 'node:crypto';
import type { Bus } from '@intake/bus';
import { rateLimited } from '@intake/rpc';
import { type Happened, MinuteCounts } from './minute-counts';

/** Calls in a minute; 0: as many as anybody likes. API: limits.md, Request quota. */
export interface Limits {
  /** Of a user to all endpoints together; of an address for those who are not logged in. */
  readonly requests: number;
  /** Of an address to `auth/login`. */
  readonly logins: number;
  /** Of an address to `auth/password/*`. */
  readonly passwords: number;
}

/** Counts calls in all replicas of the gateway together. */
export interface Quota {
  /** Counts a call. Throws RATE_LIMITED when there were too many in the last minute; then it does not count. */
  take(limit: keyof Limits, who: string): void;
}

/** What a replica keeps to itself of a limit before it tells the others, as a part of the limit; and for how long. */
const UNTOLD_PART = 0.05;
const UNTOLD_MS = 100;
/** Largest message that a new replica gets. */
const HAPPENED_AT_ONCE = 2000;

interface Told {
  readonly from: string;
  readonly counts: readonly (readonly [key: string, count: number])[];
}
interface Asked {
  readonly from: string;
}
interface Answered {
  readonly from: string;
  readonly to: string;
  readonly happened: readonly Happened[];
}

/**
 * Each replica counts in memory and tells the others what it has counted; one that starts asks for what happened before. While
 * NATS is away each counts for itself (docs/decisions/0010-quota-counted-in-memory.md).
 */
export function createQuota(bus: Bus, limits: Limits): Quota {
  const self = randomUUID();
  const counts = new MinuteCounts();
  const untold = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  /** Whose answer is taken: the first one's. */
  let teacher: string | undefined;

  bus.onSignal<Told>('quota.counts', ({ from, counts: told }) => {
    if (from !== self) for (const [key, count] of told) counts.add(key, count);
  });
  bus.onSignal<Asked>('quota.question', ({ from }) => {
    if (from === self) return;
    const all = [...counts.entries()];
    for (let i = 0; i < all.length; i += HAPPENED_AT_ONCE) {
      const happened = all.slice(i, i + HAPPENED_AT_ONCE);
      bus.signal('quota.answer', { from: self, to: from, happened } satisfies Answered);
    }
  });
  bus.onSignal<Answered>('quota.answer', ({ from, to, happened }) => {
    if (to !== self) return;
    teacher ??= from;
    if (from === teacher) for (const [key, age, count] of happened) counts.add(key, count, age);
  });
  bus.connected().then(
    () => bus.signal('quota.question', { from: self } satisfies Asked),
    () => undefined,
  );

  const tell = (): void => {
    clearTimeout(timer);
    timer = undefined;
    // What nobody can hear now would come too late.
    if (bus.online) bus.signal('quota.counts', { from: self, counts: [...untold] } satisfies Told);
    untold.clear();
  };

  return {
    take(name, who) {
      const limit = limits[name];
      if (limit === 0) return;
      const key = `${name} ${who}`;
      if (counts.total(key) >= limit) throw rateLimited(counts.secondsUntilBelow(key, limit));
      counts.add(key);
      const count = (untold.get(key) ?? 0) + 1;
      untold.set(key, count);
      if (count >= limit * UNTOLD_PART) tell();
      else timer ??= setTimeout(tell, UNTOLD_MS).unref();
    },
  };
}
