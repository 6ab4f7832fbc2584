import path from 'node:path';
import type { PageImage, PageSize, Recognition, RecognizeOptions } from './recognition';

/** The jobs that {@link engineWorker} serves: name -> input and output, for `ChildPool<EngineJobs>`. */
export interface EngineJobs {
  recognize: { input: { bytes: Uint8Array; options: RecognizeOptions }; output: Recognition };
  renderPage: {
    input: { bytes: Uint8Array; mimeType: string; pageNumber: number; longestSide?: number };
    output: PageImage;
  };
  readPages: { input: { bytes: Uint8Array; mimeType: string }; output: PageSize[] };
}

/** Path of the built worker script; the package must have been built. */
export const engineWorker = path.join(__dirname, '..', 'dist', 'worker.js');
