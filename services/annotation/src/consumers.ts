import type { EventHandlers } from '@intake/bus';
import type { Opening } from './annotation/opening';
import type { Migrations } from './migration/migrations';
import type { QueueDeletions } from './queue-deletion/queue-deletions';
import type { Schemas } from './schema/schemas';

/** What the service does about events. */
export function createConsumers(
  opening: Opening,
  schemas: Schemas,
  migrations: Migrations,
  deletions: QueueDeletions,
): EventHandlers {
  return {
    'document.stored': { on: ({ payload }) => opening.prepare(payload) },
    'schema.updated': {
      on:
        ({ payload }) =>
        async (session) => {
          schemas.forget(payload.schemaId);
          await migrations.begin(session, payload);
        },
    },
    'queue.deleted': {
      on:
        ({ payload }) =>
        (session) =>
          deletions.begin(session, payload),
    },
  };
}
