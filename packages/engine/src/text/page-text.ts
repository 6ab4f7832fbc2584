import type { RawWord } from './characters';
import type { Upright } from './upright';

/** A page with its words, in no particular order. */
export interface PageText {
  number: number;
  width: number;
  height: number;
  rotation: number;
  words: RawWord[];
  source: 'text' | 'ocr';
  /** Set when the page was turned before its words were placed. */
  upright?: Upright | undefined;
  ocrLanguage?: string;
  /** Why PP-OCR failed on the page. */
  ocrProblem?: string;
}
