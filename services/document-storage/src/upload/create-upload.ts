import type { Backbone } from '@intake/bus';
import { transaction } from '@intake/mongo';
import { type Caller, organizationOf, Refusal } from '@intake/rpc';
import type { Document } from '../document/document';
import type { DocumentStore } from '../document/document.store';
import type { Files, StoredFile } from '../file/file';
import type { FileStore } from '../file/file.store';
import { TASK_LIFE_MS, type TaskType } from '../task/task';
import type { TaskStore } from '../task/task.store';
import type { SubmissionStore } from './submission.store';
import { checkSubmission, fingerprintOf, nextLook, type Submission, type Upload, type UploadReceipt } from './upload';
import type { UploadStore } from './upload.store';

/** What a submission needs to know of its queue. */
export interface TargetQueue {
  readonly organizationId: number;
  readonly status: string;
  readonly acceptedMimeTypes: readonly string[];
}

export interface CreateUploadOptions {
  readonly backbone: Backbone;
  readonly files: Files;
  readonly fileStore: FileStore;
  readonly documents: DocumentStore;
  readonly uploads: UploadStore;
  readonly tasks: TaskStore;
  readonly submissions: SubmissionStore;
  /** One file of several pictures, which must be read. Throws INVALID. */
  readonly joinPictures: (caller: Caller, pictures: readonly StoredFile[]) => Promise<StoredFile>;
  /** Null when the caller cannot see the queue. */
  readonly findQueue: (caller: Caller, id: number) => Promise<TargetQueue | null>;
  /** Whether the import of what an organization sends begins at once; otherwise the upload rests, and is pushed later. */
  readonly isTurnOf: (organizationId: number) => boolean;
}

/** How a submission is taken. */
export type CreateUpload = (
  caller: Caller,
  submission: Submission,
  options: { readonly idempotencyKey?: string; readonly taskType: TaskType },
) => Promise<UploadReceipt>;

/**
 * Takes files as an upload: upload, documents, task and `upload.created` in one transaction. Files that are refused are
 * removed. Throws NOT_FOUND (queue), QUEUE_DELETED, INVALID, PAYLOAD_TOO_LARGE, IDENTICAL_DOCUMENT, IDEMPOTENCY_CONFLICT.
 * API: documents-and-uploads.md section 2.
 */
