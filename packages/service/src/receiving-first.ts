import { setTimeout as pause } from 'node:timers/promises';

/** Receiving that takes so long shows that there is more to do than can be done at once, in milliseconds. */
const SLOW_MS = 200;
/** It counts as slow for so long after it was, in milliseconds. */
const LAST_MS = 2000;
/** Meanwhile one that was received goes on every so often, in milliseconds. */
const PACE_MS = 500;
/** No longer than this waits one that could go on, in milliseconds. */
const LONGEST_WAIT_MS = 2000;
const LOOK_MS = 50;

/** While receiving is slow it comes first, and the work on what was received before waits for its turn. */
export interface ReceivingFirst {
  /** Receives one. */
  receive<T>(work: () => Promise<T>): Promise<T>;
  /** Returns when the work on one may go on: at once, or while receiving is slow, one every {@link PACE_MS}. */
  turnToGoOn(): Promise<void>;
  /** Whether what an organization sent may go on at once: always, or while receiving is slow, one of each every {@link PACE_MS}. */
  isTurnOf(organizationId: number): boolean;
  isSlow(): boolean;
}

/** For what one process receives. */
export function createReceivingFirst(now: () => number = () => performance.now()): ReceivingFirst {
  let slowUntil = 0;
  let nextTurn = 0;
  const nextTurns = new Map<number, number>();

  return {
    async receive(work) {
      const begun = now();
      try {
        return await work();
      } finally {
        if (now() - begun >= SLOW_MS) slowUntil = now() + LAST_MS;
      }
    },
    async turnToGoOn() {
      const latest = now() + LONGEST_WAIT_MS;
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
