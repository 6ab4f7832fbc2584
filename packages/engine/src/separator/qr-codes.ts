import { readFileSync } from 'node:fs';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';
import { checkPageCount } from '../text/page-count';
import { sizeOfPdfPage } from '../text/page-size';
import { drawPage, type Pdfium, type Pixels, withPage, withPdf } from '../text/pdfium';
import { countPages, measurePicture, openPicture, refusePicture } from '../text/picture';

/** A QR code on a page that holds little else. */
export interface PageCode {
  /** The first page is 1. */
  readonly pageNumber: number;
  readonly text: string;
}

/** What codes a file has on its pages. */
export interface PageCodes {
  readonly pageCount: number;
  readonly codes: PageCode[];
}

const TIFF = 'image/tiff';
/** Longest side of the image in which codes are looked for, in pixels: about 105 DPI on A4, half the work of 150 DPI. */
const LOOK_PIXELS = 1240;
/** A page with more characters of text than this is a page of a document, and is not looked at. */
const MOST_CHARACTERS = 400;
const MOST_CODES = 4;

let prepared = false;

/** The reader's WASM would otherwise be fetched from the network. */
export function prepareReader(): void {
  if (prepared) return;
  const wasmBinary = readFileSync(require.resolve('zxing-wasm/reader/zxing_reader.wasm'));
  prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(wasmBinary).buffer } });
  prepared = true;
}

/**
 * QR codes on the pages of a PDF that hold little text, or of a TIFF, in page order. Nothing is looked for in a file of one
 * page: there is nothing to cut.
 *
 * @param mimeType application/pdf or image/tiff
 * @throws UnreadableDocument
 */
export function findPageCodes(bytes: Uint8Array, mimeType: string): Promise<PageCodes> {
  return mimeType === TIFF ? findCodesOfTiff(bytes) : findCodesOfPdf(bytes);
}

function findCodesOfPdf(bytes: Uint8Array): Promise<PageCodes> {
  return withPdf(bytes, (pdfium, document) =>
    findCodes(pdfium._FPDF_GetPageCount(document), (index) =>
      withPage(pdfium, document, index, (page) => drawSparsePage(pdfium, page)),
    ),
  );
}

async function findCodesOfTiff(bytes: Uint8Array): Promise<PageCodes> {
  return findCodes(await countPages(bytes), async (index) => {
    const { wide, high } = await measurePicture(bytes, index);
    const scale = Math.min(1, LOOK_PIXELS / Math.max(wide, high));
    const { data, info } = await openPicture(bytes, index)
      .autoOrient()
      .flatten({ background: '#ffffff' })
      .resize(Math.max(1, Math.round(wide * scale)), Math.max(1, Math.round(high * scale)), { fit: 'fill' })
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true })
      .catch(refusePicture);
    return { data, width: info.width, height: info.height };
  });
}

/** Looks at the pages that are drawn. */
async function findCodes(
  pageCount: number,
  draw: (index: number) => Pixels | undefined | Promise<Pixels | undefined>,
): Promise<PageCodes> {
  checkPageCount(pageCount);
  const codes: PageCode[] = [];
  for (let index = 0; pageCount > 1 && index < pageCount; index++) {
    const image = await draw(index);
    const texts = image ? await readQrCodes(image) : [];
    codes.push(...texts.map((text) => ({ pageNumber: index + 1, text })));
  }
  return { pageCount, codes };
}

function drawSparsePage(pdfium: Pdfium, page: number): Pixels | undefined {
  const textPage = pdfium._FPDFText_LoadPage(page);
  const characters = textPage ? pdfium._FPDFText_CountChars(textPage) : 0;
  if (textPage) pdfium._FPDFText_ClosePage(textPage);
  if (characters > MOST_CHARACTERS) return undefined;
  const size = sizeOfPdfPage(pdfium._FPDF_GetPageWidthF(page), pdfium._FPDF_GetPageHeightF(page), LOOK_PIXELS);
  return drawPage(pdfium, page, ...size);
}

/** Texts of the QR codes in an image, turned as they may be. */
async function readQrCodes({ data, width, height }: Pixels): Promise<string[]> {
  prepareReader();
  const rgba = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let from = 0, to = 0; from < data.length; from += 3, to += 4) {
    rgba[to] = data[from] as number;
    rgba[to + 1] = data[from + 1] as number;
    rgba[to + 2] = data[from + 2] as number;
  }
  const found = await readBarcodes({ data: rgba, width, height } as Parameters<typeof readBarcodes>[0], {
    formats: ['QRCode'],
    tryHarder: true,
    tryRotate: true,
    tryInvert: false,
    maxNumberOfSymbols: MOST_CODES,
  });
  return found.filter(({ isValid }) => isValid).map(({ text }) => text);
}
