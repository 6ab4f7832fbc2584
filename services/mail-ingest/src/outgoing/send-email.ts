import type { Backbone } from '@intake/bus';
import { type ClientSession, transaction } from '@intake/mongo';
import { type Caller, invalidField, organizationOf, Refusal } from '@intake/rpc';
import type { Address, Email } from '../email/email';
import type { EmailStore } from '../email/email.store';
import { cutToBytes } from '../email/read-email';
import { stripTags } from '../mail/strip-tags';
import { joinThread } from '../thread/join-thread';
import type { ThreadStore } from '../thread/thread.store';
import { composeMail, type OutgoingMail } from './compose';
import type { SendingLimits } from './daily-limits';
import type { DeliveryStore } from './delivery.store';
import { type Placeholders, renderHtml, renderText } from './render';
import type { SubscriptionLinks } from './subscription';

/** What outgoing mail needs from outside. */
export interface OutgoingOptions {
  readonly backbone: Backbone;
  readonly emails: EmailStore;
  readonly threads: ThreadStore;
  readonly deliveries: DeliveryStore;
  readonly mailDomain: string;
  /** False: there is no relay, and nothing is sent. */
  readonly isEnabled: boolean;
  readonly links: SubscriptionLinks;
  /** Stores raw bytes for good; answers their key. */
  readonly storeRaw: (organizationId: number, raw: Buffer) => Promise<string>;
  /** Tells of annotations that there are e-mails about them; before there are, since whoever reads them looks for e-mails only then. */
  readonly noteSentEmails: (organizationId: number, annotationIds: readonly number[]) => Promise<void>;
}

