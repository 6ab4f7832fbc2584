import { createTransport } from 'nodemailer';
import MailComposer from 'nodemailer/lib/mail-composer';

/** A mail as a person would write it. */
export interface MailContent {
  readonly from?: string;
  readonly to: string;
  readonly subject?: string;
  readonly text?: string;
  readonly messageId?: string;
  readonly attachments?: readonly {
    readonly filename: string;
    readonly content: Buffer;
    readonly contentType?: string;
  }[];
}

const SENDER = 'supplier@example.org';

/** The raw bytes of a mail. */
export function buildMail({ from = SENDER, attachments = [], ...rest }: MailContent): Promise<Buffer> {
  return new MailComposer({ from, attachments: [...attachments], ...rest }).compile().build();
}

/** Sends raw mail by SMTP and answers the server's last line. Rejects with the server's refusal. */
export async function sendMail(
  server: { readonly host: string; readonly port: number },
  { raw, to, from = SENDER }: { readonly raw: Buffer; readonly to: string | string[]; readonly from?: string },
): Promise<string> {
  const transport = createTransport({ ...server, secure: false, tls: { rejectUnauthorized: false } });
  try {
    const { response } = await transport.sendMail({ raw, envelope: { from, to } });
    return String(response);
  } finally {
    transport.close();
  }
}
