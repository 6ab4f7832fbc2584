import { Readable } from 'node:stream';
import type { EngineJobs } from '@intake/engine';
import { type Caller, invalidField, Refusal } from '@intake/rpc';
import { type ChildPool, conversionOf, JobError } from '@intake/untrusted';
import type { Files, StoredFile } from '../file/file';
import type { ObjectStore } from '../object-store/object-store';

export interface JoinPicturesOptions {
  readonly files: Files;
  readonly objects: ObjectStore;
  readonly engine: ChildPool<EngineJobs>;
  /** The pictures in a HEIF file, as JPEGs. */
  readonly convertHeif: (bytes: Buffer) => Promise<Buffer[]>;
}

const JOIN_MS = 45_000;
/** One PDF may be larger than the pictures that it is made of. */
const MAX_JOINED_BYTES = 200 * 1024 * 1024;

/** Makes one PDF of several pictures. Throws INVALID when one of them cannot be read. */
export function createJoinPictures({ files, objects, engine, convertHeif }: JoinPicturesOptions) {
  const join = async (pictures: readonly Buffer[]): Promise<Buffer> => {
    try {
      return await engine.run('joinPictures', { pictures }, { timeoutMs: JOIN_MS });
    } catch (error) {
      const { name, message } = error as Error;
      if (name === 'UnreadableDocument') throw invalidField('content', message);
      if (error instanceof JobError)
        throw invalidField('content', 'The pictures could not be joined: they are too large or too many.');
      throw error;
    }
  };

  /** What the engine reads of a picture. Throws INVALID. */
  const read = async ({ key, mimeType }: StoredFile, number: number): Promise<Buffer[]> => {
    const bytes = await objects.readAll(key);
    if (!bytes) throw new Refusal('NOT_FOUND');
    if (conversionOf(mimeType) !== 'convertHeif') return [bytes];
    return convertHeif(bytes).catch((error: Error) => {
      if (error.name === 'ConversionError') throw invalidField('content', `Picture ${number}: ${error.message}`);
      if (error instanceof JobError) throw invalidField('content', `Picture ${number} is too large to be read.`);
      throw error;
    });
  };

  return async (caller: Caller, pictures: readonly StoredFile[]): Promise<StoredFile> => {
    const contents: Buffer[] = [];
    for (const [i, picture] of pictures.entries()) contents.push(...(await read(picture, i + 1)));
    const fileName = `${pictures[0]?.fileName.replace(/\.[^.]*$/, '')}.pdf`;
    const header = { fileName, declaredMimeType: 'application/pdf', maxSize: MAX_JOINED_BYTES };
    return files.put(caller, header, Readable.from([await join(contents)]));
  };
}
