import type { extension } from '@intake/contracts';
import type { ApiUrls } from '@intake/urls';
import { formatTime } from './values';

/** API: hooks-and-connectors.md section 6. */
export function hookLogToJson(row: extension.HookLog) {
  const start = formatTime(row.start);
  return {
    timestamp: start,
    start,
    end: formatTime(row.end),
    request_id: row.requestId,
    uuid: row.uuid,
    event: row.event,
    action: row.action,
    organization_id: row.organizationId,
    hook_id: row.hookId,
    hook_type: row.hookType,
    queue_id: row.queueId ?? null,
    annotation_id: row.annotationId ?? null,
    email_id: row.emailId ?? null,
    log_level: row.level,
    message: row.message,
    request: row.request ?? null,
    response: row.response ?? null,
    settings: row.settings ?? {},
    status: row.status,
    status_code: row.statusCode ?? null,
    output: null,
  };
}

/** A notification of a hook, and what became of it. */
export function deliveryToJson(row: extension.Delivery, urls: ApiUrls) {
  return {
    request_id: row.requestId,
    hook: urls.hook(row.hookId),
    event: row.event,
    action: row.action,
    queue: row.queueId === undefined ? null : urls.queue(row.queueId),
    annotation: row.annotationId === undefined ? null : urls.annotation(row.annotationId),
    status: row.status,
    attempts: row.attempts,
    created_at: formatTime(row.createdAt),
    next_attempt_at: formatTime(row.nextAttemptAt),
    finished_at: formatTime(row.finishedAt),
  };
}
