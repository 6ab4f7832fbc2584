import type { Backbone, EventHandler, EventHandlers } from '@intake/bus';
import { systemCaller } from '@intake/rpc';
import type { Logger } from '@intake/service';
import { JobError } from '@intake/untrusted';
import type { createConcludeEmail } from './email/conclude-email';
import type { Email, Reading } from './email/email';
import type { EmailStore } from './email/email.store';
import { joinThread } from './thread/join-thread';
import type { ThreadStore } from './thread/thread.store';

export interface ConsumerOptions {
  readonly emails: EmailStore;
  readonly threads: ThreadStore;
  readonly emit: Backbone['emit'];
  /** Returns when a message may be read: receiving comes first. */
  readonly turnToGoOn: () => Promise<void>;
  /** Null: hooks are asked, and `email.answered` follows. */
  readonly readEmail: (email: Email) => Promise<Reading | null>;
  readonly releaseFiles: (keys: readonly string[]) => Promise<void>;
  readonly conclusion: ReturnType<typeof createConcludeEmail>;
  readonly onDropped: (email: Email, reason: string) => void;
  readonly log: Logger;
}

/** What this service does about events. */
export function createConsumers(options: ConsumerOptions): EventHandlers {
  const { emails, threads, emit, turnToGoOn, readEmail, releaseFiles, conclusion, onDropped, log } = options;

  const finish = async (email: Email, reading: Reading) => {
    const { id, organizationId, queueId } = email;
    const parent = 'read' in reading ? await emails.findByMessageId(null, queueId, reading.read.references) : null;
    return async (session: Parameters<EmailStore['finish']>[0]) => {
      if (!(await emails.finish(session, id, reading))) return;
      const about = {
        aggregate: `email:${id}`,
        version: 1,
        payload: { emailId: id, organizationId, queueId },
      };
      if (reading.state === 'dropped') {
        emit(session, { subject: 'email.dropped', ...about });
        return onDropped(email, reading.failure);
      }
      const read = 'read' in reading ? reading.read : {};
      await joinThread({ emails, threads }, session, { ...email, ...read }, parent?.id === id ? null : parent);
      emit(session, { subject: 'email.imported', ...about });
    };
  };

  /** Removes what was stored of a message, unless another inbox needs it. */
  const removeRaw = async (organizationId: number, emailId: number) => {
    const rawKey = await emails.purge(organizationId, emailId);
    if (rawKey) await releaseFiles([rawKey]);
  };

  const reading: EventHandler<'email.received' | 'email.answered'> = {
    on: async ({ payload: { emailId, organizationId } }) => {
      await turnToGoOn();
      const email = await emails.find(systemCaller('mail-ingest', organizationId), emailId);
      if (email?.state !== 'received') return async () => undefined;
      try {
        const read = await readEmail(email);
        return read ? await finish(email, read) : async () => undefined;
      } catch (error) {
        const failure = failureOf(error);
        if (!failure) throw error;
        log.warn({ err: error, email: emailId }, 'e-mail cannot be read');
        return finish(email, { state: 'failed', failure });
      }
    },
    giveUp: async ({ id, payload: { emailId, organizationId } }, _error, session) => {
      const email = await emails.find(systemCaller('mail-ingest', organizationId), emailId);
      if (email?.state !== 'received') return;
      const failure = `The message could not be imported (error ${id}).`;
      await (await finish(email, { state: 'failed', failure }))(session);
    },
  };

  return {
    'email.dropped': {
      on: async ({ payload: { organizationId, emailId } }) => {
        await removeRaw(organizationId, emailId);
        return async () => undefined;
      },
    },
    // With the last annotation of a message its body and attachments go. API: annotations.md section 6.
    'annotation.purged': {
      on: async ({ payload: { organizationId, emailId, lastOfEmail } }) => {
        if (emailId !== undefined && lastOfEmail) await removeRaw(organizationId, emailId);
        return async () => undefined;
      },
    },
    'email.received': reading,
    'email.answered': reading,
    'email.imported': {
      on: ({ payload: { emailId, organizationId } }) => conclusion.conclude(organizationId, emailId),
    },
    'upload.finished': {
      on: ({ payload: { uploadId, organizationId } }) => conclusion.concludeUpload(organizationId, uploadId),
    },
    'annotation.failed_import': {
      on: ({ payload }) => conclusion.tellOfDocument(payload, 'unprocessable_attachments'),
    },
    'annotation.postponed': {
      on: async ({ payload }) => {
        const tell = await conclusion.tellOfDocument(payload, 'postponed_annotations');
        const unlabel = conclusion.unlabelRejected(payload);
        return async (session) => {
          await tell(session);
          await unlabel(session);
        };
      },
    },
    'annotation.to_review': { on: ({ payload }) => conclusion.unlabelRejected(payload) },
    'annotation.importing': { on: ({ payload }) => conclusion.unlabelRejected(payload) },
    'annotation.confirmed': { on: ({ payload }) => conclusion.tellOfStatus(payload, 'confirmed') },
    'annotation.exported': { on: ({ payload }) => conclusion.tellOfStatus(payload, 'exported') },
    'annotation.rejected': { on: ({ payload }) => conclusion.labelRejected(payload) },
    'annotation.deleted': { on: ({ payload }) => conclusion.tellOfDocument(payload, 'deleted_annotations') },
  };
}

/** Why an e-mail will never be read, in words for its recipient; empty when another try may help. */
function failureOf(error: unknown): string {
  if (error instanceof JobError) return 'The message could not be read: it takes too much time or memory.';
  return '';
}
