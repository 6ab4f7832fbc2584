import path from 'node:path';

/**
 * The jobs that {@link convertWorker} serves, for `ChildPool<ConvertJobs>`. They write into the folder of their child, so the
 * pool has to give `folders`, and a child does one job.
 */
export interface ConvertJobs {
  /** Office document -> PDF. */
  convertOffice: { input: { bytes: Uint8Array; mimeType: string; program: string }; output: Buffer };
  /** HEIF file -> JPEGs of its pictures. */
  convertHeif: { input: { bytes: Uint8Array; program: string }; output: Buffer[] };
  /** Damaged PDF -> PDF. */
  repairPdf: { input: { bytes: Uint8Array; program: string }; output: Buffer };
}

/** What children of {@link convertWorker} are prepared with: LibreOffice is started ahead of the document. */
export interface OfficeAhead {
  /** `soffice`, by name or path. */
  readonly program: string;
}

/** Path of the built worker script; the package must have been built. */
export const convertWorker = path.join(__dirname, '../..', 'dist/convert/worker.js');
