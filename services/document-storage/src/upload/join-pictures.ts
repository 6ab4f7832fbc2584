import { Readable } from 'node:stream';
import type { EngineJobs } from '@intake/engine';
import { type Caller, invalidField, Refusal } from '@intake/rpc';
import { type ChildPool, JobError } from '@intake/untrusted';
import type { Files, StoredFile } from '../file/file';
import type { ObjectStore } from '../object-store/object-store';

export interface JoinPicturesOptions {
  readonly files: Files;
  readonly objects: ObjectStore;
  readonly engine: ChildPool<EngineJobs>;
}

const JOIN_MS = 45_000;
/** One PDF may be larger than the pictures that it is made of. */
const MAX_JOINED_BYTES = 200 * 1024 * 1024;

/** Makes one PDF of several pictures. Throws INVALID when one of them cannot be read. */
export function createJoinPictures({ files, objects, engine }: JoinPicturesOptions) {
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

  return async (caller: Caller, pictures: readonly StoredFile[]): Promise<StoredFile> => {
    const contents: Buffer[] = [];
    for (const { key } of pictures) {
      const bytes = await objects.readAll(key);
      if (!bytes) throw new Refusal('NOT_FOUND');
      contents.push(bytes);
    }
    const fileName = `${pictures[0]?.fileName.replace(/\.[^.]*$/, '')}.pdf`;
    const header = { fileName, declaredMimeType: 'application/pdf', maxSize: MAX_JOINED_BYTES };
    return files.put(caller, header, Readable.from([await join(contents)]));
  };
}
