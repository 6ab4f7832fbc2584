import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { JobCrashed, type JobError, JobOutOfMemory, JobTimeout, PoolClosed, restoreError } from './job-errors';
import type { JobReply, JobRequest } from './job-protocol';
import { childrenOf } from './process-tree';
import { removeLeftOver } from './temporary-folder';

/** Job name -> types of its input and output. */
export type JobTable<Jobs> = { [K in keyof Jobs]: { input: unknown; output: unknown } };

export interface ChildPoolOptions {
  /** Path of the script that calls `serveJobs`. Plain JavaScript: it runs in its own process. */
  worker: string;
  /** Children that may run at the same time; each does one job at a time. */
  size: number;
  /**
   * Wall time of a job in milliseconds; default 60 000. Waiting in the queue does not count, nor does time in which this
   * process stood still (stopped, its machine asleep): it says nothing about the job.
   */
  timeoutMs?: number;
  /** Resident memory of a child with all its descendants, in bytes; default 1.5 GB. Watched on Linux only. */
  memoryBytes?: number;
  /** JavaScript heap of a child in megabytes (`--max-old-space-size`); default 512. */
  heapMegabytes?: number;
  /** A child is replaced after so many jobs; default 500. */
  jobsPerChild?: number;
  /** Environment of the children. Default empty, so that hostile bytes never sit beside the secrets of a service. */
  env?: Record<string, string>;
  /**
   * Gives each child a folder of its own in the folder for temporary files, which begins with this name and is removed with
   * the child. What earlier runs have left is removed after an hour. By default there is none.
   */
  folders?: string;
  /** Children that are started and prepared before there is a job for them, once there was a first job. By default none. */
  ahead?: AheadOptions;
}

/** Children that wait, prepared, for the next jobs. */
export interface AheadOptions {
  /** So many of them wait, beside the children that work. */
  count: number;
  /** What the worker's `prepare` is called with; JSON. */
  input: unknown;
  /** One that has waited so long without a job is let go, in milliseconds. The next job brings another. */
  idleMs: number;
}

export interface RunOptions {
  /** Overrides the pool's limit for this job. */
  timeoutMs?: number;
  /** Takes the job out of the queue, or kills the child that works on it; the promise rejects with the reason. */
  signal?: AbortSignal;
}

interface Job {
  id: number;
  name: string;
  input: unknown;
  timeoutMs: number;
  resolve(output: unknown): void;
  reject(error: unknown): void;
  dispose(): void;
}

const WATCH_MS = 100;
/** What counts at most between two looks at a child. */
const LONGEST_LOOK_MS = 1000;
/** How often a child is looked at that waits for its job. */
const IDLE_WATCH_MS = 1000;
const STDERR_TAIL = 4096;

/** A child process with the job it works on. */
class Child {
  job: Job | undefined;
  jobsDone = 0;
  stderr = '';
  /** Why the pool killed it; undefined when it ended by itself. */
  verdict: JobError | undefined;
  /** Killed, but not gone yet: gets no further job. */
  dying = false;
  private watch: NodeJS.Timeout | undefined;

  constructor(
    readonly process: ChildProcess,
    /** Its own, in which it may write; undefined when the pool gives none. */
    readonly folder: string | undefined,
  ) {
    process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr = (this.stderr + text).slice(-STDERR_TAIL);
    });
  }

  /** Bounds a child that has no job yet. */
  rest(idleMs: number, memoryBytes: number): void {
    const endsAt = performance.now() + idleMs;
    this.watch = setInterval(() => {
      if (performance.now() >= endsAt || this.readMemory() > memoryBytes) this.kill();
    }, IDLE_WATCH_MS);
  }

  begin(job: Job, memoryBytes: number): void {
    clearInterval(this.watch);
    this.job = job;
    let spentMs = 0;
    let lookedAt = performance.now();
    this.watch = setInterval(() => {
      const now = performance.now();
      spentMs += Math.min(now - lookedAt, LONGEST_LOOK_MS);
      lookedAt = now;
      if (spentMs >= job.timeoutMs) this.kill(new JobTimeout(job.name, job.timeoutMs));
      else if (this.readMemory() > memoryBytes) this.kill(new JobOutOfMemory(job.name, memoryBytes));
    }, WATCH_MS);
  }

  end(): Job | undefined {
    clearInterval(this.watch);
    const job = this.job;
    this.job = undefined;
    job?.dispose();
    return job;
  }

  /** Kills the child with everything it has started: it leads its own process group. */
  kill(verdict?: JobError): void {
    this.verdict ??= verdict;
    this.dying = true;
    const { pid } = this.process;
    if (pid === undefined || this.process.exitCode !== null || this.process.signalCode !== null) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      this.process.kill('SIGKILL');
    }
  }

  /** Resident bytes of the child and what it has started. */
  private readMemory(): number {
    const { pid } = this.process;
    return pid === undefined ? 0 : readGroupMemory(pid);
  }
}

