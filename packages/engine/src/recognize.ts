import { analyze } from './analyze';
import { readEmbeddedInvoice } from './e-invoice/attachments';
import type { EInvoice } from './e-invoice/e-invoice';
import { findContradictions, fromEmbedded, fromPrinted } from './e-invoice/merge';
import { isXml, printXml } from './e-invoice/print-xml';
import { layEdgesUnder } from './layout/edge-lines';
import { orderWords } from './layout/lines';
import type { Position, Recognition, RecognizedPage, RecognizeOptions } from './recognition';
import { proposeSplit } from './separator/propose-split';
import { readText } from './text/read';
import { type MovedPage, restorePositions, turnBack } from './text/upright';
import { UnreadableDocument } from './unreadable-document';

/** Changes whenever the same document may give other results. */
export const ENGINE_VERSION = '1.23';

/**
 * Reads a document and finds its fields.
 *
 * @throws UnreadableDocument with a reason and a text for people
 */
export async function recognize(bytes: Uint8Array, options: RecognizeOptions): Promise<Recognition> {
  if (bytes.length === 0) throw new UnreadableDocument('empty', 'The file is empty.');
  if (isXml(options.mimeType)) return recognizeXml(bytes, options);
  const invoice = options.mimeType === 'application/pdf' ? await readEmbeddedInvoice(bytes) : undefined;
  const { pages, pageCount, moved, ocrProblem } = await readWords(bytes, options);
  const read = analyze(pages, options.locale);
  const isWhole = pages.length === pageCount && !invoice;
  const documents = options.proposeSplit && isWhole ? proposeSplit(pages, options.locale) : [];
  const recognition = {
    ...{ pages, pageCount, ...read, engineVersion: ENGINE_VERSION },
    ...(documents.length > 0 && { documents }),
    ...(ocrProblem && { ocrProblem }),
  };
  return restorePositions(invoice ? withInvoice(invoice, recognition) : recognition, moved);
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
  /** By their numbers, the pages of which words do not stand where they are on the page images. */
  moved: Map<number, MovedPage>;
  /** Why PP-OCR failed on the first page on which it did. */
  ocrProblem: string | undefined;
}

/** The text and layout stages' first half: words in reading order. */
export async function readWords(
  bytes: Uint8Array,
  { mimeType, maxPages = 32, ocr = {} }: RecognizeOptions,
): Promise<Words> {
  const text = await readText(bytes, mimeType, maxPages, ocr);
  const moved: Words['moved'] = new Map();
  const pages = text.pages.map(({ number, width, height, rotation, words, source, upright }): RecognizedPage => {
    const image = { width, height };
    const size = { width: upright?.width ?? width, height: upright?.height ?? height };
    const edges = layEdgesUnder(words, size);
    if (upright || edges.restore) {
      const restore = (box: Position) => {
        const onPage = edges.restore?.(box) ?? box;
        return upright ? turnBack(onPage, upright, image) : onPage;
      };
      moved.set(number, { size: image, restore });
    }
    return { number, ...size, rotation, words: orderWords(edges.words), source };
  });
  const ocrProblem = text.pages.find((page) => page.ocrProblem)?.ocrProblem;
  return { pages, pageCount: text.pageCount, moved, ocrProblem };
}
