import { Readable } from 'node:stream';
import { annotation as annotations, type documentStorage, mailIngest, queue } from '@intake/contracts';
import {
  answers,
  boolean as booleanValue,
  emailToJson,
  metadata,
  reference,
  referencesOf,
  string,
  threadToJson,
  unknownReference,
  withoutGone,
} from '@intake/resources';
import { type Caller, invalidField, systemCaller } from '@intake/rpc';
import { z } from 'zod';
import { placeholdersIn } from '../email-template/render';
import { listRoute } from '../list-route';
import { answersFile, answersObject, answersTask } from '../openapi/named-schema';
import { EMAIL, EMAIL_THREAD } from '../openapi/objects';
import { openFile } from '../reply/chunk-stream';
import { attachment } from '../reply/content-disposition';
import { replyOne } from '../reply/list';
import { writeSubscriptionPage } from '../reply/subscription-page';
import { boolean, choices, documentFilters, ids, readFilters, text, times, type ValuesOf } from '../request/filters';
import { Answer, type ApiRequest, route } from '../route';
import { MAX_MESSAGE_BYTES, receiveMessage } from '../upload/receive-message';
import { readContentValues } from './content-values';
import type { RouteContext } from './index';
import { distinct, idsIn, onlyOne } from './lookups';

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

const THREAD_ORDERINGS = ['id', 'created_at', 'last_email_created_at', 'subject', 'from__email', 'from__name', 'queue'];

const FILTERS = {
  ...{ id: ids, queue: ids, inbox: ids, documents: ids, email_thread: ids },
  ...{ subject: text, from__email: text, from__name: text, to: text, has_documents: boolean },
  ...{ created_at: times, last_thread_email_created_at: times, type: choices('incoming', 'outgoing') },
};

/** How long a client may take to send or fetch a message. */
const TRANSFER_MS = 600_000;

const MESSAGE_BODY = {
  'multipart/form-data': {
    type: 'object',
    properties: { raw_message: { type: 'string', format: 'binary' }, recipient: { type: 'string' } },
    required: ['raw_message', 'recipient'],
  },
};

const address = z.object({ email: string(320), name: string(255).nullish() });
const addresses = z.array(address).max(40);
const LABELS = [
  'rejection',
  'automatic_rejection',
  'rejected',
  'automatic_status_changed_info',
  'forwarded',
  'reply',
] as const;
const labels = z.array(z.enum(LABELS));

const writable = z.object({
  subject: string(1000).nullable(),
  body_text_plain: string(100_000),
  body_text_html: string(100_000),
  parent: reference('emails').nullable(),
  labels,
  metadata,
  to: addresses,
});

const send = z.object({
  ...{ to: addresses.default([]), cc: addresses.default([]), bcc: addresses.default([]) },
  queue: reference('queues'),
  template_values: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).default({}),
  related_annotations: z.array(reference('annotations')).max(100).default([]),
  related_documents: z.array(reference('documents')).max(100).default([]),
  attachments: z.object({ documents: z.array(reference('documents')).max(100).default([]) }).default({ documents: [] }),
  parent_email: reference('emails').nullish(),
  reset_related_annotations_email_thread: booleanValue.default(false),
  labels: labels.default([]),
  email_template: reference('email_templates').nullish(),
});

