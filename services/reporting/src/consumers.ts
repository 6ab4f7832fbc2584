import { ANNOTATION_STATUSES, type EventHandler, type EventHandlers } from '@intake/bus';
import { applyChange } from './fact/fact';
import type { FactStore } from './fact/fact.store';

type AnnotationEvent = `annotation.${(typeof ANNOTATION_STATUSES)[number]}`;

/** What reporting does about events: every change of an annotation's state goes into its fact. */
export function createConsumers(facts: FactStore): EventHandlers {
  const handler: EventHandler<AnnotationEvent> = {
    on:
      ({ payload }) =>
      async (session) => {
        const before = await facts.find(session, payload.annotationId);
        const after = applyChange(before, payload);
        if (after !== before) await facts.save(session, after);
      },
  };
  return Object.fromEntries(ANNOTATION_STATUSES.map((status) => [`annotation.${status}`, handler]));
}
