import type { EventHandler, EventHandlers } from '@intake/bus';
import type { createPurge } from './document/purge';
import type { ImportUpload } from './upload/import-upload';

/** What this service does about events. */
export function createConsumers(importUpload: ImportUpload, purge: ReturnType<typeof createPurge>): EventHandlers {
  const recordAnnotation: EventHandler<'annotation.importing' | 'annotation.created' | 'annotation.failed_import'> = {
    together: (session, arrivals) =>
      importUpload.recordAnnotations(
        session,
        arrivals.map(({ event, within }) => ({ ...event.payload, within })),
      ),
  };
  const goOn: EventHandler<'upload.created' | 'upload.answered'> = {
    on: ({ id, payload }) => importUpload.start(payload.organizationId, payload.uploadId, id),
    giveUp: ({ id, payload }, _error, session) =>
      importUpload.giveUp(session, payload.organizationId, payload.uploadId, id),
  };
  return {
    'upload.created': goOn,
    'upload.answered': goOn,
    'annotation.created': recordAnnotation,
    'annotation.importing': recordAnnotation,
    'annotation.failed_import': recordAnnotation,
    'annotation.purged': { on: ({ payload }) => purge(payload) },
  };
}
