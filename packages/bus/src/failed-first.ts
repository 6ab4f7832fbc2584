import type { BusEvent } from './event';

type Place = Pick<BusEvent, 'aggregate' | 'version'>;

/** Keeps the events of an aggregate behind the one that failed and is to be tried again. */
export interface FailedFirst {
  /** How long the event has to wait for one before it, in milliseconds; 0: not at all. */
  waitFor(event: Place): number;
  /** The event will come again after this delay. */
  failed(event: Place, delayMs: number): void;
  /** The event is done, or given up. */
  passed(event: Place): void;
}

/** An event that comes again is late by so much at most; if it is later, another replica has it, and nobody waits any longer. */
const GRACE_MS = 3000;
/** Those that wait come again in their order, so far from each other. */
const APART_MS = 20;
/** When there are so many, those that nobody waits for any longer are forgotten. */
const MOST = 10_000;

export function createFailedFirst(now: () => number = Date.now): FailedFirst {
  const failures = new Map<string, { version: number; dueAt: number }>();
  const forgetOld = () => {
    for (const [aggregate, { dueAt }] of failures) if (now() > dueAt + GRACE_MS) failures.delete(aggregate);
  };
  return {
    waitFor({ aggregate, version }) {
      const first = failures.get(aggregate);
      if (!first || version <= first.version) return 0;
      if (now() > first.dueAt + GRACE_MS) {
        failures.delete(aggregate);
        return 0;
      }
      return Math.max(first.dueAt - now(), 0) + (version - first.version) * APART_MS;
    },
    failed({ aggregate, version }, delayMs) {
      const known = failures.get(aggregate);
      if (known && known.version < version && now() <= known.dueAt + GRACE_MS) return;
      if (failures.size >= MOST) forgetOld();
      failures.set(aggregate, { version, dueAt: now() + delayMs });
    },
    passed({ aggregate, version }) {
      if (failures.get(aggregate)?.version === version) failures.delete(aggregate);
    },
  };
}
