import type { EventHandlers } from '@intake/bus';
import type { Annotations } from './annotation/annotations';
import type { Schemas } from './schema/schemas';

/** What the service does about events. */
export function createConsumers(annotations: Annotations, schemas: Schemas): EventHandlers {
  return {
    'document.stored': { on: ({ payload }) => annotations.prepareOpening(payload) },
    'schema.updated': {
      on:
        ({ payload }) =>
        async () =>
          schemas.forget(payload.schemaId),
    },
  };
}
