import type { documentStorage } from '@intake/contracts';
import type { ClientSession } from '@intake/mongo';
import { systemCaller } from '@intake/rpc';
import type { createAutomaticMail } from '../outgoing/automatic-mail';
import type { DeliveryStore } from '../outgoing/delivery.store';
import { type Notice, type Occasion, occasionsOf, writeNotice } from '../outgoing/notification';
import type { Outgoing } from '../outgoing/send-email';
import { isFilteredOut } from '../rules/attachment-rules';
import type { InboxRules } from '../rules/inbox-rules';
import type { Attachment, Email } from './email';
import type { EmailStore } from './email.store';

export interface ConcludeEmailOptions {
  readonly emails: EmailStore;
  readonly deliveries: DeliveryStore;
  readonly outgoing: Outgoing;
  readonly writeAutomatic: ReturnType<typeof createAutomaticMail>;
  /** Null when queue or inbox have gone. */
  readonly findRules: (email: Email) => Promise<InboxRules | null>;
  /** All documents of an e-mail, members of archives included. */
  readonly findDocuments: (email: Email) => Promise<readonly documentStorage.Document[]>;
  /** Status of each annotation that was made of it. */
  readonly findStatuses: (email: Email) => Promise<readonly string[]>;
  /** Why the import of an annotation failed, in words for people. */
  readonly findFailure: (organizationId: number, annotationId: number) => Promise<string>;
  readonly isUploadFinished: (email: Email) => Promise<boolean>;
  readonly endTask: (email: Email) => Promise<void>;
}

/** What the events about annotations say. */
interface Happening {
  readonly organizationId: number;
  readonly uploadId?: number | undefined;
  readonly documentId: number;
  readonly annotationId: number;
}

interface StatusChange {
  readonly organizationId: number;
  readonly emailId?: number | undefined;
  readonly annotationId: number;
  readonly documentId: number;
  readonly previousStatus: string;
}

type Effect = (session: ClientSession) => Promise<void>;
const NOTHING: Effect = async () => undefined;

