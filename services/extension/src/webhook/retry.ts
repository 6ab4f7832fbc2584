const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Waits before the 2nd to 5th attempt, as many of them as the hook allows. API: hooks-and-connectors.md section 5. */
const QUICK_MS = [2, 4, 8, 16].map((s) => s * SECOND);
/** Waits before the attempts after those, for what nobody waits for: about three days. */
const LATER_MS = [5 * MINUTE, 30 * MINUTE, ...[2, 5, 10, 14, 20, 24].map((h) => h * HOUR)];

/** The wait before the next attempt, in milliseconds. */
export interface NextAttempt {
  readonly delayMs: number;
  /** The outcome of the event is decided; what follows is only so that the receiver gets it. */
  readonly isLate: boolean;
}

/**
 * When a call that failed is made again; null: not any more.
 *
 * @param attempts made so far
 * @param retryCount quick attempts after the first
 * @param goesOn whether it is delivered further when the quick attempts are used up
 */
export function nextAttempt(
  attempts: number,
  {
    retryCount,
    goesOn,
    retryAfterMs = 0,
  }: { readonly retryCount: number; readonly goesOn: boolean; readonly retryAfterMs?: number },
): NextAttempt | null {
  const quick = Math.min(retryCount, QUICK_MS.length);
  const quickMs = attempts <= quick ? QUICK_MS[attempts - 1] : undefined;
  if (quickMs !== undefined) return { delayMs: Math.max(quickMs, retryAfterMs), isLate: false };
  const laterMs = goesOn && retryCount > 0 ? LATER_MS[attempts - quick - 1] : undefined;
  return laterMs === undefined ? null : { delayMs: Math.max(laterMs, retryAfterMs), isLate: true };
}
