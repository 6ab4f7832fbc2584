import type { Backbone } from '@intake/bus';
import { transaction } from '@intake/mongo';
import { type Caller, organizationOf, Refusal } from '@intake/rpc';
import type { Files } from '../file/file';
import type { FileStore } from '../file/file.store';
import type { SubmissionStore } from '../upload/submission.store';
import type { DocumentStore } from './document.store';

/** An attachment of an e-mail in the object store. */
export interface SentAttachment {
  readonly key: string;
  /** `attachment_status`; empty: none. */
  readonly status: string;
  /** Place in the list, from 1, of the archive that it was in; 0: none. */
  readonly archive: number;
}

export interface AddAttachmentsOptions {
  readonly backbone: Backbone;
  readonly files: Files;
  readonly fileStore: FileStore;
  readonly documents: DocumentStore;
  readonly submissions: SubmissionStore;
}

/** Makes the documents of an e-mail's attachments; answers their ids in order. */
export type AddAttachments = (
  caller: Caller,
  email: { readonly emailId: number; readonly queueId: number; readonly creatorId: number | null },
  attachments: readonly SentAttachment[],
) => Promise<number[]>;

/** Each e-mail gets its documents once: a repeated call answers the first ids, and its files go. API: email-import.md section 1.3. */
export function createAddAttachments(options: AddAttachmentsOptions): AddAttachments {
  const { backbone, files, fileStore, documents, submissions } = options;
  const { database, ids } = backbone;

  return async (caller, { emailId, queueId, creatorId }, attachments) => {
    const organizationId = organizationOf(caller);
    const keys = attachments.map(({ key }) => key);
    const answerKey = `${organizationId}/attachments/${emailId}`;
    const stored = await fileStore.findStored(keys);
    const firstId = keys.length > 0 ? await ids.next('document', keys.length) : 0;
    const documentIds = await transaction(database, async (session) => {
      const kept = await submissions.findAnswer(session, answerKey);
      if (kept) return [...kept.receipt.documentIds];
      if (stored.length < keys.length || !(await fileStore.hold(session, keys, `email:${emailId}`)))
        throw new Refusal('CONFLICT', { detail: 'An attachment is not there, or belongs to something else.' });
      const made = stored.map(({ key, fileName, mimeType, size, sha256, md5 }, i) => {
        const { status = '', archive = 0 } = attachments[i] ?? {};
        return {
          ...{ id: firstId + i, organizationId, queueId, emailId, creatorId, uploadId: null },
          ...{ s3Name: key, originalFileName: fileName, mimeType, size, sha256, md5 },
          parentId: archive > 0 ? firstId + archive - 1 : null,
          ...{ annotationIds: [], createdAt: new Date(), rendition: null, metadata: {} },
          attachmentStatus: status || null,
        };
      });
      if (made.length > 0) await documents.insert(session, made);
      const newIds = made.map(({ id }) => id);
      await submissions.keepAnswer(session, answerKey, {
        fingerprint: '',
        receipt: { uploadId: 0, taskId: 0, documentIds: newIds },
      });
      return newIds;
    });
    // Of a repeated call; those that are held stay.
    await files.discard(keys);
    return documentIds;
  };
}
