import { describeSheet, describeText } from './flat-document';
import { beginsLikeHtml, decodeText, readRows } from './html-rows';

/** The part of LibreOffice that reads a document. */
export type Family = 'writer' | 'calc';

/** Texts that go under the name of an Excel or a Word file, because Office opens them. */
export type TextForm = 'html' | 'mhtml' | 'tabs' | 'excelXml';

/** @param start of the text, without white space before it */
export function textFormOf(start: string, family: Family): TextForm | undefined {
  if (beginsLikeHtml(start)) return 'html';
  if (family === 'writer') {
    const { head } = splitPart(start);
    return MHTML.every((line) => line.test(head)) ? 'mhtml' : undefined;
  }
  if (/^[^\t<]{0,500}\t/.test(start)) return 'tabs';
  return EXCEL_XML.every((line) => line.test(start)) ? 'excelXml' : undefined;
}

const MHTML = [/^[\w-]{1,40}: /, /^MIME-Version:/im, /^Content-Type:\s*(?:multipart\/related|text\/html)/im];
/** Entities of a document type are none of a sheet. */
const EXCEL_XML = [
  /^<(?:\?xml|(?:ss:)?Workbook)\s(?!.*<!DOCTYPE)/s,
  /<(?:ss:)?Workbook\s[^>]*["']urn:schemas-microsoft-com:office:spreadsheet["']/,
];

/**
 * The document that LibreOffice is given in the place of a text. Nothing but the text gets into it, so that nothing in it is fetched or run,
 * and each value is what stands there.
 *
 * @returns a flat OpenDocument file of the family; null: LibreOffice reads the text itself
 */
export function documentOfText(bytes: Uint8Array, form: TextForm, family: Family): string | null {
  if (form === 'excelXml') return null;
  const text = decodeText(form === 'mhtml' ? htmlOfMhtml(bytes) : bytes);
  const rows = form === 'tabs' ? rowsOfTabs(text) : readRows(text);
  return family === 'calc' ? describeSheet(rows) : describeText(rows);
}

/** The lines of a text whose columns are divided by tabs. A cell in quotes may go over several lines. */
function rowsOfTabs(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, cell = '', end] of text.trimEnd().matchAll(/("(?:[^"]|"")*"|[^\t\r\n]*)(\t|\r?\n|\r|$)/g)) {
    const isQuoted = cell.length > 1 && cell.startsWith('"') && cell.endsWith('"');
    rows.at(-1)?.push((isQuoted ? cell.slice(1, -1).replaceAll('""', '"') : cell).trim());
    if (end === '') break;
    if (end !== '\t') rows.push([]);
  }
  return rows;
}

/** The page of a "single file web page", as which Word and web applications store documents; its pictures are left out. */
function htmlOfMhtml(bytes: Uint8Array): Buffer {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const boundary = /^Content-Type:[^\0]{0,200}?boundary="?([^"\r\n;]{1,100})/im.exec(text)?.[1];
  const parts = boundary ? text.split(`--${boundary}`).slice(1) : [text];
  const page = parts.map(splitPart).find(({ head }) => /^Content-Type:\s*text\/html/im.test(head));
  if (!page) return Buffer.alloc(0);
  const [, encoding = ''] = /^Content-Transfer-Encoding:\s*([\w-]+)/im.exec(page.head) ?? [];
  if (/^base64$/i.test(encoding)) return Buffer.from(page.body, 'base64');
  return Buffer.from(/^quoted-printable$/i.test(encoding) ? decodeQuotedPrintable(page.body) : page.body, 'latin1');
}

function splitPart(part: string): { head: string; body: string } {
  const text = part.replace(/^\r?\n/, '');
  const gap = /\r?\n\r?\n/.exec(text);
  return gap
    ? { head: text.slice(0, gap.index), body: text.slice(gap.index + gap[0].length) }
    : { head: text, body: '' };
}

function decodeQuotedPrintable(text: string): string {
  return text
    .replace(/=[ \t]*\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
