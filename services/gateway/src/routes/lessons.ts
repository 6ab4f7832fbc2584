import { extraction } from '@intake/contracts';
import { LESSON } from '@intake/resources';
import { z } from 'zod';
import { ids, text } from '../request/filters';
import { resourceRoutes } from '../resource/resource';
import { route } from '../route';
import type { RouteContext } from './index';
import { onlyOne } from './lookups';

/** What was learned from confirmed annotations, sender by sender, and forgetting it. */
export function lessonRoutes({ services }: RouteContext) {
  const memory = services.extraction;
  return [
    route('POST', '/lessons/forget', {
      allow: 'writeConfiguration',
      doc: { summary: 'Forget a sender: all lessons under one of its names', status: 204 },
      body: z.object({ sender: z.string().min(1).max(250) }),
      call: ({ body }, caller) => memory.forgetLessons(body, caller),
      reply: 204,
    }),
    ...resourceRoutes('/lessons', {
      kind: LESSON,
      read: 'writeConfiguration',
      write: 'writeConfiguration',
      filters: { id: ids, annotation: ids, sender: text },
      orderings: ['id', 'learned_at'],
      list: async ({ filters, ...wanted }, caller) => {
        const annotationIds = filters.annotation?.length ? filters.annotation : filters.id;
        const request = { annotationIds, sender: filters.sender, ...wanted };
        const { lessons: rows, total } = await memory.listLessons(
          extraction.ListLessonsRequest.fromPartial(request),
          caller,
        );
        return { rows, total };
      },
      get: async (id, caller) => {
        const request = { annotationIds: [id], page: 1, pageSize: 1 };
        return onlyOne((await memory.listLessons(extraction.ListLessonsRequest.fromPartial(request), caller)).lessons);
      },
      remove: (id, caller) => memory.forgetLessons({ annotationId: id }, caller),
    }),
  ];
}
