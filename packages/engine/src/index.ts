/**
 * The extraction engine: bytes of a document in, fields with confidence and position out.
 *
 * Pure: no database, no bus, no environment. Hostile documents are meant to be read in child processes: fork
 * {@link engineWorker} with the `ChildPool` of `@intake/untrusted`.
 */
export { type EngineJobs, engineWorker } from './jobs';
export {
  type ConfirmedRow,
  type ConfirmedValue,
  keepCorrections,
  type LearnedField,
  type Lesson,
  learnLesson,
} from './memory/lesson';
export { keysOfDocument, recall } from './memory/recall';
export { readPages, renderPage } from './pages';
export type {
  EInvoiceInfo,
  FieldCandidate,
  OcrOptions,
  PageImage,
  PageSize,
  Position,
  Recognition,
  RecognizedPage,
  RecognizeOptions,
  TableRow,
  Word,
} from './recognition';
export { ENGINE_VERSION, recognize } from './recognize';
export type { Barcode } from './separator/barcodes';
export { runsBetween, SEPARATOR_TEXT } from './separator/parts';
export type { PageCode } from './separator/qr-codes';
export { buildSeparatorPage } from './separator/separator-page';
export { findPpocrProblem, memoryWith } from './text/ppocr';
export { TESSERACT_LIBRARY } from './text/tesseract';
export { UnreadableDocument, type UnreadableReason } from './unreadable-document';
