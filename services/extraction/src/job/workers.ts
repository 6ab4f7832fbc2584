import { type Bus, startWorkers } from '@intake/bus';
import { isMongoUnavailable } from '@intake/mongo';
import { continueRequest, type Runtime } from '@intake/service';
import type { JobStore } from './job.store';
import { type JobTools, runJob } from './run-job';

const POLL_MS = 2000;

/**
 * Works on jobs, at most `concurrency` at a time. A ticket from the bus wakes a worker, which claims the job whose turn it
 * is; a poll finds jobs whose ticket was lost or whose worker died.
 */
export function startJobWorkers(
  runtime: Runtime,
  bus: Bus,
  store: JobStore,
  tools: JobTools,
  concurrency: number,
): void {
  let running = 0;
  let stopped = false;
  const inWork = new Set<Promise<boolean>>();

  /** Does one job; false when there was none. */
  const runNext = async (): Promise<boolean> => {
    running++;
    try {
      const job = await store.claim();
      if (!job) return false;
      await continueRequest(runtime.tracer, 'extract', job, () => runJob(tools, job));
      return true;
    } finally {
      running--;
    }
  };
  const track = (task: Promise<boolean>): Promise<boolean> => {
    inWork.add(task);
    const forget = () => inWork.delete(task);
    task.then(forget, forget);
    return task;
  };

  startWorkers(runtime, bus, 'jobs.extraction', concurrency, async () => {
    await track(runNext());
  });
  const poll = setInterval(() => {
    if (running > 0 || stopped) return;
    for (let i = 0; i < concurrency; i++) {
      track(runNext()).catch((error) => {
        if (!isMongoUnavailable(error)) runtime.log.error({ err: error }, 'claiming a job failed');
      });
    }
  }, POLL_MS);
  runtime.onStop('job workers', async () => {
    stopped = true;
    clearInterval(poll);
    await Promise.allSettled(inWork);
  });
}
