import { randomUUID } from 'node:crypto';
import type { annotation, extension } from '@intake/contracts';
import { type Caller, type Client, organizationOf, Refusal } from '@intake/rpc';
import type { Connectors } from '../connector/connectors';
import type { ContentEvents, HookResult } from './content-events';

export interface WaitedForOptions {
  readonly annotations: Pick<Client<typeof annotation.AnnotationServiceService>, 'getAnnotations'>;
  readonly connectors: Connectors;
  readonly contentEvents: ContentEvents;
}

/** Questions to extensions whose answer a reviewer waits for. */
export type WaitedFor = ReturnType<typeof createWaitedFor>;

export function createWaitedFor({ annotations, connectors, contentEvents }: WaitedForOptions) {
  return {
    /** Asks the connector, then the hooks of each event. */
    async runContentEvents(
      caller: Caller,
      { annotationId, actions, updatedDatapointIds, withConnector }: extension.RunContentEventsRequest,
    ): Promise<extension.RunContentEventsResponse> {
      const organizationId = organizationOf(caller);
      const [row] = (await annotations.getAnnotations({ ids: [annotationId] }, caller)).annotations;
      if (!row) throw new Refusal('NOT_FOUND');
      const cause = randomUUID();
      const results: HookResult[] = [];
      const updated = new Set(updatedDatapointIds);
      const add = (result: HookResult) => {
        results.push(result);
        for (const id of result.changedIds) updated.add(id);
      };
      if (withConnector) {
        add(await connectors.validate({ organizationId, annotationId, updatedIds: updatedDatapointIds }));
      }
      for (const action of actions) {
        // Of a confirmation, and of the beginning, nothing has changed.
        const updatedIds = action === 'updated' || action === 'user_update' ? [...updated] : [];
        const event = { organizationId, annotationId, action, isInteractive: true, cause, updatedIds };
        add(await contentEvents.run({ ...event, previousStatus: row.statusBeforeReview ?? null }, row.queueId));
      }
      return {
        messages: results.flatMap(({ messages }) => [...messages]),
        changedIds: [...new Set(results.flatMap(({ changedIds }) => changedIds))],
      };
    },

    /** Hands the annotation to its connector. */
    async saveToConnector(caller: Caller, annotationId: number): Promise<extension.SaveToConnectorResponse> {
      const organizationId = organizationOf(caller);
      const { failed, messages } = await connectors.save({ organizationId, annotationId, updatedIds: [] });
      return { failed, messages: [...messages] };
    },
  };
}
