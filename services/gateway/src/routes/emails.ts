import { mailIngest } from '@intake/contracts';
import { emailToJson } from '@intake/resources';
import type { Caller } from '@intake/rpc';
import { ids, listRoute } from '../list-route';
import { replyOne } from '../reply/list';
import { route } from '../route';
import type { RouteContext } from './index';
import { onlyOne } from './lookups';

const ORDERINGS = [
  'id',
  'created_at',
  'subject',
  'queue',
  'inbox',
  'from__email',
  'from__name',
  'last_thread_email_created_at',
];

const UNAVAILABLE = [
  'subject',
  'created_at_before',
  'created_at_after',
  'documents',
  'from__email',
  'from__name',
  'to',
  'type',
  'email_thread',
  'has_documents',
];

/** E-mails. API: email-import.md section 2. */
export function emailRoutes(context: RouteContext) {
  const { mail } = context.services;
  return [
    listRoute('/emails', {
      allow: 'readEmails',
      filters: { id: ids, queue: ids, inbox: ids },
      unavailable: UNAVAILABLE,
      orderings: ORDERINGS,
      fetch: async ({ filters, ...wanted }, caller) => {
        const filter = { ids: filters.id, queueIds: filters.queue, inboxIds: filters.inbox };
        const { emails, total } = await mail.listEmails({ ...filter, ...wanted }, caller);
        return { rows: await withAnnotations(context, emails, caller), total };
      },
      toJson: ({ email, annotations }, urls) => emailToJson(email, { annotations }, urls),
    }),
    route('GET', '/emails/:id', {
      allow: 'readEmails',
      call: async ({ parameters }, caller) => onlyOne(await readEmails(context, [parameters.id], caller)),
      reply: ({ email, annotations }, request) => replyOne(request, emailToJson(email, { annotations }, request.urls)),
    }),
  ];
}

type Context = Pick<RouteContext, 'services' | 'lookups'>;

/** E-mails by id with the annotations that came from them; unknown and invisible ones are left out. */
export async function readEmails(context: Context, emailIds: readonly number[], caller: Caller) {
  if (emailIds.length === 0) return [];
  const request = mailIngest.ListEmailsRequest.fromPartial({ ids: [...emailIds], page: 1, pageSize: emailIds.length });
  return withAnnotations(context, (await context.services.mail.listEmails(request, caller)).emails, caller);
}

async function withAnnotations({ lookups }: Context, emails: readonly mailIngest.Email[], caller: Caller) {
  const annotations = await lookups.annotationsOfDocuments(
    emails.flatMap((email) => email.documentIds),
    caller,
  );
  return emails.map((email) => ({ email, annotations: annotations.filter(({ emailId }) => emailId === email.id) }));
}
