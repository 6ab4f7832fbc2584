import { queue } from '@intake/contracts';
import { type Caller, type Client, createShare, organizationOf, Refusal, systemCaller } from '@intake/rpc';

/** A hook as the queue service keeps it, with its secrets. */
export type Hook = queue.Hook;

/** Configuration of a webhook; every key is there. API: hooks-and-connectors.md section 1.1. */
export interface WebhookConfig {
  readonly url: string;
  readonly secret?: string | null;
  readonly insecure_ssl: boolean;
  readonly client_ssl_certificate?: string | null;
  readonly client_ssl_key?: string | null;
  readonly timeout_s: number;
  readonly retry_count: number;
  readonly retry_on_any_non_2xx: boolean;
  readonly max_polling_time_s: number;
  readonly retry_after_polling_failure: boolean;
  readonly payload_logging_enabled: boolean;
  readonly schedule?: unknown;
}

export function configOf(hook: Hook): WebhookConfig {
  return hook.config as unknown as WebhookConfig;
}

/** Most hooks of a queue that listen to one event. */
const MANY = 100;

/** Finds hooks. */
export type Hooks = ReturnType<typeof createHooks>;

export function createHooks(queues: Pick<Client<typeof queue.QueueServiceService>, 'listHooks' | 'updateHook'>) {
  const shareListening = createShare<Hook[]>();
  const list = async (organizationId: number, filter: Partial<queue.ListHooksRequest>): Promise<Hook[]> => {
    const request = queue.ListHooksRequest.fromPartial({ ordering: ['id'], page: 1, pageSize: MANY, ...filter });
    return (await queues.listHooks(request, systemCaller('extension', organizationId))).hooks;
  };
  return {
    /** The active hooks of a queue that listen to `event.action`, by id. */
    listening: (organizationId: number, queueId: number, event: string): Promise<Hook[]> =>
      shareListening(`${organizationId}/${queueId}/${event}`, () =>
        list(organizationId, { queueIds: [queueId], active: true, events: [event] }),
      ),
    /** A hook of the organization, whatever its state; undefined when it is gone. */
    find: async (organizationId: number, id: number): Promise<Hook | undefined> =>
      (await list(organizationId, { ids: [id] }))[0],
    /** A hook that the caller may see, with its secrets. Throws NOT_FOUND. */
    async findVisible(caller: Caller, id: number): Promise<Hook> {
      const request = queue.ListHooksRequest.fromPartial({ ids: [id], page: 1, pageSize: 1 });
      const isVisible = (await queues.listHooks(request, caller)).total > 0;
      const hook = isVisible ? (await list(organizationOf(caller), { ids: [id] }))[0] : undefined;
      if (!hook) throw new Refusal('NOT_FOUND');
      return hook;
    },
    /** Nobody calls it any more until an admin switches it on. */
    async disable({ id, organizationId }: Hook): Promise<void> {
      const hook = queue.Hook.fromPartial({ id, active: false });
      await queues.updateHook({ hook, fields: ['active'] }, systemCaller('extension', organizationId));
    },
  };
}
