import { setTimeout as pause } from 'node:timers/promises';

/** Receiving that takes so long shows that there is more to do than can be done at once, in milliseconds. */
const SLOW_MS = 250;
/** It counts as slow for so long after it was, in milliseconds. */
const LAST_MS = 2000;
/** Meanwhile one that was received goes on every so often, in milliseconds. */
const PACE_MS = 250;
/** No longer than this waits one that could go on, in milliseconds. */
const LONGEST_WAIT_MS = 2000;
const LOOK_MS = 50;

/** While receiving is slow it comes first, and the work on what was received before waits for its turn. */
export interface ReceivingFirst {
  /** Receives one. */
  receive<T>(work: () => Promise<T>): Promise<T>;
  /** Returns when the work on one may go on: at once, or while receiving is slow, one every {@link PACE_MS}. */
  turnToGoOn(): Promise<void>;
}

/** For what one process receives. */
export function createReceivingFirst(now: () => number = () => performance.now()): ReceivingFirst {
  let slowUntil = 0;
  let nextTurn = 0;

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
  };
}
