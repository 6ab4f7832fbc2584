import { createReadStream, createWriteStream } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { documentStorage, extension } from '@intake/contracts';
import { withFolder } from '@intake/untrusted';
import { readAuthenticationResults } from '../mail/authentication-results';
import type { ParsedMessage } from '../mail/parse-message';
import { isFilteredOut, judgeAttachments, type Verdict } from '../rules/attachment-rules';
import type { InboxRules } from '../rules/inbox-rules';
import { senderProblemOf } from '../rules/sender-rules';
import type { Attachment, Authentication, Email, Reading } from './email';

/** What reading e-mails needs from outside. */
export interface ReadEmailOptions {
  /** Name of this installation in mail: what `X-Loop` of its own mails says. */
  readonly mailDomain: string;
  /** Bytes of the raw message. */
  readonly loadRaw: (email: Pick<Email, 'organizationId' | 'rawKey'>) => AsyncIterable<Uint8Array>;
  /** Reads hostile bytes in a child process. */
  readonly parse: (rawPath: string, folder: string) => Promise<ParsedMessage>;
  /** Asks name servers who the sender is; null: that is switched off. */
  readonly checkSender: ((email: Email, rawPath: string) => Promise<Authentication>) | null;
  /** Name of the front server whose verdict counts for this e-mail; null: there is none. */
  readonly frontServerOf: (email: Email) => string | null;
  /** Null when queue or inbox have gone. */
  readonly findRules: (email: Email) => Promise<InboxRules | null>;
  readonly putFile: (
    email: Email,
    file: { fileName: string; mimeType: string; bytes: AsyncIterable<Uint8Array> },
  ) => Promise<documentStorage.StoredFile>;
  /** Makes documents; the same e-mail again gets the first ids. */
  readonly addAttachments: (
    email: Email,
    attachments: readonly { file: documentStorage.StoredFile; status: string }[],
  ) => Promise<readonly number[]>;
  /** Puts documents on their way; the same e-mail again gets the first answer. */
  readonly createUpload: (
    email: Email,
    documentIds: readonly number[],
    values: Record<string, string>,
    documentValues: readonly DocumentValues[],
  ) => Promise<{ uploadId: number }>;
  /** Shows the e-mail to the hooks of `email.received`; null: they have not answered yet, and `email.answered` says when they have. */
  readonly callHooks: (email: Email, shown: ShownEmail) => Promise<HookedEmail | null>;
  /** Notes what hooks made of documents; further ones become the e-mail's. */
  readonly setAttachments: (
    email: Email,
    attachments: readonly { readonly documentId: number; readonly status: string }[],
  ) => Promise<void>;
}

/** Values of one document for `rir_field_names`. */
export interface DocumentValues {
  readonly documentId: number;
  readonly values: Readonly<Record<string, string>>;
}

/** What hooks are shown of an e-mail. */
export type ShownEmail = Omit<extension.CallEmailHooksRequest, 'emailId' | 'queueId'>;
/** What they answer. */
export type HookedEmail = Omit<extension.CallEmailHooksResponse, 'pending'>;

/** API: limits.md, e-mail body text. */
const MAX_BODY_BYTES = 4096;
/** API: limits.md, datapoint value. */
const MAX_VALUE_CHARACTERS = 1500;

/**
 * Reads an e-mail from storage and puts its attachments on their way to annotations. May be done again for the same e-mail:
 * its documents and its upload are made once. Null: hooks are asked, and it is to be read again when they have answered. Throws what the parser throws.
 */
export function createReadEmail(options: ReadEmailOptions): (email: Email) => Promise<Reading | null> {
  const { loadRaw, parse, findRules, putFile, addAttachments, createUpload, callHooks, setAttachments } = options;

  const authenticate = async (email: Email, message: ParsedMessage, rawPath: string) => {
    const encrypted = email.envelope?.encrypted ?? false;
    const frontServer = options.frontServerOf(email);
    const told = frontServer && readAuthenticationResults(message.authenticationResults, frontServer);
    if (told) return { ...told, encrypted };
    return email.envelope?.remoteAddress && options.checkSender ? options.checkSender(email, rawPath) : null;
  };

  const storeAttachments = async (email: Email, message: ParsedMessage, rules: InboxRules): Promise<Attachment[]> => {
    const verdicts = judgeAttachments(message.attachments, rules);
    const files: { file: documentStorage.StoredFile; status: string }[] = [];
    for (const [i, { path: file, fileName, mimeType }] of message.attachments.entries()) {
      const stored = await putFile(email, { fileName, mimeType, bytes: createReadStream(file) });
      files.push({ file: stored, status: (verdicts[i] as Verdict).status });
    }
    const documentIds = files.length > 0 ? await addAttachments(email, files) : [];
    return message.attachments.map(({ fileName, mimeType, size }, i) => {
      const { status, reason } = verdicts[i] as Verdict;
      return { documentId: documentIds[i] ?? 0, fileName, mimeType, size, status, reason };
    });
  };

  return (email) =>
    withFolder('intake-message-', async (folder) => {
      const rawPath = path.join(folder, 'raw');
      await pipeline(loadRaw(email), createWriteStream(rawPath, { mode: 0o600 }));
      const message = await parse(rawPath, folder);
      const rules = await findRules(email);
      const isImport = email.creatorId !== null;
      const checking = isImport ? Promise.resolve(null) : authenticate(email, message, rawPath);
      checking.catch(() => undefined);
      const unwanted = isImport ? '' : whyUnwanted(message, rules?.dropsForged ? await checking : null, rules);
      if (unwanted) return { state: 'dropped', failure: unwanted };

      const read = {
        subject: message.subject,
        from: message.from,
        to: message.to,
        cc: message.cc,
        bcc: message.bcc,
        messageId: message.messageId || email.messageId,
        references: message.references,
        bodyTextPlain: cutToBytes(message.textPlain, MAX_BODY_BYTES),
        bodyTextHtml: cutToBytes(message.textHtml, MAX_BODY_BYTES),
        authentication: await checking,
        isAutomatic: email.envelope?.sender === '' || isAutomatic(message, options.mailDomain),
      };
      if (!rules?.isActive) return { state: 'failed', read: { ...read, ...NOTHING_TAKEN, failure: GONE } };

      const stored = await storeAttachments(email, message, rules);
      const hooked = stored.length > 0 ? await callHooks(email, showEmail(message, stored)) : NO_HOOKS;
      if (!hooked) return null;
      const attachments = applyHooks(stored, hooked, rules);
      const changed = attachments.filter((one) => !stored.includes(one));
      if (changed.length > 0) await setAttachments(email, changed);
      const documentIds = attachments.map(({ documentId }) => documentId);
      const wanted = attachments.filter(({ status }) => status === 'processed').map(({ documentId }) => documentId);
      const values = { ...valuesOf(message), ...email.importValues };
      const upload =
        wanted.length > 0 ? await createUpload(email, wanted, values, [...hooked.files, ...hooked.additional]) : null;
      return {
        state: message.problem ? 'failed' : 'imported',
        read: {
          ...read,
          from: hooked.sender ?? message.from,
          uploadId: upload?.uploadId ?? null,
          documentIds,
          attachments,
          filteredOutDocumentCount: attachments.filter(({ status }) => isFilteredOut(status)).length,
          failure: message.problem,
        },
      };
    });
}

