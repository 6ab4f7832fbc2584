import type { extension } from '@intake/contracts';
import { type Caller, invalidField, organizationOf, Refusal, requireAdmin } from '@intake/rpc';
import type { Hooks } from '../hook/hook';
import type { HookWorkFilter, Work, WorkState, WorkStore } from '../work/work.store';
import { ACTION, EVENT } from './notifications';

/** What the outside calls the states of a notification. */
const STATUSES: Readonly<Record<WorkState, string>> = {
  waiting: 'waiting',
  done: 'delivered',
  parked: 'failed',
  cancelled: 'cancelled',
};

/** What happened to notifications, and telling them again. API: hooks-and-connectors.md section 5. */
export type Deliveries = ReturnType<typeof createDeliveries>;

export function createDeliveries({ hooks, work }: { readonly hooks: Hooks; readonly work: WorkStore }) {
  const notificationsOf = (caller: Caller, hookId: number): HookWorkFilter => ({
    ...{ organizationId: organizationOf(caller), hookId, kind: 'notification', states: [], annotationIds: [] },
  });

  return {
    /** Newest first. */
    async list(caller: Caller, request: extension.ListDeliveriesRequest): Promise<extension.ListDeliveriesResponse> {
      requireAdmin(caller);
      const { id } = await hooks.findVisible(caller, request.hookId);
      const { statuses, requestId, annotationIds, createdAfter, createdBefore, ...page } = request;
      const states = (Object.keys(STATUSES) as WorkState[]).filter((state) => statuses.includes(STATUSES[state]));
      const filter = {
        ...notificationsOf(caller, id),
        id: requestId,
        states,
        annotationIds,
        createdAfter,
        createdBefore,
      };
      const { works, total } = await work.listOfHook(filter, page);
      return { deliveries: works.map(toDelivery), total };
    },

    /** What waits for a later attempt is told at once; of one annotation what is told again goes before what still waits. */
    async replay(
      caller: Caller,
      { hookId, requestId, failedSince }: extension.ReplayDeliveriesRequest,
    ): Promise<extension.ReplayDeliveriesResponse> {
      requireAdmin(caller);
      const hook = await hooks.findVisible(caller, hookId);
      if (!hook.active) throw new Refusal('INVALID', { detail: 'The hook is not active: switch it on first.' });
      const filter = notificationsOf(caller, hook.id);
      if (requestId === undefined) {
        if (!failedSince) throw new Refusal('INVALID', { detail: 'Say what is to be delivered again.' });
        const notDelivered: WorkState[] = ['parked', 'cancelled', 'waiting'];
        return { replayed: await work.restart({ ...filter, states: notDelivered, createdAfter: failedSince }) };
      }
      const one = { ...filter, id: requestId };
      if ((await work.listOfHook(one, { page: 1, pageSize: 1 })).total === 0) {
        throw invalidField('request_id', 'There is no delivery of this hook with this id.');
      }
      return { replayed: await work.restart(one) };
    },
  };
}

function toDelivery(one: Work): extension.Delivery {
  const { id, hookId, queueId, annotationId, createdAt, state, attempts, nextAt, finishedAt } = one;
  return {
    requestId: id,
    hookId: hookId ?? 0,
    event: EVENT,
    action: ACTION,
    queueId: queueId ?? undefined,
    annotationId: annotationId ?? undefined,
    createdAt,
    status: STATUSES[state],
    attempts,
    nextAttemptAt: state === 'waiting' ? nextAt : undefined,
    finishedAt: finishedAt ?? undefined,
  };
}
