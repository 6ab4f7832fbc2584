import { Transform } from 'node:stream';
import { decodeCharset } from '@intake/untrusted';
import { MailParser } from 'mailparser';
import { takeUuencoded } from './uuencoded';

/** A message in a message; the second type when its headers are UTF-8 (RFC 6532). */
export const MESSAGES = ['message/rfc822', 'message/global'];
const UUENCODED = /^(?:x-)?uu(?:e|encode)$/;
/** Charsets of texts that may hold anything: none at all, and the one that only names letters without accents. */
const SAYS_NOTHING = /^(?:us-?)?ascii$|^$/i;
const UNKNOWN_CHARSET = 'x-unknown';

/** A header line, a character for each byte. */
interface Line {
  readonly key: string;
  readonly line: string;
}

/** What the parser knows of a part before it decides what it is. */
interface Part {
  contentType?: string | false;
  readonly filename?: string | false;
  readonly headers: { getFirst(name: string): string };
  readonly parentNode?: { readonly contentType?: string | false };
  disposition?: string | false;
  encoding: string;
  getDecoder(): Transform;
}

/** The parser's own steps, which its types do not name. */
interface Steps {
  createNode(part: Part): { charset?: string };
  getDecoder(): CharsetDecoder;
  processHeaders(lines: readonly Line[]): unknown;
}

interface CharsetDecoder {
  /** Throws when the charset is not known. */
  decodeStream(charset: string): Transform;
}

const BaseParser = MailParser as unknown as new (
  ...options: ConstructorParameters<typeof MailParser>
) => MailParser & Steps;

/**
 * Reads a message part by part. Unlike the parser it stands on, it takes a text with a file name for an attachment, whatever its
 * disposition, unless it is one of the forms of the body, and a part of a digest that says no type for a message (RFC 2046); decodes
 * parts that are uuencoded, and reads header lines and texts in which bytes stand as they should not.
 */
export class PartReader extends BaseParser {
  override createNode(part: Part): { charset?: string } {
    part.encoding = part.encoding.replace(/^"(.*)"$/, '$1');
    if (UUENCODED.test(part.encoding)) part.getDecoder = () => collect(decodeUuencoded);
    const isInDigest = part.parentNode?.contentType === 'multipart/digest';
    if (isInDigest && part.headers.getFirst('content-type') === '') part.contentType = MESSAGES[0] as string;
    if (part.filename && part.parentNode?.contentType !== 'multipart/alternative') part.disposition = 'attachment';
    const node = super.createNode(part);
    if (SAYS_NOTHING.test(node.charset ?? '')) node.charset = UNKNOWN_CHARSET;
    return node;
  }

  override getDecoder(): CharsetDecoder {
    const decoder = super.getDecoder();
    return {
      decodeStream: (charset) => {
        try {
          return decoder.decodeStream(charset);
        } catch {
          return collect((bytes) => Buffer.from(toUtf8(bytes.toString('latin1')), 'latin1'));
        }
      },
    };
  }

  override processHeaders(lines: readonly Line[]): unknown {
    return super.processHeaders(lines.map(({ key, line }) => ({ key, line: toUtf8(line) })));
  }
}

/** A stream that gives what is made of all its bytes. */
function collect(decode: (bytes: Buffer) => Buffer): Transform {
  const chunks: Buffer[] = [];
  return new Transform({
    transform: (chunk, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
    flush: (done) => done(null, decode(Buffer.concat(chunks))),
  });
}

/** The first file in a uuencoded part; what is none stays as it is. */
function decodeUuencoded(bytes: Buffer): Buffer {
  return takeUuencoded(bytes.toString('latin1'), 1).files[0]?.content ?? bytes;
}

/** Bytes, one in each character, in UTF-8: what is none is taken for Windows-1252, as old senders write it. */
export function toUtf8(line: string): string {
  const bytes = Buffer.from(line, 'latin1');
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return line;
  } catch {
    return Buffer.from(decodeCharset(bytes, 'windows-1252')).toString('latin1');
  }
}
