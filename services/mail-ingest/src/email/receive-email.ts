import type { Backbone } from '@intake/bus';
import { transaction } from '@intake/mongo';
import { currentContext, type RequestContext, runInContext } from '@intake/service';
import type { Envelope, ImportDetails, RawMessage, Recipient } from './email';
import type { EmailStore } from './email.store';
import { createTogether } from './together';

export interface ReceiveEmailOptions {
  readonly backbone: Backbone;
  readonly emails: EmailStore;
  /** Tells storage that raw messages are needed. */
  readonly keepFiles: (keys: readonly string[]) => Promise<void>;
}

interface Receipt {
  readonly raw: RawMessage;
  readonly inboxes: readonly Recipient[];
  readonly envelope: Envelope;
  /** The request that the message came by. */
  readonly context: RequestContext;
}

/**
 * Makes an e-mail for each distinct inbox that a stored message is for, and announces it. A message that an inbox has got
 * before is ignored. When this returns, the message is safe: it may be acknowledged. Messages that come at the same time share
 * a transaction, and a call to storage.
 */
export function createReceiveEmail({ backbone, emails, keepFiles }: ReceiveEmailOptions) {
  const { database, ids, emit } = backbone;

  /** Answers for each whether it is new to all of its inboxes. */
  const write = createTogether(async (receipts: readonly Receipt[]): Promise<boolean[]> => {
    const wanted = receipts.flatMap(({ raw, inboxes, envelope }) =>
      inboxes.map((inbox) => ({ ...inbox, raw, envelope, imported: null })),
    );
    const contexts = receipts.flatMap(({ inboxes, context }) => inboxes.map(() => context));
    const firstId = await ids.next('email', wanted.length);
    const numbered = wanted.map((one, i) => ({ ...one, id: firstId + i }));
    return transaction(database, async (session) => {
      const claims = numbered.map(({ id, inboxId, raw }) => ({ inboxId, sha256: raw.sha256, emailId: id }));
      const isNew = await emails.claimMessages(session, claims);
      const added = numbered.filter((_, i) => isNew[i]);
      if (added.length > 0) await emails.insert(session, added);
      for (const [i, { id, organizationId, queueId }] of numbered.entries()) {
        if (!isNew[i]) continue;
        const payload = { emailId: id, organizationId, queueId };
        runInContext(contexts[i] as RequestContext, () =>
          emit(session, { subject: 'email.received', aggregate: `email:${id}`, version: 1, payload }),
        );
      }
      const answers = isNew.values();
      return receipts.map(({ inboxes }) => [...inboxes].map(() => answers.next().value).every(Boolean));
    });
  });

  const keep = createTogether(async (wanted: readonly (readonly string[])[]): Promise<undefined[]> => {
    const keys = [...new Set(wanted.flat())];
    await keepFiles(keys);
    // Nobody waits for this note: without it the same message, sent again, has its file kept again, which changes nothing.
    void emails.markKept(keys).catch(() => undefined);
    return wanted.map(() => undefined);
  });

  return async (raw: RawMessage, recipients: readonly Recipient[], envelope: Envelope): Promise<void> => {
    const inboxes = [...new Map(recipients.map((recipient) => [recipient.inboxId, recipient])).values()];
    const isNew = await write({ raw, inboxes, envelope, context: currentContext() });
    // An earlier delivery of the same message may have broken off at this point.
    const inboxIds = inboxes.map(({ inboxId }) => inboxId);
    const unkept = isNew ? [raw.key] : await emails.findUnkept(inboxIds, raw.sha256);
    if (unkept.length > 0) await keep(unkept);
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
      await emails.insert(session, [{ id: emailId, ...inbox, mayDrop: false, raw, envelope: null, imported }]);
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
