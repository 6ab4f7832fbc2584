import type { EventHandlers } from '@intake/bus';
import type { UserStore } from './user/user.store';

/** What the service does about events. */
export function createConsumers(users: UserStore): EventHandlers {
  return {
    'queue.deleted': {
      on:
        ({ payload }) =>
        (session) =>
          users.forgetQueue(payload.organizationId, payload.queueId, session),
    },
  };
}
