import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { detectMimeType, SNIFF_BYTES, safeFileName } from '@intake/untrusted';
import {
  type AddressObject,
  type AttachmentStream,
  type HeaderLines,
  type Headers,
  MailParser,
  type MessageText,
} from 'mailparser';
import type { Address } from '../email/email';
import { stripTags } from './strip-tags';

/** What stands in a message. */
export interface ParsedMessage {
  readonly subject: string;
  readonly from: Address | null;
  readonly to: readonly Address[];
  readonly cc: readonly Address[];
  readonly messageId: string;
  readonly textPlain: string;
  readonly textHtml: string;
  /** Name (`from`, `to`, `reply-to`, `subject`, `message-id`, `date`) -> decoded text. API: email-import.md 1.4. */
  readonly headers: Readonly<Record<string, string>>;
  readonly attachments: readonly ParsedAttachment[];
}

/** An attachment, its bytes in a file of their own. */
export interface ParsedAttachment {
  readonly path: string;
  readonly fileName: string;
  readonly mimeType: string;
  /** Bytes. */
  readonly size: number;
  readonly sha256: string;
}

/** The message has more parts than are read. */
export class TooManyParts extends Error {
  override readonly name = 'TooManyParts';
}

/** API: email-import.md section 1.3. */
const MAX_PARTS = 100;

/**
 * Reads a message from a file and writes its attachments into a folder. Hostile bytes: runs in a child process.
 *
 * @throws TooManyParts
 */
export async function parseMessage(rawPath: string, folder: string): Promise<ParsedMessage> {
  const parser = new MailParser({
    skipHtmlToText: true,
    skipTextToHtml: true,
    skipTextLinks: true,
    skipImageLinks: true,
  });
  let headers: Headers = new Map();
  let lines: HeaderLines = [];
  let text: MessageText = { type: 'text' };
  const attachments: ParsedAttachment[] = [];
  parser.on('headers', (found) => {
    headers = found;
  });
  parser.on('headerLines', (found) => {
    lines = found;
  });
  const source = pipeline(createReadStream(rawPath), parser);
  source.catch(() => undefined);
  for await (const part of parser as AsyncIterable<AttachmentStream | MessageText>) {
    if (part.type === 'text') {
      text = part;
      continue;
    }
    if (attachments.length >= MAX_PARTS)
      throw new TooManyParts(`The message has more than ${MAX_PARTS} parts; none of them was read.`);
    attachments.push(await saveAttachment(part, folder, attachments.length + 1));
    part.release();
  }
  await source;

  const textHtml = typeof text.html === 'string' ? text.html : '';
  const subject = toText(headers.get('subject'));
  const messageId = toText(headers.get('message-id')).trim().replace(/^<|>$/g, '');
  return {
    subject,
    from: toAddresses(headers.get('from'))[0] ?? null,
    to: toAddresses(headers.get('to')),
    cc: toAddresses(headers.get('cc')),
    messageId,
    textPlain: text.text?.trim() ? text.text : stripTags(textHtml),
    textHtml,
    headers: {
      from: toText(headers.get('from')),
      to: toText(headers.get('to')),
      'reply-to': toText(headers.get('reply-to')),
      subject,
      'message-id': messageId,
      date: rawHeader(lines, 'date'),
    },
    attachments,
  };
}

async function saveAttachment(part: AttachmentStream, folder: string, number: number): Promise<ParsedAttachment> {
  const file = path.join(folder, String(number));
  const sha256 = createHash('sha256');
  let size = 0;
  await pipeline(
    part.content as Readable,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        sha256.update(chunk);
        size += chunk.length;
        yield chunk;
      }
    },
    createWriteStream(file, { mode: 0o600 }),
  );
  const name = part.filename ?? '';
  const mimeType = detectMimeType(await readStart(file), name, part.contentType);
  return {
    path: file,
    fileName: safeFileName(name, `attachment-${number}${extensionOf(mimeType)}`),
    mimeType,
    size,
    sha256: sha256.digest('hex'),
  };
}

async function readStart(file: string): Promise<Buffer> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(SNIFF_BYTES), 0, SNIFF_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'application/pdf': '.pdf',
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/tiff': '.tif',
  'application/zip': '.zip',
  'text/xml': '.xml',
  'message/rfc822': '.eml',
};

function extensionOf(mimeType: string): string {
  return EXTENSIONS[mimeType] ?? '.bin';
}

/** Text of a header as a person reads it. */
function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(toText).filter(Boolean).join(', ');
  if (value && typeof value === 'object' && 'text' in value) return String(value.text);
  return '';
}

function toAddresses(value: unknown): Address[] {
  const objects = (Array.isArray(value) ? value : value ? [value] : []) as AddressObject[];
  return objects
    .flatMap((object) => object.value ?? [])
    .flatMap((one) => one.group ?? [one])
    .map((one) => ({ email: one.address ?? '', name: one.name ?? '' }));
}

function rawHeader(lines: HeaderLines, key: string): string {
  const line = lines.find((one) => one.key === key)?.line ?? '';
  return line
    .slice(line.indexOf(':') + 1)
    .replace(/\r?\n[ \t]+/g, ' ')
    .trim();
}
