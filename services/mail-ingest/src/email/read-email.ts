import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { documentStorage } from '@intake/contracts';
import type { ParsedAttachment, ParsedMessage } from '../mail/parse-message';
import type { Email, LeftOutAttachment, ReadEmail } from './email';

/** What reading e-mails needs from outside. */
export interface ReadEmailOptions {
  /** Bytes of the raw message. */
  readonly loadRaw: (email: Email) => AsyncIterable<Uint8Array>;
  /** Reads hostile bytes in a child process. */
  readonly parse: (rawPath: string, folder: string) => Promise<ParsedMessage>;
  /** Whether the queue takes a type; null when the queue has gone. */
  readonly findAccepted: (email: Email) => Promise<((mimeType: string) => boolean) | null>;
  readonly putFile: (
    email: Email,
    file: { fileName: string; mimeType: string; bytes: AsyncIterable<Uint8Array> },
  ) => Promise<documentStorage.StoredFile>;
  /** Puts files on their way; the same e-mail again gets the first answer. */
  readonly createUpload: (
    email: Email,
    files: documentStorage.StoredFile[],
    values: Record<string, string>,
  ) => Promise<{ uploadId: number; documentIds: readonly number[] }>;
}

/** The queue that the e-mail was sent to has gone. */
export class QueueGone extends Error {
  override readonly name = 'QueueGone';
}

/** API: limits.md: file size, and sum of the files of an upload. */
const MAX_UPLOAD_BYTES = 40 * 1024 * 1024;
/** API: limits.md, e-mail body text. */
const MAX_BODY_BYTES = 4096;
/** API: limits.md, datapoint value. */
const MAX_VALUE_CHARACTERS = 1500;

/**
 * Reads an e-mail from storage and puts its attachments on their way to annotations. May be done again for the same e-mail:
 * its upload is made once. Throws QueueGone, and what the parser throws.
 */
export function createReadEmail(options: ReadEmailOptions): (email: Email) => Promise<ReadEmail> {
  const { loadRaw, parse, findAccepted, putFile, createUpload } = options;

  return async (email) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'intake-mail-'));
    try {
      const rawPath = path.join(folder, 'raw');
      await pipeline(loadRaw(email), createWriteStream(rawPath, { mode: 0o600 }));
      const message = await parse(rawPath, folder);
      const accepts = await findAccepted(email);
      if (!accepts) throw new QueueGone('The queue of the inbox has been deleted.');
      const { taken, leftOut } = sortAttachments(message.attachments, accepts);
      const files: documentStorage.StoredFile[] = [];
      for (const { path: file, fileName, mimeType } of taken)
        files.push(await putFile(email, { fileName, mimeType, bytes: createReadStream(file) }));
      const upload = files.length > 0 ? await createUpload(email, files, valuesOf(message)) : null;
      return {
        subject: message.subject,
        from: message.from,
        to: message.to,
        cc: message.cc,
        messageId: message.messageId || email.messageId,
        bodyTextPlain: cutToBytes(message.textPlain, MAX_BODY_BYTES),
        bodyTextHtml: cutToBytes(message.textHtml, MAX_BODY_BYTES),
        uploadId: upload?.uploadId ?? null,
        documentIds: upload?.documentIds ?? [],
        leftOut,
      };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
}

/** Which attachments are imported. API: email-import.md section 1.3. */
export function sortAttachments(
  attachments: readonly ParsedAttachment[],
  accepts: (mimeType: string) => boolean,
): { taken: ParsedAttachment[]; leftOut: LeftOutAttachment[] } {
  const taken: ParsedAttachment[] = [];
  const leftOut: LeftOutAttachment[] = [];
  const seen = new Set<string>();
  let sum = 0;
  for (const attachment of attachments) {
    const { fileName, mimeType, size, sha256 } = attachment;
    const leaveOut = (status: string) => void leftOut.push({ fileName, mimeType, size, status });
    if (seen.has(sha256)) leaveOut('');
    else if (!accepts(mimeType)) leaveOut('filtered_by_queue_mime_type');
    else if (size === 0 || sum + size > MAX_UPLOAD_BYTES) leaveOut('filtered_by_inbox_size');
    else {
      taken.push(attachment);
      sum += size;
    }
    seen.add(sha256);
  }
  return { taken, leftOut };
}

/** Values for `rir_field_names`. API: email-import.md section 1.4. */
export function valuesOf(message: ParsedMessage): Record<string, string> {
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
