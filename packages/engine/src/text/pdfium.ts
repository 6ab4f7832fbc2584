import { PDFiumModule } from '@hyzyla/pdfium';
import { UnreadableDocument } from '../unreadable-document';

/** The PDFium functions used here, as Emscripten exports them: handles and pointers are numbers. */
export interface Pdfium {
  HEAPU8: Uint8Array;
  wasmExports: { malloc(size: number): number; free(pointer: number): void };
  _FPDF_InitLibraryWithConfig(config: unknown): void;
  _FPDF_LoadMemDocument(data: number, size: number, password: number): number;
  _FPDF_GetLastError(): number;
  _FPDF_CloseDocument(document: number): void;
  _FPDF_GetPageCount(document: number): number;
  _FPDF_GetFormType(document: number): number;
  _FPDF_LoadPage(document: number, index: number): number;
  _FPDF_ClosePage(page: number): void;
  _FPDF_GetPageWidthF(page: number): number;
  _FPDF_GetPageHeightF(page: number): number;
  _FPDFPage_GetRotation(page: number): number;
  _FPDFPage_GetAnnotCount(page: number): number;
  _FPDFPage_Flatten(page: number, flag: number): number;
  _FPDFDOC_InitFormFillEnvironment(document: number, formInfo: number): number;
  _FPDFDOC_ExitFormFillEnvironment(form: number): void;
  _FORM_OnAfterLoadPage(page: number, form: number): void;
  _FORM_OnBeforeClosePage(page: number, form: number): void;
  _FPDFPage_CountObjects(page: number): number;
  _FPDFPage_GetObject(page: number, index: number): number;
  _FPDFPageObj_GetType(object: number): number;
  _FPDFPath_CountSegments(path: number): number;
  _FPDFFormObj_CountObjects(form: number): number;
  _FPDFFormObj_GetObject(form: number, index: number): number;
  _FPDFPageObj_GetBounds(object: number, left: number, bottom: number, right: number, top: number): number;
  _FPDF_PageToDevice(
    ...args: [
      page: number,
      startX: number,
      startY: number,
      sizeX: number,
      sizeY: number,
      rotate: number,
      pageX: number,
      pageY: number,
      deviceX: number,
      deviceY: number,
    ]
  ): number;
  _FPDFBitmap_CreateEx(width: number, height: number, format: number, data: number, stride: number): number;
  _FPDFBitmap_FillRect(bitmap: number, x: number, y: number, width: number, height: number, colour: number): void;
  _FPDFBitmap_Destroy(bitmap: number): void;
  _FPDF_RenderPageBitmap(
    ...args: [
      bitmap: number,
      page: number,
      startX: number,
      startY: number,
      sizeX: number,
      sizeY: number,
      rotate: number,
      flags: number,
    ]
  ): void;
  _FPDFDoc_GetAttachmentCount(document: number): number;
  _FPDFDoc_GetAttachment(document: number, index: number): number;
  _FPDFAttachment_GetFile(attachment: number, buffer: number, length: number, outLength: number): number;
  _FPDFText_LoadPage(page: number): number;
  _FPDFText_ClosePage(textPage: number): void;
  _FPDFText_CountChars(textPage: number): number;
  _FPDFText_GetUnicode(textPage: number, index: number): number;
  _FPDFText_IsGenerated(textPage: number, index: number): number;
  _FPDFText_HasUnicodeMapError(textPage: number, index: number): number;
  _FPDFText_GetCharAngle(textPage: number, index: number): number;
  _FPDFText_GetLooseCharBox(textPage: number, index: number, rect: number): number;
}

let library: Promise<Pdfium> | undefined;

/** PDFium, loaded once per process. */
export function loadPdfium(): Promise<Pdfium> {
  library ??= (PDFiumModule as unknown as (options: object) => Promise<Pdfium>)({}).then((module) => {
    module._FPDF_InitLibraryWithConfig({ version: 2 });
    return module;
  });
  return library;
}

const PASSWORD = 4;
const SECURITY = 5;
/** A form whose pages are made by the program that shows it (XFA); the one page of the file says only that. */
const FORM_MADE_WHEN_SHOWN = 2;

/**
 * Opens a PDF, hands it to `use` and closes it whatever happens.
 *
 * @throws UnreadableDocument `encrypted`, `corrupt`, `no_pages`, `unsupported`
 */
