/** Waits before the 2nd, 3rd, ... try of an event, in milliseconds. After the last one the event is parked. */
export const RETRY_DELAYS_MS = [250, 1000, 5000, 15_000, 60_000] as const;

/** Wait before the next try while something that is needed is away (database, neighbour): as long as it takes. */
export const AWAY_DELAY_MS = 2000;

/** What to do after a failed try. `tries` counts from 1. */
export function afterFailure(tries: number, away: boolean): { kind: 'retry'; delayMs: number } | { kind: 'park' } {
  if (away) return { kind: 'retry', delayMs: AWAY_DELAY_MS };
  const delayMs = RETRY_DELAYS_MS[tries - 1];
  return delayMs === undefined ? { kind: 'park' } : { kind: 'retry', delayMs };
}
