/** A document: a file that belongs to an organization. API: documents-and-uploads.md section 1. */
export interface Document {
  readonly id: number;
  readonly organizationId: number;
  /** Queue it was sent to; null for a document made without one. */
  readonly queueId: number | null;
  readonly uploadId: number | null;
  /** The upload that the extension which made it was asked about. */
  readonly arrivedUploadId?: number;
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
  /** What its sender should know of it: of an archive, what was left out and why. */
  readonly message?: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Bytes. */
  readonly size: number;
  readonly sha256: string;
  readonly md5: string;
  /** The PDF that is read and drawn instead of the document's own bytes; null: there is none. */
  readonly rendition: StoredRendition | null;
  /** Further queues that its annotations were copied or moved to. */
  readonly sharedQueueIds?: readonly number[];
  /** Since when its bytes are gone. */
  readonly purgedAt?: Date;
}

/** What became of an archive. API: email-import.md section 1.3. */
export const ARCHIVE_STATUSES = ['extracted_archive', 'password_protected_archive', 'failed_to_extract'] as const;

export type ArchiveStatus = (typeof ARCHIVE_STATUSES)[number];

/** A PDF made of a document. */
export interface StoredRendition {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  readonly sha256: string;
}

/** What a list of documents is narrowed to; empty lists and missing values do not narrow. */
export interface DocumentFilter {
  readonly ids?: readonly number[];
  readonly emailIds?: readonly number[];
  readonly creatorIds?: readonly number[];
  readonly parentIds?: readonly number[];
  readonly attachmentStatus?: string;
  readonly originalFileName?: string;
  readonly createdAfter?: Date;
  readonly createdBefore?: Date;
}
