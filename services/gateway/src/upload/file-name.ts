import { decodeCharset } from '@intake/untrusted';

/**
 * The file name in a `Content-Disposition` header (RFC 6266): `filename*` wins over `filename`. Names sent as raw UTF-8, which HTTP
 * reads as Latin-1, are put right, and so are those with blanks but without quotes. Undefined when there is none.
 */
export function fileNameOf(disposition: string | undefined): string | undefined {
  if (!disposition) return undefined;
  const extended = /;\s*filename\*\s*=\s*"?(UTF-8|ISO-8859-1)'[^']*'([^;"\s]+)"?/i.exec(disposition);
  if (extended) {
    const name = decodeExtended(extended[1]!, extended[2]!);
    if (name) return lastPart(name);
  }
  const plain = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]+))/i.exec(disposition);
  const name = plain?.[1]?.replace(/\\(.)/g, '$1') ?? plain?.[2];
  return name ? lastPart(decodeRawUtf8(name)) : undefined;
}

/** The last part of a path, without control characters and encoded words (RFC 2047); undefined when nothing is left. */
export function lastPart(path: string): string | undefined {
  const name = (decodeWords(path).split(/[/\\]/).pop() ?? '').replace(/\p{Cc}/gu, '').trim();
  return name === '' || name === '.' || name === '..' ? undefined : name;
}

/** Some clients write names as mail programs do: `=?UTF-8?Q?=C5=BE.pdf?=`. */
function decodeWords(text: string): string {
  return text
    .replace(/(\?=)\s+(?==\?)/g, '$1')
    .replace(/=\?([\w-]+)\?([BQ])\?([^?\s]*)\?=/gi, (word, charset: string, kind: string, encoded: string) => {
      const isBase64 = kind.toUpperCase() === 'B';
      const bytes = isBase64 ? Buffer.from(encoded, 'base64') : bytesOf(encoded.replaceAll('_', ' '), '=');
      try {
        return decodeCharset(bytes, charset);
      } catch {
        return word;
      }
    });
}

function decodeExtended(charset: string, encoded: string): string | undefined {
  const bytes = bytesOf(encoded, '%');
  return charset.toUpperCase() === 'UTF-8' ? bytes.toString('utf8') : bytes.toString('latin1');
}

/** Bytes of which some are written as `mark` and two hexadecimal digits. */
function bytesOf(encoded: string, mark: '%' | '='): Buffer {
  const hex = new RegExp(`${mark}([0-9A-Fa-f]{2})`, 'g');
  return Buffer.from(
    encoded.replace(hex, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16))),
    'latin1',
  );
}

/** Text that was read as Latin-1: the UTF-8 that it is, if it is. */
export function decodeRawUtf8(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Latin-1 is what is looked for
  if (!/^[\u0000-\u00ff]*$/.test(text)) return text;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'latin1'));
  } catch {
    return text;
  }
}
