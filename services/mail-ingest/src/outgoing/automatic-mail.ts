import type { queue } from '@intake/contracts';
import type { ClientSession } from '@intake/mongo';
import type { Address, Email } from '../email/email';
import { stripTags } from '../mail/strip-tags';
import type { InboxRules } from '../rules/inbox-rules';
import type { DeliveryStore } from './delivery.store';
import { escapeHtml, type Placeholders, placeholdersIn, renderHtml, renderText } from './render';
import type { Outgoing } from './send-email';

/** What an automatic mail may be about: a status of documents, or a mail of which nothing can be imported. */
export type Subject = 'received' | 'confirmed' | 'exported' | 'email_with_no_processable_attachments';

export interface AutomaticMailOptions {
  readonly deliveries: DeliveryStore;
  readonly outgoing: Outgoing;
  /** Null when queue or inbox have gone. */
  readonly findRules: (email: Email) => Promise<InboxRules | null>;
  /** The template of the e-mail's queue that is to be sent without anybody asking; null: there is none. */
  readonly findTemplate: (email: Email, subject: Subject) => Promise<queue.EmailTemplate | null>;
  readonly findOrganizationName: (organizationId: number) => Promise<string>;
  /** What these placeholders about annotations stand for; others are left out. */
  readonly findAnnotationValues: (
    organizationId: number,
    annotationIds: readonly number[],
    names: readonly string[],
  ) => Promise<Placeholders>;
  /** Where people see the service; empty: nobody knows. */
  readonly appUrl: string;
}

const ADDRESS = /^[^\s@<>"(),:;\\[\]]{1,64}@[^\s@<>"(),:;\\[\]]{1,255}$/;

/** Mails that a queue sends by its templates. API: email-import.md sections 5 and 7. */
export function createAutomaticMail(options: AutomaticMailOptions) {
  const { deliveries, outgoing, findRules, findTemplate, findOrganizationName, findAnnotationValues } = options;

  /**
   * Writes the mail that answers an e-mail. Null: the queue wants none, or nobody is there to get it: a program or somebody under a
   * false name wrote the e-mail, or it was imported.
   *
   * @param key tells what was told already: nobody is told twice
   */
  return async (
    email: Email,
    subject: Subject,
    key: string,
    about: { readonly fileNames: readonly string[]; readonly annotationIds: readonly number[] },
  ): Promise<((session: ClientSession) => Promise<void>) | null> => {
    if (!outgoing.isEnabled || email.type !== 'incoming' || email.isAutomatic || email.creatorId !== null) return null;
    if (email.authentication?.dmarc === 'fail') return null;
    const template = await findTemplate(email, subject);
    const rules = template && (await findRules(email));
    if (!template || !rules?.isActive || (await deliveries.wasTold(email.id, key))) return null;
    const names = placeholdersIn(`${template.subject} ${template.message}`);
    const values: Placeholders = {
      ...(await findAnnotationValues(email.organizationId, about.annotationIds, names)),
      app_url: options.appUrl,
      organization_name: await findOrganizationName(email.organizationId),
      parent_email_subject: email.subject,
      sender_email: email.from?.email ?? '',
      'annotation.document.original_file_name': about.fileNames.join(', '),
      'annotation.id': about.annotationIds.join(', '),
      document_list: `<ul>${about.fileNames.map((name) => `<li>${escapeHtml(name)}</li>`).join('')}</ul>`,
    };
    const isElsewhere = (one: Address) =>
      ADDRESS.test(one.email) && one.email.toLowerCase() !== rules.inboxEmail.toLowerCase();
    const isWanted = await deliveries.findSubscribed(
      email.organizationId,
      [...template.to, ...template.cc, ...template.bcc].map((one) => renderText(one.email, values).trim()),
    );
    const fill = (list: readonly queue.MailAddress[]) =>
      list
        .map(({ email: address, name }) => ({
          email: renderText(address, values).trim(),
          name: renderText(name, values),
        }))
        .filter((one) => isElsewhere(one) && isWanted.has(one.email));
    const [to, cc, bcc] = [fill(template.to), fill(template.cc), fill(template.bcc)];
    if (to.length + cc.length + bcc.length === 0) return null;
    const html = renderHtml(template.message, values);
    const { send } = await outgoing.prepare({
      ...{ organizationId: email.organizationId, queueId: email.queueId, inboxId: email.inboxId },
      from: { email: rules.inboxEmail, name: rules.queueName },
      ...{ to, cc, bcc, html, documentIds: [], attachments: [], creatorId: null, parent: email, isAutomatic: true },
      subject: renderText(template.subject, values),
      text: stripTags(html),
      labels: [subject === 'email_with_no_processable_attachments' ? 'automatic_rejection' : STATUS_INFO],
      relatedAnnotationIds: about.annotationIds,
      relatedDocumentIds: [],
      templateId: template.id,
      resetsThreads: false,
    });
    return async (session) => {
      if (await deliveries.claimOccasion(session, email.id, key)) await send(session);
    };
  };
}

const STATUS_INFO = 'automatic_status_changed_info';
