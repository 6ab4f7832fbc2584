import { ANNOTATION_STATUSES, type EventHandler, type EventHandlers } from '@intake/bus';
import type { Legs } from './leg/legs';
import type { Notifications } from './notification/notifications';

/** What the extension service does about events. */
export function createConsumers(notifications: Notifications, legs: Legs): EventHandlers {
  const changes: EventHandlers = Object.fromEntries(
    ANNOTATION_STATUSES.map((status) => {
      const handler: EventHandler<`annotation.${typeof status}`> = {
        on: ({ payload }) => notifications.prepare(payload),
      };
      return [`annotation.${status}`, handler];
    }),
  );
  return {
    ...changes,
    'annotation.exporting': {
      on: async ({ payload }) => {
        const [tell, begin] = [await notifications.prepare(payload), legs.beginExport(payload)];
        return async (session) => {
          await tell(session);
          await begin(session);
        };
      },
    },
    'annotation.extracted': { on: ({ payload }) => legs.beginInitialization(payload) },
  };
}
