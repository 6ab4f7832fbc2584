import type { Readable } from 'node:stream';
import type { documentStorage } from '@intake/contracts';
import { Refusal } from '@intake/rpc';
import type { ObjectStore } from '../object-store/object-store';

/** Bytes of one message of a file stream. */
const CHUNK_BYTES = 256 * 1024;

/** Splits what a client streams into the header and the bytes. A stream that breaks off throws INVALID. */
export async function readFileParts(requests: AsyncIterable<documentStorage.PutFileRequest>): Promise<{
  header: documentStorage.PutFileHeader;
  chunks: AsyncIterable<Uint8Array>;
}> {
  const messages = requests[Symbol.asyncIterator]();
  const next = async () => {
    try {
      return await messages.next();
    } catch (error) {
      throw new Refusal('INVALID', { detail: 'The file broke off.', cause: error });
    }
  };
  const first = await next();
  const header = first.done ? undefined : first.value.header;
  if (!header) throw new Refusal('INVALID', { detail: 'A file stream begins with its header.' });
  const chunks = (async function* () {
    for (;;) {
      const message = await next();
      if (message.done) return;
      if (message.value.chunk) yield message.value.chunk;
    }
  })();
  return { header, chunks };
}

/** A stored object as messages: header, then its bytes (of `range`: those) in chunks of 256 kB. NOT_FOUND: it has gone. */
export async function* sendFile(
  objects: ObjectStore,
  key: string,
  header: documentStorage.FileHeader,
  range?: { readonly offset: number; readonly length: number },
): AsyncGenerator<documentStorage.FileChunk> {
  const stream = await objects.read(key, range);
  if (!stream) throw new Refusal('NOT_FOUND');
  yield* sendStream(stream, header);
}

/** A stream as messages: header, then its bytes in chunks of 256 kB. */
export async function* sendStream(
  stream: Readable,
  header: documentStorage.FileHeader,
): AsyncGenerator<documentStorage.FileChunk> {
  try {
    yield { header };
    let pending: Buffer[] = [];
    let size = 0;
    for await (const bytes of stream as AsyncIterable<Buffer>) {
      pending.push(bytes);
      size += bytes.length;
      if (size < CHUNK_BYTES) continue;
      yield { chunk: Buffer.concat(pending) };
      pending = [];
      size = 0;
    }
    if (size > 0) yield { chunk: Buffer.concat(pending) };
  } finally {
    stream.destroy();
  }
}
