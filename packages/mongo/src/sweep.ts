import type { Runtime } from '@intake/service';
import { isMongoUnavailable } from './database';
import type { Leases } from './lease';

/** A neighbour that is started again is back sooner. */
const PATIENCE_MS = 60_000;

/**
 * Runs `task` every `everyMs` milliseconds, in one replica of the service at a time. Used to find what rests too long in a
 * passing state. A failing run is tried again at the next turn, and logged: as an error when none has succeeded for a minute. Stops with the
 * runtime.
 */
export function startSweep(
  runtime: Runtime,
  leases: Leases,
  name: string,
  everyMs: number,
  task: () => Promise<void>,
  patienceMs = PATIENCE_MS,
): void {
  let failingSince: number | null = null;
  let running: Promise<void> = Promise.resolve();
  const turn = async () => {
    try {
      const lease = await leases.acquire(`sweep:${name}`, Math.max(everyMs, 10_000));
      if (!lease) return;
      try {
        await task();
        failingSince = null;
      } finally {
        await lease.release();
      }
    } catch (error) {
      if (isMongoUnavailable(error)) {
        runtime.log.warn({ err: error, sweep: name }, 'sweep waits for MongoDB');
        return;
      }
      failingSince ??= Date.now();
      const level = Date.now() - failingSince < patienceMs ? 'warn' : 'error';
      runtime.log[level]({ err: error, sweep: name }, 'sweep failed');
    }
  };
  let busy = false;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    running = turn().finally(() => {
      busy = false;
    });
  }, everyMs);
  runtime.onStop(`sweep ${name}`, async () => {
    clearInterval(timer);
    await running;
  });
}
