import type { documentStorage } from '@intake/contracts';
import type { Caller } from '@intake/rpc';
import type { Services } from '../services';
import type { IncomingFile } from './receive-files';

/** How long a client may take to send its files. */
export const TRANSFER_MS = 600_000;

/** Streams a file that is coming in to the storage. */
export function storeFile(
  storage: Services['storage'],
  file: IncomingFile,
  caller: Caller,
): Promise<documentStorage.StoredFile> {
  async function* messages(): AsyncGenerator<documentStorage.PutFileRequest> {
    const { fileName, declaredMimeType, maxSize } = file;
    yield { header: { fileName, declaredMimeType, maxSize } };
    for await (const chunk of file.chunks) yield { chunk };
  }
  return storage.putFile(messages(), caller, { timeoutMs: TRANSFER_MS });
}
