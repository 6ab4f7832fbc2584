import type { extension } from '@intake/contracts';
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
