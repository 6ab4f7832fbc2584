import type { Backbone, EventHandlers } from '@intake/bus';
import { currentRequestId, currentTraceparent } from '@intake/service';
import type { JobStore } from './job/job.store';

/** What the service does about events: an annotation that is being imported is work. */
export function createConsumers(store: JobStore, { emit }: Backbone): EventHandlers {
  return {
    'annotation.importing': {
      on:
        ({ payload, version }) =>
        async (session) => {
          const { annotationId, organizationId, queueId, documentId, mimeType, locale, rirPollId = '' } = payload;
          const id = `${annotationId}/${rirPollId}`;
          await store.add(session, {
            id,
            annotationId,
            rirPollId,
            organizationId,
            queueId,
            documentId,
            mimeType,
            locale,
            requestId: currentRequestId(),
            traceparent: currentTraceparent(),
          });
          await emit(session, {
            subject: 'jobs.extraction',
            aggregate: `annotation:${annotationId}`,
            version,
            payload: { annotationId, rirPollId },
          });
        },
    },
  };
}