/** E-mails and their threads. API: email-import.md. */
export function emailRoutes(context: RouteContext) {
  const { mail, storage, auth } = context.services;

  const changeEmail = (method: 'PUT' | 'PATCH') =>
    route(method, '/emails/:id', {
      allow: 'writeEmails',
      doc: EMAIL.one('Change an e-mail'),
      body: writable.partial(),
      call: async ({ parameters, body }, caller) => {
        const email = mailIngest.Email.fromPartial({
          subject: body.subject ?? '',
          bodyTextPlain: body.body_text_plain ?? '',
          bodyTextHtml: body.body_text_html ?? '',
          labels: body.labels ?? [],
          to: (body.to ?? []).map(toAddress),
          parentId: body.parent ?? undefined,
        });
        const fields = Object.keys(body).map((name) => (name === 'parent' ? 'parent_id' : name));
        const changed = { ...email, metadata: body.metadata };
        const row = await mail.updateEmail({ id: parameters.id, fields, email: changed }, caller);
        return onlyOne(await withAnnotations(context, [row], caller));
      },
      reply: (row, { urls }) => emailToJson(row.email, row, urls),
    });

  const changeThread = (method: 'PUT' | 'PATCH') =>
    route(method, '/email_threads/:id', {
      allow: 'writeEmails',
      doc: EMAIL_THREAD.one('Mark the new replies of a thread as seen'),
      body: z.object({ has_new_replies: z.boolean().optional() }),
      call: async ({ parameters: { id }, body }, caller) => {
        if (body.has_new_replies !== undefined)
          await mail.updateThread({ id, hasNewReplies: body.has_new_replies }, caller);
        return onlyOne(await readThreads(context, id, caller));
      },
      reply: (row, { urls }) => threadToJson(row.thread, row, urls),
    });

  const counts = (path: '/emails/counts' | '/email_threads/counts') =>
    route('GET', path, {
      allow: 'readEmails',
      doc: answersObject(
        'How many incoming e-mails there are',
        { incoming: answers.object },
        { query: documentFilters(FILTERS) },
      ),
      call: ({ query }, caller) => {
        const request = emailFilter(readFilters(FILTERS, query));
        return mail.countEmails({ ...request, ordering: [], page: 1, pageSize: 1 }, caller);
      },
      reply: (found) => ({
        incoming: {
          total: found.total,
          no_documents: found.noDocuments,
          recent_with_no_documents_not_replied: found.recentWithNoDocumentsNotReplied,
          rejected: found.rejected,
          recent_filtered_out_documents: found.recentFilteredOutDocuments,
          recent_with_filtered_out_documents: found.recentFilteredOutDocuments,
        },
      }),
    });

  const storeMessage = (chunks: AsyncIterable<Buffer>, caller: Caller): Promise<documentStorage.StoredFile> => {
    async function* messages(): AsyncGenerator<documentStorage.PutFileRequest> {
      yield { header: { fileName: 'email.eml', declaredMimeType: 'message/rfc822', maxSize: MAX_MESSAGE_BYTES } };
      for await (const chunk of chunks) yield { chunk };
    }
    return storage.putFile(messages(), caller, { timeoutMs: TRANSFER_MS });
  };

  return [
    counts('/emails/counts'),
    counts('/email_threads/counts'),
    route('POST', '/emails/import', {
      allow: 'importEmails',
      doc: answersTask('Import a raw message', { takes: MESSAGE_BODY }),
      timeoutMs: TRANSFER_MS,
      call: async (request, caller) => {
        const received = await receiveMessage(request.http, (chunks) => storeMessage(chunks, caller));
        const { key, sha256 } = received.message;
        const { recipient, values } = received;
        return mail.importEmail({ key, sha256, recipient, values, metadata: received.metadata }, caller);
      },
      reply: ({ taskId }, { urls }) => new Answer(202, { Location: urls.task(taskId) }, { url: urls.task(taskId) }),
    }),
    route('POST', '/emails/send', {
      allow: 'writeEmails',
      doc: answersObject('Send an e-mail from the inbox of a queue', { url: answers.uri, email: answers.uri }),
      body: send,
      timeoutMs: 60_000,
      call: async (request, caller) => {
        const { body } = request;
        const [values] = await Promise.all([
          placeholdersOf(context, request, body, caller),
          requireReferences(context, body, caller),
        ]);
        const { subject = '', message = '' } = textsOf(body.template_values);
        return mail.sendEmail(
          {
            queueId: body.queue,
            to: body.to.map(toAddress),
            cc: body.cc.map(toAddress),
            bcc: body.bcc.map(toAddress),
            ...{ subject, message, values },
            relatedAnnotationIds: body.related_annotations,
            relatedDocumentIds: body.related_documents,
            attachedDocumentIds: body.attachments.documents,
            parentId: body.parent_email ?? undefined,
            labels: body.labels,
            templateId: body.email_template ?? undefined,
            resetsThreads: body.reset_related_annotations_email_thread,
          },
          caller,
        );
      },
      reply: ({ id }, { urls }) => ({ url: urls.email(id), email: urls.email(id) }),
    }),
    listRoute('/emails', {
      allow: 'readEmails',
      doc: EMAIL.listed('List: e-mail'),
      filters: FILTERS,
      orderings: ORDERINGS,
      fetch: async ({ filters, ...wanted }, caller) => {
        const { emails, total } = await mail.listEmails({ ...emailFilter(filters), ...wanted }, caller);
        return { rows: await withAnnotations(context, emails, caller), total };
      },
      toJson: (row, urls) => emailToJson(row.email, row, urls),
    }),
    route('GET', '/emails/subscription', {
      allow: 'public',
      doc: {
        summary: 'Switch automatic mails to an address off or on, by the link in one of them',
        query: [
          { name: 'content', schema: answers.string },
          { name: 'signature', schema: answers.string },
          { name: 'subscribe', schema: { type: 'boolean' } },
        ],
        media: 'text/html',
      },
      call: async ({ query }, caller) => {
        const content = query.get('content') ?? '';
        const signature = query.get('signature') ?? '';
        const subscribe = query.boolean('subscribe');
        query.check();
        if (subscribe === undefined) throw invalidField('subscribe', 'This field is required.');
        const { email } = await mail.setSubscription({ content, signature, subscribe }, caller);
        return { content, signature, subscribe, email };
      },
      reply: (subscription, { urls }) =>
        new Answer(
          200,
          {
            'Content-Type': 'text/html; charset=utf-8',
            'Content-Security-Policy': "default-src 'none'",
            'X-Content-Type-Options': 'nosniff',
            'Cache-Control': 'no-store',
            'Referrer-Policy': 'no-referrer',
          },
          Readable.from([writeSubscriptionPage(subscription, urls)], { objectMode: false }),
        ),
    }),
    route('GET', '/emails/:id', {
      allow: 'readEmails',
      doc: EMAIL.retrieved('Retrieve an e-mail'),
      call: async ({ parameters }, caller) => onlyOne(await readEmails(context, [parameters.id], caller)),
      reply: (row, request) => replyOne(request, emailToJson(row.email, row, request.urls)),
    }),
    route('GET', '/emails/:id/content', {
      allow: 'readEmails',
      doc: answersFile('The raw message', 'message/rfc822'),
      timeoutMs: TRANSFER_MS,
      call: async ({ parameters }, caller) => {
        const { email } = onlyOne(await readEmails(context, [parameters.id], caller));
        // The file belongs to no user, so that the gateway asks for it itself, once it is known that the caller sees the e-mail.
        const own = systemCaller('gateway', email.organizationId);
        return openFile(storage.getStoredFile({ key: email.rawKey }, own, { timeoutMs: TRANSFER_MS }));
      },
      reply: (file) =>
        new Answer(
          200,
          {
            'Content-Type': 'message/rfc822',
            'Content-Length': String(file.header.size),
            'Content-Disposition': attachment('email.eml'),
            'X-Content-Type-Options': 'nosniff',
            'Content-Security-Policy': "sandbox; default-src 'none'",
          },
          file.stream(),
        ),
    }),
    changeEmail('PUT'),
    changeEmail('PATCH'),
    listRoute('/email_threads', {
      allow: 'readEmails',
      doc: EMAIL_THREAD.listed('List: thread of e-mails'),
      filters: {
        ...{ queue: ids, has_root_email: boolean, has_replies: boolean, has_new_replies: boolean },
        ...{ recent_with_no_documents_not_replied: boolean, created_at: times, last_email_created_at: times },
      },
      orderings: THREAD_ORDERINGS,
      fetch: async ({ filters, ...wanted }, caller) => {
        const { threads, total } = await mail.listThreads(
          {
            ...{ ids: [], queueIds: filters.queue, hasRootEmail: filters.has_root_email },
            ...{ hasReplies: filters.has_replies, hasNewReplies: filters.has_new_replies },
            recentWithNoDocumentsNotReplied: filters.recent_with_no_documents_not_replied,
            createdAfter: filters.created_at?.after,
            createdBefore: filters.created_at?.before,
            lastEmailCreatedAfter: filters.last_email_created_at?.after,
            lastEmailCreatedBefore: filters.last_email_created_at?.before,
            ...wanted,
          },
          caller,
        );
        return { rows: await withThreadAnnotations(context, threads, caller), total };
      },
      toJson: (row, urls) => threadToJson(row.thread, row, urls),
    }),
    route('GET', '/email_threads/:id', {
      allow: 'readEmails',
      doc: EMAIL_THREAD.retrieved('Retrieve a thread of e-mails'),
      call: async ({ parameters }, caller) => onlyOne(await readThreads(context, parameters.id, caller)),
      reply: (row, request) => replyOne(request, threadToJson(row.thread, row, request.urls)),
    }),
    changeThread('PUT'),
    changeThread('PATCH'),
  ];

  /** Texts for the placeholders of a mail. API: email-import.md section 4. */
  async function placeholdersOf(
    { lookups }: RouteContext,
    { urls }: ApiRequest,
    body: z.infer<typeof send>,
    caller: Caller,
  ): Promise<Record<string, string>> {
    const parentId = body.parent_email ?? undefined;
    const [users, organizations, related, parents] = await Promise.all([
      lookups.users(caller.userId === null ? [] : [caller.userId], caller),
      auth.listOrganizations({ ids: caller.organizationId === null ? [] : [caller.organizationId] }, caller),
      body.related_annotations.length === 0
        ? []
        : context.services.annotation
            .getAnnotations(annotations.GetAnnotationsRequest.fromPartial({ ids: body.related_annotations }), caller)
            .then((answer) => answer.annotations),
      readEmails(context, parentId === undefined ? [] : [parentId], caller),
    ]);
    if (related.length < distinct(body.related_annotations).length) throw unknownReference('related_annotations');
    const documents = await lookups.documents(
      related.flatMap(({ documentId }) => documentId ?? []),
      caller,
    );
    const names = documents.map(({ originalFileName }) => originalFileName).filter(Boolean);
    const [assignees, contents] = await Promise.all([
      lookups.users(distinct(related.flatMap((row) => row.assigneeIds)), caller),
      readContentValues(
        context.services,
        related,
        placeholdersIn(Object.values(textsOf(body.template_values)).join(' ')),
        caller,
      ),
    ]);
    const [user] = users;
    const parent = parents[0]?.email;
    return {
      organization_name: organizations.organizations[0]?.name ?? '',
      app_url: new URL(urls.root).origin,
      parent_email_subject: parent?.subject ?? '',
      sender_email: parent?.from?.email ?? '',
      'annotation.document.original_file_name': names.join(', '),
      'annotation.id': related.map(({ id }) => id).join(', '),
      'annotation.url': related.map(({ id }) => urls.annotation(id)).join(', '),
      'annotation.assignee_email': assignees.map(({ email }) => email).join(', '),
      ...Object.fromEntries(contents),
      document_list: listOf(names),
      user_name: user?.username ?? '',
      current_user_fullname: [user?.firstName, user?.lastName].filter(Boolean).join(' '),
      current_user_email: user?.email ?? '',
      ...textsOf(body.template_values),
    };
  }
}

