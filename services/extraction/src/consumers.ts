import type { Backbone, EventHandlers } from '@intake/bus';
import { currentRequestId, currentTraceparent } from '@intake/service';
import type { JobStore } from './job/job.store';

/** What the service does about events: an annotation that is being imported is work. */
export function createConsumers(store: JobStore, { emit }: Backbone): EventHandlers {
  return {
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
