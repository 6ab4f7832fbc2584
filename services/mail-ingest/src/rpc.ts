import { mailIngest } from '@intake/contracts';
import { type Caller, type Handlers, invalidField, organizationOf, Refusal, requireSystem } from '@intake/rpc';
import { changeEmail } from './email/change-email';
import { EMAIL_LABELS, type Email, type ImportDetails, type RawMessage, type Recipient } from './email/email';
import type { EmailChanges, EmailStore } from './email/email.store';
import type { createJudgeMembers } from './email/judge-members';
import { MAIL_ORDERS, type MailOrder, valuesOfMail } from './email/order-annotated';
import { cutToBytes } from './email/read-email';
import type { SendingLimits } from './outgoing/daily-limits';
import type { DeliveryStore } from './outgoing/delivery.store';
import type { createSendEmail } from './outgoing/send-email';
import type { SubscriptionLinks } from './outgoing/subscription';
import type { Thread } from './thread/thread';
import type { ThreadStore } from './thread/thread.store';

export interface RpcOptions {
  readonly emails: EmailStore;
  readonly threads: ThreadStore;
  readonly links: SubscriptionLinks;
  readonly deliveries: Pick<DeliveryStore, 'setSubscription'>;
  readonly sendingLimits: SendingLimits;
  readonly sendEmail: ReturnType<typeof createSendEmail>;
  /** Null: there is no inbox with this address. */
  readonly findInbox: (address: string) => Promise<Recipient | null>;
  readonly importEmail: (
    raw: RawMessage,
    inbox: Recipient,
    details: Omit<ImportDetails, 'taskId'>,
  ) => Promise<{ emailId: number; taskId: number }>;
  readonly judgeMembers: ReturnType<typeof createJudgeMembers>;
  readonly readStart: (organizationId: number, key: string) => Promise<Buffer>;
}

const MAX_BODY_BYTES = 4096;
const FLAGS: Readonly<Partial<Record<MailOrder, 'hasReplies' | 'hasNewReplies'>>> = {
  has_email_thread_with_replies: 'hasReplies',
  has_email_thread_with_new_replies: 'hasNewReplies',
};
/** API: email-import.md section 7, statistics. */
const TEMPLATE_COUNTS_MS = 90 * 24 * 3600 * 1000;

/** Requests to domain calls to responses. */
export function createRpc(options: RpcOptions): Handlers<typeof mailIngest.MailIngestServiceService> {
  const { emails, threads, sendEmail, findInbox, importEmail, readStart } = options;
  return {
    async listEmails({ ordering, page, pageSize, ...filter }, caller) {
      const found = await emails.list(caller, filter, ordering, { page, pageSize });
      return { emails: found.emails.map(toMessage), total: found.total };
    },
    countEmails: ({ ordering: _, page: __, pageSize: ___, ...filter }, caller) => emails.count(caller, filter),
    async updateEmail({ id, fields, email }, caller) {
      const changes = changesOf(mailIngest.Email.fromPartial(email ?? {}), fields);
      return toMessage(await changeEmail(caller, id, changes, emails));
    },
    async importEmail({ key, sha256, recipient, metadata, values }, caller) {
      const inbox = await findInbox(recipient.trim().toLowerCase());
      if (inbox?.organizationId !== caller.organizationId || !inbox || !sees(caller, inbox.queueId))
        throw invalidField('recipient', 'No inbox has this address.');
      const head = (await readStart(inbox.organizationId, key)).toString('latin1');
      if (!/^[!-9;-~]+[ \t]*:/m.test(head.split(/\r?\n\r?\n/, 1)[0] ?? ''))
        throw invalidField('raw_message', 'This is no e-mail: it has no header.');
      const wrong = Object.keys(values).find((name) => !name.startsWith('emails_import:'));
      if (wrong) throw invalidField('values', `Keys must start with "emails_import:", "${wrong}" does not.`);
      const details = { creatorId: caller.userId, metadata: metadata ?? {}, values };
      return importEmail({ key, sha256, messageId: '' }, inbox, details);
    },
    sendEmail: async (request, caller) => toMessage(await sendEmail(caller, request)),
    async judgeMembers({ emailId, members }, caller) {
      requireSystem(caller);
      return { verdicts: await options.judgeMembers(organizationOf(caller), emailId, members) };
    },
    async countTemplateMails({ templateIds }, caller) {
      const counts = await emails.countByTemplate(caller, templateIds, new Date(Date.now() - TEMPLATE_COUNTS_MS));
      const none = { manual: 0, automated: 0 };
      return { templates: templateIds.map((templateId) => ({ templateId, ...(counts.get(templateId) ?? none) })) };
    },
    async getEmailLimits(_, caller) {
      const { limits, countSent } = options.sendingLimits;
      const { lastSentAt, lastSentAtNotification, ...counts } = await countSent(organizationOf(caller));
      return {
        ...counts,
        perDayLimit: limits.emails,
        perDayLimitNotification: limits.notifications,
        lastSentAt: lastSentAt ?? undefined,
        lastSentAtNotification: lastSentAtNotification ?? undefined,
      };
    },
    async setSubscription({ content, signature, subscribe }, caller) {
      requireSystem(caller);
      const subscriber = options.links.read(content, signature);
      await options.deliveries.setSubscription(subscriber, subscribe);
      return { email: subscriber.email };
    },
    async listThreads({ ordering, page, pageSize, ...filter }, caller) {
      const list = await threads.list(caller, filter, ordering, { page, pageSize });
      return { threads: list.threads.map(toThreadMessage), total: list.total };
    },
    findAnnotated: async ({ threadIds, hasReplies, hasNewReplies, senders, senderPrefix, senderWords }, caller) => {
      const ofThreads = threadIds.length > 0 || hasReplies !== undefined || hasNewReplies !== undefined;
      const found = ofThreads ? await threads.findIds(caller, { ids: threadIds, hasReplies, hasNewReplies }) : null;
      return emails.findAnnotated(caller, { threadIds: found, senders, senderPrefix, senderWords });
    },
    orderAnnotated: async ({ order: wanted }, caller) => {
      const order = found(MAIL_ORDERS.find((one) => one === wanted) ?? null);
      const flag = FLAGS[order];
      const [places, flagged] = await Promise.all([
        emails.findPlaces(caller),
        flag ? threads.findIds(caller, { ids: [], [flag]: true }) : [],
      ]);
      const values = valuesOfMail(order, places, new Set(flagged));
      return { emails: Object.fromEntries(values.emails), annotations: Object.fromEntries(values.annotations) };
    },
    updateThread: async ({ id, hasNewReplies }, caller) =>
      toThreadMessage(found(await threads.update(caller, id, hasNewReplies))),
  };
}

