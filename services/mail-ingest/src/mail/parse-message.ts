import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { detectMimeType, SNIFF_BYTES, safeFileName, unwrapSigned } from '@intake/untrusted';
import libmime from 'libmime';
import type { AddressObject, AttachmentStream, HeaderLines, Headers, MailParserOptions, MessageText } from 'mailparser';
import type { Address } from '../email/email';
import { type ImageSize, measureImage } from './image-size';
import { MessagesTooDeep, readOutlookMessage, type StoredFile } from './outlook-message';
import { MESSAGES, PartReader, toUtf8 } from './part-reader';
import { stripTags } from './strip-tags';
import { takeUuencoded } from './uuencoded';

/** What stands in a message. */
export interface ParsedMessage {
  readonly subject: string;
  readonly from: Address | null;
  readonly to: readonly Address[];
  readonly cc: readonly Address[];
  readonly bcc: readonly Address[];
  readonly messageId: string;
  /** Message-IDs, without angle brackets, of what it answers: of `In-Reply-To`, then of `References` from the last one on. */
  readonly references: readonly string[];
  readonly textPlain: string;
  readonly textHtml: string;
  /** Name (`from`, `to`, `reply-to`, `subject`, `message-id`, `date`) -> decoded text. API: email-import.md 1.4. */
  readonly headers: Readonly<Record<string, string>>;
  /** Headers by which programs tell each other that they are programs, as they stand. */
  readonly automation: {
    readonly autoSubmitted: string;
    readonly precedence: string;
    /** Microsoft's `X-Auto-Response-Suppress`: which answers the sender does not want. */
    readonly suppress: string;
    /** Old programs that answer for people who are away. */
    readonly autoreply: string;
    readonly loops: readonly string[];
    /** What mail servers and programs write of a message that they got: that it was not delivered, or was read (RFC 6522). */
    readonly isReport: boolean;
  };
  /** Values of `Authentication-Results`, the newest first. */
  readonly authenticationResults: readonly string[];
  readonly attachments: readonly ParsedAttachment[];
  /** Why none of the attachments was read; empty: they were. */
  readonly problem: string;
}

/** An attachment, its bytes in a file of their own. */
export interface ParsedAttachment extends FileLook {
  readonly path: string;
  readonly fileName: string;
  readonly mimeType: string;
  /** As the message says. */
  readonly declaredType: string;
  /** Bytes. */
  readonly size: number;
  readonly sha256: string;
}

/** What the bytes of a file say about it. */
export interface FileLook {
  /** Null: no image, or one whose size is not known. */
  readonly image: ImageSize | 'broken' | null;
  /** It begins like a program. */
  readonly isExecutable: boolean;
}

/** API: email-import.md section 1.3. */
const MAX_PARTS = 100;
const MAX_DEPTH = 10;
const MAX_NESTED_MESSAGES = 5;
/** Multiparts and texts around the parts that count. */
const MAX_CONTAINERS = 20;
/** Of each part's header block. */
const MAX_HEADER_BYTES = 256 * 1024;
const MAX_REFERENCES = 100;
/** Of a header that is kept as text; a value of a datapoint is shorter. */
const MAX_HEADER_TEXT = 10_000;
const XML = 'text/xml';
/** A message inside its signature (S/MIME, RFC 8551): mail programs show what is in it. */
/** A message that Outlook has stored, and what may be one. */
const OUTLOOK_MESSAGE = ['application/vnd.ms-outlook', 'application/x-ole-storage'];
const SIGNED = ['application/pkcs7-mime', 'application/x-pkcs7-mime'];

/** What says who wrote a message, beside it: mail programs show it as no file. */
const SIGNATURE = /^application\/(?:x-pkcs7|pkcs7|pgp)-signature$/;

/** The message is not read as a whole; the text says why. */
class NotRead extends Error {}

/** Counts over a message and those in it. */
interface Budget {
  parts: number;
  files: number;
}

/**
 * Reads a message from a file and writes its attachments into a folder. Hostile bytes: runs in a child process. A message that
 * goes beyond the limits of the API is read without its attachments, and `problem` says why.
 */
