import { createHash, randomBytes } from 'node:crypto';
import { type Caller, isNeighbourAway, Refusal } from '@intake/rpc';
import type { Logger } from '@intake/service';
import { detectMimeType, SNIFF_BYTES, safeFileName } from '@intake/untrusted';
import type { ObjectStore } from '../object-store/object-store';
import type { FileStore } from './file.store';

/** A file in the object store. */
export interface StoredFile {
  /** Object key: 32 hex characters. */
  readonly key: string;
  /** Null: of no organization (a raw e-mail before its inboxes are known). */
  readonly organizationId: number | null;
  readonly fileName: string;
  readonly mimeType: string;
  /** Bytes. */
  readonly size: number;
  readonly sha256: string;
  readonly md5: string;
}

/** What is known of a file before its bytes come. */
export interface FileHeader {
  readonly fileName: string;
  readonly declaredMimeType: string;
  /** Bytes; 0 means {@link MAX_FILE_BYTES}. */
  readonly maxSize: number;
}

/** API: limits.md, file size. */
export const MAX_FILE_BYTES = 40 * 1024 * 1024;

/** How files get into the object store and out of it again when nobody took them. */
export interface Files {
  /**
   * Streams a file into the store. A row of it is written before the object, so that whatever happens is found by the sweep.
   * Throws PAYLOAD_TOO_LARGE as soon as there are too many bytes.
   */
  put(caller: Caller, header: FileHeader, chunks: AsyncIterable<Uint8Array>): Promise<StoredFile>;
  /** Removes files that nobody holds, as far as that works now; the sweep does the rest. */
  discard(keys: readonly string[]): Promise<void>;
  /** Removes files that nobody has held since `before`. Answers how many. */
  sweepOrphans(before: Date): Promise<number>;
}

/** Files of one installation. */
export function createFiles(store: FileStore, objects: ObjectStore, log: Logger): Files {
  const remove = async (key: string): Promise<void> => {
    await objects.remove(key);
    await store.forget(key);
  };
  const discard = async (keys: readonly string[]): Promise<void> => {
    for (const key of keys) {
      try {
        if (await store.startRemoving(key)) await remove(key);
      } catch (error) {
        log.warn({ err: error, file: key }, 'a file that nobody needs is left to the sweep');
      }
    }
  };

  return {
    async put(caller, header, chunks) {
      const key = randomBytes(16).toString('hex');
      const fileName = safeFileName(header.fileName);
      // Its first bytes come meanwhile.
      const begun = store.begin({ key, organizationId: caller.organizationId, fileName });
      begun.catch(() => undefined); // noticed where it is awaited
      try {
        const measure = createMeasure(header.maxSize > 0 ? header.maxSize : MAX_FILE_BYTES);
        const { size } = await objects.write(key, measure.pass(after(begun, chunks)));
        const measured = measure.result();
        if (size !== measured.size)
          throw new Refusal('SERVICE_UNAVAILABLE', { cause: `${size} of ${measured.size} bytes were stored` });
        const mimeType = detectMimeType(measured.firstBytes, header.fileName, header.declaredMimeType || undefined);
        const { sha256, md5 } = measured;
        const file = { key, organizationId: caller.organizationId, fileName, mimeType, size, sha256, md5 };
        await store.finish(file);
        return file;
      } catch (error) {
        const isBegun = await begun.then(
          () => true,
          () => false,
        );
        const discarded = isBegun && discard([key]);
        // A store that does not answer would take its time for that, too.
        if (!isNeighbourAway(error)) await discarded;
        throw error;
      }
    },
    discard,
    async sweepOrphans(before) {
      let count = 0;
      for (;;) {
        const key = await store.startRemovingOrphan(before);
        if (!key) return count;
        await remove(key);
        count += 1;
      }
    },
  };
}

/** Chunks, of which only the first goes on before `begun`: the store is not asked before it has more, or all of them. */
async function* after(begun: Promise<void>, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let count = 0;
  for await (const chunk of chunks) {
    if (count > 0) await begun;
    count += 1;
    yield chunk;
  }
  await begun;
}

/** Counts and hashes bytes as they pass. */
function createMeasure(maxSize: number) {
  const sha256 = createHash('sha256');
  const md5 = createHash('md5');
  const head: Uint8Array[] = [];
  let size = 0;
  let headSize = 0;
  return {
    async *pass(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const chunk of chunks) {
        size += chunk.length;
        if (size > maxSize) throw new Refusal('PAYLOAD_TOO_LARGE');
        if (headSize < SNIFF_BYTES) {
          const part = chunk.subarray(0, SNIFF_BYTES - headSize);
          head.push(part);
          headSize += part.length;
        }
        sha256.update(chunk);
        md5.update(chunk);
        yield chunk;
      }
    },
    result: () => ({ size, sha256: sha256.digest('hex'), md5: md5.digest('hex'), firstBytes: Buffer.concat(head) }),
  };
}