export async function withPdf<T>(bytes: Uint8Array, use: (pdfium: Pdfium, document: number) => Promise<T>): Promise<T> {
  const pdfium = await loadPdfium();
  const data = pdfium.wasmExports.malloc(bytes.length);
  if (!data) throw new UnreadableDocument('corrupt', 'The PDF is too large to be read.');
  pdfium.HEAPU8.set(bytes, data);
  const document = pdfium._FPDF_LoadMemDocument(data, bytes.length, 0);
  try {
    if (!document) throw explain(pdfium._FPDF_GetLastError());
    const pageCount = pdfium._FPDF_GetPageCount(document);
    if (pageCount < 1) {
      throw new UnreadableDocument('no_pages', 'The PDF is damaged: it has no pages that can be read.');
    }
    if (pdfium._FPDF_GetFormType(document) === FORM_MADE_WHEN_SHOWN && pageCount === 1) {
      throw new UnreadableDocument(
        'unsupported',
        'The PDF is a form (XFA) that only Adobe Reader shows; print it into a PDF there and send that.',
      );
    }
    const result = await use(pdfium, document);
    pdfium._FPDF_CloseDocument(document);
    return result;
  } catch (error) {
    if (error instanceof UnreadableDocument) {
      if (document) pdfium._FPDF_CloseDocument(document);
      throw error;
    }
    // After a trap nothing in its memory can be trusted: the next document gets a new PDFium.
    library = undefined;
    if (error instanceof Error && error.name === 'RuntimeError') {
      throw new UnreadableDocument('corrupt', 'The PDF is damaged and cannot be read.', { cause: error });
    }
    throw error;
  } finally {
    pdfium.wasmExports.free(data);
  }
}

function explain(error: number): UnreadableDocument {
  if (error === PASSWORD) {
    return new UnreadableDocument(
      'encrypted',
      'The PDF is protected by a password; remove the password and send it again.',
    );
  }
  if (error === SECURITY) {
    return new UnreadableDocument(
      'encrypted',
      'The PDF is protected in a way that cannot be opened; remove the protection and send it again.',
    );
  }
  return new UnreadableDocument('corrupt', 'The file is not a PDF or it is damaged.');
}

/** Sees to it that a page is closed, and that form fields and notes have become part of its content. */
export async function withPage<T>(
  pdfium: Pdfium,
  document: number,
  index: number,
  use: (page: number) => Promise<T> | T,
): Promise<T> {
  let page = pdfium._FPDF_LoadPage(document, index);
  if (page && pdfium._FPDFPage_GetAnnotCount(page) > 0 && flatten(pdfium, document, page)) {
    pdfium._FPDF_ClosePage(page);
    page = pdfium._FPDF_LoadPage(document, index);
  }
  if (!page) throw new UnreadableDocument('corrupt', `Page ${index + 1} of the PDF is damaged.`);
  try {
    return await use(page);
  } finally {
    pdfium._FPDF_ClosePage(page);
  }
}

/** Size of PDFium's FPDF_FORMFILLINFO, with room to spare. */
const FORM_INFO_BYTES = 512;
const FLATTENED = 1;

/** Programs that fill in forms often leave it to the reader to draw the values: PDFium draws them when it opens the form. */
function flatten(pdfium: Pdfium, document: number, page: number): boolean {
  const info = pdfium.wasmExports.malloc(FORM_INFO_BYTES);
  pdfium.HEAPU8.fill(0, info, info + FORM_INFO_BYTES);
  // The version of the structure; nothing is called back.
  pdfium.HEAPU8[info] = 1;
  const form = pdfium._FPDFDOC_InitFormFillEnvironment(document, info);
  pdfium._FORM_OnAfterLoadPage(page, form);
  const flattened = pdfium._FPDFPage_Flatten(page, 0) === FLATTENED;
  pdfium._FORM_OnBeforeClosePage(page, form);
  pdfium._FPDFDOC_ExitFormFillEnvironment(form);
  pdfium.wasmExports.free(info);
  return flattened;
}

const FORMAT_RGB = 2;
const REVERSE_BYTE_ORDER = 0x10;

/** Pixels of a page: rows from the top, three bytes (red, green, blue) each. */
export interface Pixels {
  data: Buffer;
  width: number;
  height: number;
}

/** Draws a page on white, as large as asked. (Drawing in gray would be faster, but traps on some pages.) */
export function drawPage(pdfium: Pdfium, page: number, width: number, height: number): Pixels {
  const stride = width * 3;
  const size = stride * height;
  const memory = pdfium.wasmExports.malloc(size);
  if (!memory) throw new UnreadableDocument('corrupt', 'A page of the PDF is too large to be drawn.');
  try {
    pdfium.HEAPU8.fill(255, memory, memory + size);
    const bitmap = pdfium._FPDFBitmap_CreateEx(width, height, FORMAT_RGB, memory, stride);
    if (!bitmap) throw new UnreadableDocument('corrupt', 'A page of the PDF is too large to be drawn.');
    pdfium._FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, REVERSE_BYTE_ORDER);
    pdfium._FPDFBitmap_Destroy(bitmap);
    return { data: Buffer.from(pdfium.HEAPU8.subarray(memory, memory + size)), width, height };
  } finally {
    pdfium.wasmExports.free(memory);
  }
}
