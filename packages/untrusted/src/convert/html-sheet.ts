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

/**
 * Makes a sheet of the tables of an HTML file, and of the lines between them: web shops and banks give out such files under the name of an
 * Excel file. Nothing but the text gets into the sheet, so that nothing in it is fetched or run, and each value is what stands there.
 *
 * @returns a flat OpenDocument spreadsheet
 */
export function sheetOfHtml(bytes: Uint8Array): string {
  return describeSheet(readRows(decodeText(bytes)));
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

/** Of flat OpenDocument files. */
export const NAMESPACES = ['office', 'style', 'table', 'text']
  .map((name) => ` xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .join('');
const FO = 'urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0';
const CM_PER_CHARACTER = 0.22;
const WIDTHS_CM = [1.5, 12] as const;
/** A title above a table reaches over its columns. */
const LONGEST_WORD = 60;

/** A flat OpenDocument spreadsheet of texts. */
export function describeSheet(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    if (row.length === 1) continue;
    row.forEach((text, i) => {
      const longest = Math.min(Math.max(...text.split('\n').map((line) => line.length)), LONGEST_WORD);
      widths[i] = Math.max(widths[i] ?? 0, longest);
    });
  }
  const toCm = (characters: number) =>
    Math.min(Math.max(characters * CM_PER_CHARACTER, WIDTHS_CM[0]), WIDTHS_CM[1]).toFixed(2);
  const styles = widths.map(
    (width, i) =>
      `<style:style style:name="c${i}" style:family="table-column"><style:table-column-properties style:column-width="${toCm(width)}cm"/></style:style>`,
  );
  const wrapped = `<style:style style:name="w" style:family="table-cell"><style:table-cell-properties fo:wrap-option="wrap" style:vertical-align="top"/></style:style><style:style style:name="r" style:family="table-row"><style:table-row-properties style:use-optimal-row-height="true"/></style:style>`;
  const columns = widths.map((_, i) => `<table:table-column table:style-name="c${i}"/>`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<office:document${NAMESPACES} xmlns:fo="${FO}" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:automatic-styles>${styles.join('')}${wrapped}</office:automatic-styles><office:body><office:spreadsheet><table:table table:name="Sheet1">${columns.join('')}${rows.map(describeRow).join('')}</table:table></office:spreadsheet></office:body></office:document>`;
}

function describeRow(row: readonly string[]): string {
  const style = row.length > 1 ? ' table:style-name="w"' : '';
  const cells = row.map((text) => {
    if (text === '') return '<table:table-cell/>';
    const lines = text.split('\n').map((line) => `<text:p>${escapeXml(line)}</text:p>`);
    return `<table:table-cell${style} office:value-type="string">${lines.join('')}</table:table-cell>`;
  });
  return `<table:table-row table:style-name="r">${cells.join('') || '<table:table-cell/>'}</table:table-row>`;
}

export function escapeXml(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: XML takes none of them.
      .replace(/[\u0000-\u001f\ufffe\uffff]|\p{Surrogate}/gu, ' ')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
  );
}
