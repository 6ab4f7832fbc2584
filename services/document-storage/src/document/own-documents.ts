import type { Backbone } from '@intake/bus';
import { transaction } from '@intake/mongo';
import { type Caller, invalidField, organizationOf, Refusal } from '@intake/rpc';
import type { Files, StoredFile } from '../file/file';
import type { FileStore } from '../file/file.store';
import type { ObjectStore } from '../object-store/object-store';
import type { PageStore } from '../page/page.store';
import { imageKeysOf } from '../page/page-image';
import type { PageTextStore } from '../page/page-text.store';
import type { DocumentRelationStore } from '../relation/document-relation.store';
import type { Document } from './document';
import type { DocumentStore } from './document.store';

export interface OwnDocumentsOptions {
  readonly backbone: Backbone;
  readonly documents: DocumentStore;
  readonly files: Files;
  readonly fileStore: FileStore;
  readonly objects: ObjectStore;
  readonly pages: PageStore;
  readonly pageTexts: PageTextStore;
  readonly relations: DocumentRelationStore;
}

/** A document that is made without an upload. */
export interface GivenDocument {
  /** Keys of stored files; one is wanted. */
  readonly keys: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly parentId: number | null;
}

export type OwnDocuments = ReturnType<typeof createOwnDocuments>;

/** Documents that clients make, change and delete themselves. API: documents-and-uploads.md section 1. */
export function createOwnDocuments(options: OwnDocumentsOptions) {
  const { backbone, documents, files, fileStore, objects, pages, pageTexts, relations } = options;
  const { database, ids } = backbone;

  const check = async (caller: Caller, { keys, parentId }: GivenDocument): Promise<StoredFile> => {
    const stored = await fileStore.findStored(keys);
    const [file, ...more] = stored.filter(({ organizationId }) => organizationId === organizationOf(caller));
    if (more.length > 0 || keys.length > 1) throw invalidField('content', 'Exactly one file is allowed.');
    if (!file) throw invalidField('content', 'No file was submitted.');
    if (file.size === 0) throw invalidField('content', 'The submitted file is empty.');
    if (parentId !== null && !(await documents.find(caller, { id: parentId }))) {
      throw invalidField('parent', 'Invalid hyperlink - Object does not exist.');
    }
    return file;
  };

  const make = async (caller: Caller, given: GivenDocument): Promise<Document> => {
    const { key, fileName, mimeType, size, sha256, md5 } = await check(caller, given);
    const document: Document = {
      id: await ids.next('document'),
      organizationId: organizationOf(caller),
      ...{ queueId: null, uploadId: null, emailId: null, annotationIds: [], attachmentStatus: null, rendition: null },
      ...{ s3Name: key, originalFileName: fileName, mimeType, size, sha256, md5 },
      parentId: given.parentId,
      creatorId: caller.userId,
      ...(caller.arrivedUploadId !== undefined && { arrivedUploadId: caller.arrivedUploadId }),
      createdAt: new Date(),
      metadata: given.metadata,
    };
    await transaction(database, async (session) => {
      if (!(await fileStore.hold(session, [key], `document:${document.id}`))) throw new Refusal('CONFLICT');
      await documents.insert(session, [document]);
    });
    return document;
  };

  return {
    /** Throws INVALID; the files of what is refused are removed. */
    async create(caller: Caller, given: GivenDocument): Promise<Document> {
      try {
        return await make(caller, given);
      } catch (error) {
        if (error instanceof Refusal && error.httpStatus < 500) await files.discard(given.keys);
        throw error;
      }
    },

    /** Throws NOT_FOUND. */
    async setMetadata(caller: Caller, id: number, metadata: Readonly<Record<string, unknown>>): Promise<Document> {
      const changed = await documents.setMetadata(caller, id, metadata);
      if (!changed) throw new Refusal('NOT_FOUND');
      return changed;
    },

    /**
     * Removes a document that no annotation needs any more, with its bytes and pages. Nothing leads back from there, so the
     * objects go first; what is interrupted can be asked for again. Throws NOT_FOUND.
     */
    async remove(caller: Caller, id: number): Promise<void> {
      const document = await documents.find(caller, { id });
      if (!document) throw new Refusal('NOT_FOUND');
      const { organizationId, annotationIds } = document;
      for (const annotationId of annotationIds) {
        for (const page of await pages.findOfAnnotation(organizationId, annotationId)) {
          for (const key of imageKeysOf(page.id)) await objects.remove(key);
        }
      }
      const keys = [document.s3Name, ...(document.rendition ? [document.rendition.key] : [])];
      for (const key of keys) await objects.remove(key);
      await transaction(database, async (session) => {
        for (const annotationId of annotationIds) await pages.removeOfAnnotation(session, organizationId, annotationId);
        for (const key of keys) await fileStore.drop(session, key);
        await pageTexts.removeOfDocument(session, organizationId, id);
        await relations.forgetDocument(session, organizationId, id);
        await documents.remove(session, organizationId, id);
      });
    },
  };
}
