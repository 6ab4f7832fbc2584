import type { mailIngest } from '@intake/contracts';
import type { ApiUrls } from '@intake/urls';
import { answers, listOf, objectSchema } from './attributes';
import { formatTime, urlOrNull } from './values';

/** The annotations that came from an e-mail or a thread. */
export interface EmailRelations {
  readonly annotations: readonly { readonly id: number; readonly status: string }[];
}

const PROCESSED = ['exported', 'deleted', 'purged', 'split'];

/** API: email-import.md section 2. Beside it: what became of the message and of each attachment. */
export function emailToJson(row: mailIngest.Email, { annotations }: EmailRelations, urls: ApiUrls) {
  const createdAt = formatTime(row.createdAt);
  return {
    id: row.id,
    url: urls.email(row.id),
    queue: urls.queue(row.queueId),
    inbox: urls.inbox(row.inboxId),
    parent: urlOrNull(urls.email, row.parentId),
    email_thread: urlOrNull(urls.emailThread, row.threadId),
    children: row.childrenIds.map(urls.email),
    documents: row.documentIds.map(urls.document),
    created_at: createdAt,
    arrived_at: createdAt,
    last_thread_email_created_at: formatTime(row.lastThreadEmailCreatedAt ?? row.createdAt),
    subject: row.subject,
    from: row.from ? addressToJson(row.from) : {},
    to: row.to.map(addressToJson),
    cc: row.cc.map(addressToJson),
    bcc: row.bcc.map(addressToJson),
    body_text_plain: row.bodyTextPlain,
    body_text_html: row.bodyTextHtml,
    metadata: row.metadata ?? {},
    type: row.type || 'incoming',
    annotation_counts: countAnnotations(annotations, row.relatedAnnotationIds.length),
    annotations: annotations.map(({ id }) => urls.annotation(id)),
    related_annotations: row.relatedAnnotationIds.map(urls.annotation),
    related_documents: row.relatedDocumentIds.map(urls.document),
    creator: urlOrNull(urls.user, row.creatorId),
    filtered_out_document_count: row.filteredOutDocumentCount,
    labels: row.labels,
    content: urls.at(`emails/${row.id}/content`),
    state: row.state,
    failure: row.failure,
    attachments: row.attachments.map(({ documentId, fileName, mimeType, size, status, reason }) => ({
      document: urlOrNull(urls.document, documentId),
      file_name: fileName,
      mime_type: mimeType,
      size,
      attachment_status: status || null,
      reason,
    })),
    authentication: row.authentication ?? null,
  };
}

/** What an e-mail names beside itself. */
export interface EmailReferences {
  readonly documentIds: number[];
  readonly annotationIds: number[];
}

/** The documents and annotations that e-mails name. */
export function referencesOf(rows: readonly mailIngest.Email[]): EmailReferences {
  return {
    documentIds: [...new Set(rows.flatMap((row) => [...row.documentIds, ...row.relatedDocumentIds]))],
    annotationIds: [...new Set(rows.flatMap((row) => row.relatedAnnotationIds))],
  };
}

/** An e-mail without the documents and annotations that are gone since then. */
export function withoutGone(row: mailIngest.Email, there: EmailReferences): mailIngest.Email {
  const [documents, annotations] = [new Set(there.documentIds), new Set(there.annotationIds)];
  return {
    ...row,
    documentIds: row.documentIds.filter((id) => documents.has(id)),
    relatedDocumentIds: row.relatedDocumentIds.filter((id) => documents.has(id)),
    relatedAnnotationIds: row.relatedAnnotationIds.filter((id) => annotations.has(id)),
    attachments: row.attachments.map((one) => (documents.has(one.documentId) ? one : { ...one, documentId: 0 })),
  };
}

