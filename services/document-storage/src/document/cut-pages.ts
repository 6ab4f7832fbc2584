import type { EngineJobs } from '@intake/engine';
import { Refusal } from '@intake/rpc';
import type { ChildPool } from '@intake/untrusted';
import type { ObjectStore } from '../object-store/object-store';
import { PDF } from '../rendition/rendition';
import { isPictureType } from '../upload/readable';
import type { Document } from './document';

const CUT_MS = 120_000;

/** PDFs of runs of page numbers of a document, from 1; `turns`: clockwise, in degrees, as the runs. */
export type CutPages = (
  document: Document,
  runs: readonly (readonly number[])[],
  turns?: readonly (readonly number[])[],
) => Promise<Buffer[]>;

/** Cuts PDFs, what is read as a PDF, and pictures. Refuses with NOT_FOUND without bytes, and INVALID when a document cannot be cut. */
export function createCutPages({
  objects,
  engine,
}: {
  readonly objects: Pick<ObjectStore, 'readAll'>;
  readonly engine: Pick<ChildPool<EngineJobs>, 'run'>;
}): CutPages {
  return async ({ rendition, mimeType, s3Name }, runs, turns) => {
    const isPicture = !rendition && isPictureType(mimeType);
    if (!rendition && !isPicture && mimeType !== PDF) {
      const detail = `The pages of ${mimeType} cannot be edited, only those of PDFs and pictures.`;
      throw new Refusal('INVALID', { detail });
    }
    const bytes = await objects.readAll(rendition?.key ?? s3Name);
    if (!bytes) throw new Refusal('NOT_FOUND');
    const limits = { timeoutMs: CUT_MS };
    try {
      const pdf = isPicture ? await engine.run('joinPictures', { pictures: [bytes] }, limits) : bytes;
      return await engine.run('cutPdf', { bytes: pdf, runs, turns }, limits);
    } catch (error) {
      if ((error as Error).name !== 'UnreadableDocument') throw error;
      throw new Refusal('INVALID', { detail: (error as Error).message, cause: error });
    }
  };
}
