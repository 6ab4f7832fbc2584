/** One extraction that is to be done. */
export interface Job {
  /** `<annotation>/<poll id>`. */
  readonly id: string;
  readonly annotationId: number;
  /** Names the extraction towards the annotation: a result under an older name is not taken. */
  readonly rirPollId: string;
  readonly organizationId: number;
  readonly queueId: number;
  readonly documentId: number;
  readonly mimeType: string;
  readonly locale: string;
  /** Clockwise turn of all pages; absent in jobs of older versions. */
  readonly rotationDeg?: number;
  /** Fencing token: grows with every claim; only the last holder can end the job. */
  readonly token: number;
  /** Claims that ended in a failure of the document's own (not of a neighbour that was away). */
  readonly failures: number;
  /** The request that brought the document, for log and traces. */
  readonly requestId?: string;
  readonly traceparent?: string;
}

/** How often a document that fails is tried before it ends in `failed_import`. */
export const MAX_FAILURES = 3;

/** Waits before the next try of a document that failed, in milliseconds. */
export const RETRY_DELAYS_MS = [500, 5000] as const;
