import type { annotation } from '@intake/contracts';
import type { ApiUrls } from '@intake/urls';
import { answers, listOf, objectSchema, orNull } from './attributes';
import { formatTime, urlOrNull } from './values';

/** The e-mails of an annotation. */
export interface AnnotationMail {
  readonly threadId?: number | undefined;
  readonly hasReplies: boolean;
  readonly hasNewReplies: boolean;
  /** Sent about it. */
  readonly relatedEmailIds: readonly number[];
}

const NO_MAIL: AnnotationMail = { hasReplies: false, hasNewReplies: false, relatedEmailIds: [] };

/** API: annotations.md section 1. */
export function annotationToJson(row: annotation.Annotation, urls: ApiUrls, mail: AnnotationMail = NO_MAIL) {
  const modifier = urlOrNull(urls.user, row.modifierId);
  return {
    id: row.id,
    url: urls.annotation(row.id),
    status: row.status,
    schema: urls.schema(row.schemaId),
    modifier,
    modified_by: modifier,
    modified_at: formatTime(row.modifiedAt),
    creator: urlOrNull(urls.user, row.creatorId),
    created_at: formatTime(row.createdAt),
    arrived_at: formatTime(row.arrivedAt),
    assigned_at: formatTime(row.assignedAt),
    confirmed_at: formatTime(row.confirmedAt),
    confirmed_by: urlOrNull(urls.user, row.confirmedById),
    exported_at: formatTime(row.exportedAt),
    exported_by: urlOrNull(urls.user, row.exportedById),
    export_failed_at: formatTime(row.exportFailedAt),
    rejected_at: formatTime(row.rejectedAt),
    rejected_by: urlOrNull(urls.user, row.rejectedById),
    deleted_at: formatTime(row.deletedAt),
    deleted_by: urlOrNull(urls.user, row.deletedById),
    purged_at: formatTime(row.purgedAt),
    purged_by: urlOrNull(urls.user, row.purgedById),
    document: urls.document(row.documentId),
    queue: urls.queue(row.queueId),
    organization: urls.organization(row.organizationId),
    pages: row.pageIds.map(urls.page),
    content: urls.annotationContent(row.id),
    relations: row.relationIds.map(urls.relation),
    rir_poll_id: row.rirPollId ?? null,
    messages: row.messages.length > 0 || row.hadMessages ? row.messages.map(messageToJson) : null,
    suggested_edit: urlOrNull(urls.suggestedEdit, row.suggestedEditId),
    time_spent: row.timeSpent,
    metadata: row.metadata ?? {},
    automated: row.automated,
    automatically_rejected: row.automaticallyRejected,
    related_emails: mail.relatedEmailIds.map(urls.email),
    email: urlOrNull(urls.email, row.emailId),
    email_thread: urlOrNull(urls.emailThread, mail.threadId),
    has_email_thread_with_replies: mail.hasReplies,
    has_email_thread_with_new_replies: mail.hasNewReplies,
    automation_blocker: urlOrNull(urls.automationBlocker, row.automationBlockerId),
    prediction: null,
    assignees: row.assigneeIds.map(urls.user),
    labels: row.labelIds.map(urls.label),
    restricted_access: false,
    training_enabled: row.trainingEnabled,
    einvoice: row.einvoice,
  };
}

/** A message of an annotation or of a validation. API: annotation-content.md section 6. */
export function messageToJson(message: annotation.Message) {
  return {
    id: message.id,
    type: message.type,
    content: message.content,
    ...(message.detail && { detail: message.detail }),
    ...(message.type === 'aggregation' && {
      aggregation_type: message.aggregationType ?? null,
      schema_id: message.schemaId ?? null,
      ...(message.label !== undefined && { label: message.label }),
    }),
  };
}

/** JSON Schema of `messageToJson`. */
export const MESSAGE_SCHEMA = objectSchema<ReturnType<typeof messageToJson>>(
  {
    id: answers.string,
    type: { type: 'string', enum: ['error', 'warning', 'info', 'aggregation'] },
    content: answers.string,
    detail: answers.object,
    aggregation_type: answers.stringOrNull,
    schema_id: answers.stringOrNull,
    label: answers.string,
  },
  ['detail', 'aggregation_type', 'schema_id', 'label'],
);

/** JSON Schema of `annotationToJson`. */
export const ANNOTATION_SCHEMA = objectSchema<ReturnType<typeof annotationToJson>>({
  id: answers.integer,
  url: answers.uri,
  status: answers.string,
  schema: answers.uri,
  modifier: answers.uriOrNull,
  modified_by: answers.uriOrNull,
  modified_at: answers.timeOrNull,
  creator: answers.uriOrNull,
  created_at: answers.timeOrNull,
  arrived_at: answers.timeOrNull,
  assigned_at: answers.timeOrNull,
  confirmed_at: answers.timeOrNull,
  confirmed_by: answers.uriOrNull,
  exported_at: answers.timeOrNull,
  exported_by: answers.uriOrNull,
  export_failed_at: answers.timeOrNull,
  rejected_at: answers.timeOrNull,
  rejected_by: answers.uriOrNull,
  deleted_at: answers.timeOrNull,
  deleted_by: answers.uriOrNull,
  purged_at: answers.timeOrNull,
  purged_by: answers.uriOrNull,
  document: { type: ['string', 'object'], description: 'A URL; the object where the document is sideloaded.' },
  queue: answers.uri,
  organization: answers.uri,
  pages: answers.uris,
  content: { type: ['string', 'array'], description: 'A URL; nodes where content is sideloaded.' },
  relations: answers.uris,
  rir_poll_id: answers.stringOrNull,
  messages: orNull(listOf(MESSAGE_SCHEMA)),
  suggested_edit: answers.uriOrNull,
  time_spent: answers.number,
  metadata: answers.object,
  automated: answers.boolean,
  automatically_rejected: answers.boolean,
  related_emails: answers.uris,
  email: answers.uriOrNull,
  email_thread: answers.uriOrNull,
  has_email_thread_with_replies: answers.boolean,
  has_email_thread_with_new_replies: answers.boolean,
  automation_blocker: answers.uriOrNull,
  prediction: answers.objectOrNull,
  assignees: answers.uris,
  labels: answers.uris,
  restricted_access: answers.boolean,
  training_enabled: answers.boolean,
  einvoice: answers.boolean,
});
