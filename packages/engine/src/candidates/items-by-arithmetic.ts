import { type Line, type PageLayout, unite } from '../layout/page-layout';
import type { FieldCandidate, TableRow } from '../recognition';
import type { LineItems } from './line-items';
import type { Value } from './values';

/** So many rows are no chance. */
const LEAST_ROWS = 2;
/** Confidence before the cells are scored. */
const CONFIDENCE = 0.9;

/**
 * Line items of a table whose head cannot be read: lines that end in quantity, price and amount, of which the first two
 * make the third, behind a description.
 */
export function findItemsByArithmetic(pages: PageLayout[], values: Value[]): LineItems {
  const found = pages.flatMap((page) =>
    page.lines.flatMap((line) => {
      const row = readRow(line, values);
      return row ? [{ row, key: `${page.number}:${line.number}` }] : [];
    }),
  );
  if (found.length < LEAST_ROWS) return { rows: [], lines: new Set() };
  return { rows: found.map(({ row }) => row), lines: new Set(found.map(({ key }) => key)) };
}

function readRow(line: Line, values: Value[]): TableRow | undefined {
  const numbers = values
    .filter((value) => value.page === line.page && value.line === line.number && value.type === 'amount')
    .sort((a, b) => a.box[0] - b.box[0]);
  const [quantity, price, amount] = numbers.slice(-3);
  if (!quantity || !price || !amount || Number(quantity.value) <= 0 || price.decimals === 0) return undefined;
  if (Math.abs(Number(quantity.value) * Number(price.value) - Number(amount.value)) > 0.011) return undefined;
  const words = line.tokens.filter((token) => token.box[2] <= quantity.box[0]);
  const text = words.map((token) => token.text).join(' ');
  if (!/\p{L}{3}/u.test(text)) return undefined;
  const cell = (value: string, rawText: string, box: FieldCandidate['position']): FieldCandidate => ({
    value,
    rawText,
    page: line.page,
    position: box,
    confidence: CONFIDENCE,
  });
  const number = (value: Value) => cell(value.value, value.raw, value.box);
  return {
    type: 'data',
    cells: {
      table_column_description: cell(text, text, unite(words.map((token) => token.box))),
      table_column_quantity: number(quantity),
      table_column_amount_base: number(price),
      table_column_amount_total_base: number(amount),
    },
    page: line.page,
    position: line.box,
  };
}
