import type { EventHandlers } from '@intake/bus';
import { systemCaller } from '@intake/rpc';
import type { Logger } from '@intake/service';
import { JobError } from '@intake/untrusted';
import type { Email, ReadEmail } from './email/email';
import type { EmailStore } from './email/email.store';
import { QueueGone } from './email/read-email';

/** What this service does about events. */
export function createConsumers(
  emails: EmailStore,
  readEmail: (email: Email) => Promise<ReadEmail>,
  releaseFiles: (keys: readonly string[]) => Promise<void>,
  log: Logger,
): EventHandlers {
  return {
    // With the last annotation of a message its body and attachments go. API: annotations.md section 6.
    'annotation.purged': {
      on: async ({ payload: { organizationId, emailId, lastOfEmail } }) => {
        const rawKey = emailId !== undefined && lastOfEmail ? await emails.purge(organizationId, emailId) : null;
        if (rawKey) await releaseFiles([rawKey]);
        return async () => undefined;
      },
    },
    'email.received': {
      on: async ({ payload: { emailId, organizationId } }) => {
        const email = await emails.find(systemCaller('mail-ingest', organizationId), emailId);
        if (email?.state !== 'received') return async () => undefined;
        try {
          const read = await readEmail(email);
          return (session) => emails.finish(session, emailId, { state: 'imported', read });
        } catch (error) {
          const failure = failureOf(error);
          if (!failure) throw error;
          log.warn({ err: error, email: emailId }, 'e-mail cannot be read');
          return (session) => emails.finish(session, emailId, { state: 'failed', failure });
        }
      },
      giveUp: ({ id, payload: { emailId } }, _error, session) =>
        emails.finish(session, emailId, {
          state: 'failed',
          failure: `The message could not be imported (error ${id}).`,
        }),
    },
  };
}

/** Why an e-mail will never be read, in words for its recipient; empty when another try may help. */
function failureOf(error: unknown): string {
  if (error instanceof QueueGone || (error instanceof Error && error.name === 'TooManyParts')) return error.message;
  if (error instanceof JobError) return 'The message could not be read: it takes too much time or memory.';
  return '';
}
