import MailComposer from 'nodemailer/lib/mail-composer';
import type { Address } from '../email/email';

/** An outgoing mail before it is written. */
export interface OutgoingMail {
  readonly from: Address;
  readonly to: readonly Address[];
  readonly cc: readonly Address[];
  readonly bcc: readonly Address[];
  readonly subject: string;
  readonly text: string;
  /** Empty: there is none. */
  readonly html: string;
  /** Without angle brackets. */
  readonly messageId: string;
  /** Message-IDs of what it answers, the nearest first. */
  readonly references: readonly string[];
  readonly isAutomatic: boolean;
  /** Link by which its recipient wants no more of them; null: there is none. */
  readonly unsubscribeUrl?: string | null;
  readonly attachments: readonly {
    readonly filename: string;
    readonly content: Buffer;
    readonly contentType: string;
  }[];
}

/** The raw bytes of a mail; names and texts cannot make headers of their own. */
export function composeMail(mail: OutgoingMail, mailDomain: string): Promise<Buffer> {
  const toAddress = ({ email, name }: Address) => ({ address: oneLine(email), name: oneLine(name) });
  return new MailComposer({
    from: toAddress(mail.from),
    to: mail.to.map(toAddress),
    cc: mail.cc.map(toAddress),
    subject: oneLine(mail.subject),
    text: mail.text,
    ...(mail.html && { html: mail.html }),
    messageId: `<${mail.messageId}>`,
    ...(mail.references[0] && {
      inReplyTo: `<${mail.references[0]}>`,
      references: [...mail.references].reverse().map((id) => `<${oneLine(id)}>`),
    }),
    headers: {
      'X-Loop': mailDomain,
      ...(mail.isAutomatic && { 'Auto-Submitted': 'auto-replied' }),
      ...(mail.unsubscribeUrl && { 'List-Unsubscribe': `<${mail.unsubscribeUrl}>` }),
    },
    attachments: mail.attachments.map((one) => ({ ...one })),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build();
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}]+/gu, ' ').trim();
}
