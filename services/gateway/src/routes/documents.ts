import { documentStorage } from '@intake/contracts';
import { documentToJson, metadata, pageToJson } from '@intake/resources';
import { type Caller, Refusal } from '@intake/rpc';
import { z } from 'zod';
import { listRoute } from '../list-route';
import { answersFile } from '../openapi/named-schema';
import { DOCUMENT, FILE_BODY, PAGE } from '../openapi/objects';
import { openFile } from '../reply/chunk-stream';
import { attachment } from '../reply/content-disposition';
import { created, replyOne } from '../reply/list';
import { matchesEtag, readRange } from '../reply/range';
import { choice, ids, overlap, text, times } from '../request/filters';
import { Answer, type ApiRequest, route } from '../route';
import { receiveFiles } from '../upload/receive-files';
import { storeFile, TRANSFER_MS } from '../upload/store-file';
import type { RouteContext } from './index';
import { onlyOne } from './lookups';

/** No document has so many pages; larger numbers do not fit into the request. */
const MAX_NUMBER = 2 ** 31 - 1;

/** API: email-import.md section 1.3. */
const ATTACHMENT_STATUSES = [
  'processed',
  'extracted_archive',
  'password_protected_archive',
  'failed_to_extract',
  'broken_image',
  'filtered_by_insecure_mime_type',
  'filtered_by_inbox_resolution',
  'filtered_by_inbox_size',
  'filtered_by_inbox_mime_type',
  'filtered_by_inbox_file_name',
  'filtered_by_queue_mime_type',
  'filtered_by_hook_custom',
  'hook_additional_file',
];

/** How long a page may take to be drawn. */
const DRAWING_MS = 60_000;

/** Stored bytes are data, whatever they look like to a browser. */
const UNTRUSTED = { 'X-Content-Type-Options': 'nosniff', 'Content-Security-Policy': "sandbox; default-src 'none'" };

