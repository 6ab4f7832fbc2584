import type { annotation } from '@intake/contracts';
import type { ApiUrls } from '@intake/urls';
import { answers, listOf, objectSchema } from './attributes';
import { formatTime, urlOrNull } from './values';

/** API: related-objects.md section 4. */
export function noteToJson(row: annotation.Note, urls: ApiUrls) {
  const modifier = urlOrNull(urls.user, row.modifierId);
  return {
    id: row.id,
    url: urls.note(row.id),
    type: row.type ?? null,
    metadata: row.metadata ?? {},
    content: row.content,
    created_at: formatTime(row.createdAt),
    creator: urlOrNull(urls.user, row.creatorId),
    modified_at: formatTime(row.modifiedAt),
    modifier,
    modified_by: modifier,
    annotation: urls.annotation(row.annotationId),
  };
}

/** API: related-objects.md section 3. */
export function relationToJson(row: annotation.Relation, urls: ApiUrls) {
  return {
    id: row.id,
    url: urls.relation(row.id),
    type: row.type,
    key: row.key ?? null,
    parent: urlOrNull(urls.annotation, row.parentId),
    annotations: row.annotationIds.map(urls.annotation),
  };
}

/** API: related-objects.md section 6. */
export function suggestedEditToJson(row: annotation.SuggestedEdit, urls: ApiUrls) {
  return {
    id: row.id,
    url: urls.suggestedEdit(row.id),
    annotation: urls.annotation(row.annotationId),
    documents: row.documents.map(({ pages, targetQueueId, values }) => ({
      pages: pages.map(({ pageId, rotation, deleted }) => ({ page: urls.page(pageId), rotation, deleted })),
      target_queue: urls.queue(targetQueueId),
      values,
    })),
  };
}

/** API: related-objects.md section 2. */
export function blockerToJson(row: annotation.AutomationBlocker, urls: ApiUrls) {
  return {
    id: row.id,
    url: urls.automationBlocker(row.id),
    annotation: urls.annotation(row.annotationId),
    content: JSON.parse(row.contentJson) as unknown,
  };
}

/** A line of the audit trail. */
export function historyToJson(entry: annotation.HistoryEntry, annotationId: number, urls: ApiUrls) {
  return {
    version: entry.version,
    at: formatTime(entry.at),
    trigger: entry.trigger,
    previous_status: entry.from || null,
    status: entry.to,
    actor: entry.actor,
    user: urlOrNull(urls.user, entry.actorId),
    values: entry.values.map(({ nodeId, schemaId, before, after, origin }) => ({
      url: urls.contentNode(annotationId, nodeId),
      schema_id: schemaId,
      previous_value: before ?? null,
      value: after ?? null,
      origin: origin || null,
    })),
  };
}

/** API: annotations.md section 7. */
export function durationToJson(row: annotation.ProcessingDuration, annotationId: number, urls: ApiUrls) {
  return {
    annotation: urls.annotation(annotationId),
    time_spent_active: row.timeSpentActive ?? 0,
    time_spent_overall: row.timeSpentOverall ?? 0,
    time_spent_edit: row.timeSpentEdit ?? 0,
    time_spent_blockers: row.timeSpentBlockers ?? 0,
    time_spent_emails: row.timeSpentEmails ?? 0,
    time_spent_opening: row.timeSpentOpening ?? 0,
    duration_latest_validate_started: null,
    duration_latest_validate_updated_before_confirm: null,
  };
}

/** JSON Schema of `noteToJson`. */
export const NOTE_SCHEMA = objectSchema<ReturnType<typeof noteToJson>>({
  id: answers.integer,
  url: answers.uri,
  type: answers.stringOrNull,
  metadata: answers.object,
  content: answers.string,
  created_at: answers.timeOrNull,
  creator: answers.uriOrNull,
  modified_at: answers.timeOrNull,
  modifier: answers.uriOrNull,
  modified_by: answers.uriOrNull,
  annotation: answers.uri,
});

/** JSON Schema of `relationToJson`. */
export const RELATION_SCHEMA = objectSchema<ReturnType<typeof relationToJson>>({
  id: answers.integer,
  url: answers.uri,
  type: answers.string,
  key: answers.stringOrNull,
  parent: answers.uriOrNull,
  annotations: answers.uris,
});

/** JSON Schema of `blockerToJson`. */
export const BLOCKER_SCHEMA = objectSchema<ReturnType<typeof blockerToJson>>({
  id: answers.integer,
  url: answers.uri,
  annotation: answers.uri,
  content: listOf(answers.object),
});

/** JSON Schema of `suggestedEditToJson`. */
export const SUGGESTED_EDIT_SCHEMA = objectSchema<ReturnType<typeof suggestedEditToJson>>({
  id: answers.integer,
  url: answers.uri,
  annotation: answers.uri,
  documents: listOf({
    type: 'object',
    properties: {
      pages: listOf({
        type: 'object',
        properties: {
          page: answers.uri,
          rotation: { type: 'integer', enum: [0, 90, 180, 270] },
          deleted: answers.boolean,
        },
      }),
      target_queue: answers.uri,
      values: answers.object,
    },
  }),
});

/** JSON Schema of `historyToJson`. */
export const HISTORY_SCHEMA = objectSchema<ReturnType<typeof historyToJson>>({
  version: { type: 'integer', minimum: 1 },
  at: answers.timeOrNull,
  trigger: answers.string,
  previous_status: answers.stringOrNull,
  status: answers.string,
  actor: answers.string,
  user: answers.uriOrNull,
  values: listOf({
    type: 'object',
    properties: {
      url: answers.uri,
      schema_id: answers.string,
      previous_value: answers.stringOrNull,
      value: answers.stringOrNull,
      origin: answers.stringOrNull,
    },
  }),
});

/** JSON Schema of `durationToJson`. */
export const DURATION_SCHEMA = objectSchema<ReturnType<typeof durationToJson>>({
  annotation: answers.uri,
  time_spent_active: answers.number,
  time_spent_overall: answers.number,
  time_spent_edit: answers.number,
  time_spent_blockers: answers.number,
  time_spent_emails: answers.number,
  time_spent_opening: answers.number,
  duration_latest_validate_started: answers.numberOrNull,
  duration_latest_validate_updated_before_confirm: answers.numberOrNull,
});
