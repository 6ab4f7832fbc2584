import type { EventHandlers } from '@intake/bus';
import type { AnnotationStore } from './annotation/annotation.store';
import type { Opening } from './annotation/opening';
import type { Migrations } from './migration/migrations';
import type { QueueDeletions } from './queue-deletion/queue-deletions';
import type { Schemas } from './schema/schemas';

/** What the service does about events. */
export function createConsumers({
  opening,
  schemas,
  migrations,
  deletions,
  store,
}: {
  readonly opening: Opening;
  readonly schemas: Schemas;
  readonly migrations: Migrations;
  readonly deletions: QueueDeletions;
  readonly store: AnnotationStore;
}): EventHandlers {
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
    'label.deleted': {
      on:
        ({ payload }) =>
        (session) =>
          store.forgetLabel(session, payload.organizationId, payload.labelId),
    },
  };
}
