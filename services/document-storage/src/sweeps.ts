import { setTimeout as pause } from 'node:timers/promises';
import type { Backbone } from '@intake/bus';
import { startSweep } from '@intake/mongo';
import type { Runtime } from '@intake/service';
import { Counter } from 'prom-client';
import type { createSweepUnclaimed } from './document/unclaimed-documents';
import type { Files } from './file/file';
import type { ImportUpload } from './upload/import-upload';

/** A file that nobody took is an orphan after this time. */
const ORPHAN_MS = 24 * 3600 * 1000;

const RESTING_MS = 1000;
/** Uploads that are put on the bus at a time: no more than can be read meanwhile. While receiving is slow they go one by one. */
const MOST_PUSHED = 20;

/** What is swept. */
export interface SweptParts {
  readonly files: Files;
  readonly importUpload: ImportUpload;
  readonly sweepUnclaimed: ReturnType<typeof createSweepUnclaimed>;
  /** How long a document may wait for its annotation. */
  readonly unclaimedMs: number;
  /** The interval at which what was received goes on, in milliseconds; 0: at once. */
  readonly intervalMs: () => number;
}

/** Starts what looks for work at rest and for files that nobody needs. */
export function startSweeps(
  runtime: Runtime,
  { leases }: Backbone,
  { files, importUpload, sweepUnclaimed, unclaimedMs, intervalMs }: SweptParts,
): void {
  const pushed = new Counter({
    name: 'intake_uploads_pushed_total',
    help: 'Uploads that rested and were put on the bus again',
    registers: [runtime.metrics],
  });
  const removed = new Counter({
    name: 'intake_orphan_files_removed_total',
    help: 'Files that nobody had taken within a day',
    registers: [runtime.metrics],
  });
  startSweep(runtime, leases, 'resting-uploads', RESTING_MS, async () => {
    const end = Date.now() + RESTING_MS;
    for (;;) {
      const interval = intervalMs();
      const count = await importUpload.pushResting(new Date(), interval === 0 ? MOST_PUSHED : 1);
      pushed.inc(count);
      if (count === 0 || interval === 0 || Date.now() + interval >= end) return;
      await pause(interval);
    }
  });
  startSweep(runtime, leases, 'orphan-files', 10 * 60_000, async () => {
    removed.inc(await files.sweepOrphans(new Date(Date.now() - ORPHAN_MS)));
  });
  startSweep(runtime, leases, 'unclaimed-documents', Math.min(unclaimedMs, 10 * 60_000), async () => {
    await sweepUnclaimed(new Date(Date.now() - unclaimedMs));
  });
}
