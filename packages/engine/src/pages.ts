import sharp from 'sharp';
import { isXml, printXml } from './e-invoice/print-xml';
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
 * @param options.rotation turns the image clockwise: 0, 90, 180 or 270
 * @throws UnreadableDocument
 */
export async function renderPage(
  bytes: Uint8Array,
  mimeType: string,
  pageNumber: number,
  { longestSide, rotation = 0 }: { longestSide?: number; rotation?: number } = {},
): Promise<PageImage> {
  const image = await drawUpright(bytes, mimeType, pageNumber, { longestSide });
  if (rotation === 0) return image;
  const { data, info } = await sharp(image.png)
    .rotate(rotation)
    .png({ compressionLevel: 6 })
    .toBuffer({ resolveWithObject: true });
  return { png: data, width: info.width, height: info.height };
}

async function drawUpright(
  bytes: Uint8Array,
  mimeType: string,
  pageNumber: number,
  options: { longestSide?: number },
): Promise<PageImage> {
  if (isXml(mimeType)) return drawUpright((await printXml(bytes)).printed.pdf, 'application/pdf', pageNumber, options);
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
  if (isXml(mimeType)) return readPdfPages((await printXml(bytes)).printed.pdf);
  const kind = kindOf(mimeType);
  if (bytes.length === 0) throw new UnreadableDocument('empty', 'The file is empty.');
  return kind === 'pdf' ? readPdfPages(bytes) : readPicturePages(bytes);
}
