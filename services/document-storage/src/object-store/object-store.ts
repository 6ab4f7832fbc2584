import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { isNeighbourAway, Refusal } from '@intake/rpc';
import { Client } from 'minio';
import { createPart, startMultipart } from './multipart';
import { isObjectMissing, isStoreAway, isStoreFull } from './store-errors';
import { createTransport, isStale } from './transport';

/** Where the object store is. */
export interface ObjectStoreOptions {
  readonly url: string;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly bucket: string;
  readonly region: string;
}

/** What the store says about an object. */
export interface ObjectInfo {
  readonly size: number;
  readonly etag: string;
}

/** Objects in one bucket of an S3-compatible store. A store that cannot be reached is SERVICE_UNAVAILABLE, at once; a full one STORAGE_FULL. */
export interface ObjectStore {
  /**
   * Writes a stream of any length, holding at most two parts of it in memory. Answers what the store then says about the
   * object, which is checked. When the stream or the store fails, nothing of it is left and the error is thrown on.
   */
  write(key: string, chunks: AsyncIterable<Uint8Array>): Promise<ObjectInfo>;
  /** Bytes of an object or of a part of it, or null when there is no such object. */
  read(key: string, range?: { offset: number; length: number }): Promise<Readable | null>;
  /** All bytes of an object, or null when there is no such object. */
  readAll(key: string): Promise<Buffer | null>;
  find(key: string): Promise<ObjectInfo | null>;
  /** Removes an object and what was left of an interrupted write to it. */
  remove(key: string): Promise<void>;
  /** Everything in the bucket, in the order of the keys. */
  list(): AsyncIterable<{ readonly key: string; readonly size: number }>;
  /** Throws when the store cannot be used now. */
  check(): Promise<void>;
}

/** The object store of this installation. Nothing is asked of it before it is used. */
export function createObjectStore({ url, accessKey, secretKey, bucket, region }: ObjectStoreOptions): ObjectStore {
  const { protocol, hostname, port } = new URL(url);
  const secure = protocol === 'https:';
  const client = new Client({
    endPoint: hostname.replace(/^\[|\]$/g, ''),
    ...(port && { port: Number(port) }),
    useSSL: secure,
    accessKey,
    secretKey,
    region,
    pathStyle: true,
    transport: createTransport(secure),
    retryOptions: { disableRetry: true },
  });

  let bucketReady: Promise<void> | undefined;
  const ask = async <T>(question: () => Promise<T>): Promise<T> => {
    try {
      return await question().catch((error) => {
        if (isStale(error)) return question();
        throw error;
      });
    } catch (error) {
      // A store that lost its data gets its bucket again at the next write.
      if ((error as { code?: string }).code === 'NoSuchBucket') bucketReady = undefined;
      if (isStoreFull(error)) throw new Refusal('STORAGE_FULL', { cause: error });
      if (isStoreAway(error)) throw new Refusal('SERVICE_UNAVAILABLE', { cause: error });
      throw error;
    }
  };
  const askForObject = async <T>(question: () => Promise<T>): Promise<T | null> => {
    try {
      return await ask(question);
    } catch (error) {
      if (isObjectMissing(error)) return null;
      throw error;
    }
  };

  const makeBucket = async (): Promise<void> => {
    if (await client.bucketExists(bucket)) return;
    await client.makeBucket(bucket, region).catch((error) => {
      if (!/^BucketAlready/.test((error as { code?: string }).code ?? '')) throw error;
    });
  };
  const ensureBucket = (): Promise<void> => {
    bucketReady ??= ask(makeBucket).catch((error) => {
      bucketReady = undefined;
      throw error;
    });
    return bucketReady;
  };

  const find = (key: string) =>
    askForObject(async () => {
      const { size, etag } = await client.statObject(bucket, key);
      return { size, etag };
    });

  const read: ObjectStore['read'] = (key, range) =>
    askForObject(() =>
      range && range.length > 0
        ? client.getPartialObject(bucket, key, range.offset, range.length)
        : client.getObject(bucket, key),
    );

  return {
    async write(key, chunks) {
      await ensureBucket();
      const upload = startMultipart(client, ask, bucket, key);
      try {
        let part = createPart();
        for await (const chunk of chunks) {
          for (let at = 0; at < chunk.length; ) {
            at += part.add(chunk.subarray(at));
            if (part.isFull()) part = await upload.send(part);
          }
        }
        const bytes = part.bytes();
        const isWhole = !upload.hasBegun();
        const { etag } = isWhole ? await ask(() => client.putObject(bucket, key, bytes)) : await upload.complete(part);
        // The store has hashed what it keeps: there is nothing better to ask it. Encrypting ones answer something else.
        if (isWhole && etag === createHash('md5').update(bytes).digest('hex')) return { size: bytes.length, etag };
        const found = await find(key);
        if (found?.etag !== etag)
          throw new Refusal('SERVICE_UNAVAILABLE', { cause: `object ${key} is not there after it was written` });
        return found;
      } catch (error) {
        const aborted = upload.abort();
        if (!isNeighbourAway(error)) await aborted;
        throw error;
      } finally {
        upload.end();
      }
    },
    read,
    async readAll(key) {
      const stream = await read(key);
      return stream && Buffer.concat(await stream.toArray());
    },
    find,
    remove: (key) =>
      ask(async () => {
        await client.removeIncompleteUpload(bucket, key).catch((error) => {
          // It was aborted a moment ago.
          if ((error as { code?: string }).code !== 'NoSuchUpload') throw error;
        });
        await client.removeObject(bucket, key);
      }),
    async *list() {
      await ensureBucket();
      for await (const { name, size } of client.listObjectsV2(bucket, '', true)) if (name) yield { key: name, size };
    },
    async check() {
      await ensureBucket();
      await ask(() => client.bucketExists(bucket));
    },
  };
}
