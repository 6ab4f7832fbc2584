import { ANNOTATION_STATUSES } from '@intake/bus';
import type { annotation, queue } from '@intake/contracts';
import type { ApiUrls } from '@intake/urls';
import { formatDuration, formatTime, urlOrNull } from './values';

/** API: workspaces-queues.md section 1. */
export function workspaceToJson(row: queue.Workspace, urls: ApiUrls) {
  return {
    id: row.id,
    name: row.name,
    url: urls.workspace(row.id),
    autopilot: false,
    organization: urls.organization(row.organizationId),
    queues: row.queueIds.map(urls.queue),
    metadata: row.metadata ?? {},
    modified_by: null,
    modified_at: null,
  };
}

/** What a queue object holds beside what the queue service knows. */
export interface QueueRelations {
  readonly userIds: readonly number[];
  readonly counts: annotation.StatusCounts['counts'];
}

/** API: workspaces-queues.md section 2. */
export function queueToJson(row: queue.Queue, { userIds, counts }: QueueRelations, urls: ApiUrls) {
  const hooks = row.hookIds.map(urls.hook);
  return {
    id: row.id,
    name: row.name,
    url: urls.queue(row.id),
    workspace: urlOrNull(urls.workspace, row.workspaceId),
    connector: urlOrNull(urls.connector, row.connectorId),
    webhooks: hooks,
    hooks,
    schema: urls.schema(row.schemaId),
    inbox: urlOrNull(urls.inbox, row.inboxId),
    users: userIds.map(urls.user),
    session_timeout: formatDuration(row.sessionTimeoutS),
    rir_url: row.rirUrl ?? null,
    rir_params: row.rirParams ?? null,
    dedicated_engine: null,
    generic_engine: null,
    engine: null,
    counts: Object.fromEntries(ANNOTATION_STATUSES.map((status) => [status, counts[status] ?? 0])),
    default_score_threshold: row.defaultScoreThreshold,
    automation_enabled: row.automationEnabled,
    automation_level: row.automationLevel,
    locale: row.locale,
    metadata: row.metadata ?? {},
    use_confirmed_state: row.useConfirmedState,
    document_lifetime: null,
    delete_after: formatTime(row.deleteAfter),
    status: row.status,
    settings: row.settings ?? {},
    workflows: [],
    training_enabled: row.trainingEnabled,
    archive_enabled: false,
    modified_by: null,
    modified_at: null,
  };
}

/** API: schemas.md section 1. The content is given as it was stored. */
export function schemaToJson(row: queue.Schema, urls: ApiUrls) {
  return {
    id: row.id,
    name: row.name,
    url: urls.schema(row.id),
    queues: row.queueIds.map(urls.queue),
    content: JSON.parse(row.contentJson || '[]') as unknown,
    metadata: row.metadata ?? {},
    modified_by: null,
    modified_at: null,
  };
}

/** What an inbox says of its queue's mail settings, and the other way round: one setting with two views. */
interface EmailNotifications {
  readonly recipient?: { readonly email?: string } | null;
  readonly unprocessable_attachments?: boolean;
  readonly postponed_annotations?: boolean;
  readonly deleted_annotations?: boolean;
  readonly email_with_no_attachments?: boolean;
}

const DEFAULT_FILTERS = {
  allowed_senders: [],
  denied_senders: [],
  document_rejection_conditions: {
    enabled: true,
    resolution_lower_than_px: [1200, 600],
    file_size_less_than_b: null,
    mime_types: ['image/gif'],
    file_name_regexes: null,
  },
};

/** API: inboxes.md. The bounce fields are those of the queue's settings. */
export function inboxToJson(row: queue.Inbox, settings: queue.Queue['settings'], urls: ApiUrls) {
  const notifications: EmailNotifications = settings?.email_notifications ?? {};
  return {
    id: row.id,
    name: row.name,
    url: urls.inbox(row.id),
    queues: [urls.queue(row.queueId)],
    email: row.email,
    email_prefix: row.emailPrefix,
    bounce_email_to: notifications.recipient?.email ?? null,
    bounce_unprocessable_attachments: notifications.unprocessable_attachments ?? false,
    bounce_postponed_annotations: notifications.postponed_annotations ?? false,
    bounce_deleted_annotations: notifications.deleted_annotations ?? false,
    bounce_email_with_no_attachments: notifications.email_with_no_attachments ?? true,
    metadata: row.metadata ?? {},
    filters: { ...DEFAULT_FILTERS, ...row.filters },
    dmarc_check_action: row.dmarcCheckAction || 'accept',
    modified_by: null,
    modified_at: null,
  };
}
