import { type Bus, startWorkers } from '@intake/bus';
import { isMongoUnavailable } from '@intake/mongo';
import { continueRequest, type Runtime } from '@intake/service';
import type { JobStore } from './job.store';
import { type JobTools, type Outcome, runJob } from './run-job';

const POLL_MS = 2000;

/** Results that are handed over while the next documents are read, for each document that is read at a time. */
const HANDED_OVER = 2;

/**
 * Works on jobs: at most `concurrency` documents are read at a time, while the results of others are handed over, which is
 * mostly waiting for the database. A ticket from the bus wakes a worker, which claims the job whose turn it is; when that is
 * given back, the ticket comes again. A poll finds jobs whose ticket was lost or whose worker died, and works on them as long as
 * there are any.
 */
export function startJobWorkers(
  runtime: Runtime,
  bus: Bus,
  store: JobStore,
  tools: JobTools,
  concurrency: number,
): void {
  let running = 0;
  let handingOver = 0;
  let stopped = false;
  const inWork = new Set<Promise<unknown>>();

  /** Claims a job and reads its document; ends when the result is handed over, or earlier as long as few others are. */
  const runNext = async (): Promise<Outcome | 'none'> => {
    running++;
    try {
      const job = await store.claim();
      if (!job) return 'none';
      return await new Promise<Outcome>((resolve) => {
        let early = false;
        const onRead = () => {
          if (handingOver >= HANDED_OVER * concurrency) return;
          early = true;
          handingOver++;
          resolve('ended');
        };
        const whole = continueRequest(runtime.tracer, 'extract', job, () => runJob(tools, job, onRead));
        track(whole)
          .then(resolve, () => resolve('given back'))
          .finally(() => {
            if (early) handingOver--;
          });
      });
    } finally {
      running--;
    }
  };
  const runAll = async (): Promise<void> => {
    while (!stopped && running < concurrency && (await runNext()) === 'ended');
  };
  const track = <T>(task: Promise<T>): Promise<T> => {
    inWork.add(task);
    const forget = () => inWork.delete(task);
    task.then(forget, forget);
    return task;
  };

  startWorkers(runtime, bus, 'jobs.extraction', concurrency, async () => (await track(runNext())) !== 'given back');
  const poll = setInterval(() => {
    for (let free = concurrency - running; free > 0; free--) {
      track(runAll()).catch((error) => {
        if (!isMongoUnavailable(error)) runtime.log.error({ err: error }, 'claiming a job failed');
      });
    }
  }, POLL_MS);
  runtime.onStop('job workers', async () => {
    stopped = true;
    clearInterval(poll);
    while (inWork.size > 0) await Promise.allSettled(inWork);
  });
}
