import { mailIngest } from '@intake/contracts';
import type { Caller } from '@intake/rpc';
import type { ApiUrls } from '@intake/urls';
import { replyList, replyOne } from '../reply/list';
import { readPage } from '../request/pagination';
import { emailToJson } from '../resources/email';
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

/** E-mails. API: email-import.md section 2. */
export function emailRoutes(context: RouteContext) {
  const { mail } = context.services;
  return [
    route('GET', '/emails', {
      allow: 'readEmails',
      call: async ({ query, urls }, caller) => {
        const page = readPage(query);
        const filter = {
          ids: query.ids('id'),
          queueIds: query.ids('queue'),
          inboxIds: query.ids('inbox'),
          ordering: query.ordering(ORDERINGS),
        };
        query.check();
        const { emails, total } = await mail.listEmails({ ...filter, ...page }, caller);
        return { page, total, rows: await withAnnotations(context, emails, urls, caller) };
      },
      reply: ({ page, rows, total }, request) => replyList(request, page, total, rows),
    }),
    route('GET', '/emails/:id', {
      allow: 'readEmails',
      call: async ({ parameters, urls }, caller) => onlyOne(await readEmails(context, [parameters.id], urls, caller)),
      reply: (row, request) => replyOne(request, row),
    }),
  ];
}

type Context = Pick<RouteContext, 'services' | 'lookups'>;

/** E-mails by id, as the API shows them; unknown and invisible ones are left out. */
export async function readEmails(
  context: Context,
  ids: readonly number[],
  urls: ApiUrls,
  caller: Caller,
): Promise<object[]> {
  if (ids.length === 0) return [];
  const request = mailIngest.ListEmailsRequest.fromPartial({ ids: [...ids], page: 1, pageSize: ids.length });
  return withAnnotations(context, (await context.services.mail.listEmails(request, caller)).emails, urls, caller);
}

async function withAnnotations(
  { lookups }: Context,
  emails: readonly mailIngest.Email[],
  urls: ApiUrls,
  caller: Caller,
): Promise<object[]> {
  const annotations = await lookups.annotationsOfDocuments(
    emails.flatMap((email) => email.documentIds),
    caller,
  );
  return emails.map((email) =>
    emailToJson(email, { annotations: annotations.filter(({ emailId }) => emailId === email.id) }, urls),
  );
}
