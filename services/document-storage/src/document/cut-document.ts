import { Readable } from 'node:stream';
import type { documentStorage } from '@intake/contracts';
import { transaction } from '@intake/mongo';
import { type Caller, organizationOf, Refusal } from '@intake/rpc';
import type { StoredFile } from '../file/file';
import type { PageStore } from '../page/page.store';
import { PDF } from '../rendition/rendition';
import type { Document } from './document';
import type { SplitDocumentOptions } from './split-document';

export interface CutDocumentOptions
  extends Pick<SplitDocumentOptions, 'backbone' | 'files' | 'fileStore' | 'documents' | 'cutPages'> {
  readonly pages: PageStore;
}

/**
 * Documents of pages of an annotation, in the order and turned as people want them; the annotation's document is their
 * parent. Nothing is imported, and what gets no annotation is removed after a while. Throws INVALID when a page is not of the annotation, and when its document cannot be cut.
 */
export function createCutDocument({ backbone, files, fileStore, documents, pages, cutPages }: CutDocumentOptions) {
  const { database, ids } = backbone;

  return async (
    caller: Caller,
    request: documentStorage.CutDocumentRequest,
  ): Promise<documentStorage.CutDocument[]> => {
    const { annotationId, parts, creatorId } = request;
    const organizationId = organizationOf(caller);
    const known = new Map((await pages.findOfAnnotation(organizationId, annotationId)).map((page) => [page.id, page]));
    const chosen = parts.map((part) =>
      part.pages.map(({ pageId }) => {
        const page = known.get(pageId);
        if (!page) throw new Refusal('INVALID', { detail: `Page ${pageId} is not a page of the annotation.` });
        return page;
      }),
    );
    const original = await documents.find(caller, { id: chosen[0]?.[0]?.documentId ?? 0 });
    if (!original) throw new Refusal('NOT_FOUND');
    const runs = chosen.map((list) => list.map(({ number }) => number));
    const turns = parts.map((part) => part.pages.map(({ rotationDeg }) => rotationDeg));
    const cut = await cutPages(original, runs, turns);

    const stored: StoredFile[] = [];
    for (const [i, part] of cut.entries()) {
      const fileName = parts[i]?.fileName || partName(original.originalFileName, i + 1);
      stored.push(await files.put(caller, { fileName, declaredMimeType: PDF, maxSize: 0 }, Readable.from([part])));
    }
    const firstId = await ids.next('document', stored.length);
    const createdAt = new Date();
    const made = stored.map(
      ({ key, fileName, mimeType, size, sha256, md5 }, i): Document => ({
        ...original,
        ...{ id: firstId + i, s3Name: key, originalFileName: fileName, mimeType, size, sha256, md5, createdAt },
        ...{ parentId: original.id, annotationIds: [], rendition: null, creatorId: creatorId ?? null },
        ...{ queueId: parts[i]?.queueId ?? original.queueId, metadata: parts[i]?.metadata ?? {} },
      }),
    );
    await transaction(database, async (session) => {
      for (const { id, s3Name } of made) {
        if (!(await fileStore.hold(session, [s3Name], `document:${id}`))) throw new Refusal('CONFLICT');
      }
      await documents.insert(session, made, createdAt);
    });
    return made.map(({ id, originalFileName: fileName, mimeType, md5 }) => ({
      id,
      fileName,
      mimeType,
      md5,
      createdAt,
    }));
  };
}

/** `scan.pdf` -> `scan_1.pdf`. API: annotations.md section 8. */
function partName(fileName: string, number: number): string {
  return `${fileName.replace(/\.[^.]*$/, '')}_${number}.pdf`;
}
