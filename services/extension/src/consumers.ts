import { ANNOTATION_STATUSES, type EventHandler, type EventHandlers } from '@intake/bus';
import { type Annotations, runExportLeg } from './export-leg/export-leg';
import type { Notifications } from './notification/notifications';

/** What the extension service does about events. */
export function createConsumers(annotations: Annotations, notifications: Notifications): EventHandlers {
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
        const effect = await notifications.prepare(payload);
        await runExportLeg(annotations, payload);
        return effect;
      },
    },
  };
}