type Context = Pick<RouteContext, 'services' | 'lookups'>;

/** Refuses a mail from a queue, about documents, or of a template, that the caller does not see. */
async function requireReferences(
  { services, lookups }: Context,
  { queue: queueId, related_documents: documentIds, email_template: templateId }: z.infer<typeof send>,
  caller: Caller,
): Promise<void> {
  const ids = templateId ? [templateId] : [];
  const request = queue.ListEmailTemplatesRequest.fromPartial({ ids, page: 1, pageSize: 1 });
  const [queues, documents, { templates }] = await Promise.all([
    lookups.queues([queueId], caller),
    lookups.documents(documentIds, caller),
    templateId ? services.queue.listEmailTemplates(request, caller) : { templates: [] },
  ]);
  if (queues.length === 0) throw unknownReference('queue');
  if (documents.length < distinct(documentIds).length) throw unknownReference('related_documents');
  if (templates.length < ids.length) throw unknownReference('email_template');
}

/** E-mails by id with the annotations that came from them; unknown and invisible ones are left out. */
export async function readEmails(context: Context, emailIds: readonly number[], caller: Caller) {
  if (emailIds.length === 0) return [];
  const request = mailIngest.ListEmailsRequest.fromPartial({ ids: [...emailIds], page: 1, pageSize: emailIds.length });
  return withAnnotations(context, (await context.services.mail.listEmails(request, caller)).emails, caller);
}

