import { documentStorage } from '@intake/contracts';
import type { ClientSession } from '@intake/mongo';
import { type Caller, type Handlers, organizationOf, Refusal, requireSystem } from '@intake/rpc';
import { currentContext } from '@intake/service';
import type { AddAttachments } from './document/add-attachments';
import type { createCutDocument } from './document/cut-document';
import type { Document } from './document/document';
import type { DocumentStore } from './document/document.store';
import type { MeasureDocument } from './document/measure-document';
import type { OwnDocuments } from './document/own-documents';
import type { Downloads } from './download/downloads';
import type { CheckStorage } from './file/check-storage';
import type { Files } from './file/file';
import type { FileStore } from './file/file.store';
import { readFileParts, sendFile, sendStream } from './file/file-stream';
import type { ObjectStore } from './object-store/object-store';
import type { Page } from './page/page';
import type { PageStore } from './page/page.store';
import { type createPageBarcodes, imageKeysOf, type PageImage } from './page/page-image';
import type { PageTextStore } from './page/page-text.store';
import type { DocumentRelation, DocumentRelationStore } from './relation/document-relation.store';
import type { DocumentRelations } from './relation/document-relations';
import { PDF, type PrepareRendition } from './rendition/rendition';
import { TASK_LIFE_MS, type Task } from './task/task';
import type { TaskStore } from './task/task.store';
import type { CreateUpload } from './upload/create-upload';
import type { ImportUpload } from './upload/import-upload';
import type { Upload } from './upload/upload';
import type { UploadStore } from './upload/upload.store';

export interface RpcOptions {
  readonly files: Files;
  readonly fileStore: FileStore;
  readonly objects: ObjectStore;
  readonly documents: DocumentStore;
  readonly uploads: UploadStore;
  readonly tasks: TaskStore;
  readonly pages: PageStore;
  readonly pageTexts: PageTextStore;
  readonly ownDocuments: OwnDocuments;
  readonly relations: DocumentRelationStore;
  readonly relating: DocumentRelations;
  readonly downloads: Downloads;
  readonly createUpload: CreateUpload;
  /** Returns when a document may be read: receiving comes first. */
  readonly turnToRead: () => Promise<void>;
  readonly addAttachments: AddAttachments;
  readonly nextTaskId: () => Promise<number>;
  readonly inTransaction: (task: (session: ClientSession) => Promise<void>) => Promise<void>;
  readonly importUpload: ImportUpload;
  readonly prepareRendition: PrepareRendition;
  readonly checkStorage: CheckStorage;
  readonly cutDocument: ReturnType<typeof createCutDocument>;
  readonly splitDocument: (caller: Caller, id: number, runs: readonly (readonly number[])[]) => Promise<number[]>;
  readonly measureDocument: MeasureDocument;
  readonly drawPage: (caller: Caller, pageId: number, preview: boolean) => Promise<PageImage>;
  readonly findBarcodes: ReturnType<typeof createPageBarcodes>;
}

type Service = typeof documentStorage.DocumentStorageServiceService;

/** How long before its caller gives up a waiting call answers, in milliseconds. */
const ANSWER_EARLY_MS = 500;
const LONGEST_WAIT_MS = 60_000;
/** API: limits.md, pages per document. */
const MOST_PAGES = 500;