function found<T>(value: T | null): T {
  if (value === null) throw new Refusal('NOT_FOUND');
  return value;
}

function sees(caller: Caller, queueId: number): boolean {
  return caller.queueIds === 'all' || caller.queueIds.includes(queueId);
}

function changesOf(email: mailIngest.Email, fields: readonly string[]): EmailChanges {
  const wrong = email.labels.find((label) => !(EMAIL_LABELS as readonly string[]).includes(label));
  if (wrong !== undefined) throw invalidField('labels', `"${wrong}" is not a valid choice.`);
  const all: Required<EmailChanges> = {
    subject: email.subject,
    bodyTextPlain: cutToBytes(email.bodyTextPlain, MAX_BODY_BYTES),
    bodyTextHtml: cutToBytes(email.bodyTextHtml, MAX_BODY_BYTES),
    labels: [...new Set(email.labels)],
    metadata: email.metadata ?? {},
    to: email.to,
    parentId: email.parentId ?? null,
  };
  const names: Readonly<Record<string, keyof EmailChanges>> = {
    ...{ subject: 'subject', body_text_plain: 'bodyTextPlain', body_text_html: 'bodyTextHtml' },
    ...{ labels: 'labels', metadata: 'metadata', to: 'to', parent_id: 'parentId' },
  };
  return Object.fromEntries(
    fields.flatMap((field) => {
      const name = names[field];
      return name ? [[name, all[name]]] : [];
    }),
  );
}

function toMessage(email: Email): mailIngest.Email {
  const { from, authentication, attachments } = email;
  return {
    ...{ id: email.id, organizationId: email.organizationId, queueId: email.queueId, inboxId: email.inboxId },
    ...{ createdAt: email.createdAt, subject: email.subject, type: email.type, state: email.state },
    ...{ bodyTextPlain: email.bodyTextPlain, bodyTextHtml: email.bodyTextHtml, messageId: email.messageId },
    ...{ rawKey: email.rawKey, failure: email.failure, filteredOutDocumentCount: email.filteredOutDocumentCount },
    from: from ?? undefined,
    to: [...email.to],
    cc: [...email.cc],
    bcc: [...email.bcc],
    documentIds: [...email.documentIds],
    uploadId: email.uploadId ?? undefined,
    leftOut: attachments
      .filter(({ status }) => status !== 'processed')
      .map(({ fileName, mimeType, size, status }) => ({ fileName, mimeType, size, status })),
    attachments: [...attachments],
    parentId: email.parentId ?? undefined,
    threadId: email.threadId ?? undefined,
    childrenIds: [...email.childrenIds],
    lastThreadEmailCreatedAt: email.lastThreadEmailCreatedAt ?? undefined,
    metadata: { ...email.metadata },
    creatorId: email.creatorId ?? undefined,
    labels: [...email.labels],
    relatedAnnotationIds: [...email.relatedAnnotationIds],
    relatedDocumentIds: [...email.relatedDocumentIds],
    authentication: authentication ?? undefined,
    resetsThreads: email.resetsThreads,
  };
}

function toThreadMessage({
  from,
  rootEmailId,
  labels,
  hasDocuments: _,
  isReplied: __,
  ...thread
}: Thread): mailIngest.Thread {
  return { ...thread, from: from ?? undefined, rootEmailId: rootEmailId ?? undefined, labels: [...labels] };
}
