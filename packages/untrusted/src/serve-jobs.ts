import { Worker } from 'node:worker_threads';
import type { JobTable } from './child-pool';
import { flattenError } from './job-errors';
import type { JobReply, JobRequest } from './job-protocol';

/** Job name -> the function that does it. */
export type JobHandlers<Jobs extends JobTable<Jobs>> = {
  [K in keyof Jobs]: (input: Jobs[K]['input']) => Promise<Jobs[K]['output']> | Jobs[K]['output'];
};

/** Runs in its own thread, because the main one may be caught in an endless loop when the parent dies. */
const ORPHAN_WATCH = `
  const parent = require('node:worker_threads').workerData;
  setInterval(() => {
    if (process.ppid === parent) return;
    try { process.kill(-process.pid, 'SIGKILL'); } catch { process.kill(process.pid, 'SIGKILL'); }
  }, 1000);
`;

/**
 * The child's side of `ChildPool`: answers jobs until the parent goes away.
 *
 * @throws when the script was not started by a `ChildPool`
 */
export function serveJobs<Jobs extends JobTable<Jobs>>(handlers: JobHandlers<Jobs>): void {
  if (!process.send) throw new Error('This script is a worker: it is started by a ChildPool.');
  const parent = Number(process.argv[2]);
  new Worker(ORPHAN_WATCH, { eval: true, workerData: parent, resourceLimits: { maxOldGenerationSizeMb: 16 } }).unref();
  const table = new Map(Object.entries(handlers) as [string, (input: unknown) => unknown][]);
  process.on('disconnect', endGroup);
  process.on('message', (request: JobRequest) => void answer(table, request));
}

async function answer(table: Map<string, (input: unknown) => unknown>, request: JobRequest): Promise<void> {
  let reply: JobReply;
  try {
    const handler = table.get(request.name);
    if (!handler) throw new Error(`Unknown job: ${request.name}`);
    reply = { id: request.id, ok: true, output: await handler(request.input) };
  } catch (thrown) {
    reply = { id: request.id, ok: false, error: flattenError(thrown) };
  }
  try {
    process.send?.(reply);
  } catch (notCloneable) {
    process.send?.({ id: request.id, ok: false, error: flattenError(notCloneable) } satisfies JobReply);
  }
}

/** The pool makes each child the leader of a process group; whatever the child has started ends with it. */
function endGroup(): void {
  try {
    process.kill(-process.pid, 'SIGKILL');
  } catch {
    process.exit(1);
  }
}
