/** What a write needs to know about who writes. */
export interface WriteContext {
  /** Gives the next unused node id. */
  allocateId: () => number;
  /**
   * `hook` stands for connectors too: their changes do not count as human (API: annotation-content.md section 3). `document`: neither,
   * such as what is read from the pages, or comes with the document.
   */
  source: 'user' | 'hook' | 'document';
}
