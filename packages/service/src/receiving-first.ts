import { setTimeout as pause } from 'node:timers/promises';

/**
 * Intervals begin when receiving takes so long, in milliseconds, and grow to the longest where it takes so much: then there is more to do than
 * can be done at once. Where it always takes long, because what it stands on is far away, it is so many times the least of the last minutes.
 */
const EASY = { ms: 30, times: 2 };
const HARD = { ms: 50, times: 3 };
const LONGEST_MS = 1000;
/** The least is looked for in this and the period before, in milliseconds. */
const PERIOD_MS = 300_000;
/** How much of what receiving takes now is the last one's time; the rest is what it took before. */
const SHARE = 0.2;
/** Intervals halve in so long when receiving is quick again, and are none when they are shorter than that, in milliseconds. */
const HALVE_MS = 2000;
const SHORTEST_MS = 20;
/** When nothing has been received for so long, nobody is in the way, in milliseconds. */
const IDLE_MS = 3000;
const LOOK_MS = 25;

/**
 * Receiving comes first: the slower it is, the longer are the intervals at which the work on what was received before goes on. They
 * grow at once and shrink slowly, so that neither comes in bursts.
 */
export interface ReceivingFirst {
  /** Receives one, all of it work of our own: nobody slow is waited for. */
  receive<T>(work: () => Promise<T>): Promise<T>;
  /** One was received, which took so much time of our own, in milliseconds. */
  received(ownMs: number): void;
  /**
   * Returns when the work on one may go on: at once, or while receiving is slow, when its turn comes.
   * @param longestMs no longer than this is waited; without it, until the turn comes
   */
  turnToGoOn(longestMs?: number): Promise<void>;
  /** Whether what an organization sent may go on at once: always, or while receiving is slow, when a turn of its own is due. */
  isTurnOf(organizationId: number): boolean;
  /** The interval at which work goes on now, in milliseconds; 0: at once. */
  intervalMs(): number;
}

/** For what one process receives. */
export function createReceivingFirst(now: () => number = () => performance.now()): ReceivingFirst {
  let [takesMs, interval, receivedAt] = [0, 0, -Infinity];
  let nextTurn = 0;
  const nextTurns = new Map<number, number>();
  let [least, leastBefore, periodEnd] = [Infinity, Infinity, now() + PERIOD_MS];

  const isIdle = (): boolean => now() - receivedAt >= IDLE_MS;
  const intervalMs = (): number => {
    const shrunk = interval * 2 ** ((receivedAt - now()) / HALVE_MS);
    return isIdle() || shrunk < SHORTEST_MS ? 0 : shrunk;
  };
  const received = (ownMs: number): void => {
    if (now() >= periodEnd) [least, leastBefore, periodEnd] = [Infinity, least, now() + PERIOD_MS];
    least = Math.min(least, ownMs);
    const leastMs = Math.min(least, leastBefore);
    const before = isIdle() ? leastMs : takesMs;
    takesMs = before + SHARE * (ownMs - before);
    const limitMs = ({ ms, times }: { ms: number; times: number }) => Math.max(ms, times * leastMs);
    const [easyMs, hardMs] = [limitMs(EASY), limitMs(HARD)];
    interval = Math.max(intervalMs(), LONGEST_MS * Math.min(1, (takesMs - easyMs) / (hardMs - easyMs)));
    receivedAt = now();
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
      while (intervalMs() > 0 && now() < Math.min(nextTurn, latest)) await pause(LOOK_MS);
      const wait = intervalMs();
      if (wait > 0) nextTurn = now() + wait;
    },
    isTurnOf(organizationId) {
      const wait = intervalMs();
      if (wait === 0) {
        nextTurns.clear();
        return true;
      }
      if (now() < (nextTurns.get(organizationId) ?? 0)) return false;
      nextTurns.set(organizationId, now() + wait);
      return true;
    },
    intervalMs,
  };
}
