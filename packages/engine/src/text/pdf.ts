import sharp from 'sharp';
import type { PageSize } from '../recognition';
import { type Character, joinCharacters, type RawWord } from './characters';
import { isGarbled } from './garbled';
import { type OcrPage, type OcrRun, readPicture } from './ocr';
import { isTextAlone, showsOtherText } from './page-content';
import { checkPageCount } from './page-count';
import { sizeOfPdfPage } from './page-size';
import type { PageText } from './page-text';
import { drawPage, type Pdfium, withPage, withPdf } from './pdfium';
import { turnUpright, type Upright } from './upright';

/** Sizes of the pages of a PDF. */
export function readPdfPages(bytes: Uint8Array): Promise<PageSize[]> {
  return withPdf(bytes, async (pdfium, document) => {
    const count = pdfium._FPDF_GetPageCount(document);
    checkPageCount(count);
    const sizes: PageSize[] = [];
    for (let index = 0; index < count; index++) {
      sizes.push(await withPage(pdfium, document, index, (page) => measure(pdfium, page, index)));
    }
    return sizes;
  });
}

/** Draws a page of a PDF in colour. */
export function drawPdfPage(bytes: Uint8Array, index: number, longestSide?: number) {
  return withPdf(bytes, (pdfium, document) =>
    withPage(pdfium, document, index, (page) => {
      const size = sizeOfPdfPage(pdfium._FPDF_GetPageWidthF(page), pdfium._FPDF_GetPageHeightF(page), longestSide);
      return drawPage(pdfium, page, ...size);
    }),
  );
}

/** Words of the first `maxPages` pages of a PDF: from its text layer, or by OCR where there is no usable one. */
export function readPdf(
  bytes: Uint8Array,
  maxPages: number,
  ocr: OcrRun,
): Promise<{ pages: PageText[]; pageCount: number; missing: string | undefined }> {
  return withPdf(bytes, async (pdfium, document) => {
    const pageCount = pdfium._FPDF_GetPageCount(document);
    checkPageCount(pageCount);
    const pages: PageText[] = [];
    let missing: string | undefined;
    for (let index = 0; index < Math.min(pageCount, maxPages); index++) {
      const { page, read } = await withPage(pdfium, document, index, async (handle) => {
        const size = measure(pdfium, handle, index);
        const layer = readTextLayer(pdfium, handle, size);
        if (layer.usable) return { page: { ...size, ...layer, source: 'text' as const }, read: undefined };
        const scanned = await readScan(pdfium, handle, size, ocr, pages.at(-1)?.ocrLanguage);
        // Without OCR, a poor text layer is better than none.
        if (scanned.missing && layer.words.length > 0) {
          return { page: { ...size, ...layer, source: 'text' as const }, read: undefined };
        }
        const { words, upright } = scanned;
        return { page: { ...size, words, upright, source: 'ocr' as const }, read: scanned };
      });
      missing ??= read?.missing;
      pages.push({
        ...page,
        ...(read?.language && { ocrLanguage: read.language }),
        ...(read?.problem && { ocrProblem: read.problem }),
      });
    }
    return { pages, pageCount, missing };
  });
}

function measure(pdfium: Pdfium, page: number, index: number): PageSize {
  const [width, height] = sizeOfPdfPage(pdfium._FPDF_GetPageWidthF(page), pdfium._FPDF_GetPageHeightF(page));
  return { number: index + 1, width, height, rotation: (pdfium._FPDFPage_GetRotation(page) & 3) * 90 };
}

type Transform = (x: number, y: number) => [number, number];

/** From the page's own coordinates to pixels; PDFium knows about /Rotate and CropBox, but answers in whole pixels. */
function transformOf(pdfium: Pdfium, page: number, { width, height }: PageSize): Transform {
  const FINE = 256;
  const memory = pdfium.wasmExports.malloc(8);
  const map = (x: number, y: number): [number, number] => {
    pdfium._FPDF_PageToDevice(page, 0, 0, width * FINE, height * FINE, 0, x, y, memory, memory + 4);
    const view = new DataView(pdfium.HEAPU8.buffer);
    return [view.getInt32(memory, true) / FINE, view.getInt32(memory + 4, true) / FINE];
  };
  const REACH = 1000;
  const [originX, originY] = map(0, 0);
  const [rightX, rightY] = map(REACH, 0);
  const [upX, upY] = map(0, REACH);
  pdfium.wasmExports.free(memory);
  return (x, y) => [
    originX + ((rightX - originX) * x + (upX - originX) * y) / REACH,
    originY + ((rightY - originY) * x + (upY - originY) * y) / REACH,
  ];
}

interface TextLayer {
  words: RawWord[];
  upright: Upright | undefined;
  /** False: the page must be read by OCR. */
  usable: boolean;
}

