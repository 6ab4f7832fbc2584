import { UnreadableDocument } from '../unreadable-document';

/** Pages that a document may have at most. */
const MAX_PAGES = 500;

/** @throws UnreadableDocument `too_many_pages` */
export function checkPageCount(count: number): void {
  if (count <= MAX_PAGES) return;
  throw new UnreadableDocument('too_many_pages', `The document has ${count} pages; at most ${MAX_PAGES} are read.`);
}
