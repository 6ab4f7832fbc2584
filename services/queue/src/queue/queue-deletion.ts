import type { Backbone } from '@intake/bus';
import { type ClientSession, startSweep, transaction } from '@intake/mongo';
import { type Caller, requireAdmin, systemCaller } from '@intake/rpc';
import type { Runtime } from '@intake/service';
import { found, modifiedBy } from '../change';
import type { EmailTemplateStore } from '../email-template/email-template.store';
import type { InboxStore } from '../inbox/inbox.store';
import type { Queue } from './queue';
import type { QueueStore } from './queue.store';

/** How often queues whose time has come are looked for, in milliseconds. */
const SWEEP_MS = 10_000;
const AT_ONCE = 100;
/** Later dates cannot be written. */
const MAX_DELAY_S = 100_000 * 86_400;

/** Deletion of queues: asked for, waited for, begun, finished (API: workspaces-queues.md section 4). */
export type QueueDeletion = ReturnType<typeof createQueueDeletion>;

export function createQueueDeletion(
  runtime: Pick<Runtime, 'log'>,
  {
    queues,
    inboxes,
    templates,
    backbone,
  }: {
    readonly queues: QueueStore;
    readonly inboxes: InboxStore;
    readonly templates: EmailTemplateStore;
    readonly backbone: Pick<Backbone, 'database' | 'emit'>;
  },
) {
  /** The others are told, and delete what they have of the queue. */
  const begin = ({ id, organizationId }: Queue) =>
    transaction(backbone.database, async (session) => {
      const caller = systemCaller('queue', organizationId);
      const queue = await queues.find(caller, id, session);
      if (queue?.status !== 'deletion_requested') return;
      await queues.update(caller, id, { status: 'deletion_in_progress' }, session);
      backbone.emit(session, {
        subject: 'queue.deleted',
        aggregate: `queue:${id}`,
        version: 1,
        payload: { queueId: id, organizationId },
      });
      runtime.log.info({ queueId: id }, 'a queue is being deleted');
    });

  const beginDue = async () => {
    for (const queue of await queues.findDue(new Date(), AT_ONCE)) await begin(queue);
  };

  return {
    /** Asks for the deletion; asking again may only bring it forward. Caller: admin. */
    async request(caller: Caller, id: number, delayS: number): Promise<void> {
      requireAdmin(caller);
      const deleteAfter = new Date(Date.now() + Math.min(Math.max(delayS, 0), MAX_DELAY_S) * 1000);
      const requested = await transaction(backbone.database, async (session) => {
        const queue = found(await queues.find(caller, id, session));
        const isSooner = queue.status === 'deletion_requested' && queue.deleteAfter && deleteAfter < queue.deleteAfter;
        if (queue.status !== 'active' && !isSooner) return null;
        const change = { status: 'deletion_requested' as const, deleteAfter, workspaceId: null, ...modifiedBy(caller) };
        return queues.update(caller, id, change, session);
      });
      if (requested && delayS <= 0) await begin(requested);
    },

    beginDue,

    /** Nothing of the queue is left elsewhere: it goes, with its inbox and e-mail templates. The effect of `queue.emptied`. */
    async finish(organizationId: number, id: number, session: ClientSession): Promise<void> {
      const caller = systemCaller('queue', organizationId);
      const queue = await queues.find(caller, id, session);
      if (queue?.status !== 'deletion_in_progress') return;
      if (queue.inboxId !== null) await inboxes.remove(caller, queue.inboxId, session);
      await templates.removeAll(caller, { queueId: id }, session);
      await queues.remove(caller, id, session);
    },
  };
}

/** Begins the deletion of queues whose time has come. */
export function startQueueDeletion(
  runtime: Runtime,
  backbone: Pick<Backbone, 'leases'>,
  deletion: QueueDeletion,
): void {
  startSweep(runtime, backbone.leases, 'queue-deletion', SWEEP_MS, deletion.beginDue);
}
