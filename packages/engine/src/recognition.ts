/** `[left, top, right, bottom]` in pixels of the page image in its current rotation (API: pages.md). */
export type Position = readonly [left: number, top: number, right: number, bottom: number];

/** A word as it stands on the page. */
export interface Word {
  text: string;
  position: Position;
  /** 0-based number of the text line the word stands on, counted from the top of the page. */
  line: number;
  /** 1 for a text layer; what the OCR program reports, 0..1, otherwise. */
  confidence: number;
}

/** A page of the document with the words that were read on it. */
export interface RecognizedPage {
  /** The first page is 1. */
  number: number;
  /** Pixels of the page image that {@link renderPage} makes. */
  width: number;
  height: number;
  /** Rotation that the file asks for, clockwise: 0, 90, 180 or 270. Already applied to size and positions. */
  rotation: number;
  words: Word[];
  source: 'text' | 'ocr';
}

/** One possible value of a field. */
export interface FieldCandidate {
  /** Text for the field: ISO date, plain decimal with a point (`-1234.5`), upper-case code or trimmed string. */
  value: string;
  /** What stands on the page. */
  rawText: string;
  page: number;
  /** Null for what was concluded from the whole document (for example its language). */
  position: Position | null;
  /** 0..1: how probable it is that the value is right. */
  confidence: number;
}

/** A row of a recognised table; `cells` has only the columns that were found. */
export interface TableRow {
  type: 'data' | 'header';
  cells: Record<string, FieldCandidate>;
  page: number;
  /** Null for a row of an e-invoice that its pages do not show. */
  position: Position | null;
}

/** The electronic invoice whose values were taken. */
export interface EInvoiceInfo {
  syntax: 'CII' | 'UBL' | 'ISDOC' | 'FatturaPA';
  /** The file is XML alone; its pages were printed from it. */
  printed: boolean;
  /** Where the pages say something else, or the XML cannot be taken as it is; a person has to decide. */
  contradictions: { field: string | null; message: string }[];
}

/** What was read in a document. Identifiers are those of API: schemas.md section 3. */
export interface Recognition {
  /** Pages whose words were extracted (at most `maxPages`). */
  pages: RecognizedPage[];
  /** Number of pages of the whole document. */
  pageCount: number;
  /** Extracted identifier -> candidates, best first. A field without candidates is left out. */
  fields: Record<string, FieldCandidate[]>;
  tables: { tax_details?: TableRow[]; line_items?: TableRow[] };
  /** ISO 639-2 code of the document's main language (`eng`, `deu`, `ces`...), null if it cannot be told. */
  language: string | null;
  /** Set when the values come from an electronic invoice; they have confidence 1. */
  eInvoice?: EInvoiceInfo;
  /** Numbers of the pages of each document that the file seems to hold; set when it was asked for and there are several. */
  documents?: number[][];
  /** Why PP-OCR failed on a page that it was asked to read again, which stays as Tesseract read it; set when it did. */
  ocrProblem?: string;
  engineVersion: string;
}

/** How the programs for OCR are found. */
export interface OcrOptions {
  /** The library of Tesseract 5, by path or by name; default {@link TESSERACT_LIBRARY}. */
  tesseract?: string;
  /**
   * Tesseract language codes, limited to those installed. A strip of a page is read in the first one, to tell the
   * language; the page in that language and, if it turns out to be in another, again in that one. Default: the sixteen of `OCR_LANGUAGES`.
   */
  languages?: string[];
  /** A Python that has the package `rapidocr`: its PP-OCR reads pages again that Tesseract reads badly. Default: none. */
  ppocr?: string;
  /** Longest time for one page, in milliseconds; default 30 000. */
  timeoutMs?: number;
  /** When so much time has gone into OCR, the remaining pages are left without words; default 45 000 ms. */
  budgetMs?: number;
}

export interface RecognizeOptions {
  /** MIME type of the bytes: application/pdf, text/xml, image/png, image/jpeg, image/tiff (also webp and gif). */
  mimeType: string;
  /** Locale of the queue, such as `en_US`, or `auto`: decides dates such as 03/04/2024 that the document leaves open. */
  locale?: string;
  /** Pages to extract; the rest is only counted. Default 32, at most 500. */
  maxPages?: number;
  /** Whether to look for several documents in the file. */
  proposeSplit?: boolean;
  ocr?: OcrOptions;
}

/** Size of a page's image (API: pages.md) and the rotation that the file asks for. */
export interface PageSize {
  number: number;
  width: number;
  height: number;
  rotation: number;
}

/** A page image. */
export interface PageImage {
  png: Buffer;
  width: number;
  height: number;
}
