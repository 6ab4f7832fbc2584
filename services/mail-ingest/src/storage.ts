import { documentStorage } from '@intake/contracts';
import { type Caller, type Client, Refusal, systemCaller } from '@intake/rpc';
import type { Email, RawMessage } from './email/email';
import type { ReadEmailOptions } from './email/read-email';
import type { OutgoingMail } from './outgoing/compose';
import { MAX_MESSAGE_BYTES } from './smtp/smtp-listener';

type StorageClient = Client<typeof documentStorage.DocumentStorageServiceService>;

/** What this service asks of document-storage. */
export interface Storage
  extends Pick<ReadEmailOptions, 'loadRaw' | 'putFile' | 'addAttachments' | 'createUpload' | 'setAttachments'> {
  /** Streams a raw message into the store. Throws PAYLOAD_TOO_LARGE, STORAGE_FULL. */
  putRaw(chunks: AsyncIterable<Buffer>, maxSize: number): Promise<Omit<RawMessage, 'messageId'>>;
  /** Stores a raw message of an organization for good; answers its key. */
  storeRaw(organizationId: number, raw: Buffer): Promise<string>;
  keepFiles(keys: readonly string[]): Promise<void>;
  /** Removes raw messages that are not needed any more. */
  releaseFiles(keys: readonly string[]): Promise<void>;
  /** First bytes of a stored file of the organization. Throws NOT_FOUND. */
  readStart(organizationId: number, key: string): Promise<Buffer>;
  createTask(organizationId: number, emailId: number, creatorId: number | null): Promise<number>;
  /** Ends the task of an import; others have none. */
  endTask(email: Email): Promise<void>;
  isUploadFinished(email: Email): Promise<boolean>;
  findDocuments(email: Email): Promise<documentStorage.Document[]>;
  /** Bytes of documents that the caller sees. Throws INVALID. */
  loadDocuments(caller: Caller, ids: readonly number[]): Promise<OutgoingMail['attachments']>;
}

/** As long as a sender may need for a message of the largest size, in milliseconds. */
const RECEIVE_MS = 15 * 60_000;
const FILE_MS = 60_000;
/** Of the documents of an outgoing mail together. */
const MAX_SENT_BYTES = 20 * 1024 * 1024;
const PAGE = 100;