/** API: email-import.md section 6. */
export function threadToJson(row: mailIngest.Thread, { annotations }: EmailRelations, urls: ApiUrls) {
  return {
    id: row.id,
    url: urls.emailThread(row.id),
    organization: urls.organization(row.organizationId),
    queue: urls.queue(row.queueId),
    root_email: urlOrNull(urls.email, row.rootEmailId),
    has_replies: row.hasReplies,
    has_new_replies: row.hasNewReplies,
    root_email_read: row.rootEmailRead,
    created_at: formatTime(row.createdAt),
    last_email_created_at: formatTime(row.lastEmailCreatedAt),
    subject: row.subject,
    from: row.from ? addressToJson(row.from) : null,
    labels: row.labels,
    annotation_counts: countAnnotations(annotations, 0),
  };
}

function countAnnotations(annotations: EmailRelations['annotations'], related: number) {
  const count = (statuses: readonly string[]) => annotations.filter(({ status }) => statuses.includes(status)).length;
  const processed = count(PROCESSED);
  const rejected = count(['rejected']);
  return {
    annotations: annotations.length,
    annotations_processed: processed,
    annotations_purged: count(['purged']),
    annotations_unprocessed: annotations.length - processed - rejected,
    annotations_rejected: rejected,
    related_annotations: related,
  };
}

function addressToJson({ email, name }: mailIngest.Address) {
  return name ? { email, name } : { email };
}

const ADDRESS_SCHEMA = objectSchema<ReturnType<typeof addressToJson>>({ email: answers.string, name: answers.string }, [
  'name',
]);

const COUNTS_SCHEMA = objectSchema<ReturnType<typeof countAnnotations>>({
  annotations: answers.integer,
  annotations_processed: answers.integer,
  annotations_purged: answers.integer,
  annotations_unprocessed: answers.integer,
  annotations_rejected: answers.integer,
  related_annotations: answers.integer,
});

/** JSON Schema of `emailToJson`. */
export const EMAIL_SCHEMA = objectSchema<ReturnType<typeof emailToJson>>({
  id: answers.integer,
  url: answers.uri,
  queue: answers.uri,
  inbox: answers.uri,
  parent: answers.uriOrNull,
  email_thread: answers.uriOrNull,
  children: answers.uris,
  documents: answers.uris,
  created_at: answers.timeOrNull,
  arrived_at: answers.timeOrNull,
  last_thread_email_created_at: answers.timeOrNull,
  subject: answers.string,
  from: answers.object,
  to: listOf(ADDRESS_SCHEMA),
  cc: listOf(ADDRESS_SCHEMA),
  bcc: listOf(ADDRESS_SCHEMA),
  body_text_plain: answers.string,
  body_text_html: answers.string,
  metadata: answers.object,
  type: { type: 'string', enum: ['incoming', 'outgoing'] },
  annotation_counts: COUNTS_SCHEMA,
  annotations: answers.uris,
  related_annotations: answers.uris,
  related_documents: answers.uris,
  creator: answers.uriOrNull,
  filtered_out_document_count: answers.integer,
  labels: answers.strings,
  content: answers.uri,
  state: answers.string,
  failure: answers.string,
  attachments: listOf({
    type: 'object',
    properties: {
      document: answers.uriOrNull,
      file_name: answers.string,
      mime_type: answers.string,
      size: answers.integer,
      attachment_status: answers.stringOrNull,
      reason: answers.string,
    },
  }),
  authentication: answers.objectOrNull,
});

/** JSON Schema of `threadToJson`. */
export const EMAIL_THREAD_SCHEMA = objectSchema<ReturnType<typeof threadToJson>>({
  id: answers.integer,
  url: answers.uri,
  organization: answers.uri,
  queue: answers.uri,
  root_email: answers.uriOrNull,
  has_replies: answers.boolean,
  has_new_replies: answers.boolean,
  root_email_read: answers.boolean,
  created_at: answers.timeOrNull,
  last_email_created_at: answers.timeOrNull,
  subject: answers.string,
  from: answers.objectOrNull,
  labels: answers.strings,
  annotation_counts: COUNTS_SCHEMA,
});