export function createCreateUpload(options: CreateUploadOptions): CreateUpload {
  const { backbone, files, fileStore, documents, uploads, tasks, submissions, joinPictures, findQueue, isTurnOf } =
    options;
  const { database, ids, emit } = backbone;

  /** The first answer, when the key was used before. Throws IDEMPOTENCY_CONFLICT. */
  const findAnswer = (key: string, fingerprint: string) =>
    transaction(database, async (session) => {
      const kept = await submissions.findAnswer(session, key);
      if (kept && kept.fingerprint !== fingerprint) throw new Refusal('IDEMPOTENCY_CONFLICT');
      return kept?.receipt ?? null;
    });

  /** The files, with one of all pictures in the place of the first. */
  const join = async (caller: Caller, own: readonly StoredFile[]): Promise<readonly StoredFile[]> => {
    const pictures = own.filter(({ mimeType }) => mimeType.startsWith('image/'));
    if (pictures.length < 2) return own;
    const joined = await joinPictures(caller, pictures);
    return own.flatMap((file) => (file === pictures[0] ? [joined] : pictures.includes(file) ? [] : [file]));
  };

  const take: CreateUpload = async (caller, submission, { idempotencyKey, taskType }) => {
    const organizationId = organizationOf(caller);
    const stored = await fileStore.findStored(submission.keys);
    const own = stored.filter((file) => file.organizationId === organizationId);
    const fingerprint = fingerprintOf(submission, own);
    const answerKey = idempotencyKey && `${organizationId}/${caller.userId ?? caller.username}/${idempotencyKey}`;
    const before = answerKey ? await findAnswer(answerKey, fingerprint) : null;
    if (before) return before;

    const queue = await findQueue(caller, submission.queueId);
    if (queue?.organizationId !== organizationId) throw new Refusal('NOT_FOUND');
    const { documentIds: attachmentIds } = submission;
    if (attachmentIds.length === 0) checkSubmission(submission, own, queue);
    else if ((await documents.findMany(caller, attachmentIds)).length < attachmentIds.length)
      throw new Refusal('NOT_FOUND');
    const sent = submission.join ? await join(caller, own) : own;

    const [uploadId, taskId, firstDocumentId] = await Promise.all([
      ids.next('upload'),
      ids.next('task'),
      sent.length > 0 ? ids.next('document', sent.length) : 0,
    ]);
    const now = new Date();
    const beginsNow = isTurnOf(organizationId);
    const upload: Upload = {
      id: uploadId,
      organizationId,
      queueId: submission.queueId,
      creatorId: caller.userId ?? submission.creatorId,
      createdAt: now,
      documentIds: attachmentIds.length > 0 ? attachmentIds : sent.map((_, i) => firstDocumentId + i),
      additionalDocumentIds: [],
      annotations: [],
      emailId: submission.emailId,
      values: submission.values,
      documentValues: submission.documentValues ?? {},
      metadata: submission.metadata,
      taskId,
      state: 'created',
      imports: [],
      failure: '',
      version: 1,
      lookAgainAt: beginsNow ? nextLook(0, now) : now,
      looks: 0,
    };
    const receipt = { uploadId, taskId, documentIds: upload.documentIds };

    return transaction(database, async (session) => {
      if (answerKey) {
        const kept = await submissions.findAnswer(session, answerKey);
        if (kept && kept.fingerprint !== fingerprint) throw new Refusal('IDEMPOTENCY_CONFLICT');
        if (kept) return kept.receipt;
        await submissions.keepAnswer(session, answerKey, { fingerprint, receipt });
      }
      const [only] = own;
      if (submission.rejectIdentical && only) {
        await submissions.touchContent(session, `${organizationId}/${only.sha256}/${only.fileName}`);
        if (await documents.hasIdentical(session, organizationId, only)) throw new Refusal('IDENTICAL_DOCUMENT');
      }
      const keys = sent.map(({ key }) => key);
      if (!(await fileStore.hold(session, keys, `upload:${uploadId}`)))
        throw new Refusal('CONFLICT', { detail: 'A submitted file belongs to another upload.' });
      if (attachmentIds.length > 0) await documents.joinUpload(session, organizationId, attachmentIds, uploadId);
      else
        await documents.insert(
          session,
          sent.map((file, i) => documentOf(file, upload, firstDocumentId + i)),
        );
      await uploads.insert(session, upload);
      await tasks.insert(session, {
        id: taskId,
        organizationId,
        creatorId: upload.creatorId,
        type: taskType,
        status: 'running',
        expiresAt: new Date(now.getTime() + TASK_LIFE_MS),
        detail: null,
        code: null,
        uploadId,
        emailId: null,
      });
      if (!beginsNow) return receipt;
      await emit(session, {
        subject: 'upload.created',
        aggregate: `upload:${uploadId}`,
        version: upload.version,
        payload: { uploadId, organizationId, queueId: upload.queueId },
      });
      return receipt;
    });
  };

  return async (caller, submission, choices) => {
    try {
      const receipt = await take(caller, submission, choices);
      // Of a repeated submission its files are here twice, and of a joined one its pictures are not needed.
      if (choices.idempotencyKey || submission.join) await files.discard(submission.keys);
      return receipt;
    } catch (error) {
      if (error instanceof Refusal && error.httpStatus < 500) await files.discard(submission.keys);
      throw error;
    }
  };
}

function documentOf(file: StoredFile, upload: Upload, id: number): Document {
  return {
    id,
    organizationId: upload.organizationId,
    queueId: upload.queueId,
    uploadId: upload.id,
    s3Name: file.key,
    parentId: null,
    emailId: upload.emailId,
    annotationIds: [],
    mimeType: file.mimeType,
    creatorId: upload.creatorId,
    createdAt: upload.createdAt,
    originalFileName: file.fileName,
    attachmentStatus: upload.emailId === null ? null : 'processed',
    rendition: null,
    metadata: {},
    size: file.size,
    sha256: file.sha256,
    md5: file.md5,
  };
}
