import type { EventHandler, EventHandlers } from '@intake/bus';
import type { ImportUpload } from './upload/import-upload';

/** What this service does about events. */
export function createConsumers(importUpload: ImportUpload): EventHandlers {
  const recordAnnotation: EventHandler<'annotation.importing' | 'annotation.created' | 'annotation.failed_import'> = {
    on:
      ({ payload: { organizationId, annotationId, documentId, uploadId } }) =>
      (session) =>
        importUpload.recordAnnotation(session, organizationId, { annotationId, documentId }, uploadId),
  };
  return {
    'upload.created': {
      on: ({ payload }) => importUpload.start(payload.organizationId, payload.uploadId),
      giveUp: ({ id, payload }, _error, session) =>
        importUpload.giveUp(session, payload.organizationId, payload.uploadId, id),
    },
    'annotation.created': recordAnnotation,
    'annotation.importing': recordAnnotation,
    'annotation.failed_import': recordAnnotation,
  };
}
