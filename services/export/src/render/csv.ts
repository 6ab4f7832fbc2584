import Papa from 'papaparse';
import type { Cell } from '../export/rows';
import type { CsvDialect } from './csv-dialect';
import { isNumber } from './numbers';

/**
 * The CSV file: header row, then data rows, each ended by CRLF (API: export.md section 4). papaparse writes the rows; with
 * `quote_none`, which it does not know, they are written here.
 */
export async function* renderCsv(
  header: readonly string[],
  rows: AsyncIterable<readonly Cell[]>,
  dialect: CsvDialect,
): AsyncGenerator<string> {
  const guard = (cell: Cell): Cell =>
    dialect.formulaGuard && looksLikeFormula(cell.value) ? { ...cell, value: `'${cell.value}` } : cell;
  const renderRow = (cells: readonly Cell[]): string => {
    const guarded = cells.map(guard);
    return `${dialect.quoting === 'quote_none' ? escapeRow(guarded, dialect) : quoteRow(guarded, dialect)}\r\n`;
  };
  yield renderRow(header.map((value) => ({ value, type: 'string' })));
  for await (const row of rows) yield renderRow(row);
}

function quoteRow(cells: readonly Cell[], { delimiter, quoteChar, quoting }: CsvDialect): string {
  const isQuoted = ({ value, type }: Cell): boolean => {
    // One empty cell would be an empty line, which readers skip, and with it the annotation.
    if (quoting === 'quote_minimal') return cells.length === 1 && value === '';
    return quoting === 'quote_all' || type !== 'number' || !isNumber(value);
  };
  return Papa.unparse([cells.map(({ value }) => value)], {
    delimiter,
    quoteChar,
    quotes: cells.map(isQuoted),
    // It stands in front of the quote character in a replacement pattern, where `$$` means one `$`.
    escapeChar: quoteChar === '$' ? '$$$' : quoteChar,
  });
}

function escapeRow(cells: readonly Cell[], { delimiter, quoteChar, escapeChar }: CsvDialect): string {
  const special = new Set([delimiter, quoteChar, escapeChar, '\r', '\n']);
  const escapeText = (text: string) =>
    Array.from(text, (one) => (special.has(one) ? `${escapeChar}${one}` : one)).join('');
  return cells.map(({ value }) => escapeText(value)).join(delimiter);
}

function looksLikeFormula(value: string): boolean {
  return /^[=+\-@\t\r\0]/.test(value) && !isNumber(value);
}