/** Documents, pages and their bytes. API: documents-and-uploads.md section 1, pages.md. */
export function documentRoutes({ services }: RouteContext) {
  const { storage } = services;

  /** Bytes of a document, or the part of them that `Range` asks for. */
  const readDocument = async (
    request: ApiRequest,
    which: Pick<documentStorage.GetFileRequest, 'documentId' | 's3Name'>,
    caller: Caller,
  ): Promise<Answer> => {
    const open = (offset: number, length: number) =>
      openFile(storage.getFile({ ...which, offset, length, rendition: false }, caller, { timeoutMs: TRANSFER_MS }));
    const whole = await open(0, 0);
    const { header } = whole;
    const headers = {
      ...UNTRUSTED,
      'Content-Type': header.mimeType || 'application/octet-stream',
      'Content-Disposition': attachment(header.fileName),
      'Accept-Ranges': 'bytes',
      'Cache-Control': 'private, no-cache',
      ...(header.etag && { ETag: header.etag }),
    };
    if (matchesEtag(request.header('if-none-match'), header.etag)) {
      whole.cancel();
      return new Answer(304, headers);
    }
    const ifRange = request.header('if-range');
    let range: ReturnType<typeof readRange>;
    try {
      range = readRange(ifRange === undefined || ifRange === header.etag ? request.header('range') : '', header.size);
    } catch (error) {
      whole.cancel();
      if (!(error instanceof Refusal)) throw error;
      const { httpStatus, detail, code } = error;
      return new Answer(httpStatus, { 'Content-Range': `bytes */${header.size}` }, { detail, code });
    }
    if (!range) return new Answer(200, { ...headers, 'Content-Length': String(header.size) }, whole.stream());
    whole.cancel();
    const { offset, length } = range;
    const part = await open(offset, length);
    return new Answer(
      206,
      {
        ...headers,
        'Content-Length': String(length),
        'Content-Range': `bytes ${offset}-${offset + length - 1}/${header.size}`,
      },
      part.stream(),
    );
  };

  const readPageImage = async (request: ApiRequest<{ id: number }>, preview: boolean, caller: Caller) => {
    const image = await openFile(
      storage.getPageImage({ pageId: request.parameters.id, preview }, caller, { timeoutMs: DRAWING_MS }),
    );
    const { etag, size } = image.header;
    const headers = {
      ...UNTRUSTED,
      'Content-Type': 'image/png',
      'Cache-Control': 'private, max-age=3600',
      ...(etag && { ETag: etag }),
    };
    if (matchesEtag(request.header('if-none-match'), etag)) {
      image.cancel();
      return new Answer(304, headers);
    }
    return new Answer(200, { ...headers, 'Content-Length': String(size) }, image.stream());
  };

  return [
    listRoute('/documents', {
      allow: 'readAnnotations',
      doc: DOCUMENT.listed('List: document'),
      filters: {
        ...{ id: ids, email: ids, creator: ids, parent: ids, original_file_name: text },
        attachment_status: choice(...ATTACHMENT_STATUSES),
        ...{ created_at: times, arrived_at: times },
      },
      orderings: ['id', 'arrived_at', 'created_at', 'original_file_name', 'mime_type', 'attachment_status'],
      fetch: async ({ filters, ...wanted }, caller) => {
        // Both times are the same; both filters may be given.
        const { after: createdAfter, before: createdBefore } = overlap(filters.created_at, filters.arrived_at);
        const filter = {
          ids: filters.id,
          emailIds: filters.email,
          creatorIds: filters.creator,
          parentIds: filters.parent,
          attachmentStatus: filters.attachment_status,
          originalFileName: filters.original_file_name,
          createdAfter,
          createdBefore,
        };
        const { documents, total } = await storage.listDocuments({ ...filter, ...wanted }, caller);
        return { rows: documents, total };
      },
      toJson: documentToJson,
    }),
    route('POST', '/documents', {
      allow: 'upload',
      doc: DOCUMENT.one('Create a document without an annotation', { status: 201, takes: FILE_BODY }),
      basic: true,
      timeoutMs: TRANSFER_MS,
      call: async (request, caller) => {
        const received = await receiveFiles(request.http, undefined, (file) => storeFile(storage, file, caller));
        const { files, metadata, parentId } = received;
        return storage.createDocument({ files, metadata, parentId }, caller);
      },
      reply: (row, { urls }) => created(documentToJson(row, urls)),
    }),
    route('PATCH', '/documents/:id', {
      allow: 'patchAnnotation',
      doc: DOCUMENT.one('Change the metadata of a document'),
      body: z.object({ metadata: metadata.optional() }),
      call: async ({ parameters: { id }, body }, caller) =>
        body.metadata
          ? storage.updateDocument({ id, metadata: body.metadata }, caller)
          : onlyOne((await storage.getDocuments({ ids: [id] }, caller)).documents),
      reply: (row, { urls }) => documentToJson(row, urls),
    }),
    route('DELETE', '/documents/:id', {
      allow: 'purge',
      doc: { summary: 'Delete a document whose annotations have no datapoints', status: 204 },
      call: async ({ parameters: { id } }, caller) => {
        onlyOne((await storage.getDocuments({ ids: [id] }, caller)).documents);
        await services.annotation.removeOfDocument({ documentId: id }, caller);
        await storage.deleteDocument({ id }, caller);
      },
      reply: 204,
    }),
    route('GET', '/documents/:id', {
      allow: 'readAnnotations',
      doc: DOCUMENT.retrieved('Retrieve a document'),
      call: async ({ parameters }, caller) =>
        onlyOne((await storage.getDocuments({ ids: [parameters.id] }, caller)).documents),
      reply: (row, request) => replyOne(request, documentToJson(row, request.urls)),
    }),
    route('GET', '/documents/:id/content', {
      allow: 'readAnnotations',
      doc: answersFile('The file of a document', '*/*'),
      timeoutMs: TRANSFER_MS,
      call: (request, caller) => readDocument(request, { documentId: request.parameters.id }, caller),
      reply: (answer) => answer,
    }),
    route('GET', '/original/:s3_name', {
      allow: 'readAnnotations',
      doc: answersFile('The file of a document, by its s3_name', '*/*'),
      timeoutMs: TRANSFER_MS,
      call: (request, caller) => readDocument(request, { s3Name: request.parameters.s3_name }, caller),
      reply: (answer) => answer,
    }),

    listRoute('/pages', {
      allow: 'readAnnotations',
      doc: PAGE.listed('List: page'),
      filters: { id: ids, annotation: ids, number: ids },
      orderings: ['id', 'number', 's3_name'],
      fetch: async ({ filters, ...wanted }, caller) => {
        const numbers = filters.number.map((number) => Math.min(number, MAX_NUMBER));
        const filter = { ids: filters.id, annotationIds: filters.annotation, numbers };
        const { pages, total } = await storage.listPages({ ...filter, ...wanted }, caller);
        return { rows: pages, total };
      },
      toJson: pageToJson,
    }),
    route('GET', '/pages/:id', {
      allow: 'readAnnotations',
      doc: PAGE.retrieved('Retrieve a page'),
      call: async ({ parameters }, caller) => {
        const filter = documentStorage.ListPagesRequest.fromPartial({ ids: [parameters.id], page: 1, pageSize: 1 });
        return onlyOne((await storage.listPages(filter, caller)).pages);
      },
      reply: (row, request) => replyOne(request, pageToJson(row, request.urls)),
    }),
    route('PATCH', '/pages/:id', {
      allow: 'patchAnnotation',
      doc: PAGE.retrieved('Change the metadata of a page'),
      body: z.object({ metadata: metadata.optional() }),
      call: async ({ parameters: { id }, body }, caller) => {
        if (body.metadata) return storage.updatePage({ id, metadata: body.metadata }, caller);
        const filter = documentStorage.ListPagesRequest.fromPartial({ ids: [id], page: 1, pageSize: 1 });
        return onlyOne((await storage.listPages(filter, caller)).pages);
      },
      reply: (row, request) => replyOne(request, pageToJson(row, request.urls)),
    }),
    route('GET', '/pages/:id/content', {
      allow: 'readAnnotations',
      doc: answersFile('The image of a page', 'image/png'),
      timeoutMs: DRAWING_MS,
      call: (request, caller) => readPageImage(request, false, caller),
      reply: (answer) => answer,
    }),
    route('GET', '/pages/:id/preview', {
      allow: 'readAnnotations',
      doc: answersFile('A small image of a page', 'image/png'),
      timeoutMs: DRAWING_MS,
      call: (request, caller) => readPageImage(request, true, caller),
      reply: (answer) => answer,
    }),
  ];
}
