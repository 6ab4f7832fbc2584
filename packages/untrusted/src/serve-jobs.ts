import { rmSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { JobTable } from './child-pool';
import { flattenError } from './job-errors';
import type { JobReply, JobRequest } from './job-protocol';

/** Job name -> the function that does it. `folder` is the child's own; empty when the pool gives none. */
export type JobHandlers<Jobs extends JobTable<Jobs>> = {
  [K in keyof Jobs]: (input: Jobs[K]['input'], folder: string) => Promise<Jobs[K]['output']> | Jobs[K]['output'];
};

/** Readies a child that is started ahead of its job. Jobs may come before it has ended; it must not throw. */
export type Prepare = (input: unknown, folder: string) => void;

/** Runs in its own thread, because the main one may be caught in an endless loop when the parent dies. */
const ORPHAN_WATCH = `
  const { parent, folder } = require('node:worker_threads').workerData;
  setInterval(() => {
    if (process.ppid === parent) return;
    try { if (folder) require('node:fs').rmSync(folder, { recursive: true, force: true }); } catch {}
    try { process.kill(-process.pid, 'SIGKILL'); } catch { process.kill(process.pid, 'SIGKILL'); }
  }, 1000);
`;

/**
 * The child's side of `ChildPool`: answers jobs until the parent goes away.
 *
 * @throws when the script was not started by a `ChildPool`
 */
export function serveJobs<Jobs extends JobTable<Jobs>>(handlers: JobHandlers<Jobs>, prepare?: Prepare): void {
  if (!process.send) throw new Error('This script is a worker: it is started by a ChildPool.');
  const [parent, folder = '', prepared] = process.argv.slice(2);
  new Worker(ORPHAN_WATCH, {
    eval: true,
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

/** The pool makes each child the leader of a process group; whatever the child has started ends with it. */
function endGroup(folder: string): void {
  try {
    if (folder) rmSync(folder, { recursive: true, force: true });
  } catch {
    // Something still writes there: a later pool removes it.
  }
  try {
    process.kill(-process.pid, 'SIGKILL');
  } catch {
    process.exit(1);
  }
}