/** What follows when it is known what became of an e-mail: its record is completed, its task ends, people are told. */
export function createConcludeEmail(options: ConcludeEmailOptions) {
  const {
    emails,
    deliveries,
    outgoing,
    writeAutomatic,
    findRules,
    findDocuments,
    findStatuses,
    findFailure,
    isUploadFinished,
    endTask,
  } = options;

  /** Writes the mail about an occasion, unless the inbox wants none or it was sent before. */
  const prepareNotice = async (email: Email, occasions: readonly Occasion[], files: readonly string[] = []) => {
    const rules = outgoing.isEnabled && occasions.length > 0 ? await findRules(email) : null;
    // Of a queue that is being deleted is told only what it kept from being read.
    const isTold = rules && (rules.isActive || email.state === 'failed');
    const notice = isTold && writeNotice(email, occasions, rules, files);
    if (!notice || (await deliveries.wasTold(email.id, notice.occasion))) return NOTHING;
    if ((await deliveries.findSubscribed(email.organizationId, [notice.to])).size === 0) return NOTHING;
    return toEffect(email, rules, notice);
  };

  const toEffect = async (email: Email, rules: InboxRules, notice: Notice): Promise<Effect> => {
    const { send } = await outgoing.prepare({
      ...{ organizationId: email.organizationId, queueId: email.queueId, inboxId: email.inboxId },
      from: { email: rules.inboxEmail, name: rules.queueName },
      to: [{ email: notice.to, name: '' }],
      ...{ cc: [], bcc: [], documentIds: [], attachments: [], html: '', creatorId: null },
      ...{ subject: notice.subject, text: notice.text, labels: [notice.label], parent: email, isAutomatic: true },
      ...{ relatedAnnotationIds: [], relatedDocumentIds: [], templateId: null, resetsThreads: false },
    });
    return async (session) => {
      if (await deliveries.claimOccasion(session, email.id, notice.occasion)) await send(session);
    };
  };

  /** What the sender is told as soon as it is known what became of the attachments. */
  const prepareAnswers = async (email: Email): Promise<Effect> => {
    const fileNames = email.attachments.filter(({ status }) => status === 'processed').map((one) => one.fileName);
    const subject = fileNames.length > 0 ? 'received' : 'email_with_no_processable_attachments';
    const automatic = await writeAutomatic(email, subject, `template:${subject}`, { fileNames, annotationIds: [] });
    // The template stands for the notification about a mail without documents.
    if (automatic && fileNames.length === 0) return automatic;
    const notice = await prepareNotice(email, occasionsOf(email));
    return async (session) => {
      await notice(session);
      await automatic?.(session);
    };
  };

  /** The e-mail as soon as nothing more comes of it; answers the effect. */
  const conclude = async (organizationId: number, emailId: number): Promise<Effect> => {
    const email = await emails.find(systemCaller('mail-ingest', organizationId), emailId);
    if (!email || email.isConcluded || email.state === 'received') return NOTHING;
    if (email.uploadId !== null && !(await isUploadFinished(email))) return NOTHING;
    const attachments = email.documentIds.length > 0 ? completeAttachments(email, await findDocuments(email)) : [];
    const tell = await prepareAnswers({ ...email, attachments });
    await endTask(email);
    return async (session) => {
      const isFirst = await emails.conclude(session, email.id, {
        attachments,
        documentIds: attachments.map(({ documentId }) => documentId),
        filteredOutDocumentCount: attachments.filter(({ status }) => isFilteredOut(status)).length,
      });
      if (isFirst) await tell(session);
    };
  };

  return {
    conclude,

    /** The same, known by the upload of its attachments. */
    async concludeUpload(organizationId: number, uploadId: number): Promise<Effect> {
      const email = await emails.findByUpload(organizationId, uploadId);
      return email ? conclude(organizationId, email.id) : NOTHING;
    },

    /** A document that came by e-mail was confirmed or exported. */
    async tellOfStatus(
      { organizationId, emailId, annotationId, documentId }: StatusChange,
      status: 'confirmed' | 'exported',
    ): Promise<Effect> {
      if (emailId === undefined) return NOTHING;
      const email = await emails.find(systemCaller('mail-ingest', organizationId), emailId);
      if (!email) return NOTHING;
      const name = email.attachments.find((one) => one.documentId === documentId)?.fileName;
      const about = { fileNames: name ? [name] : [], annotationIds: [annotationId] };
      return (await writeAutomatic(email, status, `template:${status}:${annotationId}`, about)) ?? NOTHING;
    },

    /** A document that came by e-mail was rejected: with the last of them its e-mail is, too. */
    async labelRejected({ organizationId, emailId }: StatusChange): Promise<Effect> {
      if (emailId === undefined) return NOTHING;
      const email = await emails.find(systemCaller('mail-ingest', organizationId), emailId);
      if (!email || email.labels.includes('rejected')) return NOTHING;
      const statuses = await findStatuses(email);
      if (statuses.length === 0 || statuses.some((status) => status !== 'rejected')) return NOTHING;
      return (session) => emails.addLabel(session, emailId, 'rejected');
    },

    /** A document that came by e-mail goes on: if it was rejected, not all of its e-mail are any more. */
    unlabelRejected({ emailId, previousStatus }: StatusChange): Effect {
      if (emailId === undefined || previousStatus !== 'rejected') return NOTHING;
      return (session) => emails.removeLabel(session, emailId, 'rejected');
    },

    /** Something happened to a document that came by e-mail. */
    async tellOfDocument(
      { organizationId, uploadId, documentId, annotationId }: Happening,
      occasion: Occasion,
    ): Promise<Effect> {
      const email = uploadId === undefined ? null : await emails.findByUpload(organizationId, uploadId);
      if (!email) return NOTHING;
      const name = email.attachments.find((one) => one.documentId === documentId)?.fileName;
      const reason = occasion === 'unprocessable_attachments' ? await findFailure(organizationId, annotationId) : '';
      return prepareNotice(email, [occasion], name ? [reason ? `${name}: ${reason}` : name] : []);
    },
  };
}

/** The attachments as storage has them in the end: archives are opened there, and their members are documents too. */
export function completeAttachments(
  email: Pick<Email, 'attachments'>,
  documents: readonly documentStorage.Document[],
): Attachment[] {
  const byId = new Map(documents.map((document) => [document.id, document]));
  const known = email.attachments.map((attachment): Attachment => {
    const { attachmentStatus: status = attachment.status, message = '' } = byId.get(attachment.documentId) ?? {};
    return status === attachment.status ? attachment : { ...attachment, status, reason: message };
  });
  const ids = new Set(known.map(({ documentId }) => documentId));
  const members = documents.filter(({ id }) => !ids.has(id)).sort((a, b) => a.id - b.id);
  return [
    ...known,
    ...members.map(({ id, originalFileName, mimeType, size, attachmentStatus = '', message }) => ({
      ...{ documentId: id, fileName: originalFileName, mimeType, size, status: attachmentStatus },
      reason: message,
    })),
  ];
}
