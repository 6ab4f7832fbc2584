import { createHash } from 'node:crypto';
import type { annotation } from '@intake/contracts';
import { type FieldErrors, invalidField, Refusal } from '@intake/rpc';
import { acceptsMimeType } from '@intake/untrusted';
import { MAX_FILE_BYTES, type StoredFile } from '../file/file';

/** Files that were sent together, on their way to annotations. API: documents-and-uploads.md section 2. */
export interface Upload {
  readonly id: number;
  readonly organizationId: number;
  readonly queueId: number;
  readonly creatorId: number | null;
  readonly createdAt: Date;
  readonly documentIds: readonly number[];
  /** Archive members and documents that hooks made. */
  readonly additionalDocumentIds: readonly number[];
  readonly annotations: readonly UploadAnnotation[];
  readonly emailId: number | null;
  readonly values: Values;
  /** Of single documents, beside those of all; a key is the id of a document. */
  readonly documentValues: Readonly<Record<number, Values>>;
  /** Becomes the annotations' metadata. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly taskId: number;
  /** `created`: hooks not asked yet. `importing`: annotations are on their way. `finished`: all of them exist. */
  readonly state: 'created' | 'importing' | 'finished';
  /** What is imported; known from `importing` on. */
  readonly imports: readonly Import[];
  /** What its task fails with when all annotations exist; empty: it succeeds. */
  readonly failure: string;
  /** Events about it so far. */
  readonly version: number;
  /** When the sweep puts it on the bus again, unless it has gone on. */
  readonly lookAgainAt: Date;
  /** How often the sweep has done so in this state. */
  readonly looks: number;
}

export interface UploadAnnotation {
  readonly annotationId: number;
  readonly documentId: number;
}

/** A document that gets an annotation. */
export interface Import {
  readonly documentId: number;
  readonly values: Values;
  /** Why it cannot be read; empty when it can be tried. */
  readonly failure: string;
  /** What hooks say about it. */
  readonly messages?: readonly annotation.Message[];
}

/** Values for `rir_field_names`, such as `upload:<id>`. */
export type Values = Readonly<Record<string, string>>;

/** What is to be uploaded. */
export interface Submission {
  readonly queueId: number;
  /** Keys of stored files. */
  readonly keys: readonly string[];
  /** Documents that are there already, instead of files: attachments of an e-mail. */
  readonly documentIds: readonly number[];
  /** Null: the caller, if it is a user. */
  readonly creatorId: number | null;
  readonly values: Values;
  readonly documentValues?: Upload['documentValues'];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly emailId: number | null;
  readonly rejectIdentical: boolean;
  /** Several pictures become one document. */
  readonly join: boolean;
}

/** What the answer to an upload says. */
export interface UploadReceipt {
  readonly uploadId: number;
  readonly taskId: number;
  readonly documentIds: readonly number[];
}

/** API: limits.md, metadata. */
const MAX_METADATA_BYTES = 4096;
const FIRST_LOOK_MS = 60_000;
const LAST_LOOK_MS = 30 * 60_000;

/**
 * Checks what does not need a look into the database. Throws QUEUE_DELETED, PAYLOAD_TOO_LARGE, or INVALID with the errors
 * of all fields. API: documents-and-uploads.md section 2, checks.
 */
export function checkSubmission(
  submission: Submission,
  files: readonly StoredFile[],
  queue: { readonly status: string; readonly acceptedMimeTypes: readonly string[] },
): void {
  if (queue.status !== 'active') throw new Refusal('QUEUE_DELETED');
  if (files.length < submission.keys.length || new Set(submission.keys).size < submission.keys.length)
    throw invalidField('content', 'A submitted file is not available any more. Send it again.');
  if (files.reduce((sum, file) => sum + file.size, 0) > MAX_FILE_BYTES) throw new Refusal('PAYLOAD_TOO_LARGE');
  const content = findContentErrors(submission, files, queue.acceptedMimeTypes);
  const metadata = Buffer.byteLength(JSON.stringify(submission.metadata)) > MAX_METADATA_BYTES;
  const errors: FieldErrors = {
    ...(content.length > 0 && { content }),
    ...(metadata && { metadata: [`Ensure this field has no more than ${MAX_METADATA_BYTES} bytes.`] }),
  };
  if (Object.keys(errors).length > 0) throw new Refusal('INVALID', { fields: errors });
}

function findContentErrors(
  { rejectIdentical }: Submission,
  files: readonly StoredFile[],
  accepted: readonly string[],
): string[] {
  if (files.length === 0) return ['No file was submitted.'];
  if (files.some((file) => file.size === 0)) return ['The submitted file is empty.'];
  if (rejectIdentical && files.length > 1) return ['Exactly one file is allowed with reject_identical.'];
  const refused = files.map((file) => file.mimeType).filter((type) => !acceptsMimeType(accepted, type));
  return [...new Set(refused)].map((type) => `MIME type ${type} is not allowed for this queue.`);
}

/** What tells two submissions under one idempotency key apart. */
export function fingerprintOf(submission: Submission, files: readonly StoredFile[]): string {
  const { queueId, values, metadata, emailId, rejectIdentical, join, documentIds } = submission;
  const contents = files.map(({ fileName, sha256 }) => [fileName, sha256]);
  const sorted = Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
  const whole = JSON.stringify([queueId, contents, sorted, metadata, emailId, rejectIdentical, join, ...documentIds]);
  return createHash('sha256').update(whole).digest('hex');
}

/** Imports whose annotation does not exist yet. */
export function missingImports(upload: Pick<Upload, 'imports' | 'annotations'>): Import[] {
  const there = new Set(upload.annotations.map((annotation) => annotation.documentId));
  return upload.imports.filter((one) => !there.has(one.documentId));
}

/** When to look again at an upload that rests: after a minute, then twice as long each time, half an hour at most. */
export function nextLook(looks: number, now: Date): Date {
  return new Date(now.getTime() + Math.min(FIRST_LOOK_MS * 2 ** looks, LAST_LOOK_MS));
}
