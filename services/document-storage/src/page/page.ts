/** A page of an annotation's document. API: pages.md. */
export interface Page {
  readonly id: number;
  readonly organizationId: number;
  readonly queueId: number;
  readonly annotationId: number;
  readonly documentId: number;
  /** The first page is 1. */
  readonly number: number;
  readonly rotationDeg: number;
  /** Pixels of the page image before rotation. */
  readonly width: number;
  readonly height: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly s3Name: string;
}

/** Size of a page as it was recognised. */
export type PageSize = Pick<Page, 'number' | 'width' | 'height' | 'rotationDeg'>;

/** What a list of pages is narrowed to; empty lists do not narrow. */
export interface PageFilter {
  readonly ids: readonly number[];
  readonly annotationIds: readonly number[];
  readonly numbers: readonly number[];
}