/** Resident bytes of a process; 0 where there is no /proc. Reading /proc never waits for a disk. */
function readOwnMemory(pid: number | undefined): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** How the allocator of this process is set (glibc's `MALLOC_...`): children hold pictures that it should give back, too. */
function allocatorSettings(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('MALLOC_')));
}

/** Resident bytes of a process and its descendants. */
function readGroupMemory(pid: number): number {
  return childrenOf(pid)
    .map(readGroupMemory)
    .reduce((sum, bytes) => sum + bytes, readOwnMemory(pid));
}

/**
 * A pool of child processes for work on hostile bytes. A job that takes too long, takes too much memory or brings
 * its child down fails alone: the child is killed and replaced, and the other jobs go on.
 *
 * Children are started when first needed and kept warm, or ahead of that. They die with their parent.
 */
export class ChildPool<Jobs extends JobTable<Jobs>> {
  private readonly children = new Set<Child>();
  private readonly waiting: Job[] = [];
  private readonly removals = new Set<Promise<void>>();
  private closed = false;
  private lastId = 0;

  constructor(private readonly options: ChildPoolOptions) {}

  /**
   * Queues a job and answers with its output. Input and output travel as the structured clone algorithm copies them;
   * Buffers stay Buffers.
   *
   * @throws JobTimeout, JobOutOfMemory, JobCrashed, PoolClosed, or the error that the worker threw, with its name,
   *   message and own properties (such as `reason`)
   */
  run<K extends keyof Jobs & string>(
    name: K,
    input: Jobs[K]['input'],
    options: RunOptions = {},
  ): Promise<Jobs[K]['output']> {
    if (this.closed) return Promise.reject(new PoolClosed());
    const { signal } = options;
    if (signal?.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const onAbort = () => this.abort(job, signal?.reason);
      const job: Job = {
        id: ++this.lastId,
        name,
        input,
        timeoutMs: options.timeoutMs ?? this.options.timeoutMs ?? 60_000,
        resolve: resolve as (output: unknown) => void,
        reject,
        dispose: () => signal?.removeEventListener('abort', onAbort),
      };
      signal?.addEventListener('abort', onAbort);
      this.waiting.push(job);
      this.dispatch();
    });
  }

  /** Jobs in work and jobs that wait, for metrics. */
  get load(): { running: number; waiting: number } {
    return { running: [...this.children].filter((child) => child.job).length, waiting: this.waiting.length };
  }

  /** Process ids of the children, for tests and diagnosis. */
  get pids(): number[] {
    return [...this.children].flatMap((child) => child.process.pid ?? []);
  }

  /** Kills all children; jobs in work or waiting reject with PoolClosed. Resolves when every child is gone. */
  async close(): Promise<void> {
    this.closed = true;
    for (const job of this.waiting.splice(0)) {
      job.dispose();
      job.reject(new PoolClosed());
    }
    await Promise.all(
      [...this.children].map((child) => {
        const gone = new Promise<void>((resolve) => child.process.once('close', () => resolve()));
        child.end()?.reject(new PoolClosed());
        child.kill();
        return gone;
      }),
    );
    await Promise.all(this.removals);
  }

  private abort(job: Job, reason: unknown): void {
    job.dispose();
    const at = this.waiting.indexOf(job);
    if (at >= 0) this.waiting.splice(at, 1);
    const child = [...this.children].find((candidate) => candidate.job === job);
    child?.end();
    child?.kill();
    job.reject(reason);
  }

  private dispatch(): void {
    while (this.waiting.length > 0 && !this.closed) {
      const child = this.takeChild();
      if (!child) return;
      const job = this.waiting.shift();
      if (!job) return;
      if (child instanceof Error) {
        job.dispose();
        job.reject(child);
        continue;
      }
      child.begin(job, this.options.memoryBytes ?? 1.5e9);
      const request: JobRequest = { id: job.id, name: job.name, input: job.input };
      try {
        // A closed channel is not an answer to the job: it shows up as the child's end.
        child.process.send(request, () => {});
      } catch (notCloneable) {
        child.end()?.reject(notCloneable);
      }
    }
  }

  /** A child for the next job; undefined while none is free; the error when its folder cannot be made. */
  private takeChild(): Child | Error | undefined {
    const idle = this.idleChildren();
    // Those that wait ahead of their jobs are not among those that may work.
    if (this.children.size - idle.length >= this.options.size) return undefined;
    try {
      return idle[0] ?? this.startChild([]);
    } catch (error) {
      return error as Error;
    }
  }

  private idleChildren(): Child[] {
    return [...this.children].filter((child) => !child.job && !child.dying && child.process.connected);
  }

  private startAhead(): void {
    const { ahead } = this.options;
    if (!ahead || this.closed || this.waiting.length > 0) return;
    try {
      for (let missing = ahead.count - this.idleChildren().length; missing > 0; missing--) {
        this.startChild([JSON.stringify(ahead.input)]).rest(ahead.idleMs, this.options.memoryBytes ?? 1.5e9);
      }
    } catch {
      // No folder can be made: the next job says so.
    }
  }

  private startChild(prepared: readonly string[]): Child {
    const folder = this.makeFolder();
    const child = new Child(
      fork(this.options.worker, [String(process.pid), folder ?? '', ...prepared], {
        detached: true,
        env: { ...allocatorSettings(), ...this.options.env },
        execArgv: [`--max-old-space-size=${this.options.heapMegabytes ?? 512}`],
        serialization: 'advanced',
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      }),
      folder,
    );
    this.children.add(child);
    child.process.on('message', (reply: JobReply) => this.settle(child, reply));
    child.process.on('error', (error) => this.bury(child, error.message));
    child.process.on('close', (code, signal) => this.bury(child, signal ? `signal ${signal}` : `exit code ${code}`));
    return child;
  }

  private settle(child: Child, reply: JobReply): void {
    if (child.job?.id !== reply.id) return;
    const job = child.end();
    child.jobsDone++;
    if (this.isWornOut(child)) child.kill();
    if (reply.ok) job?.resolve(reply.output);
    else job?.reject(restoreError(reply.error));
    this.dispatch();
    this.startAhead();
  }

  /** WASM heaps never shrink, so a child that a large document has blown up is not kept. */
  private isWornOut(child: Child): boolean {
    if (child.jobsDone >= (this.options.jobsPerChild ?? 500)) return true;
    return readOwnMemory(child.process.pid) > (this.options.memoryBytes ?? 1.5e9) / 2;
  }

  private bury(child: Child, how: string): void {
    this.children.delete(child);
    const job = child.end();
    job?.reject(child.verdict ?? new JobCrashed(job.name, how, child.stderr));
    if (child.folder) this.removeFolder(child.folder);
    this.dispatch();
    if (job) this.startAhead();
  }

  private makeFolder(): string | undefined {
    const { folders } = this.options;
    if (!folders) return undefined;
    this.track(removeLeftOver(folders));
    return mkdtempSync(path.join(tmpdir(), folders));
  }

  private removeFolder(folder: string): void {
    this.track(rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  }

  /** What cannot be removed now is removed as a left-over. */
  private track(removing: Promise<unknown>): void {
    const removal: Promise<void> = removing.then(
      () => {},
      () => {},
    );
    this.removals.add(removal);
    void removal.finally(() => this.removals.delete(removal));
  }
}
