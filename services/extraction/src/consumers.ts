import type { Backbone, EventHandlers } from '@intake/bus';
import type { events } from '@intake/contracts';
import { currentRequestId, currentTraceparent } from '@intake/service';
import type { JobStore } from './job/job.store';
import { type MemoryTools, prepareLesson } from './memory/memory';

/** What the service does about events: an annotation that is being imported is work, one that is confirmed teaches. */
export function createConsumers(store: JobStore, memory: MemoryTools, { emit }: Backbone): EventHandlers {
  const learn = { on: ({ payload }: { readonly payload: events.AnnotationChanged }) => prepareLesson(memory, payload) };
  return {
    'annotation.confirmed': learn,
    'annotation.exporting': learn,
    'annotation.exported': learn,
    'annotation.purged': {
      on:
        ({ payload: { organizationId, annotationId } }) =>
        async (session) => {
          await memory.lessons.forget(organizationId, { sender: '', annotationIds: [annotationId] }, session);
        },
    },
    'annotation.importing': {
      async together(session, arrivals) {
        const jobs = arrivals.map(({ event: { payload, version }, within }) =>
          within(() => {
            const {
              annotationId,
              organizationId,
              queueId,
              documentId,
              mimeType,
              locale,
              rotationDeg,
              rirPollId = '',
            } = payload;
            emit(session, {
              subject: 'jobs.extraction',
              aggregate: `annotation:${annotationId}`,
              version,
              payload: { annotationId, rirPollId },
            });
            return {
              ...{ id: `${annotationId}/${rirPollId}`, annotationId, rirPollId },
              ...{ organizationId, queueId, documentId, mimeType, locale, rotationDeg },
              requestId: currentRequestId(),
              traceparent: currentTraceparent(),
            };
          }),
        );
        await store.add(session, jobs);
      },
    },
  };
}
