import type { documentStorage } from '@intake/contracts';
import type { ApiUrls } from '@intake/urls';
import { answers, listOf, objectSchema } from './attributes';
import { formatTime, urlOrNull } from './values';

/** API: documents-and-uploads.md section 1. */
export function documentToJson(row: documentStorage.Document, urls: ApiUrls) {
  const createdAt = formatTime(row.createdAt);
  return {
    id: row.id,
    url: urls.document(row.id),
    s3_name: row.s3Name,
    parent: urlOrNull(urls.document, row.parentId),
    email: urlOrNull(urls.email, row.emailId),
    annotations: row.annotationIds.map(urls.annotation),
    mime_type: row.mimeType,
    creator: urlOrNull(urls.user, row.creatorId),
    created_at: createdAt,
    arrived_at: createdAt,
    original_file_name: row.originalFileName,
    content: urls.documentContent(row.id),
    attachment_status: row.attachmentStatus ?? null,
    ...(row.message && { messages: [{ id: 'all', type: 'warning', content: row.message }] }),
    metadata: row.metadata ?? {},
  };
}

/**
 * API: documents-and-uploads.md section 2.
 *
 * @param fallbackCreatorId who stands for the creator of what came by e-mail: clients want one
 */
export function uploadToJson(row: documentStorage.Upload, fallbackCreatorId: number | undefined, urls: ApiUrls) {
  return {
    id: row.id,
    url: urls.upload(row.id),
    queue: urls.queue(row.queueId),
    organization: urls.organization(row.organizationId),
    creator: urlOrNull(urls.user, row.creatorId ?? fallbackCreatorId),
    created_at: formatTime(row.createdAt),
    email: urlOrNull(urls.email, row.emailId),
    documents: row.documentIds.map(urls.document),
    additional_documents: row.additionalDocumentIds.map(urls.document),
    annotations: row.annotations.map(({ annotationId }) => urls.annotation(annotationId)),
  };
}

/** API: documents-and-uploads.md section 3. */
export function taskToJson(row: documentStorage.Task, urls: ApiUrls) {
  const upload = urlOrNull(urls.upload, row.uploadId);
  const email = urlOrNull(urls.email, row.emailId);
  const download = urlOrNull((id) => urls.at(`documents/downloads/${id}`), row.downloadId);
  const result = email ?? upload ?? download;
  return {
    id: row.id,
    url: urls.task(row.id),
    type: row.type,
    status: row.status,
    expires_at: formatTime(row.expiresAt),
    detail: row.detail ?? null,
    content: email ? { email } : upload ? { upload } : download ? { file_name: row.fileName } : {},
    ...(row.status === 'failed' && { code: row.code ?? 'error' }),
    ...(row.status === 'succeeded' && result && { result_url: result }),
  };
}

/** API: documents-and-uploads.md section 4. */
export function downloadToJson(row: documentStorage.Download, urls: ApiUrls) {
  const url = urls.at(`documents/downloads/${row.id}`);
  return {
    id: row.id,
    url,
    file_name: row.fileName,
    expires_at: formatTime(row.expiresAt),
    content: `${url}/content`,
  };
}

/** API: pages.md. */
export function pageToJson(row: documentStorage.Page, urls: ApiUrls) {
  return {
    id: row.id,
    url: urls.page(row.id),
    annotation: urls.annotation(row.annotationId),
    number: row.number,
    rotation_deg: row.rotationDeg,
    mime_type: 'image/png',
    s3_name: row.s3Name,
    content: urls.pageContent(row.id),
    metadata: row.metadata ?? {},
    width: row.width || null,
    height: row.height || null,
  };
}

/** JSON Schema of `documentToJson`. */
export const DOCUMENT_SCHEMA = objectSchema<ReturnType<typeof documentToJson>>(
  {
    id: answers.integer,
    url: answers.uri,
    s3_name: answers.string,
    parent: answers.uriOrNull,
    email: answers.uriOrNull,
    annotations: answers.uris,
    mime_type: answers.string,
    creator: answers.uriOrNull,
    created_at: answers.timeOrNull,
    arrived_at: answers.timeOrNull,
    original_file_name: answers.string,
    content: answers.uri,
    attachment_status: answers.stringOrNull,
    messages: listOf(answers.object),
    metadata: answers.object,
  },
  ['messages'],
);

/** JSON Schema of `uploadToJson`. */
export const UPLOAD_SCHEMA = objectSchema<ReturnType<typeof uploadToJson>>({
  id: answers.integer,
  url: answers.uri,
  queue: answers.uri,
  organization: answers.uri,
  creator: answers.uriOrNull,
  created_at: answers.timeOrNull,
  email: answers.uriOrNull,
  documents: answers.uris,
  additional_documents: answers.uris,
  annotations: answers.uris,
});

/** JSON Schema of `taskToJson`. */
export const TASK_SCHEMA = objectSchema<ReturnType<typeof taskToJson>>(
  {
    id: answers.integer,
    url: answers.uri,
    type: answers.string,
    status: { type: 'string', enum: ['running', 'succeeded', 'failed'] },
    expires_at: answers.timeOrNull,
    detail: answers.stringOrNull,
    content: answers.object,
    code: answers.string,
    result_url: answers.uri,
  },
  ['code', 'result_url'],
);

/** JSON Schema of `downloadToJson`. */
export const DOWNLOAD_SCHEMA = objectSchema<ReturnType<typeof downloadToJson>>({
  id: answers.integer,
  url: answers.uri,
  file_name: answers.string,
  expires_at: answers.timeOrNull,
  content: answers.uri,
});

/** JSON Schema of `pageToJson`. */
export const PAGE_SCHEMA = objectSchema<ReturnType<typeof pageToJson>>({
  id: answers.integer,
  url: answers.uri,
  annotation: answers.uri,
  number: { type: 'integer', minimum: 1 },
  rotation_deg: { type: 'integer', enum: [0, 90, 180, 270] },
  mime_type: answers.string,
  s3_name: answers.string,
  content: answers.uri,
  metadata: answers.object,
  width: answers.integerOrNull,
  height: answers.integerOrNull,
});
