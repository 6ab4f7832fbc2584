import path from 'node:path';
import type { UnpackedArchive } from '@intake/untrusted';
import type { PageImage, PageSize, Recognition, RecognizeOptions } from './recognition';
import type { Barcode } from './separator/barcodes';
import type { PageCodes } from './separator/qr-codes';

/** The jobs that {@link engineWorker} serves: name -> input and output, for `ChildPool<EngineJobs>`. */
export interface EngineJobs {
  recognize: { input: { bytes: Uint8Array; options: RecognizeOptions }; output: Recognition };
  /** Those of some languages that Tesseract does not have; none where it is not installed. */
  findUnknownLanguages: { input: { tesseract: string; languages: readonly string[] }; output: string[] };
  renderPage: {
    input: { bytes: Uint8Array; mimeType: string; pageNumber: number; longestSide?: number; rotation?: number };
    output: PageImage;
  };
  readPages: { input: { bytes: Uint8Array; mimeType: string }; output: PageSize[] };
  /** QR codes on the pages of a PDF that hold little text, or of a TIFF. */
  findPageCodes: { input: { bytes: Uint8Array; mimeType: string }; output: PageCodes };
  /** Barcodes of any kind in the PNG of a page. */
  findBarcodes: { input: { png: Uint8Array }; output: Barcode[] };
  /** One PDF of several pictures. */
  joinPictures: { input: { pictures: readonly Uint8Array[] }; output: Buffer };
  /** A PDF with an e-invoice in it. */
  embedInvoice: { input: { pdf: Uint8Array; xml: Uint8Array; fileName: string }; output: Buffer };
  /** The files of a PDF portfolio; null: it is another PDF. Throws ArchiveError. */
  openPortfolio: { input: { bytes: Uint8Array }; output: UnpackedArchive | null };
  /** A PDF for each run of page numbers; `turns`: by how much each page is turned clockwise, in degrees. */
  cutPdf: {
    input: {
      bytes: Uint8Array;
      runs: readonly (readonly number[])[];
      turns?: readonly (readonly number[])[] | undefined;
    };
    output: Buffer[];
  };
}

/** Path of the built worker script; the package must have been built. */
export const engineWorker = path.join(__dirname, '..', 'dist', 'worker.js');
