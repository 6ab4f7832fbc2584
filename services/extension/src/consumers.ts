import type { EventHandlers } from '@intake/bus';
import { type Annotations, runExportLeg } from './export-leg/export-leg';

/** What the extension service does about events. */
export function createConsumers(annotations: Annotations): EventHandlers {
  return {
    'annotation.exporting': {
      on: async ({ payload }) => {
        await runExportLeg(annotations, payload);
        return async () => undefined;
      },
    },
  };
}