export async function parseMessage(rawPath: string, folder: string): Promise<ParsedMessage> {
  const found: Found = {
    headers: new Map(),
    lines: [],
    text: { type: 'text' },
    attachments: [],
  };
  let problem = '';
  try {
    await readParts({ rawPath, nesting: 0, isBody: true }, folder, found, { parts: 0, files: 0 });
  } catch (error) {
    if (!(error instanceof NotRead)) throw error;
    problem = error.message;
  }
  const { headers, lines, text } = found;
  const textHtml = typeof text.html === 'string' ? text.html : '';
  const subject = toText(headers.get('subject'));
  const messageId = bare(toText(headers.get('message-id')));
  const references = [...idsIn(toText(headers.get('in-reply-to'))), ...toTexts(headers.get('references')).reverse()];
  return {
    subject,
    from: toAddresses(headers.get('from'))[0] ?? null,
    to: toAddresses(headers.get('to')),
    cc: toAddresses(headers.get('cc')),
    bcc: toAddresses(headers.get('bcc')),
    messageId,
    references: [...new Set(references.map(bare).filter(Boolean))].slice(0, MAX_REFERENCES),
    textPlain: text.text?.trim() ? text.text : stripTags(textHtml),
    textHtml,
    headers: {
      from: headerText(lines, 'from'),
      to: headerText(lines, 'to'),
      'reply-to': headerText(lines, 'reply-to'),
      subject,
      'message-id': messageId,
      date: rawHeaders(lines, 'date')[0] ?? '',
    },
    automation: {
      autoSubmitted: rawHeaders(lines, 'auto-submitted')[0] ?? '',
      precedence: rawHeaders(lines, 'precedence')[0] ?? '',
      suppress: rawHeaders(lines, 'x-auto-response-suppress')[0] ?? '',
      autoreply: rawHeaders(lines, 'x-autoreply')[0] ?? '',
      loops: rawHeaders(lines, 'x-loop'),
      isReport: /^multipart\/report\b/i.test(rawHeaders(lines, 'content-type')[0] ?? ''),
    },
    authenticationResults: rawHeaders(lines, 'authentication-results'),
    attachments: problem ? [] : found.attachments,
    problem,
  };
}

interface Found {
  headers: Headers;
  lines: HeaderLines;
  text: MessageText;
  attachments: ParsedAttachment[];
}

/** A part of a message, or a file in a message that was stored. */
type Given = Pick<AttachmentStream, 'filename' | 'contentType' | 'content' | 'contentDisposition'> & {
  /** The parser goes on. */
  readonly release?: () => void;
};

/** A message, or one that lies in another. */
interface Source {
  readonly rawPath: string;
  /** Messages around it. */
  readonly nesting: number;
  /** Its text is that of the message. */
  readonly isBody: boolean;
}

async function readParts(
  { rawPath, nesting, isBody }: Source,
  folder: string,
  found: Found,
  budget: Budget,
): Promise<void> {
  const parser = new PartReader({
    skipHtmlToText: true,
    skipTextToHtml: true,
    skipTextLinks: true,
    skipImageLinks: true,
    ...splitterLimits(MAX_PARTS - budget.parts),
  });
  if (nesting === 0) {
    parser.on('headers', (headers) => {
      found.headers = headers;
    });
    parser.on('headerLines', (lines) => {
      found.lines = lines;
    });
  }
  const source = pipeline(createReadStream(rawPath), parser);
  source.catch(() => undefined);
  const nested: Source[] = [];
  const take = async (part: Given, depth: number): Promise<void> => {
    const file = await saveAttachment(part, folder, ++budget.files);
    part.release?.();
    const stored = await openStored(file, MAX_NESTED_MESSAGES - depth);
    for (const { content, ...named } of stored ?? []) {
      countPart(budget);
      await take({ ...named, content: Readable.from([content]), contentDisposition: 'attachment' }, depth + 1);
    }
    if (stored) return;
    const inner = { rawPath: file.path, nesting: depth + 1 };
    if ([file.mimeType, part.contentType].some((type) => MESSAGES.includes(type)))
      nested.push({ ...inner, isBody: false });
    else if (SIGNED.includes(part.contentType) && (await openSigned(file.path)))
      nested.push({ ...inner, isBody: isBody && depth === nesting });
    else if (isCandidate(part, file)) found.attachments.push(file);
  };
  try {
    for await (const part of parser as AsyncIterable<AttachmentStream | MessageText>) {
      if (part.type === 'text') {
        const { text, files } = takeUuencoded(part.text ?? '', MAX_PARTS);
        if (isBody && !found.text.text && !found.text.html) found.text = { ...part, text };
        for (const { fileName: filename, content } of files) {
          countPart(budget);
          const given = { filename, contentType: 'application/octet-stream', content: Readable.from([content]) };
          found.attachments.push(await saveAttachment(given, folder, ++budget.files));
        }
        continue;
      }
      countPart(budget);
      if (((part as { partId?: string }).partId ?? '').split('.').length > MAX_DEPTH) throw tooDeep();
      await take(part, nesting);
    }
    await source;
  } catch (error) {
    if ((error as { code?: string }).code !== 'EMAXLEN') throw error;
    throw /child nodes/.test((error as Error).message)
      ? tooManyParts()
      : new NotRead('A header of the message is too long.');
  }
  for (const message of nested) {
    if (message.nesting > MAX_NESTED_MESSAGES) throw tooDeep();
    await readParts(message, folder, found, budget);
  }
}

/** The attachments of a message that Outlook has stored; null: it is another one, or damaged. Throws NotRead. */
async function openStored({ path: file, mimeType }: ParsedAttachment, deepest: number): Promise<StoredFile[] | null> {
  try {
    return OUTLOOK_MESSAGE.includes(mimeType) ? readOutlookMessage(await readFile(file), deepest) : null;
  } catch (error) {
    throw error instanceof MessagesTooDeep ? tooDeep() : error;
  }
}

