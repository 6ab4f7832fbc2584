import { setTimeout as pause } from 'node:timers/promises';

/** It counts as slow for so long after it was, in milliseconds. */
const LAST_MS = 2000;
const LOOK_MS = 50;

export interface ReceivingFirstOptions {
  /** Receiving that takes so long shows that there is more to do than can be done at once, in milliseconds. */
  readonly slowMs?: number;
  /** Meanwhile one that was received goes on every so often, in milliseconds. */
  readonly paceMs?: number;
  readonly now?: () => number;
}

/** While receiving is slow it comes first, and the work on what was received before waits for its turn. */
export interface ReceivingFirst {
  /** Receives one, all of it work of our own: nobody slow is waited for. */
  receive<T>(work: () => Promise<T>): Promise<T>;
  /** One was received, which took so much time of our own, in milliseconds. */
  received(ownMs: number): void;
  /**
   * Returns when the work on one may go on: at once, or while receiving is slow, one every `paceMs`.
   * @param longestMs no longer than this is waited; without it, until the turn comes
   */
  turnToGoOn(longestMs?: number): Promise<void>;
  /** Whether what an organization sent may go on at once: always, or while receiving is slow, one of each every `paceMs`. */
  isTurnOf(organizationId: number): boolean;
  isSlow(): boolean;
}

/** For what one process receives. */
export function createReceivingFirst({
  slowMs = 200,
  paceMs = 500,
  now = () => performance.now(),
}: ReceivingFirstOptions = {}): ReceivingFirst {
  let slowUntil = 0;
  let nextTurn = 0;
  const nextTurns = new Map<number, number>();
  const received = (ownMs: number): void => {
    if (ownMs >= slowMs) slowUntil = now() + LAST_MS;
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
      if (now() < slowUntil) nextTurn = now() + paceMs;
    },
    isTurnOf(organizationId) {
      if (now() >= slowUntil) {
        nextTurns.clear();
        return true;
      }
      if (now() < (nextTurns.get(organizationId) ?? 0)) return false;
      nextTurns.set(organizationId, now() + paceMs);
      return true;
    },
    isSlow: () => now() < slowUntil,
  };
}