const GONE = 'The inbox, or its queue, was deleted before the message was read.';
const NOTHING_TAKEN = { uploadId: null, documentIds: [], attachments: [], filteredOutDocumentCount: 0 };
const NO_HOOKS: HookedEmail = { files: [], additional: [], sender: undefined };

/** What hooks are shown: the attachments that passed. API: hooks-and-connectors.md section 3.4. */
function showEmail(message: ParsedMessage, stored: readonly Attachment[]): ShownEmail {
  return {
    files: stored.flatMap(({ documentId, fileName, mimeType, status }, i) => {
      const image = message.attachments[i]?.image ?? null;
      const size = image === null || image === 'broken' ? {} : { height: image.height, width: image.width };
      return status === 'processed' ? [{ documentId, fileName, mimeType, nPages: 1, ...size }] : [];
    }),
    headers: { ...message.headers, 'authentication-results': message.authenticationResults[0] ?? '' },
    bodyTextPlain: message.textPlain,
    bodyTextHtml: message.textHtml,
  };
}

/** The attachments as hooks want them: what they did not list is left out, what they added comes after the others. */
export function applyHooks(
  stored: readonly Attachment[],
  { files, additional }: HookedEmail,
  rules: Pick<InboxRules, 'accepts'>,
): Attachment[] {
  const listed = new Set(files.map(({ documentId }) => documentId));
  const left = stored.map((attachment) =>
    attachment.status !== 'processed' || listed.has(attachment.documentId)
      ? attachment
      : { ...attachment, status: 'filtered_by_hook_custom', reason: 'An extension left it out.' },
  );
  const added = additional.map(({ documentId, fileName, mimeType, size, importDocument }) => {
    const isImported = importDocument && rules.accepts(mimeType);
    const status = isImported ? 'processed' : 'hook_additional_file';
    const reason = importDocument && !isImported ? `The queue does not take ${mimeType}.` : '';
    return { documentId, fileName, mimeType, size, status, reason };
  });
  return [...left, ...added];
}

/** Why an inbox does not take a message; empty: it does. API: email-import.md section 1.2. */
function whyUnwanted(message: ParsedMessage, authentication: Authentication | null, rules: InboxRules | null): string {
  if (!rules) return '';
  const sender = senderProblemOf(rules, message.from?.email ?? '');
  if (sender) return sender;
  return rules.dropsForged && authentication?.dmarc === 'fail' ? 'The message fails DMARC.' : '';
}

/** Whether a program wrote a message, so that it gets no automatic answer. API: email-import.md section 1.1, mail loops. */
export function isAutomatic(
  { automation, from }: Pick<ParsedMessage, 'automation' | 'from'>,
  mailDomain: string,
): boolean {
  const { autoSubmitted, precedence, suppress, autoreply, loops, isReport } = automation;
  if (isReport || /^mailer-daemon@/i.test(from?.email ?? '')) return true;
  if (autoSubmitted !== '' && !/^no\b/i.test(autoSubmitted)) return true;
  if (/^(bulk|junk|list|auto_reply)\b/i.test(precedence)) return true;
  if (/\b(all|autoreply)\b/i.test(suppress) || /^(?!no\b)./i.test(autoreply)) return true;
  return loops.some((loop) => loop.toLowerCase() === mailDomain);
}

/** Values for `rir_field_names`. API: email-import.md section 1.4. */
export function valuesOf(message: Pick<ParsedMessage, 'headers' | 'textPlain' | 'textHtml'>): Record<string, string> {
  const values = {
    ...Object.fromEntries(Object.entries(message.headers).map(([name, value]) => [`email_header:${name}`, value])),
    'email_body:text_plain': message.textPlain,
    'email_body:text_html': message.textHtml,
  };
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== '')
      .map(([name, value]) => [
        name,
        [...value.slice(0, 2 * MAX_VALUE_CHARACTERS)].slice(0, MAX_VALUE_CHARACTERS).join(''),
      ]),
  );
}

/** Text cut at a character border. */
export function cutToBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return text;
  let end = limit;
  // Bytes 10xxxxxx go on with a character that began before.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}
