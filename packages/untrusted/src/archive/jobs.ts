import path from 'node:path';
import type { UnpackedArchive } from './unpack';

/** The jobs that {@link archiveWorker} serves, for `ChildPool<ArchiveJobs>`. */
export interface ArchiveJobs {
  unpack: { input: { bytes: Uint8Array }; output: UnpackedArchive };
}

/** Path of the built worker script; the package must have been built. */
export const archiveWorker = path.join(__dirname, '../..', 'dist/archive/worker.js');
