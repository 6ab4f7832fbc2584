import sharp from 'sharp';
import type { PageImage, PageSize } from './recognition';
import { drawPdfPage, readPdfPages } from './text/pdf';
import { drawPicturePage, readPicturePages } from './text/picture';
import { kindOf } from './text/read';
import { UnreadableDocument } from './unreadable-document';

/**
 * Draws a page in colour: 150 DPI, longest side at most 2000 pixels (API: pages.md).
 *
 * @param pageNumber the first page is 1
 * @param options.longestSide makes a smaller image; the default is the page image itself
 * @throws UnreadableDocument
 */
export async function renderPage(
  bytes: Uint8Array,
  mimeType: string,
  pageNumber: number,
  options: { longestSide?: number } = {},
): Promise<PageImage> {
  const kind = kindOf(mimeType);
  if (bytes.length === 0) throw new UnreadableDocument('empty', 'The file is empty.');
  if (kind === 'picture') return drawPicturePage(bytes, pageNumber - 1, options.longestSide);
  const { data, width, height } = await drawPdfPage(bytes, pageNumber - 1, options.longestSide);
  const png = await sharp(data, { raw: { width, height, channels: 3 } })
    .png({ compressionLevel: 6 })
    .toBuffer();
  return { png, width, height };
}

/**
 * Counts and measures the pages without reading them.
 *
 * @throws UnreadableDocument
 */
export async function readPages(bytes: Uint8Array, mimeType: string): Promise<PageSize[]> {
  const kind = kindOf(mimeType);
  if (bytes.length === 0) throw new UnreadableDocument('empty', 'The file is empty.');
  return kind === 'pdf' ? readPdfPages(bytes) : readPicturePages(bytes);
}
