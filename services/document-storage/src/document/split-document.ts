import { Readable } from 'node:stream';
import type { Backbone } from '@intake/bus';
import { transaction } from '@intake/mongo';
import { type Caller, Refusal } from '@intake/rpc';
import type { Files, StoredFile } from '../file/file';
import type { FileStore } from '../file/file.store';
import type { ImportUpload } from '../upload/import-upload';
import type { SubmissionStore } from '../upload/submission.store';
import type { CutPages } from './cut-pages';
import type { Document } from './document';
import type { DocumentStore } from './document.store';

export interface SplitDocumentOptions {
  readonly backbone: Backbone;
  readonly files: Files;
  readonly fileStore: FileStore;
  readonly documents: DocumentStore;
  readonly submissions: SubmissionStore;
  readonly importUpload: ImportUpload;
  readonly cutPages: CutPages;
}

/**
 * Cuts a PDF or TIFF into the runs of page numbers and imports the parts as documents of the same upload; answers their ids. A document
 * that was cut before keeps its parts. Throws NOT_FOUND, and INVALID when it cannot be cut.
 */
export function createSplitDocument(options: SplitDocumentOptions) {
  const { backbone, files, fileStore, documents, submissions, importUpload, cutPages } = options;
  const { database, ids } = backbone;

  return async (caller: Caller, documentId: number, runs: readonly (readonly number[])[]): Promise<number[]> => {
    const original = await documents.find(caller, { id: documentId });
    if (!original) throw new Refusal('NOT_FOUND');
    const { organizationId } = original;
    const before = await transaction(database, (session) => documents.findPartIds(session, organizationId, documentId));
    if (before.length > 0) return before;

    const stored: StoredFile[] = [];
    for (const [i, bytes] of (await cutPages(original, runs)).entries()) {
      const header = { fileName: partName(original.originalFileName, i + 1), declaredMimeType: '', maxSize: 0 };
      stored.push(await files.put(caller, header, Readable.from([bytes])));
    }
    const keys = stored.map(({ key }) => key);
    const firstId = await ids.next('document', stored.length);
    const partIds = await transaction(database, async (session) => {
      // Two calls at the same time collide here, and the later one finds the parts.
      await submissions.touchContent(session, `split/${documentId}`);
      const there = await documents.findPartIds(session, organizationId, documentId);
      if (there.length > 0) return there;
      if (!(await fileStore.hold(session, keys, `document:${documentId}`))) throw new Refusal('CONFLICT');
      const parts = stored.map(
        ({ key, fileName, mimeType, size, sha256, md5 }, i): Document => ({
          ...original,
          ...{ id: firstId + i, s3Name: key, originalFileName: fileName, mimeType, size, sha256, md5 },
          ...{ parentId: documentId, annotationIds: [], rendition: null, createdAt: new Date(), metadata: {} },
        }),
      );
      await documents.insert(session, parts);
      const made = parts.map(({ id }) => id);
      await importUpload.importParts(session, original, made);
      return made;
    });
    // Of a call that came second.
    await files.discard(keys);
    return partIds;
  };
}

/** `scan.pdf` -> `scan-1.pdf`. */
function partName(fileName: string, number: number): string {
  return `${fileName.replace(/\.(pdf|tiff?)$/i, '')}-${number}.pdf`;
}
