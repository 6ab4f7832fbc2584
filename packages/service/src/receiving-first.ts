import { setTimeout as pause } from 'node:timers/promises';

/**
 * Receiving that takes so long shows that there is more to do than can be done at once, in milliseconds; where it always takes long, because
 * what it stands on is far away, so many times the least of the last minutes.
 */
const SLOW_MS = 100;
const SLOW_TIMES = 3;
/** The least is looked for in this and the period before, in milliseconds. */
const PERIOD_MS = 300_000;
/** It counts as slow for so long after it was, in milliseconds. */
const LAST_MS = 2000;
/** Meanwhile one that was received goes on every so often, in milliseconds. */
const PACE_MS = 1000;
const LOOK_MS = 50;

/** While receiving is slow it comes first, and the work on what was received before waits for its turn. */
export interface ReceivingFirst {
  /** Receives one, all of it work of our own: nobody slow is waited for. */
  receive<T>(work: () => Promise<T>): Promise<T>;
  /** One was received, which took so much time of our own, in milliseconds. */
  received(ownMs: number): void;
  /**
   * Returns when the work on one may go on: at once, or while receiving is slow, one every {@link PACE_MS}.
   * @param longestMs no longer than this is waited; without it, until the turn comes
   */
  turnToGoOn(longestMs?: number): Promise<void>;
  /** Whether what an organization sent may go on at once: always, or while receiving is slow, one of each every {@link PACE_MS}. */
  isTurnOf(organizationId: number): boolean;
  isSlow(): boolean;
}

/** For what one process receives. */
export function createReceivingFirst(now: () => number = () => performance.now()): ReceivingFirst {
  let slowUntil = 0;
  let nextTurn = 0;
  const nextTurns = new Map<number, number>();
  let [least, leastBefore, periodEnd] = [Infinity, Infinity, now() + PERIOD_MS];
  const received = (ownMs: number): void => {
    if (now() >= periodEnd) [least, leastBefore, periodEnd] = [Infinity, least, now() + PERIOD_MS];
    least = Math.min(least, ownMs);
    if (ownMs >= Math.max(SLOW_MS, SLOW_TIMES * Math.min(least, leastBefore))) slowUntil = now() + LAST_MS;
  };

  return {
    received,
    async receive(work) {
      const begun = now();
      try {
        return await work();
      } finally {
        received(now() - begun);
      }
    },
    async turnToGoOn(longestMs = Number.POSITIVE_INFINITY) {
      const latest = now() + longestMs;
      while (now() < Math.min(slowUntil, nextTurn, latest)) await pause(LOOK_MS);
      if (now() < slowUntil) nextTurn = now() + PACE_MS;
    },
    isTurnOf(organizationId) {
      if (now() >= slowUntil) {
        nextTurns.clear();
        return true;
      }
      if (now() < (nextTurns.get(organizationId) ?? 0)) return false;
      nextTurns.set(organizationId, now() + PACE_MS);
      return true;
    },
    isSlow: () => now() < slowUntil,
  };
}
