import { setTimeout as pause } from 'node:timers/promises';

/** So many messages that come in at the same time are a burst. */
const MANY = 3;
/** It lasts for so long after a message was received while that many came in, in milliseconds. */
const LAST_MS = 1000;
/** A burst keeps reading waiting for so long; then reading goes on beside it for as long, and so forth, in milliseconds. */
const TURN_MS = 5000;
const LOOK_MS = 50;

/** Bursts of messages: while one lasts, receiving comes first, and what was received waits to be read. */
export interface Bursts {
  /** Receives a message. */
  receive<T>(work: () => Promise<T>): Promise<T>;
  /** Returns when reading may go on: at once outside of a burst, else after {@link TURN_MS} at the latest. */
  turnToRead(): Promise<void>;
}

/** Bursts of one listener. */
export function createBursts(now: () => number = () => performance.now()): Bursts {
  let underWay = 0;
  let since = 0;
  let until = 0;

  return {
    async receive(work) {
      underWay += 1;
      try {
        return await work();
      } finally {
        if (underWay >= MANY) {
          if (now() >= until) since = now();
          until = now() + LAST_MS;
        }
        underWay -= 1;
      }
    },
    async turnToRead() {
      const isReceivingsTurn = () => now() < until && Math.floor((now() - since) / TURN_MS) % 2 === 0;
      while (isReceivingsTurn()) await pause(LOOK_MS);
    },
  };
}
