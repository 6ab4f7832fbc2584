import { ANNOTATION_STATUSES, type EventHandler, type EventHandlers } from '@intake/bus';
import { applyChange } from './fact/fact';
import type { FactStore } from './fact/fact.store';

type AnnotationEvent = `annotation.${(typeof ANNOTATION_STATUSES)[number]}`;

/**
 * What reporting does about events: every change of an annotation's state goes into its fact.
 *
 * @param note told of every change, for the metrics; of one that has to be tried again more than once
 */
export function createConsumers(facts: FactStore, note: (status: string, automated: boolean) => void): EventHandlers {
  const handler: EventHandler<AnnotationEvent> = {
    async together(session, arrivals) {
      const changes = arrivals.map(({ event }) => event.payload);
      const ids = changes.map(({ annotationId }) => annotationId);
      for (const { status, automated } of changes) note(status, automated);
      const before = await facts.find(session, ids);
      const after = new Map(before);
      for (const change of changes)
        after.set(change.annotationId, applyChange(after.get(change.annotationId) ?? null, change));
      await facts.save(
        session,
        [...after.values()].filter((fact) => fact !== before.get(fact.annotationId)),
      );
    },
  };
  return Object.fromEntries(ANNOTATION_STATUSES.map((status) => [`annotation.${status}`, handler]));
}
