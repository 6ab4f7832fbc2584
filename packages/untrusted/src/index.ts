/** Every touch of hostile input, so that it is written and attacked once. */
export { acceptsMimeType } from './accepted-types';
export { ChildPool, type ChildPoolOptions, type JobTable, type RunOptions } from './child-pool';
export { safeFileName } from './file-names';
export { JobCrashed, JobError, JobOutOfMemory, JobTimeout, PoolClosed } from './job-errors';
export { detectMimeType, SNIFF_BYTES } from './mime-types';
export { type JobHandlers, serveJobs } from './serve-jobs';