/** document-storage as mail-ingest uses it. */
export function createStorage(client: StorageClient): Storage {
  const callerOf = (email: Pick<Email, 'organizationId'>) => systemCaller('mail-ingest', email.organizationId);
  const keepFiles = async (keys: readonly string[]): Promise<void> => {
    await client.keepFiles({ keys: [...keys], holder: 'mail-ingest' }, systemCaller('mail-ingest'));
  };
  const header = (maxSize: number) => ({ fileName: 'message.eml', declaredMimeType: 'message/rfc822', maxSize });

  return {
    keepFiles,
    async putRaw(chunks, maxSize) {
      const stored = await client.putFile(toRequests(header(maxSize), chunks), systemCaller('mail-ingest'), {
        timeoutMs: RECEIVE_MS,
      });
      return { key: stored.key, sha256: stored.sha256 };
    },
    async storeRaw(organizationId, raw) {
      const pieces = async function* () {
        for (let at = 0; at < raw.length; at += CHUNK) yield raw.subarray(at, at + CHUNK);
      };
      const { key } = await client.putFile(toRequests(header(0), pieces()), callerOf({ organizationId }), {
        timeoutMs: FILE_MS,
      });
      await keepFiles([key]);
      return key;
    },
    async releaseFiles(keys) {
      await client.releaseFiles({ keys: [...keys], holder: 'mail-ingest' }, systemCaller('mail-ingest'));
    },
    async *loadRaw(email) {
      for await (const { chunk } of client.getStoredFile({ key: email.rawKey }, callerOf(email), {
        timeoutMs: FILE_MS,
      }))
        if (chunk) yield chunk;
    },
    async readStart(organizationId, key) {
      const chunks: Uint8Array[] = [];
      for await (const { chunk } of client.getStoredFile({ key }, callerOf({ organizationId }), {
        timeoutMs: FILE_MS,
      })) {
        if (chunk) chunks.push(chunk);
        if (chunks.length > 0) break;
      }
      return Buffer.concat(chunks);
    },
    putFile: (email, { fileName, mimeType, bytes }) =>
      client.putFile(
        toRequests({ fileName, declaredMimeType: mimeType, maxSize: MAX_MESSAGE_BYTES }, bytes),
        callerOf(email),
        { timeoutMs: FILE_MS },
      ),
    async addAttachments(email, attachments) {
      const { id: emailId, queueId, creatorId } = email;
      const sent = attachments.map(({ file, status }) => ({ file, status, archive: 0 }));
      const request = { emailId, queueId, creatorId: creatorId ?? undefined, attachments: sent };
      return (await client.addAttachments(request, callerOf(email))).documentIds;
    },
    async setAttachments({ id: emailId, queueId, organizationId }, attachments) {
      const list = attachments.map(({ documentId, status }) => ({ documentId, status }));
      await client.setAttachments({ emailId, queueId, attachments: list }, callerOf({ organizationId }));
    },
    createUpload: (email, documentIds, values, documentValues) =>
      client.createUpload(
        {
          queueId: email.queueId,
          files: [],
          documentIds: [...documentIds],
          values,
          documentValues: documentValues.map(({ documentId, values: own }) => ({ documentId, values: { ...own } })),
          metadata: email.metadata,
          emailId: email.id,
          rejectIdentical: false,
          join: false,
          idempotencyKey: `email:${email.id}`,
          taskType: 'email_imported',
          creatorId: email.creatorId ?? undefined,
        },
        callerOf(email),
      ),
    async createTask(organizationId, emailId, creatorId) {
      const request = { type: 'email_imported', emailId, creatorId: creatorId ?? undefined };
      return (await client.createTask(request, callerOf({ organizationId }))).id;
    },
    async endTask(email) {
      if (email.taskId === null) return;
      await client.endTask(
        { id: email.taskId, failure: email.state === 'failed' ? email.failure : '' },
        callerOf(email),
      );
    },
    async isUploadFinished(email) {
      return (await client.getUpload({ id: email.uploadId ?? 0 }, callerOf(email))).finished;
    },
    async findDocuments(email) {
      const all: documentStorage.Document[] = [];
      for (let page = 1; ; page += 1) {
        const request = documentStorage.ListDocumentsRequest.fromPartial({
          ...{ emailIds: [email.id], ordering: ['id'], page, pageSize: PAGE },
        });
        const { documents, total } = await client.listDocuments(request, callerOf(email));
        all.push(...documents);
        if (documents.length === 0 || all.length >= total) return all;
      }
    },
    async loadDocuments(caller, ids) {
      if (ids.length === 0) return [];
      const { documents } = await client.getDocuments({ ids: [...ids] }, caller);
      if (documents.length < new Set(ids).size) throw wrongAttachments('Invalid hyperlink - Object does not exist.');
      if (documents.reduce((sum, { size }) => sum + size, 0) > MAX_SENT_BYTES)
        throw wrongAttachments('The documents together are larger than 20 MB.');
      const loaded: OutgoingMail['attachments'][number][] = [];
      for (const { id, originalFileName, mimeType } of documents) {
        const chunks: Uint8Array[] = [];
        const request = documentStorage.GetFileRequest.fromPartial({ documentId: id });
        for await (const { chunk } of client.getFile(request, caller, { timeoutMs: FILE_MS }))
          if (chunk) chunks.push(chunk);
        loaded.push({ filename: originalFileName, contentType: mimeType, content: Buffer.concat(chunks) });
      }
      return loaded;
    },
  };
}

function wrongAttachments(problem: string): Refusal {
  return new Refusal('INVALID', { fields: { attachments: { documents: [problem] } } });
}

const CHUNK = 256 * 1024;

async function* toRequests(
  header: documentStorage.PutFileHeader,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<documentStorage.PutFileRequest> {
  yield { header };
  for await (const chunk of chunks) yield { chunk: chunk as Buffer };
}
