import type { EventHandlers } from '@intake/bus';
import type { QueueDeletion } from './queue/queue-deletion';

/** What the service does about events. */
export function createConsumers(deletion: QueueDeletion): EventHandlers {
  return {
    'queue.emptied': {
      on:
        ({ payload }) =>
        (session) =>
          deletion.finish(payload.organizationId, payload.queueId, session),
    },
  };
}