/** More characters than any printed page holds; what is beyond is not read. */
const MAX_CHARACTERS = 100_000;

function readTextLayer(pdfium: Pdfium, page: number, size: PageSize): TextLayer {
  const textPage = pdfium._FPDFText_LoadPage(page);
  if (!textPage) return { words: [], upright: undefined, usable: false };
  const rect = pdfium.wasmExports.malloc(16);
  try {
    const transform = transformOf(pdfium, page, size);
    const count = Math.min(pdfium._FPDFText_CountChars(textPage), MAX_CHARACTERS);
    const characters: Character[] = [];
    let unmapped = 0;
    let high = '';
    for (let index = 0; index < count; index++) {
      const code = pdfium._FPDFText_GetUnicode(textPage, index);
      if (code >= 0xd800 && code < 0xdc00) {
        high = String.fromCharCode(code);
        continue;
      }
      if (pdfium._FPDFText_IsGenerated(textPage, index) === 1) continue;
      const text = high + toText(code);
      high = '';
      if (text === '') {
        unmapped++;
        continue;
      }
      if (pdfium._FPDFText_HasUnicodeMapError(textPage, index) === 1) unmapped++;
      if (!pdfium._FPDFText_GetLooseCharBox(textPage, index, rect)) continue;
      const view = new DataView(pdfium.HEAPU8.buffer, rect, 16);
      const [left, top, right, bottom] = [0, 4, 8, 12].map((at) => view.getFloat32(at, true)) as [
        number,
        number,
        number,
        number,
      ];
      const [x1, y1] = transform(left, top);
      const [x2, y2] = transform(right, bottom);
      const quarters = Math.round(pdfium._FPDFText_GetCharAngle(textPage, index) / (Math.PI / 2));
      characters.push({
        text,
        box: [Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2)],
        space: /^\s*$/u.test(text),
        turn: (((((quarters % 4) + 4) % 4) + size.rotation / 90) % 4) as 0 | 1 | 2 | 3,
      });
    }
    const found = joinCharacters(characters).filter((word) => isOnPage(word, size));
    const letters = characters.filter((character) => !character.space).length + unmapped;
    const hasContent = pdfium._FPDFPage_CountObjects(page) > 0;
    const usable =
      !hasContent ||
      (letters > 0 &&
        (letters >= FEWEST_LETTERS || isTextAlone(pdfium, page)) &&
        unmapped / letters < 0.2 &&
        !isGarbled(found.map((word) => word.text)) &&
        !(letters < FEW_LETTERS && showsOtherText(pdfium, page)));
    return { ...turnUpright(found, size), usable };
  } finally {
    pdfium.wasmExports.free(rect);
    pdfium._FPDFText_ClosePage(textPage);
  }
}

/** With fewer letters a page may show something else instead: a scan, or letters that are drawn as lines. */
const FEWEST_LETTERS = 12;
/** A stamp or a line at the foot of a scan has fewer letters than a page. */
const FEW_LETTERS = 300;
/** Text of a code point; empty for codes that stand for no character: private use, replacement, unmapped. */
function toText(code: number): string {
  if (code === 0 || code === 0xfffe || code === 0xffff || code === 0xfffd) return '';
  if (code >= 0xe000 && code <= 0xf8ff) return '';
  if (code === 0xad || code === 0x02) return '-';
  if (code < 0x20) return ' ';
  return String.fromCodePoint(code).normalize('NFKC');
}

function isOnPage({ position: [l, t, r, b] }: RawWord, { width, height }: PageSize): boolean {
  const x = (l + r) / 2;
  const y = (t + b) / 2;
  return x >= 0 && y >= 0 && x <= width && y <= height && Number.isFinite(x + y);
}

/** Longest side of what is given to OCR: 300 DPI up to A2. */
const LONGEST_FOR_OCR = 7000;

async function readScan(
  pdfium: Pdfium,
  page: number,
  { width, height }: PageSize,
  ocr: OcrRun,
  language: string | undefined,
): Promise<OcrPage> {
  const points = [pdfium._FPDF_GetPageWidthF(page), pdfium._FPDF_GetPageHeightF(page)] as const;
  const scale = Math.min(300 / 72, LONGEST_FOR_OCR / Math.max(...points));
  const wide = Math.max(1, Math.round(points[0] * scale));
  const high = Math.max(1, Math.round(points[1] * scale));
  const { data } = drawPage(pdfium, page, wide, high);
  const gray = await sharp(data, { raw: { width: wide, height: high, channels: 3 } })
    .grayscale()
    .raw()
    .toBuffer();
  return readPicture({ data: gray, width: wide, height: high }, { x: width / wide, y: height / high }, ocr, language);
}
