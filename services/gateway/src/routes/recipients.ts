import { mailIngest } from '@intake/contracts';
import { answers, reference, unknownReference } from '@intake/resources';
import type { Caller } from '@intake/rpc';
import { z } from 'zod';
import { route } from '../route';
import { readEmails } from './emails';
import type { RouteContext } from './index';
import { distinct } from './lookups';

const MOST = 500;
const recipientsBody = z.object({
  annotations: z.array(reference('annotations')).max(MOST).nullish(),
  email_threads: z.array(reference('email_threads')).max(MOST).nullish(),
});

const RECIPIENTS = {
  type: 'object',
  properties: {
    results: {
      type: 'array',
      items: { type: 'object', properties: { source: answers.string, email: answers.string, name: answers.string } },
    },
  },
  required: ['results'],
} as const;

/** Who mails about documents may go to, and what belongs to a queue. API: workspaces-queues.md section 4, annotations.md section 6. */
export function recipientRoutes(context: RouteContext) {
  const { services, lookups } = context;

  /** E-mails that annotations came from. */
  const mailsOfAnnotations = async (ids: readonly number[], queueId: number | null, caller: Caller) => {
    if (ids.length === 0) return [];
    const { annotations } = await services.annotation.getAnnotations({ ids: [...ids] }, caller);
    const rows = annotations.filter((row) => queueId === null || row.queueId === queueId);
    if (rows.length < ids.length) throw unknownReference('annotations');
    const emails = await readEmails(context, distinct(rows.map(({ emailId }) => emailId)), caller);
    return emails.map(({ email }) => email);
  };
  /** E-mails of threads that have come in, the first ones of each. */
  const mailsOfThreads = async (ids: readonly number[], queueId: number | null, caller: Caller) => {
    if (ids.length === 0) return [];
    const wanted = mailIngest.ListThreadsRequest.fromPartial({ ids: [...ids], page: 1, pageSize: MOST });
    const { threads } = await services.mail.listThreads(wanted, caller);
    const found = threads.filter((thread) => queueId === null || thread.queueId === queueId);
    if (found.length < ids.length) throw unknownReference('email_threads');
    const incoming = { threadIds: [...ids], type: 'incoming', ordering: ['id'], page: 1, pageSize: MOST };
    return (await services.mail.listEmails(mailIngest.ListEmailsRequest.fromPartial(incoming), caller)).emails;
  };
  /** Senders of the mails that the annotations came from and of those in the threads, each once. */
  const findSenders = async (
    { annotations, email_threads: threads }: z.infer<typeof recipientsBody>,
    queueId: number | null,
    caller: Caller,
  ) => {
    const emails = await Promise.all([
      mailsOfAnnotations(distinct(annotations ?? []), queueId, caller),
      mailsOfThreads(distinct(threads ?? []), queueId, caller),
    ]);
    const senders = new Map(
      emails.flat().flatMap(({ from }) => (from?.email ? [[from.email.toLowerCase(), from] as const] : [])),
    );
    return [...senders.values()].map(({ email, name }) => ({ source: 'email_header', email, name }));
  };

  return [
    route('POST', '/queues/:id/suggested_recipients', {
      allow: 'readEmails',
      doc: { summary: 'Whom a mail about documents of a queue may go to', answer: RECIPIENTS },
      body: recipientsBody,
      call: async ({ parameters, body }, caller) => {
        const { settings } = await lookups.queue(parameters.id, caller);
        const senders = await findSenders(body, parameters.id, caller);
        const sources = (settings as { suggested_recipients_sources?: unknown } | undefined)
          ?.suggested_recipients_sources;
        const isOn = !Array.isArray(sources) || sources.some((one) => one?.source === 'email_header');
        return isOn ? senders : [];
      },
      reply: (results) => ({ results }),
    }),
    route('POST', '/annotations/suggested_recipients', {
      allow: 'readEmails',
      doc: { summary: 'Whom a mail about documents may go to', answer: RECIPIENTS },
      body: recipientsBody,
      call: ({ body }, caller) => findSenders(body, null, caller),
      reply: (results) => ({ results }),
    }),
    route('GET', '/queues/:id/related_objects_counts', {
      allow: 'readConfiguration',
      doc: {
        summary: 'How much belongs to a queue',
        answer: {
          type: 'object',
          properties: {
            annotations: answers.integer,
            emails: answers.integer,
            trained_dedicated_engines: answers.integer,
          },
          required: ['annotations', 'emails', 'trained_dedicated_engines'],
        },
      },
      call: async ({ parameters: { id } }, caller) => {
        await lookups.queue(id, caller);
        const [{ queues }, { total }] = await Promise.all([
          services.annotation.countByStatus({ queueIds: [id] }, caller),
          services.mail.listEmails(
            mailIngest.ListEmailsRequest.fromPartial({ queueIds: [id], page: 1, pageSize: 1 }),
            caller,
          ),
        ]);
        const counts = Object.entries(queues[id]?.counts ?? {}).filter(([status]) => status !== 'purged');
        return { annotations: counts.reduce((sum, [, count]) => sum + count, 0), emails: total };
      },
      // The engine is built in: none is trained for a queue.
      reply: (counts) => ({ ...counts, trained_dedicated_engines: 0 }),
    }),
  ];
}