/** E-mails with the annotations that came from them. What they name and is gone since then is left out. */
async function withAnnotations(context: Context, emails: readonly mailIngest.Email[], caller: Caller) {
  const { documentIds, annotationIds } = referencesOf(emails);
  const [rows, documents, annotations] = await Promise.all([
    addAnnotations(context, emails, caller),
    context.lookups.documents(documentIds, caller),
    context.lookups.annotations(annotationIds, caller),
  ]);
  const there = { documentIds: idsIn(documents), annotationIds: idsIn(annotations) };
  return rows.map(({ email, ...row }) => ({ ...row, email: withoutGone(email, there) }));
}

async function addAnnotations({ lookups }: Context, emails: readonly mailIngest.Email[], caller: Caller) {
  const found = await lookups.annotationsOfDocuments(
    emails.flatMap((email) => email.documentIds),
    caller,
  );
  return emails.map((email) => ({ email, annotations: found.filter(({ emailId }) => emailId === email.id) }));
}

async function readThreads(context: Context, id: number, caller: Caller) {
  const request = mailIngest.ListThreadsRequest.fromPartial({ ids: [id], page: 1, pageSize: 1 });
  return withThreadAnnotations(context, (await context.services.mail.listThreads(request, caller)).threads, caller);
}

/** E-mails of a page of threads that are looked at for their annotations. */
const MOST_EMAILS = 1000;