/** Requests to domain calls to responses. */
export function createRpc(options: RpcOptions): Handlers<Service> {
  const { files, fileStore, objects, documents, uploads, tasks, pages, pageTexts, createUpload, importUpload } =
    options;

  const toUpload = async (upload: Upload) => toUploadMessage(upload, await importUpload.findWaiting(upload));

  return {
    async putFile(requests, caller) {
      const { header, chunks } = await readFileParts(requests);
      return files.put(caller, header, chunks);
    },
    async keepFiles({ keys, holder }, caller) {
      requireSystem(caller);
      if (!(await fileStore.hold(null, keys, holder))) throw new Refusal('NOT_FOUND');
      return {};
    },
    async releaseFiles({ keys, holder }, caller) {
      requireSystem(caller);
      for (const key of keys) await fileStore.release(null, key, holder);
      await files.discard(keys);
      return {};
    },
    async createUpload(request, caller) {
      const receipt = await createUpload(
        caller,
        {
          queueId: request.queueId,
          keys: request.files.map((file) => file.key),
          documentIds: caller.kind === 'system' ? request.documentIds : [],
          creatorId: caller.kind === 'system' ? (request.creatorId ?? null) : null,
          values: request.values,
          documentValues: Object.fromEntries(
            request.documentValues.map(({ documentId, values }) => [documentId, values]),
          ),
          metadata: request.metadata ?? {},
          emailId: request.emailId ?? null,
          rejectIdentical: request.rejectIdentical,
          join: request.join,
        },
        {
          idempotencyKey: request.idempotencyKey,
          taskType: request.taskType === 'email_imported' ? 'email_imported' : 'upload_created',
        },
      );
      return { ...receipt, documentIds: [...receipt.documentIds] };
    },
    async addAttachments({ attachments, creatorId, ...of }, caller) {
      requireSystem(caller);
      const sent = attachments.map(({ file, status, archive }) => ({ key: file?.key ?? '', status, archive }));
      return { documentIds: await options.addAttachments(caller, { ...of, creatorId: creatorId ?? null }, sent) };
    },
    async setAttachments({ emailId, queueId, attachments }, caller) {
      requireSystem(caller);
      await documents.setAttachments(organizationOf(caller), { emailId, queueId }, attachments);
      return {};
    },
    async createTask({ type, emailId, creatorId }, caller) {
      requireSystem(caller);
      if (type !== 'email_imported') throw new Refusal('INVALID');
      const task: Task = {
        id: await options.nextTaskId(),
        organizationId: organizationOf(caller),
        creatorId: creatorId ?? null,
        type,
        status: 'running',
        expiresAt: new Date(Date.now() + TASK_LIFE_MS),
        ...{ detail: null, code: null, uploadId: null, emailId },
      };
      await options.inTransaction((session) => tasks.insert(session, task));
      return toTaskMessage(task);
    },
    async endTask({ id, failure }, caller) {
      requireSystem(caller);
      const outcome = failure
        ? ({ status: 'failed', detail: failure, code: 'error' } as const)
        : ({ status: 'succeeded' } as const);
      await options.inTransaction((session) => tasks.end(session, [id], outcome));
      return {};
    },
    async getUpload({ id }, caller) {
      return toUpload(found(await uploads.find(caller, id)));
    },
    async awaitUpload({ id }, caller) {
      const longest = Date.now() + LONGEST_WAIT_MS;
      const deadline = currentContext().deadline?.getTime() ?? longest;
      const until = new Date(Math.min(deadline - ANSWER_EARLY_MS, longest));
      return toUpload(await importUpload.await(caller, id, until));
    },
    async getTask({ id }, caller) {
      return toTaskMessage(found(await tasks.find(caller, id, new Date())));
    },
    async getDocuments({ ids }, caller) {
      const list = await documents.findMany(caller, ids);
      return { documents: list.map(toDocumentMessage), total: list.length };
    },
    async listDocuments({ ordering, page, pageSize, ...filter }, caller) {
      const { documents: list, total } = await documents.list(caller, filter, ordering, { page, pageSize });
      return { documents: list.map(toDocumentMessage), total };
    },
    async *getFile({ documentId, s3Name, offset, length, rendition }, caller) {
      if (caller.kind === 'system' && caller.username === 'extraction') await options.turnToRead();
      const which = documentId === undefined ? { s3Name: s3Name ?? '' } : { id: documentId };
      const document = found(await documents.find(caller, which));
      // Its bytes may wait to be removed.
      if (document.purgedAt) throw new Refusal('NOT_FOUND');
      const own = { key: document.s3Name, mimeType: document.mimeType, size: document.size, sha256: document.sha256 };
      const made = rendition && document.rendition ? { ...document.rendition, mimeType: PDF } : own;
      const { key, mimeType, size, sha256 } = made;
      if (offset > 0 && offset >= size) throw new Refusal('RANGE_NOT_SATISFIABLE');
      const range = { offset, length: Math.min(length > 0 ? length : size, size - offset) };
      const fileName = document.originalFileName;
      yield* sendFile(objects, key, { mimeType, fileName, size, etag: `"${sha256}"` }, range);
    },
    async prepareRendition({ id }, caller) {
      requireSystem(caller);
      return options.prepareRendition(caller, id);
    },
    async measureDocument({ id }, caller) {
      requireSystem(caller);
      return options.measureDocument(found(await documents.find(caller, { id })));
    },
    async *getStoredFile({ key }, caller) {
      requireSystem(caller);
      const [file] = await fileStore.findStored([key]);
      const isForeign =
        file && caller.organizationId !== null && ![null, caller.organizationId].includes(file.organizationId);
      if (!file || isForeign) throw new Refusal('NOT_FOUND');
      const { mimeType, fileName, size, sha256 } = file;
      yield* sendFile(objects, key, { mimeType, fileName, size, etag: `"${sha256}"` });
    },
    async putPages({ pages: sizes, ...of }, caller) {
      requireSystem(caller);
      const organizationId = organizationOf(caller);
      const texts = sizes.flatMap(({ number, rotationDeg, source, wordsJson }) =>
        source === '' ? [] : [{ documentId: of.documentId, number, rotationDeg, source, wordsJson }],
      );
      const numbers = sizes.map(({ number }) => number);
      for (const id of await pages.removeOthers(organizationId, of, numbers)) {
        for (const key of imageKeysOf(id)) await objects.remove(key);
      }
      const [pageIds] = await Promise.all([
        pages.put(
          organizationId,
          of,
          sizes.map(({ number, width, height, rotationDeg }) => ({ number, width, height, rotationDeg })),
        ),
        pageTexts.put(organizationId, texts),
      ]);
      return { pageIds };
    },
    async placeAnnotation({ annotationId, documentId, queueId }, caller) {
      requireSystem(caller);
      const organizationId = organizationOf(caller);
      await documents.share(organizationId, documentId, annotationId, queueId);
      await pages.place(organizationId, annotationId, queueId);
      await options.relations.place(organizationId, annotationId, queueId);
      return {};
    },
    async getPageTexts({ annotationId, numbers }, caller) {
      const filter = { ids: [], annotationIds: [annotationId], numbers };
      const { pages: list } = await pages.list(caller, filter, ['number'], { page: 1, pageSize: MOST_PAGES });
      const texts = await pageTexts.findMany(organizationOf(caller), list);
      const byKey = new Map(texts.map((text) => [`${text.documentId}/${text.number}/${text.rotationDeg}`, text]));
      return {
        pages: list.flatMap(({ id: pageId, documentId, number, rotationDeg }) => {
          const text = byKey.get(`${documentId}/${number}/${rotationDeg}`);
          return text ? [{ pageId, number, source: text.source, wordsJson: text.wordsJson }] : [];
        }),
      };
    },
    async getPageBarcodes({ annotationId, numbers }, caller) {
      const filter = { ids: [], annotationIds: [annotationId], numbers };
      const { pages: list } = await pages.list(caller, filter, ['number'], { page: 1, pageSize: MOST_PAGES });
      const found: documentStorage.PageBarcodes[] = [];
      for (const page of list) {
        const barcodes = await options.findBarcodes(caller, page);
        found.push({
          number: page.number,
          barcodes: barcodes.map((one) => ({ ...one, position: [...one.position] })),
        });
      }
      return { pages: found };
    },
    async splitDocument({ documentId, runs }, caller) {
      requireSystem(caller);
      const numbers = runs.map((run) => run.numbers);
      return { documentIds: await options.splitDocument(caller, documentId, numbers) };
    },
    async cutDocument(request, caller) {
      requireSystem(caller);
      return { documents: await options.cutDocument(caller, request) };
    },
    async updatePage({ id, metadata }, caller) {
      return toPageMessage(found(await pages.setMetadata(caller, id, metadata ?? {})));
    },
    async createDocument({ files: sent, metadata, parentId }, caller) {
      const keys = sent.map(({ key }) => key);
      const given = { keys, metadata: metadata ?? {}, parentId: parentId ?? null };
      return toDocumentMessage(await options.ownDocuments.create(caller, given));
    },
    async updateDocument({ id, metadata }, caller) {
      return toDocumentMessage(await options.ownDocuments.setMetadata(caller, id, metadata ?? {}));
    },
    async deleteDocument({ id }, caller) {
      await options.ownDocuments.remove(caller, id);
      return {};
    },
    async listDocumentRelations({ ordering, page, pageSize, ...filter }, caller) {
      const { relations: list, total } = await options.relations.list(caller, filter, ordering, { page, pageSize });
      return { relations: list.map(toRelationMessage), total };
    },
    createDocumentRelation: async (relation, caller) =>
      toRelationMessage(await options.relating.create(caller, { ...relation, key: relation.key ?? null })),
    updateDocumentRelation: async ({ id, ...relation }, caller) =>
      toRelationMessage(await options.relating.update(caller, id, { ...relation, key: relation.key ?? null })),
    async deleteDocumentRelation({ id }, caller) {
      await options.relating.remove(caller, id);
      return {};
    },
    async *checkStorage({ bytes }, caller) {
      requireSystem(caller);
      for await (const part of options.checkStorage({ bytes }))
        yield 'kind' in part ? { problem: part } : { counts: part };
    },
    async createDownload(request, caller) {
      const id = await options.downloads.create(caller, request);
      return toTaskMessage(found(await tasks.find(caller, id, new Date())));
    },
    async getDownload({ id }, caller) {
      const { fileName, expiresAt } = await options.downloads.find(caller, id);
      return { id, fileName, expiresAt };
    },
    async *getDownloadContent({ id }, caller) {
      const download = await options.downloads.find(caller, id);
      const { fileName, zip, documentIds } = download;
      if (zip) {
        const packed = await options.downloads.pack(caller, download);
        yield* sendStream(packed, { mimeType: 'application/zip', fileName, size: 0, etag: '' });
        return;
      }
      const document = found(await documents.find(caller, { id: documentIds[0] ?? 0 }));
      const { s3Name: key, mimeType, size, sha256 } = document;
      yield* sendFile(objects, key, { mimeType, fileName, size, etag: `"${sha256}"` });
    },
    async listPages({ ordering, page, pageSize, ...filter }, caller) {
      const { pages: list, total } = await pages.list(caller, filter, ordering, { page, pageSize });
      return { pages: list.map(toPageMessage), total };
    },
    async *getPageImage({ pageId, preview }, caller) {
      const { key, fileName, size, etag } = await options.drawPage(caller, pageId, preview);
      yield* sendFile(objects, key, { mimeType: 'image/png', fileName, size, etag: `"${etag}"` });
    },
  };
}

