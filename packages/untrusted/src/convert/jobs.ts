import path from 'node:path';

/** The jobs that {@link convertWorker} serves, for `ChildPool<ConvertJobs>`. */
export interface ConvertJobs {
  /** Office document -> PDF. `folder` is empty, and removed by the caller, also when the job is killed. */
  convertOffice: {
    input: { bytes: Uint8Array; mimeType: string; folder: string; program: string };
    output: Buffer;
  };
  /** Damaged PDF -> PDF. */
  repairPdf: { input: { bytes: Uint8Array; folder: string; program: string }; output: Buffer };
}

/** Path of the built worker script; the package must have been built. */
export const convertWorker = path.join(__dirname, '../..', 'dist/convert/worker.js');
