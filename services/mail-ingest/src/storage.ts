import type { documentStorage } from '@intake/contracts';
import { type Client, systemCaller } from '@intake/rpc';
import type { Email, RawMessage } from './email/email';
import type { ReadEmailOptions } from './email/read-email';

type StorageClient = Client<typeof documentStorage.DocumentStorageServiceService>;

/** What this service asks of document-storage. */
export interface Storage extends Pick<ReadEmailOptions, 'loadRaw' | 'putFile' | 'createUpload'> {
  /** Streams a raw message into the store. Throws PAYLOAD_TOO_LARGE. */
  putRaw(chunks: AsyncIterable<Buffer>, maxSize: number): Promise<Omit<RawMessage, 'messageId'>>;
  keepFiles(keys: readonly string[]): Promise<void>;
  /** Removes raw messages that are not needed any more. */
  releaseFiles(keys: readonly string[]): Promise<void>;
}

/** As long as a sender may need for a message of the largest size, in milliseconds. */
const RECEIVE_MS = 15 * 60_000;
const FILE_MS = 60_000;

/** document-storage as mail-ingest uses it. */
export function createStorage(client: StorageClient): Storage {
  const callerOf = (email: Email) => systemCaller('mail-ingest', email.organizationId);
  return {
    async putRaw(chunks, maxSize) {
      const header = { fileName: 'message.eml', declaredMimeType: 'message/rfc822', maxSize };
      const stored = await client.putFile(toRequests(header, chunks), systemCaller('mail-ingest'), {
        timeoutMs: RECEIVE_MS,
      });
      return { key: stored.key, sha256: stored.sha256 };
    },
    async keepFiles(keys) {
      await client.keepFiles({ keys: [...keys], holder: 'mail-ingest' }, systemCaller('mail-ingest'));
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
    putFile: (email, { fileName, mimeType, bytes }) =>
      client.putFile(toRequests({ fileName, declaredMimeType: mimeType, maxSize: 0 }, bytes), callerOf(email), {
        timeoutMs: FILE_MS,
      }),
    createUpload: (email, files, values) =>
      client.createUpload(
        {
          queueId: email.queueId,
          files,
          values,
          metadata: {},
          emailId: email.id,
          rejectIdentical: false,
          join: false,
          idempotencyKey: `email:${email.id}`,
          taskType: 'email_imported',
        },
        callerOf(email),
      ),
  };
}

async function* toRequests(
  header: documentStorage.PutFileHeader,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<documentStorage.PutFileRequest> {
  yield { header };
  for await (const chunk of chunks) yield { chunk: chunk as Buffer };
}
