import { createHash } from 'node:crypto';
import type { DocumentStore } from '../document/document.store';
import type { ObjectStore } from '../object-store/object-store';
import type { StoredFile } from './file';
import type { FileStore } from './file.store';

/** Something that is in the database or in the object store, and should be in both. */
export interface StorageProblem {
  readonly kind: 'missing_object' | 'wrong_size' | 'wrong_bytes' | 'unknown_object' | 'document_without_file';
  readonly key: string;
  readonly organizationId?: number;
  readonly documentId?: number;
  readonly detail: string;
}

/** How much was compared. */
export interface StorageCounts {
  readonly files: number;
  readonly objects: number;
  readonly documents: number;
  readonly problems: number;
}

export interface CheckStorageOptions {
  readonly fileStore: Pick<FileStore, 'listStored' | 'isKnown' | 'findStored'>;
  readonly objects: Pick<ObjectStore, 'list' | 'find' | 'read'>;
  readonly documents: Pick<DocumentStore, 'listWithBytes' | 'hasBytes'>;
}

/** Images of pages: drawn again when they are not there, so that nothing is lost with them. */
const DERIVED = /^pages\//;
const BATCH = 500;

export type CheckStorage = ReturnType<typeof createCheckStorage>;

/**
 * Compares the database with the object store, both ways, in bounded memory, while both are in use: what looks wrong is looked at
 * once more before it is told. First the problems, then the counts.
 */
export function createCheckStorage({ fileStore, objects, documents }: CheckStorageOptions) {
  const readSha256 = async (key: string): Promise<string> => {
    const hash = createHash('sha256');
    for await (const chunk of (await objects.read(key)) ?? []) hash.update(chunk);
    return hash.digest('hex');
  };

  const checkFile = async (file: StoredFile, size: number | undefined, bytes: boolean) => {
    const { key, organizationId } = file;
    const about = { key, ...(organizationId !== null && { organizationId }) };
    const isStill = async () => (await fileStore.findStored([key])).length > 0;
    if (size === undefined) {
      if ((await objects.find(key)) || !(await isStill())) return undefined;
      return { kind: 'missing_object', ...about, detail: `The bytes of "${file.fileName}" are gone.` } as const;
    }
    if (size !== file.size)
      return { kind: 'wrong_size', ...about, detail: `${size} bytes instead of ${file.size}.` } as const;
    if (bytes && (await readSha256(key)) !== file.sha256)
      return (await isStill())
        ? ({ kind: 'wrong_bytes', ...about, detail: `The SHA-256 is not ${file.sha256}.` } as const)
        : undefined;
    return undefined;
  };

  async function* compareFiles(counts: { files: number; objects: number }, bytes: boolean) {
    const [rows, stored] = [fileStore.listStored()[Symbol.asyncIterator](), objects.list()[Symbol.asyncIterator]()];
    let [row, object] = [await rows.next(), await stored.next()];
    while (!row.done || !object.done) {
      const rowKey = row.done ? undefined : row.value.key;
      const objectKey = object.done ? undefined : object.value.key;
      const isRowNext = rowKey !== undefined && (objectKey === undefined || rowKey <= objectKey);
      const isObjectNext = objectKey !== undefined && (rowKey === undefined || objectKey <= rowKey);
      if (isRowNext && !row.done) {
        counts.files += 1;
        const problem = await checkFile(row.value, isObjectNext ? object.value?.size : undefined, bytes);
        if (problem) yield problem;
      } else if (!object.done && !DERIVED.test(object.value.key) && !(await fileStore.isKnown(object.value.key))) {
        yield {
          kind: 'unknown_object',
          key: object.value.key,
          detail: `${object.value.size} bytes of nobody.`,
        } as const;
      }
      if (isObjectNext) {
        counts.objects += 1;
        object = await stored.next();
      }
      if (isRowNext) row = await rows.next();
    }
  }

  async function* compareDocuments(counts: { documents: number }) {
    const batch: { key: string; documentId: number; organizationId: number }[] = [];
    const check = async function* () {
      const keys = batch.map(({ key }) => key);
      const known = new Set((await fileStore.findStored(keys)).map(({ key }) => key));
      for (const one of batch.splice(0))
        if (!known.has(one.key) && !(await fileStore.isKnown(one.key)) && (await documents.hasBytes(one.documentId)))
          yield { kind: 'document_without_file', ...one, detail: `Document ${one.documentId} has no bytes.` } as const;
    };
    for await (const { id, organizationId, s3Name, rendition } of documents.listWithBytes()) {
      counts.documents += 1;
      for (const key of [s3Name, ...(rendition ? [rendition.key] : [])])
        batch.push({ key, documentId: id, organizationId });
      if (batch.length >= BATCH) yield* check();
    }
    yield* check();
  }

  return async function* ({ bytes }: { readonly bytes: boolean }): AsyncGenerator<StorageProblem | StorageCounts> {
    const counts = { files: 0, objects: 0, documents: 0, problems: 0 };
    for (const part of [compareFiles(counts, bytes), compareDocuments(counts)])
      for await (const problem of part) {
        counts.problems += 1;
        yield problem;
      }
    yield counts;
  };
}
