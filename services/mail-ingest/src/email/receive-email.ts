import type { Backbone } from '@intake/bus';
import { transaction } from '@intake/mongo';
import type { Envelope, ImportDetails, RawMessage, Recipient } from './email';
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

  return async (raw: RawMessage, recipients: readonly Recipient[], envelope: Envelope): Promise<void> => {
    const inboxes = [...new Map(recipients.map((recipient) => [recipient.inboxId, recipient])).values()];
    const firstId = await ids.next('email', inboxes.length);
    const isNew = await transaction(database, async (session) => {
      let count = 0;
      for (const [i, inbox] of inboxes.entries()) {
        const { inboxId, organizationId, queueId } = inbox;
        const id = firstId + i;
        if (!(await emails.claimMessage(session, inboxId, raw.sha256, id))) continue;
        count += 1;
        await emails.insert(session, { id, ...inbox }, raw, { envelope, imported: null });
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

export interface ImportEmailOptions extends ReceiveEmailOptions {
  /** Makes the task that the caller watches. */
  readonly createTask: (organizationId: number, emailId: number, creatorId: number | null) => Promise<number>;
}

/**
 * Takes a stored message that somebody hands over, every time, without the rules about senders. API: email-import.md section 3.
 */
export function createImportEmail({ backbone, emails, keepFiles, createTask }: ImportEmailOptions) {
  const { database, ids, emit } = backbone;

  return async (
    raw: RawMessage,
    inbox: Recipient,
    { creatorId, metadata, values }: Omit<ImportDetails, 'taskId'>,
  ): Promise<{ emailId: number; taskId: number }> => {
    const { organizationId, queueId } = inbox;
    const emailId = await ids.next('email');
    const taskId = await createTask(organizationId, emailId, creatorId);
    await transaction(database, async (session) => {
      const imported = { creatorId, taskId, metadata, values };
      await emails.insert(session, { id: emailId, ...inbox, mayDrop: false }, raw, { envelope: null, imported });
      await emit(session, {
        subject: 'email.received',
        aggregate: `email:${emailId}`,
        version: 1,
        payload: { emailId, organizationId, queueId },
      });
    });
    await keepFiles([raw.key]);
    await emails.markKept([raw.key]);
    return { emailId, taskId };
  };
}
