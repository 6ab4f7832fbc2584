import type { Email } from '../email/email';
import { isUnprocessable } from '../rules/attachment-rules';
import type { InboxRules, Notifications } from '../rules/inbox-rules';

/** Why somebody is told about an e-mail that came in. API: email-import.md section 5. */
export type Occasion =
  | 'unprocessable_attachments'
  | 'email_with_no_attachments'
  | 'postponed_annotations'
  | 'deleted_annotations';

/** What a notification says. */
export interface Notice {
  readonly occasion: Occasion;
  readonly to: string;
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
  readonly label: 'automatic_rejection' | 'automatic_status_changed_info';
}

const SETTING: Readonly<Record<Occasion, keyof Notifications>> = {
  unprocessable_attachments: 'unprocessableAttachments',
  email_with_no_attachments: 'emailWithNoAttachments',
  postponed_annotations: 'postponedAnnotations',
  deleted_annotations: 'deletedAnnotations',
};

/** What there is to tell of as soon as it is known what became of the attachments, the most telling first. */
export function occasionsOf({ attachments, state }: Pick<Email, 'attachments' | 'state'>): Occasion[] {
  const nothing = !attachments.some(({ status }) => status === 'processed');
  const something = state === 'failed' || attachments.some(({ status }) => isUnprocessable(status));
  return [
    ...(nothing ? (['email_with_no_attachments'] as const) : []),
    ...(something ? (['unprocessable_attachments'] as const) : []),
  ];
}

/**
 * The mail that is to be sent; null: none, because the inbox does not want it, nobody is there to get it, or a program or somebody
 * under a false name wrote the mail.
 */
export function writeNotice(
  email: Email,
  occasions: readonly Occasion[],
  rules: InboxRules,
  files: readonly string[] = [],
): Notice | null {
  const { notifications } = rules;
  const occasion = occasions.find((one) => notifications[SETTING[one]] === true);
  if (!occasion || email.isAutomatic || email.type !== 'incoming' || email.creatorId !== null) return null;
  const isForged = email.authentication?.dmarc === 'fail';
  const to = notifications.recipient ?? (isForged ? '' : (email.from?.email ?? ''));
  if (!/^[^\s@<>]+@[^\s@<>]+$/.test(to) || to.toLowerCase() === rules.inboxEmail.toLowerCase()) return null;
  const imported = email.attachments.some(({ status }) => status === 'processed');
  const title = email.subject.replace(/\s+/g, ' ').slice(0, 200) || '(no subject)';
  return {
    occasion,
    to,
    subject: `${SUBJECTS[occasion]}: ${title}`,
    text: [
      `${TEXTS[occasion]}`,
      '',
      `Message: ${title}`,
      `From: ${email.from?.email ?? 'unknown'}`,
      `Received: ${email.createdAt.toISOString()}`,
      ...(email.failure ? ['', email.failure] : []),
      ...listFiles(email, occasion, files),
      '',
      `This is an automatic message of ${rules.inboxEmail}.`,
      '',
    ].join('\n'),
    label: imported ? 'automatic_status_changed_info' : 'automatic_rejection',
  };
}

const SUBJECTS: Readonly<Record<Occasion, string>> = {
  unprocessable_attachments: 'Attachments could not be processed',
  email_with_no_attachments: 'No document could be processed',
  postponed_annotations: 'A document was postponed',
  deleted_annotations: 'A document was deleted',
};

const TEXTS: Readonly<Record<Occasion, string>> = {
  unprocessable_attachments: 'Some attachments of your message could not be processed.',
  email_with_no_attachments: 'Your message holds no document that could be processed.',
  postponed_annotations: 'A document of your message was postponed.',
  deleted_annotations: 'A document of your message was deleted.',
};

function listFiles({ attachments }: Email, occasion: Occasion, files: readonly string[]): string[] {
  const isDocumentMatter = occasion === 'postponed_annotations' || occasion === 'deleted_annotations';
  const lines = [
    ...files.map((name) => `- ${name}`),
    ...(isDocumentMatter
      ? []
      : attachments
          .filter(({ status, reason }) => isUnprocessable(status) || (status === 'extracted_archive' && reason !== ''))
          .map(({ fileName, reason }) => `- ${fileName}: ${reason}`)),
  ];
  return lines.length > 0 ? ['', 'Files:', ...lines.slice(0, 100)] : [];
}
