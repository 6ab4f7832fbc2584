import type { annotation } from '@intake/contracts';
import type { ApiUrls } from '@intake/urls';
import { formatTime, urlOrNull } from './values';

/** API: annotations.md section 1. */
export function annotationToJson(row: annotation.Annotation, urls: ApiUrls) {
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
    messages: row.messages.length > 0 ? row.messages.map(messageToJson) : null,
    suggested_edit: null,
    time_spent: row.timeSpent,
    metadata: row.metadata ?? {},
    automated: row.automated,
    automatically_rejected: row.automaticallyRejected,
    related_emails: [],
    email: urlOrNull(urls.email, row.emailId),
    email_thread: null,
    has_email_thread_with_replies: false,
    has_email_thread_with_new_replies: false,
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
