import { isUtf8 } from 'node:buffer';
import { decodeCharset } from '@intake/untrusted';

/** What Outlook has put into one file. */
export interface PackedFiles {
  readonly files: readonly { readonly filename: string; readonly contentType: string; readonly content: Buffer }[];
  /** The body, as far as it is text or HTML; empty: there is none. */
  readonly text: string;
  readonly html: string;
}

/** Messages lie in messages, deeper than they are opened. */
export class PackedTooDeep extends Error {
  override readonly name = 'PackedTooDeep';
}

/** A text in the code page of the sender's system: of Western Europe, or UTF-8. Ends at its first zero. */
export function ansiText(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  const own = end < 0 ? bytes : bytes.subarray(0, end);
  return decodeCharset(own, isUtf8(own) ? 'utf-8' : 'windows-1252');
}

/** A text in UTF-16, which ends at its first zero. */
export function wideText(bytes: Buffer): string {
  return bytes.toString('utf16le').split('\0', 1)[0] ?? '';
}
