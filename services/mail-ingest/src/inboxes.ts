import { queue } from '@intake/contracts';
import { type Caller, type Client, Refusal, systemCaller } from '@intake/rpc';
import { acceptsMimeType } from '@intake/untrusted';
import type { Email, Recipient } from './email/email';
import { createTogether } from './email/together';
import type { Subject } from './outgoing/automatic-mail';
import { type InboxRules, readInboxRules } from './rules/inbox-rules';

type QueueClient = Client<typeof queue.QueueServiceService>;

/** Inboxes, as the queue service has them. */
export function createInboxes(client: QueueClient) {
  const findInbox = async (
    caller: Caller,
    wanted: { readonly ids: number[] } | { readonly queueIds: number[] },
  ): Promise<queue.Inbox | undefined> => {
    const request = queue.ListInboxesRequest.fromPartial({ ...wanted, page: 1, pageSize: 1 });
    return (await client.listInboxes(request, caller)).inboxes[0];
  };
  const findInboxOf = (caller: Caller, queueId: number) => findInbox(caller, { queueIds: [queueId] });
  const findQueueOf = async (caller: Caller, id: number): Promise<queue.Queue | undefined> =>
    (await client.getQueues({ ids: [id] }, caller)).queues[0];

  const resolve = async (email: string): Promise<Recipient | null> => {
    try {
      const { inbox } = await client.resolveInbox({ email }, systemCaller('mail-ingest'));
      if (!inbox) return null;
      const rules = readInboxRules(inbox, { name: '', status: 'active' }, () => false);
      return {
        ...{ inboxId: inbox.id, organizationId: inbox.organizationId, queueId: inbox.queueId },
        mayDrop: rules.dropsForged || rules.allowedSenders.length > 0 || rules.deniedSenders.length > 0,
      };
    } catch (error) {
      if (error instanceof Refusal && error.httpStatus === 404) return null;
      throw error;
    }
  };

  return {
    /** The inbox that a message is for; null: there is none, or its queue takes nothing any more. Senders that ask for the same one at the same time share the answer. */
    findByAddress: createTogether(async (emails: readonly string[]): Promise<(Recipient | null)[]> => {
      const answers = new Map([...new Set(emails)].map((email) => [email, resolve(email)]));
      return Promise.all(emails.map((email) => answers.get(email) ?? null));
    }),

    /**
     * The rules for an e-mail, also while its queue is being deleted, and those of its inbox though that has another queue
     * by now; null when its queue has gone, or both its inbox and any other of the queue.
     */
    async findRules({
      organizationId,
      queueId,
      inboxId,
    }: Pick<Email, 'organizationId' | 'queueId' | 'inboxId'>): Promise<InboxRules | null> {
      const caller = systemCaller('mail-ingest', organizationId);
      const [own, target] = await Promise.all([findInbox(caller, { ids: [inboxId] }), findQueueOf(caller, queueId)]);
      const inbox = own ?? (await findInboxOf(caller, queueId));
      if (!inbox || !target) return null;
      return readInboxRules(inbox, target, (type) => acceptsMimeType(target.acceptedMimeTypes, type));
    },

    /** The template of an e-mail's queue that is to be sent without anybody asking; null: there is none. */
    async findTemplate({ organizationId, queueId }: Email, subject: Subject): Promise<queue.EmailTemplate | null> {
      const request = queue.ListEmailTemplatesRequest.fromPartial({
        ...{ queueIds: [queueId], ordering: ['id'], page: 1, pageSize: 100 },
      });
      const { templates } = await client.listEmailTemplates(request, systemCaller('mail-ingest', organizationId));
      return templates.find((one) => one.automate && (one.type === subject || one.about === subject)) ?? null;
    },

    /** The inbox of a queue that the caller sees; null: there is none. */
    async findOfQueue(
      caller: Caller,
      queueId: number,
    ): Promise<{ id: number; email: string; queueName: string } | null> {
      const target = await findQueueOf(caller, queueId);
      if (!target) return null;
      const inbox = await findInboxOf(systemCaller('mail-ingest', target.organizationId), queueId);
      return inbox ? { id: inbox.id, email: inbox.email, queueName: target.name } : null;
    },
  };
}
