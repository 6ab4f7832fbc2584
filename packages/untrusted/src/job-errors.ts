import type { PlainError } from './job-protocol';

/** A job that failed because of what it did to its child process, not because its code threw. */
export abstract class JobError extends Error {}

/** The job took longer than its wall time; its child was killed. */
export class JobTimeout extends JobError {
  override readonly name = 'JobTimeout';

  constructor(
    readonly job: string,
    readonly timeoutMs: number,
  ) {
    super(`Job ${job} was stopped after ${timeoutMs} ms.`);
  }
}

/** The job took more memory than it may; its child was killed. */
export class JobOutOfMemory extends JobError {
  override readonly name = 'JobOutOfMemory';

  constructor(
    readonly job: string,
    readonly memoryBytes: number,
  ) {
    super(`Job ${job} was stopped because it used more than ${Math.round(memoryBytes / 1e6)} MB of memory.`);
  }
}

/** The child ended in the middle of the job. */
export class JobCrashed extends JobError {
  override readonly name = 'JobCrashed';

  constructor(
    readonly job: string,
    /** Exit code or signal. */
    readonly how: string,
    /** The last that the child wrote to its error output; for the log. */
    readonly stderr: string,
  ) {
    super(`The process that worked on job ${job} ended with ${how}.`);
  }
}

/** The pool has been closed. */
export class PoolClosed extends Error {
  override readonly name = 'PoolClosed';

  constructor() {
    super('The pool of child processes is closed.');
  }
}

/** Turns an error into what can travel between processes, with its own properties as far as they are plain. */
export function flattenError(thrown: unknown): PlainError {
  if (!(thrown instanceof Error)) return { name: 'Error', message: String(thrown), properties: {} };
  const properties: Record<string, string | number | boolean | null> = {};
  for (const [key, value] of Object.entries(thrown)) {
    if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) properties[key] = value;
  }
  return { name: thrown.name, message: thrown.message, ...(thrown.stack && { stack: thrown.stack }), properties };
}

/** The error that {@link flattenError} took apart: an Error with the same name, message and properties. */
export function restoreError(plain: PlainError): Error {
  const error = Object.assign(new Error(plain.message), plain.properties, { name: plain.name });
  if (plain.stack) error.stack = plain.stack;
  return error;
}