function countPart(budget: Budget): void {
  budget.parts += 1;
  if (budget.parts > MAX_PARTS) throw tooManyParts();
}

/** Leaves in the file what was signed, if that is a message; answers whether it is. The signature is not checked. */
async function openSigned(file: string): Promise<boolean> {
  const bytes = await readFile(file);
  const content = unwrapSigned(bytes);
  const isMessage = /^(?:[\w-]+:[^\n]*\n(?:[ \t][^\n]*\n)*)*?content-type:/i.test(
    Buffer.from(content.buffer, content.byteOffset, Math.min(content.length, SNIFF_BYTES)).toString('latin1'),
  );
  const isOpened = isMessage && content.length < bytes.length;
  if (isOpened) await writeFile(file, content);
  return isOpened;
}

/**
 * Every part with a name, or that is said to be an attachment, and without either what is no text: an invitation beside the body,
 * the parts of a report. An electronic invoice is never left out, a signature always.
 */
function isCandidate({ filename, contentDisposition, contentType }: Given, { mimeType }: ParsedAttachment): boolean {
  if (SIGNATURE.test(contentType)) return false;
  return Boolean(filename) || contentDisposition === 'attachment' || mimeType === XML || !mimeType.startsWith('text/');
}

/** What the parser hands on to its splitter, which its types do not name. Forwarded messages are read by ourselves. */
function splitterLimits(parts: number): MailParserOptions {
  return {
    ignoreEmbedded: true,
    maxChildNodes: Math.max(parts, 1) + MAX_CONTAINERS,
    maxHeadSize: MAX_HEADER_BYTES,
  } as MailParserOptions;
}

function tooManyParts(): NotRead {
  return new NotRead(`The message has more than ${MAX_PARTS} parts; none of them was read.`);
}

function tooDeep(): NotRead {
  return new NotRead('The parts of the message are nested too deep; none of them was read.');
}

async function saveAttachment(
  part: Pick<AttachmentStream, 'filename' | 'contentType' | 'content'>,
  folder: string,
  number: number,
): Promise<ParsedAttachment> {
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
  // API: email-import.md section 1.3: what leads elsewhere in a name becomes an underscore.
  const name = (part.filename ?? '').replace(/[/\\]/g, '_');
  const start = await readStart(file);
  const mimeType = detectMimeType(start, name, part.contentType);
  return {
    path: file,
    fileName: safeFileName(name, `attachment-${number}${extensionOf(mimeType)}`),
    mimeType,
    declaredType: String(part.contentType ?? ''),
    size,
    sha256: sha256.digest('hex'),
    ...(await lookAtFile(file, mimeType)),
  };
}

/** Looks at the bytes of a file. */
export async function lookAtFile(file: string, mimeType: string): Promise<FileLook> {
  return { image: await measureImage(file, mimeType), isExecutable: isProgram(await readStart(file)) };
}

/** Windows programs, ELF, Mach-O, scripts with an interpreter line. */
function isProgram(start: Buffer): boolean {
  const magic = start.toString('latin1', 0, 4);
  return (
    (magic.startsWith('MZ') && start.includes(0)) ||
    magic === '\x7fELF' ||
    ['\xfe\xed\xfa\xce', '\xfe\xed\xfa\xcf', '\xce\xfa\xed\xfe', '\xcf\xfa\xed\xfe'].includes(magic) ||
    magic.startsWith('#!')
  );
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

function toTexts(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === 'string');
}

/** Message-IDs of `In-Reply-To`, which may be several, among words of old programs (RFC 5322, section 4.5.4). */
function idsIn(text: string): string[] {
  return text.match(/<[^<>\s]+>/g) ?? [text];
}

function bare(messageId: string): string {
  return messageId.trim().replace(/^<|>$/g, '').slice(0, 998);
}

function toAddresses(value: unknown): Address[] {
  const objects = (Array.isArray(value) ? value : value ? [value] : []) as AddressObject[];
  return objects
    .flatMap((object) => object.value ?? [])
    .flatMap((one) => one.group ?? [one])
    .map((one) => ({ email: one.address ?? '', name: one.name ?? '' }));
}

/** A header as it stands, decoded to Unicode. */
function headerText(lines: HeaderLines, key: string): string {
  const text = rawHeaders(lines, key)
    .map((line) => libmime.decodeWords(Buffer.from(toUtf8(line), 'latin1').toString('utf8')))
    .join(', ');
  return text.slice(0, MAX_HEADER_TEXT);
}

function rawHeaders(lines: HeaderLines, key: string): string[] {
  return lines
    .filter((one) => one.key === key)
    .map(({ line }) =>
      line
        .slice(line.indexOf(':') + 1)
        .replace(/\r?\n[ \t]+/g, ' ')
        .trim(),
    );
}
