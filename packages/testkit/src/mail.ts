import { createTransport } from 'nodemailer';
import MailComposer from 'nodemailer/lib/mail-composer';

/** A mail as a person would write it. */
export interface MailContent {
  readonly from?: string;
  readonly to: string;
  readonly cc?: string;
  readonly replyTo?: string;
  readonly inReplyTo?: string;
  readonly html?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly subject?: string;
  readonly text?: string;
  readonly messageId?: string;
  readonly attachments?: readonly {
    readonly filename: string;
    readonly content: Buffer;
    readonly contentType?: string;
    readonly contentDisposition?: 'attachment' | 'inline';
    readonly cid?: string;
  }[];
}

const SENDER = 'supplier@example.org';

/** The raw bytes of a mail. */
export function buildMail({ from = SENDER, attachments = [], ...rest }: MailContent): Promise<Buffer> {
  return new MailComposer({ from, attachments: [...attachments], ...rest, headers: { ...rest.headers } })
    .compile()
    .build();
}

/** Where and how mail is sent. */
export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** PEM of the certificate that must be shown by STARTTLS; without it any will do, or none. */
  readonly certificate?: string;
}

/** Sends raw mail by SMTP and answers the server's last line. Rejects with the server's refusal. */
export async function sendMail(
  { certificate, ...server }: MailServer,
  { raw, to, from = SENDER }: { readonly raw: Buffer; readonly to: string | string[]; readonly from?: string },
): Promise<string> {
  const tls = certificate ? { ca: certificate } : { rejectUnauthorized: false };
  const transport = createTransport({ ...server, secure: false, requireTLS: certificate !== undefined, tls });
  try {
    const { response } = await transport.sendMail({ raw, envelope: { from, to } });
    return String(response);
  } finally {
    transport.close();
  }
}
