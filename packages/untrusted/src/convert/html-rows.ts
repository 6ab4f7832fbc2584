import { decodeHTMLStrict } from 'entities';
import { decodeCharset } from '../decode-charset';
import { type HtmlVisitor, walkHtml } from '../html';

/** What says nothing that a sheet would show. */
const SILENT = new Set(['script', 'style', 'title', 'xml']);
const LINES = new Set(['br', 'p', 'div', 'li', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
const MOST_COLUMNS = 256;
const MOST_SPANNED_ROWS = 1000;
/** Where a charset is named: so much of the file is looked at. */
const HEAD_BYTES = 4096;

/** Whether a text, of which the start is enough, is a page or a table of HTML. */
export function beginsLikeHtml(start: string): boolean {
  return /^<(?:!doctype html|(?:html|head|meta|style|body|table)[\s>])/i.test(start.trimStart());
}

/** The text of a file that may name its charset as HTML does. */
export function decodeText(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decodeCharset(bytes, 'utf-16le');
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD_BYTES)).toString('latin1');
  const [, named = 'utf-8'] = /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{1,40})/i.exec(head) ?? [];
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return decodeNamed(bytes, /^utf-?8$/i.test(named) ? 'windows-1252' : named);
  }
}

function decodeNamed(bytes: Uint8Array, encoding: string): string {
  try {
    return decodeCharset(bytes, encoding);
  } catch {
    return decodeCharset(bytes, 'windows-1252');
  }
}

/** What a page shows: the rows of its tables, and each line between them as a row of one cell. */
export function readRows(html: string): string[][] {
  const table = new Rows();
  walkHtml(html, SILENT, table);
  table.end();
  return table.rows;
}

/** Rows of cells, as tags and texts come. */
class Rows implements HtmlVisitor {
  readonly rows: string[][] = [];
  private row: string[] | null = null;
  /** Of the cell that is open; null: what comes stands outside of cells. */
  private span: { columns: number; rows: number } | null = null;
  private text = '';
  /** By column: how many rows a cell above still reaches down. */
  private reaching: number[] = [];

  readonly onText = (text: string): void => {
    this.text += text.replace(/\s+/g, ' ');
  };

  readonly onTag = (name: string, attributes: string): void => {
    if (LINES.has(name.replace('/', ''))) {
      this.text += '\n';
      return;
    }
    if (!/^\/?(?:table|tr|td|th)$/.test(name)) return;
    this.closeCell();
    if (/^t[dh]$/.test(name)) {
      this.span = {
        columns: spanOf(attributes, 'col', MOST_COLUMNS),
        rows: spanOf(attributes, 'row', MOST_SPANNED_ROWS),
      };
    }
    if (name === '/tr' || name.endsWith('table')) this.row = null;
    if (name === 'tr') this.beginRow();
    if (name.endsWith('table')) this.reaching = [];
  };

  end(): void {
    this.closeCell();
  }

  private beginRow(): string[] {
    this.row = [];
    this.rows.push(this.row);
    return this.row;
  }

  private closeCell(): void {
    const { span, text } = this;
    this.span = null;
    this.text = '';
    const lines = decodeHTMLStrict(text)
      .split('\n')
      .map((line) => line.replace(/\s+/g, ' ').trim())
      .filter(Boolean);
    if (span) this.addCell(this.row ?? this.beginRow(), lines.join('\n'), span);
    else for (const line of lines) this.rows.push([line]);
  }

  private addCell(row: string[], text: string, { columns, rows }: { columns: number; rows: number }): void {
    while ((this.reaching[row.length] ?? 0) > 0) {
      this.reaching[row.length]! -= 1;
      row.push('');
    }
    for (let i = 0; i < columns && row.length < MOST_COLUMNS; i++) {
      this.reaching[row.length] = rows - 1;
      row.push(i === 0 ? text : '');
    }
  }
}

function spanOf(attributes: string, kind: 'col' | 'row', most: number): number {
  const [, value = '1'] = new RegExp(`\\b${kind}span\\s*=\\s*["']?(\\d{1,6})`).exec(attributes) ?? [];
  return Math.min(Math.max(Number(value), 1), most);
}
