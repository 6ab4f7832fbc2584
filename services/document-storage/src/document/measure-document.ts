import type { documentStorage } from '@intake/contracts';
import type { EngineJobs } from '@intake/engine';
import { type ChildPool, JobError } from '@intake/untrusted';
import type { ObjectStore } from '../object-store/object-store';
import { PDF } from '../rendition/rendition';
import type { Document } from './document';

/** Pages are measured at 150 DPI. API: hooks-and-connectors.md section 3.4 wants 300. */
const SCALE = 2;

/** Pages of a PDF, and the size of the first. What cannot be read has one page of no known size. */
export type MeasureDocument = (document: Document) => Promise<documentStorage.MeasureDocumentResponse>;

export function createMeasureDocument({
  objects,
  engine,
}: {
  readonly objects: ObjectStore;
  readonly engine: ChildPool<EngineJobs>;
}): MeasureDocument {
  return async ({ mimeType, s3Name }) => {
    const bytes = mimeType === PDF ? await objects.readAll(s3Name) : null;
    if (!bytes) return { pageCount: 1 };
    try {
      const pages = await engine.run('readPages', { bytes, mimeType });
      const [first] = pages;
      return {
        pageCount: Math.max(pages.length, 1),
        ...(first && { width: first.width * SCALE, height: first.height * SCALE }),
      };
    } catch (error) {
      const { name } = error as Error;
      if (name !== 'UnreadableDocument' && !(error instanceof JobError)) throw error;
      return { pageCount: 1 };
    }
  };
}
