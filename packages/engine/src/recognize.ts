import { analyze } from './analyze';
import { readEmbeddedInvoice } from './e-invoice/attachments';
import type { EInvoice } from './e-invoice/e-invoice';
import { findContradictions, fromEmbedded, fromPrinted } from './e-invoice/merge';
import { isXml, printXml } from './e-invoice/print-xml';
import { orderWords } from './layout/lines';
import type { Recognition, RecognizedPage, RecognizeOptions } from './recognition';
import { proposeSplit } from './separator/propose-split';
import { readText } from './text/read';
import { restorePositions, type Upright } from './text/upright';
import { UnreadableDocument } from './unreadable-document';

/** Changes whenever the same document may give other results. */
export const ENGINE_VERSION = '1.18';

/**
 * Reads a document and finds its fields.
 *
 * @throws UnreadableDocument with a reason and a text for people
 */
export async function recognize(bytes: Uint8Array, options: RecognizeOptions): Promise<Recognition> {
  if (bytes.length === 0) throw new UnreadableDocument('empty', 'The file is empty.');
  if (isXml(options.mimeType)) return recognizeXml(bytes, options);
  const invoice = options.mimeType === 'application/pdf' ? await readEmbeddedInvoice(bytes) : undefined;
  const { pages, pageCount, uprights, ocrProblem } = await readWords(bytes, options);
  const read = analyze(pages, options.locale);
  const isWhole = pages.length === pageCount && !invoice;
  const documents = options.proposeSplit && isWhole ? proposeSplit(pages, options.locale) : [];
  const recognition = {
    ...{ pages, pageCount, ...read, engineVersion: ENGINE_VERSION },
    ...(documents.length > 0 && { documents }),
    ...(ocrProblem && { ocrProblem }),
  };
  return restorePositions(invoice ? withInvoice(invoice, recognition) : recognition, uprights);
}

function withInvoice(invoice: EInvoice, read: Recognition): Recognition {
  const remarks = invoice.remarks.map((message) => ({ field: null, message }));
  return {
    ...read,
    ...fromEmbedded(invoice, read.pages, read),
    eInvoice: {
      syntax: invoice.syntax,
      printed: false,
      contradictions: [...remarks, ...findContradictions(invoice, read)],
    },
  };
}

async function recognizeXml(bytes: Uint8Array, options: RecognizeOptions): Promise<Recognition> {
  const { invoice, printed } = await printXml(bytes);
  const { pages, pageCount } = await readWords(printed.pdf, { ...options, mimeType: 'application/pdf' });
  return {
    pages,
    pageCount,
    ...fromPrinted(invoice, printed),
    language: null,
    eInvoice: {
      syntax: invoice.syntax,
      printed: true,
      contradictions: invoice.remarks.map((message) => ({ field: null, message })),
    },
    engineVersion: ENGINE_VERSION,
  };
}

interface Words {
  /** Pages as they read from left to right. */
  pages: RecognizedPage[];
  pageCount: number;
  /** Number of a page that had to be turned -> how, and the size of its image. */
  uprights: Map<number, { upright: Upright; page: { width: number; height: number } }>;
  /** Why PP-OCR failed on the first page on which it did. */
  ocrProblem: string | undefined;
}

/** The text and layout stages' first half: words in reading order. */
export async function readWords(
  bytes: Uint8Array,
  { mimeType, maxPages = 32, ocr = {} }: RecognizeOptions,
): Promise<Words> {
  const text = await readText(bytes, mimeType, maxPages, ocr);
  const uprights: Words['uprights'] = new Map();
  const pages = text.pages.map(({ number, width, height, rotation, words, source, upright }): RecognizedPage => {
    if (upright) uprights.set(number, { upright, page: { width, height } });
    const size = upright ?? { width, height };
    return { number, width: size.width, height: size.height, rotation, words: orderWords(words), source };
  });
  const ocrProblem = text.pages.find((page) => page.ocrProblem)?.ocrProblem;
  return { pages, pageCount: text.pageCount, uprights, ocrProblem };
}