async function withThreadAnnotations(context: Context, threads: readonly mailIngest.Thread[], caller: Caller) {
  if (threads.length === 0) return [];
  const request = mailIngest.ListEmailsRequest.fromPartial({
    threadIds: threads.map(({ id }) => id),
    ...{ page: 1, pageSize: MOST_EMAILS },
  });
  const rows = await addAnnotations(context, (await context.services.mail.listEmails(request, caller)).emails, caller);
  const labelsOf = ({ rootEmailId, labels }: mailIngest.Thread) =>
    rows.find(({ email }) => email.id === rootEmailId)?.email.labels ?? labels;
  return threads.map((thread) => ({
    thread: { ...thread, labels: labelsOf(thread) },
    annotations: rows.filter(({ email }) => email.threadId === thread.id).flatMap((row) => row.annotations),
  }));
}

function emailFilter(filters: ValuesOf<typeof FILTERS>) {
  const [type, ...others] = filters.type;
  return {
    ...{ ids: filters.id, queueIds: filters.queue, inboxIds: filters.inbox },
    ...{ documentIds: filters.documents, threadIds: filters.email_thread, relatedAnnotationIds: [] },
    ...{ subject: filters.subject, fromEmail: filters.from__email, fromName: filters.from__name, to: filters.to },
    type: others.length > 0 ? undefined : type,
    hasDocuments: filters.has_documents,
    createdAfter: filters.created_at?.after,
    createdBefore: filters.created_at?.before,
    lastThreadEmailCreatedAfter: filters.last_thread_email_created_at?.after,
    lastThreadEmailCreatedBefore: filters.last_thread_email_created_at?.before,
  };
}

function toAddress({ email, name }: z.infer<typeof address>): mailIngest.Address {
  return { email: email.trim(), name: name ?? '' };
}

function textsOf(values: Readonly<Record<string, string | number | boolean | null>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value === null ? '' : String(value)]));
}

function listOf(names: readonly string[]): string {
  const toHtml = (name: string) => name.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);
  return names.length === 0 ? '' : `<ul>${names.map((name) => `<li>${toHtml(name)}</li>`).join('')}</ul>`;
}
