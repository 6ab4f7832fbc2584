import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { JobTable } from './child-pool';
import { flattenError } from './job-errors';
import type { JobReply, JobRequest } from './job-protocol';
import { endGroup } from './process-tree';

/** Job name -> the function that does it. `folder` is the child's own; empty when the pool gives none. */
export type JobHandlers<Jobs extends JobTable<Jobs>> = {
  [K in keyof Jobs]: (input: Jobs[K]['input'], folder: string) => Promise<Jobs[K]['output']> | Jobs[K]['output'];
};

/** Readies a child that is started ahead of its job. Jobs may come before it has ended; it must not throw. */
export type Prepare = (input: unknown, folder: string) => void;

/**
 * The child's side of `ChildPool`: answers jobs until the parent goes away.
 *
 * @throws when the script was not started by a `ChildPool`
 */
export function serveJobs<Jobs extends JobTable<Jobs>>(handlers: JobHandlers<Jobs>, prepare?: Prepare): void {
  if (!process.send) throw new Error('This script is a worker: it is started by a ChildPool.');
  const [parent, folder = '', prepared] = process.argv.slice(2);
  new Worker(path.join(__dirname, 'orphan-watch.js'), {
    workerData: { parent: Number(parent), folder },
    resourceLimits: { maxOldGenerationSizeMb: 16 },
  }).unref();
  const table = new Map(Object.entries(handlers) as [string, Handler][]);
  process.on('disconnect', () => endGroup(folder));
  process.on('message', (request: JobRequest) => void answer(table, request, folder));
  if (prepared) prepare?.(JSON.parse(prepared), folder);
}

type Handler = (input: unknown, folder: string) => unknown;

async function answer(table: Map<string, Handler>, request: JobRequest, folder: string): Promise<void> {
  let reply: JobReply;
  try {
    const handler = table.get(request.name);
    if (!handler) throw new Error(`Unknown job: ${request.name}`);
    reply = { id: request.id, ok: true, output: await handler(request.input, folder) };
  } catch (thrown) {
    reply = { id: request.id, ok: false, error: flattenError(thrown) };
  }
  try {
    process.send?.(reply);
  } catch (notCloneable) {
    process.send?.({ id: request.id, ok: false, error: flattenError(notCloneable) } satisfies JobReply);
  }
}
