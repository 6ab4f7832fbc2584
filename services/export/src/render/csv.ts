import type { Cell } from '../export/rows';
import type { CsvDialect } from './csv-dialect';
import { isNumber } from './numbers';

/**
 * The CSV file: header row, then data rows, each ended by CRLF (API: export.md section 4).
 *
 * Written by hand: papaparse and others quote more than `quote_minimal` allows (cells with blanks at an end) and have no
 * `quote_none` with an escape character. The tests read the files back with papaparse.
 */
export async function* renderCsv(
  header: readonly string[],
  rows: AsyncIterable<readonly Cell[]>,
  dialect: CsvDialect,
): AsyncGenerator<string> {
  const renderCell = createCellRenderer(dialect);
  const renderRow = (cells: readonly Cell[]): string => {
    const texts = cells.map(renderCell);
    // One empty cell would be an empty line, which readers skip, and with it the annotation.
    if (texts.length === 1 && texts[0] === '' && dialect.quoting !== 'quote_none')
      texts[0] = dialect.quoteChar.repeat(2);
    return `${texts.join(dialect.delimiter)}\r\n`;
  };
  yield renderRow(header.map((value) => ({ value, type: 'string' })));
  for await (const row of rows) yield renderRow(row);
}

function createCellRenderer({ delimiter, quoteChar, quoting, escapeChar, formulaGuard }: CsvDialect) {
  const special = new Set([delimiter, quoteChar, '\r', '\n']);
  if (quoting === 'quote_none') special.add(escapeChar);
  const isSpecial = (character: string) => special.has(character);
  const quote = (text: string) => `${quoteChar}${text.replaceAll(quoteChar, () => quoteChar.repeat(2))}${quoteChar}`;
  const escapeSpecial = (text: string) =>
    [...text].map((one) => (isSpecial(one) ? `${escapeChar}${one}` : one)).join('');

  return ({ value, type }: Cell): string => {
    const text = formulaGuard && looksLikeFormula(value) ? `'${value}` : value;
    switch (quoting) {
      case 'quote_all':
        return quote(text);
      case 'quote_non_numeric':
        return type === 'number' && isNumber(text) ? text : quote(text);
      case 'quote_none':
        return escapeSpecial(text);
      case 'quote_minimal':
        return [...text].some(isSpecial) ? quote(text) : text;
    }
  };
}

function looksLikeFormula(value: string): boolean {
  return /^[=+\-@\t\r\0]/.test(value) && !isNumber(value);
}
