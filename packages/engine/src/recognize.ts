import { analyze } from './analyze';
import { orderWords } from './layout/lines';
import type { Recognition, RecognizeOptions } from './recognition';
import { readText } from './text/read';

/** Changes whenever the same document may give other results. */
export const ENGINE_VERSION = '1.0';

/**
 * Reads a document and finds its fields.
 *
 * @throws UnreadableDocument with a reason and a text for people
 */
export async function recognize(bytes: Uint8Array, options: RecognizeOptions): Promise<Recognition> {
  const text = await readText(bytes, options.mimeType, options.maxPages ?? 32, options.ocr ?? {});
  const pages = text.pages.map(({ number, width, height, rotation, words, source }) => ({
    number,
    width,
    height,
    rotation,
    words: orderWords(words),
    source,
  }));
  return { pages, pageCount: text.pageCount, ...analyze(pages, options.locale), engineVersion: ENGINE_VERSION };
}
