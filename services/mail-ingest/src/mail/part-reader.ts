import { decodeCharset } from '@intake/untrusted';
import { MailParser } from 'mailparser';

/** A message in a message. */
export const MESSAGE = 'message/rfc822';

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
}

/** The parser's own steps, which its types do not name. */
interface Steps {
  createNode(part: Part): unknown;
  processHeaders(lines: readonly Line[]): unknown;
}

const BaseParser = MailParser as unknown as new (
  ...options: ConstructorParameters<typeof MailParser>
) => MailParser & Steps;

/**
 * Reads a message part by part. Unlike the parser it stands on, it takes a text with a file name for an attachment, whatever its
 * disposition, unless it is one of the forms of the body, and a part of a digest that says no type for a message (RFC 2046); and reads
 * header lines in which bytes stand as they should not.
 */
export class PartReader extends BaseParser {
  override createNode(part: Part): unknown {
    const isInDigest = part.parentNode?.contentType === 'multipart/digest';
    if (isInDigest && part.headers.getFirst('content-type') === '') part.contentType = MESSAGE;
    if (part.filename && part.parentNode?.contentType !== 'multipart/alternative') part.disposition = 'attachment';
    return super.createNode(part);
  }

  override processHeaders(lines: readonly Line[]): unknown {
    return super.processHeaders(lines.map(({ key, line }) => ({ key, line: toUtf8(line) })));
  }
}

/** Bytes of a header, one in each character, in UTF-8: what is none is taken for Windows-1252, as old senders write it. */
export function toUtf8(line: string): string {
  const bytes = Buffer.from(line, 'latin1');
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return line;
  } catch {
    return Buffer.from(decodeCharset(bytes, 'windows-1252')).toString('latin1');
  }
}
