/** Every touch of hostile input, so that it is written and attacked once. */
export { acceptsMimeType } from './accepted-types';
export { ArchiveError, type ArchiveReason } from './archive/archive-error';
export { TOO_MANY_FILES } from './archive/entries';
export { type ArchiveJobs, archiveWorker } from './archive/jobs';
export type { UnpackedArchive } from './archive/unpack';
export { type AheadOptions, ChildPool, type ChildPoolOptions, type JobTable, type RunOptions } from './child-pool';
export { conversionOf } from './convert/conversion';
export { ConversionError, type ConversionReason } from './convert/conversion-error';
export { type ConvertJobs, convertWorker, type OfficeAhead } from './convert/jobs';
export { convertOffice } from './convert/office';
export { decodeCharset } from './decode-charset';
export { safeFileName } from './file-names';
export { walkHtml } from './html';
export { JobCrashed, JobError, JobOutOfMemory, JobTimeout, PoolClosed } from './job-errors';
export { detectMimeType, SNIFF_BYTES } from './mime-types';
export { type Network, parseNetworks } from './networks';
export {
  createOutgoing,
  type Outgoing,
  type OutgoingOptions,
  type OutgoingRequest,
  type OutgoingResponse,
} from './outgoing';
export { OutgoingError, type OutgoingReason } from './outgoing-error';
export { type JobHandlers, type Prepare, serveJobs } from './serve-jobs';
export { unwrapSigned } from './signed';
export { withFolder } from './temporary-folder';
