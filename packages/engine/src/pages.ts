import type { PageImage, PageSize } from './recognition';
import { UnreadableDocument } from './unreadable-document';

/**
 * Draws a page: 150 DPI, longest side at most `longestSide` (default 2000) pixels (API: pages.md).
 *
 * @param pageNumber the first page is 1
 * @throws UnreadableDocument
 */
export async function renderPage(
  _bytes: Uint8Array,
  _mimeType: string,
  _pageNumber: number,
  _options: { longestSide?: number } = {},
): Promise<PageImage> {
  throw new UnreadableDocument('unsupported', 'Not yet.');
}

/**
 * Counts and measures the pages without reading them.
 *
 * @throws UnreadableDocument
 */
export async function readPages(_bytes: Uint8Array, _mimeType: string): Promise<PageSize[]> {
  throw new UnreadableDocument('unsupported', 'Not yet.');
}
