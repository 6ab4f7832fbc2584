import type { Backbone } from '@intake/bus';
import { transaction } from '@intake/mongo';
import type { RawMessage, Recipient } from './email';
import type { EmailStore } from './email.store';

export interface ReceiveEmailOptions {
  readonly backbone: Backbone;
  readonly emails: EmailStore;
  /** Tells storage that raw messages are needed. */
  readonly keepFiles: (keys: readonly string[]) => Promise<void>;
}

/**
 * Makes an e-mail for each distinct inbox that a stored message is for, and announces it. A message that an inbox has got
 * before is ignored. When this returns, the message is safe: it may be acknowledged.
 */
export function createReceiveEmail({ backbone, emails, keepFiles }: ReceiveEmailOptions) {
  const { database, ids, emit } = backbone;

  return async (raw: RawMessage, recipients: readonly Recipient[]): Promise<void> => {
    const inboxes = [...new Map(recipients.map((recipient) => [recipient.inboxId, recipient])).values()];
    const firstId = await ids.next('email', inboxes.length);
    const isNew = await transaction(database, async (session) => {
      let count = 0;
      for (const [i, inbox] of inboxes.entries()) {
        const { inboxId, organizationId, queueId } = inbox;
        const id = firstId + i;
        if (!(await emails.claimMessage(session, inboxId, raw.sha256, id))) continue;
        count += 1;
        await emails.insert(session, { id, inboxId, organizationId, queueId }, raw);
        await emit(session, {
          subject: 'email.received',
          aggregate: `email:${id}`,
          version: 1,
          payload: { emailId: id, organizationId, queueId },
        });
      }
      return count === inboxes.length;
    });
    // An earlier delivery of the same message may have broken off at this point.
    const inboxIds = inboxes.map((inbox) => inbox.inboxId);
    const unkept = isNew ? [raw.key] : await emails.findUnkept(inboxIds, raw.sha256);
    if (unkept.length === 0) return;
    await keepFiles(unkept);
    await emails.markKept(unkept);
  };
}
