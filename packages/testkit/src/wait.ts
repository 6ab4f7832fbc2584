import { setTimeout as sleep } from 'node:timers/promises';

/** How long to look for something. */
export interface WaitOptions {
  /** Milliseconds until the wait fails; 15 000 when not given. */
  readonly timeoutMs?: number;
}

type Truthy<T> = Exclude<T, false | 0 | '' | null | undefined>;

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 250;

/**
 * Probes until the answer is truthy, and returns it. An error of the probe counts as "not yet". When the time is over the
 * error names `what` and the last answer or error.
 */
export async function waitFor<T>(
  what: string,
  probe: () => Promise<T> | T,
  { timeoutMs = 15_000 }: WaitOptions = {},
): Promise<Truthy<T>> {
  const end = Date.now() + timeoutMs;
  let pause = FIRST_PAUSE_MS;
  let last = 'no answer';
  for (;;) {
    try {
      const answer = await probe();
      if (answer) return answer as Truthy<T>;
      last = `last answer: ${JSON.stringify(answer)}`;
    } catch (error) {
      last = `last error: ${(error as Error).stack ?? error}`;
    }
    if (Date.now() + pause > end) throw new Error(`Waited ${timeoutMs} ms in vain for ${what}; ${last}`);
    await sleep(pause);
    pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS);
  }
}
