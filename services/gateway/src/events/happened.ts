import type { events } from '@intake/contracts';
import { formatTime, taskToJson, urlOrNull } from '@intake/resources';
import { type Caller, seesQueue } from '@intake/rpc';
import type { ApiUrls } from '@intake/urls';
import { may } from '../roles';

/** A change of state that clients are told of. */
export interface Happened {
  /** The same on every replica, and when the same event is heard again. */
  readonly id: string;
  readonly name: 'annotation' | 'suggested_edit' | 'task';
  readonly organizationId: number;
  /** Within the organization; the caller may read annotations. */
  readonly isFor: (caller: Caller) => boolean;
  readonly toJson: (urls: ApiUrls) => object;
}

/** Seen by all who see the queue. */
export function annotationChanged(event: events.AnnotationChanged): Happened {
  const { annotationId, queueId, previousStatus, status } = event;
  return {
    id: `annotation:${annotationId}:${event.version}`,
    name: 'annotation',
    organizationId: event.organizationId,
    isFor: (caller) => seesQueue(caller, queueId),
    toJson: (urls) => ({
      id: annotationId,
      url: urls.annotation(annotationId),
      queue: urls.queue(queueId),
      document: urls.document(event.documentId),
      status,
      previous_status: previousStatus || null,
      modifier: urlOrNull(urls.user, event.modifierId),
      at: formatTime(event.at),
    }),
  };
}

/** Seen by all who see the queue. */
export function suggestedEditChanged(event: events.SuggestedEditChanged): Happened {
  const { suggestedEditId, annotationId, queueId, deleted } = event;
  return {
    id: `suggested_edit:${suggestedEditId}:${event.version}`,
    name: 'suggested_edit',
    organizationId: event.organizationId,
    isFor: (caller) => seesQueue(caller, queueId),
    toJson: (urls) => ({
      id: suggestedEditId,
      url: urls.suggestedEdit(suggestedEditId),
      annotation: urls.annotation(annotationId),
      queue: urls.queue(queueId),
      deleted,
    }),
  };
}

/** Content was written. It is told while it happens, and not again to who comes back: content is read anew then. */
export type ContentChanged = Omit<Happened, 'id' | 'name'>;

/** Seen by who reviews the annotation, in whatever window. */
export function contentChanged(event: events.AnnotationContentChanged, requestId: string | undefined): ContentChanged {
  const { annotationId, reviewerId } = event;
  return {
    organizationId: event.organizationId,
    isFor: (caller) => reviewerId !== undefined && caller.userId === reviewerId,
    toJson: (urls) => ({
      annotation: urls.annotation(annotationId),
      queue: urls.queue(event.queueId),
      modifier: urlOrNull(urls.user, event.actorId),
      request_id: requestId ?? null,
    }),
  };
}

/** Seen by who made the task, and by admins, as the task itself. */
export function taskChanged(task: events.TaskChanged): Happened {
  return {
    id: `task:${task.id}:${task.status}`,
    name: 'task',
    organizationId: task.organizationId,
    isFor: (caller) => caller.userId === task.creatorId || may(caller.roles, 'writeConfiguration'),
    toJson: (urls) => taskToJson(task, urls),
  };
}