/** A mail of an inbox, before it has an id. */
export interface Draft {
  readonly organizationId: number;
  readonly queueId: number;
  readonly inboxId: number;
  readonly from: Address;
  readonly to: readonly Address[];
  readonly cc: readonly Address[];
  readonly bcc: readonly Address[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly labels: readonly string[];
  readonly creatorId: number | null;
  readonly relatedAnnotationIds: readonly number[];
  readonly relatedDocumentIds: readonly number[];
  /** The e-mail that it answers. */
  readonly parent: Email | null;
  /** A program wrote it: it has the null sender, so that nobody answers it. */
  readonly isAutomatic: boolean;
  /** The documents that are attached. */
  readonly documentIds: readonly number[];
  readonly attachments: OutgoingMail['attachments'];
  /** The template that it is made of; null: none. */
  readonly templateId: number | null;
  /** The annotations that it is about belong to its thread from now on, also those that have one. */
  readonly resetsThreads: boolean;
}

const MAX_BODY_BYTES = 4096;

/** Makes outgoing mails: the raw message is stored first, then e-mail and delivery come into being together. */
export function createOutgoing(options: OutgoingOptions) {
  const { backbone, emails, threads, deliveries, mailDomain, links, storeRaw, noteSentEmails } = options;

  /** Writes and stores a mail; answers what puts it on its way. */
  const prepare = async (draft: Draft): Promise<{ id: number; send(session: ClientSession): Promise<void> }> => {
    const id = await backbone.ids.next('email');
    const { parent, isAutomatic, attachments, text, html, ...visible } = draft;
    const messageId = `email-${id}-${Date.now().toString(36)}@${mailDomain}`;
    const references = parent?.messageId ? [parent.messageId] : [];
    const [only, ...others] = [...draft.to, ...draft.cc, ...draft.bcc];
    // Whoever follows the link must be the one that it is about.
    const unsubscribeUrl =
      isAutomatic && only && others.length === 0
        ? links.make({ organizationId: draft.organizationId, email: only.email })
        : null;
    const raw = await composeMail({ ...draft, messageId, references, unsubscribeUrl }, mailDomain);
    const rawKey = await storeRaw(draft.organizationId, raw);
    await noteSentEmails(draft.organizationId, draft.relatedAnnotationIds);
    const now = new Date();
    const email: Email = {
      ...visible,
      ...{ id, messageId, rawKey, isAutomatic, type: 'outgoing', createdAt: now, state: 'sending' },
      bodyTextPlain: cutToBytes(text, MAX_BODY_BYTES),
      bodyTextHtml: cutToBytes(html, MAX_BODY_BYTES),
      ...{ uploadId: null, attachments: [], filteredOutDocumentCount: 0, failure: '' },
      ...{ parentId: null, threadId: null, childrenIds: [], lastThreadEmailCreatedAt: now, metadata: {} },
      ...{ envelope: null, authentication: null, taskId: null, importValues: {}, isConcluded: true },
    };
    const recipients = [...draft.to, ...draft.cc, ...draft.bcc].map((one) => one.email);
    const { organizationId } = draft;
    return {
      id,
      send: async (session) => {
        await emails.insertOutgoing(session, email);
        await joinThread({ emails, threads }, session, email, parent);
        const sender = isAutomatic ? '' : draft.from.email;
        await deliveries.add(session, { emailId: id, organizationId, rawKey, sender, recipients, createdAt: now });
      },
    };
  };

  return { isEnabled: options.isEnabled, prepare };
}

export type Outgoing = ReturnType<typeof createOutgoing>;

/** What a person sends. */
export interface SendRequest {
  readonly queueId: number;
  readonly to: readonly Address[];
  readonly cc: readonly Address[];
  readonly bcc: readonly Address[];
  readonly subject: string;
  readonly message: string;
  readonly values: Placeholders;
  readonly relatedAnnotationIds: readonly number[];
  readonly relatedDocumentIds: readonly number[];
  readonly attachedDocumentIds: readonly number[];
  readonly parentId?: number | undefined;
  readonly labels: readonly string[];
  readonly templateId?: number | undefined;
  readonly resetsThreads?: boolean | undefined;
}

export interface SendEmailOptions {
  readonly backbone: Pick<Backbone, 'database'>;
  readonly emails: EmailStore;
  readonly outgoing: Outgoing;
  readonly sendingLimits: SendingLimits;
  /** The inbox of a queue; null: it has none, or the caller does not see it. */
  readonly findInbox: (
    caller: Caller,
    queueId: number,
  ) => Promise<{ id: number; email: string; queueName: string } | null>;
  /** Bytes of documents that the caller sees. */
  readonly loadDocuments: (caller: Caller, ids: readonly number[]) => Promise<OutgoingMail['attachments']>;
}

/** API: limits.md, e-mail recipients. */
const MAX_RECIPIENTS = 40;
const ADDRESS = /^[^\s@<>"(),:;\\[\]]{1,64}@[^\s@<>"(),:;\\[\]]{1,255}$/;

/**
 * Sends a mail of a person from the inbox of a queue. Throws EMAIL_SENDING_DISABLED, EMAIL_LIMIT_REACHED, INVALID. API: email-import.md
 * section 4.
 */
export function createSendEmail(options: SendEmailOptions) {
  const { backbone, emails, outgoing, sendingLimits, findInbox, loadDocuments } = options;
  return async (caller: Caller, request: SendRequest): Promise<Email> => {
    if (!outgoing.isEnabled) throw new Refusal('EMAIL_SENDING_DISABLED');
    const to = request.to.map(fill(request.values));
    const cc = request.cc.map(fill(request.values));
    const bcc = request.bcc.map(fill(request.values));
    const everybody = [...to, ...cc, ...bcc];
    if (everybody.length === 0) throw invalidField('to', 'At least one recipient is required.');
    if (everybody.length > MAX_RECIPIENTS)
      throw invalidField('to', `At most ${MAX_RECIPIENTS} recipients are allowed in to, cc and bcc together.`);
    for (const [field, addresses] of Object.entries({ to, cc, bcc })) {
      const wrong = addresses.find(({ email }) => !ADDRESS.test(email));
      if (wrong) throw invalidField(field, `"${wrong.email}" is not a valid email address.`);
    }
    const inbox = await findInbox(caller, request.queueId);
    if (!inbox) throw invalidField('queue', 'The queue has no inbox to send from.');
    const parent = request.parentId === undefined ? null : await emails.find(caller, request.parentId);
    if (request.parentId !== undefined && parent?.queueId !== request.queueId)
      throw invalidField('parent_email', 'Invalid hyperlink - Object does not exist.');
    const organizationId = organizationOf(caller);
    // Before anything is stored; it counts once more when the mail is made.
    await sendingLimits.check(organizationId);
    const html = renderHtml(request.message, request.values);
    const { id, send } = await outgoing.prepare({
      organizationId,
      queueId: request.queueId,
      inboxId: inbox.id,
      from: { email: inbox.email, name: inbox.queueName },
      ...{ to, cc, bcc, html, parent },
      subject: renderText(request.subject, request.values),
      text: stripTags(html),
      labels: request.labels,
      creatorId: caller.userId,
      relatedAnnotationIds: request.relatedAnnotationIds,
      relatedDocumentIds: request.relatedDocumentIds,
      isAutomatic: false,
      templateId: request.templateId ?? null,
      resetsThreads: request.resetsThreads ?? false,
      documentIds: [...new Set(request.attachedDocumentIds)],
      attachments: await loadDocuments(caller, request.attachedDocumentIds),
    });
    await transaction(backbone.database, async (session) => {
      await sendingLimits.take(session, organizationId);
      await send(session);
    });
    const email = await emails.find(caller, id);
    if (!email) throw new Refusal('INTERNAL');
    return email;
  };
}

function fill(values: Placeholders) {
  return ({ email, name }: Address): Address => ({
    email: renderText(email, values).trim(),
    name: renderText(name, values),
  });
}
