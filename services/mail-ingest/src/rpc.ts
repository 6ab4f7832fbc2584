import type { mailIngest } from '@intake/contracts';
import type { Handlers } from '@intake/rpc';
import type { Email } from './email/email';
import type { EmailStore } from './email/email.store';

/** Requests to domain calls to responses. */
export function createRpc(emails: EmailStore): Handlers<typeof mailIngest.MailIngestServiceService> {
  return {
    async listEmails({ ordering, page, pageSize, ...filter }, caller) {
      const found = await emails.list(caller, filter, ordering, { page, pageSize });
      return { emails: found.emails.map(toMessage), total: found.total };
    },
  };
}

function toMessage({ from, to, cc, documentIds, uploadId, leftOut, ...email }: Email): mailIngest.Email {
  return {
    ...email,
    type: 'incoming',
    from: from ?? undefined,
    to: [...to],
    cc: [...cc],
    documentIds: [...documentIds],
    uploadId: uploadId ?? undefined,
    leftOut: [...leftOut],
  };
}
