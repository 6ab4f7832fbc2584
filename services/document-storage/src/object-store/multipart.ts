import type { Client } from 'minio';

/** Smallest part that S3 allows. */
const PART_BYTES = 5 * 1024 * 1024;
const FIRST_BYTES = 64 * 1024;
/** Uploads that may fill their next part while one is being sent; each of them has two parts in memory, others one. */
const MAX_SPARES = 6;
let spares = 0;

/** Collects the bytes of one part; used again for a later one. */
export interface Part {
  /** Takes what there is room for; answers how many bytes that was. */
  add(bytes: Uint8Array): number;
  isFull(): boolean;
  bytes(): Buffer;
  reset(): void;
}

/** An empty part. Its memory grows with what it holds. */
export function createPart(): Part {
  let buffer = Buffer.allocUnsafeSlow(0);
  let length = 0;
  return {
    add(bytes) {
      const count = Math.min(bytes.length, PART_BYTES - length);
      const needed = length + count;
      if (needed > buffer.length) {
        const grown = Buffer.allocUnsafeSlow(Math.min(Math.max(2 * buffer.length, needed, FIRST_BYTES), PART_BYTES));
        buffer.copy(grown, 0, 0, length);
        buffer = grown;
      }
      buffer.set(count < bytes.length ? bytes.subarray(0, count) : bytes, length);
      length = needed;
      return count;
    },
    isFull: () => length === PART_BYTES,
    bytes: () => buffer.subarray(0, length),
    reset() {
      length = 0;
    },
  };
}

/** An object on its way to the store in parts. */
export interface Multipart {
  hasBegun(): boolean;
  /** Sends a full part; answers an empty one to fill next, as soon as there is one. */
  send(part: Part): Promise<Part>;
  /** Sends what is left and puts the object together. */
  complete(last: Part): Promise<{ etag: string }>;
  /** Leaves nothing of it, as far as the store can be reached. */
  abort(): Promise<void>;
  /** Gives back what it took of the memory. */
  end(): void;
}

/** Begins with the first part. Failures of the store are thrown by the call after the one that caused them. */
export function startMultipart(
  client: Client,
  ask: <T>(question: () => Promise<T>) => Promise<T>,
  bucketName: string,
  objectName: string,
): Multipart {
  const sent: { part: number; etag: string }[] = [];
  let uploadID = '';
  let number = 0;
  let sending: Promise<void> = Promise.resolve();
  let other: Part | undefined;

  const startSending = (part: Part): void => {
    number += 1;
    const partNumber = number;
    const bytes = part.bytes();
    const headers = { 'Content-Length': bytes.length };
    sending = ask(() => client.uploadPart({ bucketName, objectName, uploadID, partNumber, headers }, bytes)).then(
      ({ etag }) => void sent.push({ part: partNumber, etag }),
    );
    // Noticed where it is awaited, which may be later.
    sending.catch(() => undefined);
  };

  return {
    hasBegun: () => uploadID !== '',
    async send(part) {
      uploadID ||= await ask(() => client.initiateNewMultipartUpload(bucketName, objectName, {}));
      await sending;
      startSending(part);
      if (!other && spares < MAX_SPARES) {
        spares += 1;
        other = createPart();
      }
      if (!other) await sending;
      const next = other ?? part;
      if (other) other = part;
      next.reset();
      return next;
    },
    async complete(last) {
      await sending;
      if (last.bytes().length > 0) startSending(last);
      await sending;
      return ask(() => client.completeMultipartUpload(bucketName, objectName, uploadID, sent));
    },
    async abort() {
      await sending.catch(() => undefined);
      if (uploadID) await client.abortMultipartUpload(bucketName, objectName, uploadID).catch(() => undefined);
    },
    end() {
      if (other) spares -= 1;
      other = undefined;
    },
  };
}
