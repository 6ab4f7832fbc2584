import type { events } from '@intake/contracts';
import type { ClientSession } from '@intake/mongo';
import { systemCaller } from '@intake/rpc';
import type { FileStore } from '../file/file.store';
import type { ObjectStore } from '../object-store/object-store';
import type { PageStore } from '../page/page.store';
import { imageKeysOf } from '../page/page-image';
import type { PageTextStore } from '../page/page-text.store';
import type { DocumentRelationStore } from '../relation/document-relation.store';
import type { DocumentStore } from './document.store';

export interface PurgeOptions {
  readonly documents: DocumentStore;
  readonly pages: PageStore;
  readonly pageTexts: PageTextStore;
  readonly fileStore: FileStore;
  readonly objects: ObjectStore;
  readonly relations: DocumentRelationStore;
}

/**
 * What `annotation.purged` means here: the pages of the annotation go, and with the last annotation of a document its bytes, and
 * those of the document it was made of when that has no annotation: an archive, or what pages were edited of (API: annotations.md
 * section 6). Nothing leads back from there, so the objects go first; what is interrupted is done again.
 */
export function createPurge({ documents, pages, pageTexts, fileStore, objects, relations }: PurgeOptions) {
  return async (event: events.AnnotationChanged): Promise<(session: ClientSession) => Promise<void>> => {
    const { organizationId, annotationId, documentId, lastOfDocument, removed } = event;
    for (const page of await pages.findOfAnnotation(organizationId, annotationId)) {
      for (const key of imageKeysOf(page.id)) await objects.remove(key);
    }
    const document = lastOfDocument
      ? await documents.find(systemCaller('document-storage', organizationId), { id: documentId })
      : null;
    const keys = document ? [document.s3Name, ...(document.rendition ? [document.rendition.key] : [])] : [];
    for (const key of keys) await objects.remove(key);
    return async (session) => {
      await pages.removeOfAnnotation(session, organizationId, annotationId);
      await relations.removeOfAnnotation(session, organizationId, annotationId);
      if (removed) await documents.forgetAnnotation(session, organizationId, documentId, annotationId);
      if (!document) return;
      for (const key of keys) await fileStore.drop(session, key);
      await pageTexts.removeOfDocument(session, organizationId, documentId);
      const now = new Date();
      await documents.markPurged(session, organizationId, documentId, now);
      let parent = await documents.findUnneededParent(session, document);
      while (parent) {
        for (const key of [parent.s3Name, ...(parent.rendition ? [parent.rendition.key] : [])]) {
          await fileStore.release(session, key);
        }
        await pageTexts.removeOfDocument(session, organizationId, parent.id);
        await documents.markPurged(session, organizationId, parent.id, now);
        parent = await documents.findUnneededParent(session, parent);
      }
    };
  };
}