function found<T>(value: T | null): T {
  if (value === null) throw new Refusal('NOT_FOUND');
  return value;
}

function toUploadMessage(upload: Upload, waitingDocumentIds: number[]): documentStorage.Upload {
  const { id, organizationId, queueId, creatorId, createdAt, emailId, state } = upload;
  return {
    id,
    organizationId,
    queueId,
    creatorId: creatorId ?? undefined,
    createdAt,
    documentIds: [...upload.documentIds],
    additionalDocumentIds: [...upload.additionalDocumentIds],
    annotations: [...upload.annotations],
    emailId: emailId ?? undefined,
    finished: state === 'finished',
    values: { ...upload.values },
    metadata: upload.metadata,
    waitingDocumentIds,
  };
}

function toTaskMessage({
  id,
  type,
  status,
  expiresAt,
  detail,
  code,
  uploadId,
  emailId,
  ...download
}: Task): documentStorage.Task {
  return {
    ...{ id, type, status, expiresAt },
    detail: detail ?? undefined,
    code: code ?? undefined,
    uploadId: uploadId ?? undefined,
    emailId: emailId ?? undefined,
    downloadId: download.downloadId,
    fileName: download.fileName ?? '',
  };
}

function toRelationMessage(relation: DocumentRelation): documentStorage.DocumentRelation {
  const { id, type, key, annotationId, queueId, documentIds } = relation;
  return { id, type, key: key ?? undefined, annotationId, queueId, documentIds: [...documentIds] };
}

function toDocumentMessage(document: Document): documentStorage.Document {
  return {
    ...documentStorage.Document.fromPartial({
      id: document.id,
      organizationId: document.organizationId,
      // What a purged document was stored as leads nowhere.
      s3Name: document.purgedAt ? '' : document.s3Name,
      parentId: document.parentId ?? undefined,
      emailId: document.emailId ?? undefined,
      annotationIds: [...document.annotationIds],
      mimeType: document.mimeType,
      creatorId: document.creatorId ?? undefined,
      createdAt: document.createdAt,
      originalFileName: document.originalFileName,
      attachmentStatus: document.attachmentStatus ?? undefined,
      size: document.size,
      sha256: document.sha256,
      md5: document.md5,
      message: document.message ?? '',
    }),
    metadata: document.metadata,
  };
}

function toPageMessage({ organizationId: _, queueId: __, ...page }: Page): documentStorage.Page {
  return page;
}
