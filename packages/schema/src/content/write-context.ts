/** What a write needs to know about who writes. */
export interface WriteContext {
  /** Gives the next unused node id. */
  allocateId: () => number;
  /**
   * `hook` stands for connectors too: their changes do not count as human (API: annotation-content.md section 3). `document`: neither,
   * such as what is read from the pages, or comes with the document.
   */
  source: 'user' | 'hook' | 'document';
  /** How many pages the document has; absent while they are not known. */
  pageCount?: number;
}

/** What is said of a page that the document does not have; null: it has it, or that is not known. */
export function findPageProblem(page: number, pageCount = Infinity): string | null {
  return page <= pageCount ? null : `The document has no page ${page}, its last one is ${pageCount}.`;
}
