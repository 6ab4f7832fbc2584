/** A document: a file that belongs to an organization. API: documents-and-uploads.md section 1. */
export interface Document {
  readonly id: number;
  readonly organizationId: number;
  /** Queue it was sent to; null for a document made without one. */
  readonly queueId: number | null;
  readonly uploadId: number | null;
  /** Object key of its bytes. */
  readonly s3Name: string;
  readonly parentId: number | null;
  readonly emailId: number | null;
  readonly annotationIds: readonly number[];
  readonly mimeType: string;
  readonly creatorId: number | null;
  readonly createdAt: Date;
  readonly originalFileName: string;
  readonly attachmentStatus: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Bytes. */
  readonly size: number;
  readonly sha256: string;
  readonly md5: string;
}

/** What a list of documents is narrowed to; empty lists and missing values do not narrow. */
export interface DocumentFilter {
  readonly ids?: readonly number[];
  readonly emailIds?: readonly number[];
  readonly creatorIds?: readonly number[];
  readonly originalFileName?: string;
  readonly createdAfter?: Date;
  readonly createdBefore?: Date;
}
