/** Waits before the 2nd, 3rd, ... try of an event, in milliseconds. After the last one the event is parked. */
export const RETRY_DELAYS_MS = [250, 1000, 5000, 15_000, 60_000] as const;

/** Wait before the next try while something that is needed is away (database, neighbour): as long as it takes. */
export const AWAY_DELAY_MS = 2000;

/** Waits of a consumer, in milliseconds. */
export interface RetryDelays {
  /** Before the 2nd, 3rd, ... try. */
  readonly failures: readonly number[];
  /** Before each further try while something that is needed is away. */
  readonly away: number;
  /** Before a message comes again that was taken by a process which then said nothing more: it has died. */
  readonly lost: number;
}

/** How long the bus waits for a sign of life of a message in work, in milliseconds. */
export const LOST_DELAY_MS = 30_000;

export const RETRY_DELAYS: RetryDelays = { failures: RETRY_DELAYS_MS, away: AWAY_DELAY_MS, lost: LOST_DELAY_MS };

/** What to do after a failed try. `tries` counts the failures that were not somebody else's, from 1. */
export function afterFailure(
  tries: number,
  away: boolean,
  delays: RetryDelays = RETRY_DELAYS,
): { kind: 'retry'; delayMs: number } | { kind: 'park' } {
  if (away) return { kind: 'retry', delayMs: delays.away };
  const delayMs = delays.failures[tries - 1];
  return delayMs === undefined ? { kind: 'park' } : { kind: 'retry', delayMs };
}
