import type { OcrOptions } from '../recognition';
import { UnreadableDocument } from '../unreadable-document';
import type { PageText } from './page-text';
import { readPdf } from './pdf';
import { readPictures } from './picture';

/** What the bytes are read as. */
export function kindOf(mimeType: string): 'pdf' | 'picture' {
  if (mimeType === 'application/pdf') return 'pdf';
  if (['image/png', 'image/jpeg', 'image/tiff', 'image/webp', 'image/gif'].includes(mimeType)) return 'picture';
  if (mimeType.startsWith('image/')) {
    throw new UnreadableDocument(
      'unsupported',
      `Pictures of the type ${mimeType} cannot be read; send it as JPEG, PNG, TIFF or WebP.`,
    );
  }
  throw new UnreadableDocument('unsupported', `Documents of the type ${mimeType} cannot be read.`);
}

/**
 * The text stage: words with boxes on every page.
 *
 * @throws UnreadableDocument
 */
export async function readText(
  bytes: Uint8Array,
  mimeType: string,
  maxPages: number,
  ocr: OcrOptions,
): Promise<{ pages: PageText[]; pageCount: number }> {
  if (bytes.length === 0) throw new UnreadableDocument('empty', 'The file is empty.');
  const read = kindOf(mimeType) === 'pdf' ? readPdf : readPictures;
  const { pages, pageCount, missing } = await read(bytes, maxPages, {
    ...ocr,
    until: Date.now() + (ocr.budgetMs ?? 45_000),
  });
  if (missing && !pages.some((page) => page.words.length > 0)) {
    throw new UnreadableDocument(
      'needs_program',
      `The document is a scan, and the program for reading scans is not installed: ${missing}. Install it and import the document again.`,
    );
  }
  return { pages, pageCount };
}
