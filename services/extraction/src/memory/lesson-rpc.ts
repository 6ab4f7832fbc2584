import type { extraction } from '@intake/contracts';
import { type Handlers, organizationOf, Refusal, requireAdmin } from '@intake/rpc';
import type { LessonStore } from './lesson.store';
import type { StoredLesson } from './stored-lesson';

type LessonHandlers = Pick<Handlers<typeof extraction.ExtractionServiceService>, 'listLessons' | 'forgetLessons'>;

/** Showing and forgetting what was learned. */
export function createLessonRpc(lessons: LessonStore): LessonHandlers {
  return {
    async listLessons({ annotationIds, sender, ordering, page, pageSize }, caller) {
      requireAdmin(caller);
      const filter = { annotationIds, sender };
      const found = await lessons.list(organizationOf(caller), filter, ordering, { page, pageSize });
      return { lessons: found.lessons.map(toProto), total: found.total };
    },
    async forgetLessons({ annotationId, sender = '' }, caller) {
      requireAdmin(caller);
      const annotationIds = annotationId === undefined ? [] : [annotationId];
      if (annotationIds.length === 0 && sender === '') throw new Refusal('INVALID', { detail: 'Name a sender.' });
      const forgotten = await lessons.forget(organizationOf(caller), { annotationIds, sender });
      if (forgotten === 0) throw new Refusal('NOT_FOUND');
      return { forgotten };
    },
  };
}

function toProto(lesson: StoredLesson): extraction.Lesson {
  const { annotationId, queueId, keys, senderName, fields, lineItems, learnedAt } = lesson;
  return {
    ...{ annotationId, queueId, senders: keys, senderName, learnedAt },
    lineItems: lineItems && {
      head: lineItems.head.map(({ word }) => word).join(' '),
      columns: lineItems.columns.map(({ meaning }) => (meaning === 'other' ? '' : `table_column_${meaning}`)),
    },
    fields: Object.entries(fields).map(([name, { value, corrected, anchor }]) => ({
      ...{ name, value, corrected },
      left: anchor?.left.join(' ') ?? '',
      above: anchor?.above.join(' ') ?? '',
      page: anchor?.page ?? 0,
    })),
  };
}
