import { type Line, type PageLayout, type Token, unite } from '../../layout/page-layout';
import type { FieldCandidate, Position, TableRow } from '../../recognition';
import { type DecimalMark, parseNumber } from '../numbers';
import type { Value } from '../values';
import type { LineItems } from './line-items';

/** So many rows are no chance. */
const LEAST_ROWS = 2;
/** Confidence before the cells are scored. */
const CONFIDENCE = 0.9;
/** Lines with more numbers are no rows of items, and every three of them would be tried. */
const MAX_NUMBERS = 10;

/**
 * Line items of a table whose head cannot be read: lines with quantity, price and amount, of which the first two make
 * the third, beside a description.
 */
export function findItemsByArithmetic(pages: PageLayout[], values: Value[], mark: DecimalMark): LineItems {
  const found = pages.flatMap((page) =>
    page.lines.flatMap((line) => {
      const row = readRow(line, values, mark);
      return row ? [{ row, key: `${page.number}:${line.number}` }] : [];
    }),
  );
  if (found.length < LEAST_ROWS) return { rows: [], lines: new Set() };
  return { rows: found.map(({ row }) => row), lines: new Set(found.map(({ key }) => key)) };
}

interface Factors {
  quantity: Value;
  price: Value;
  amount: Value;
}

/** "1st" and "12kg": a quantity with its unit in one word. */
const WITH_UNIT = /^(\d+(?:[.,]\d+)?)(\p{L}{1,5}\.?)$/u;

function readQuantities(line: Line, mark: DecimalMark): Value[] {
  return line.tokens.flatMap((token) => {
    const digits = WITH_UNIT.exec(token.text)?.[1];
    const value = digits && parseNumber(digits, mark);
    if (!value) return [];
    const { box, page } = token;
    return [
      { type: 'amount' as const, value, raw: token.text, tokens: [token], box, page, line: line.number, decimals: 0 },
    ];
  });
}

function readRow(line: Line, values: Value[], mark: DecimalMark): TableRow | undefined {
  const numbers = [...values, ...readQuantities(line, mark)]
    .filter((value) => value.page === line.page && value.line === line.number && value.type === 'amount')
    .sort((a, b) => a.box[0] - b.box[0]);
  const factors = findFactors(numbers);
  if (!factors) return undefined;
  const { quantity, price, amount } = factors;
  const isFactor = (value: Value) => value === quantity || value.box[0] > quantity.box[2];
  const used = new Set(numbers.filter(isFactor).flatMap((value) => value.tokens));
  const texts = line.segments
    .map(({ tokens }) => tokens.filter((token) => !used.has(token)))
    .filter((one) => one.length);
  const letters = (tokens: Token[]) => textOf(tokens).match(/\p{L}/gu)?.length ?? 0;
  const words = texts.filter((tokens) => tokens[0]!.box[0] < amount.box[0]).sort((a, b) => letters(b) - letters(a))[0];
  if (!words || !/\p{L}{3}/u.test(textOf(words))) return undefined;
  const glued = WITH_UNIT.exec(quantity.raw)?.[2];
  const behind = line.tokens[line.tokens.indexOf(quantity.tokens.at(-1)!) + 1];
  const unit = behind && !words.includes(behind) && /^\p{L}{1,5}\.?$/u.test(behind.text) ? behind : undefined;
  const cell = (value: string, rawText: string, position: Position): FieldCandidate => ({
    value,
    rawText,
    page: line.page,
    position,
    confidence: CONFIDENCE,
  });
  const number = (value: Value) => cell(value.value, value.raw, value.box);
  return {
    type: 'data',
    cells: {
      table_column_description: cell(textOf(words), textOf(words), unite(words.map((token) => token.box))),
      table_column_quantity: number(quantity),
      ...(unit && { table_column_uom: cell(unit.text, unit.text, unit.box) }),
      ...(glued && { table_column_uom: cell(glued, quantity.raw, quantity.box) }),
      table_column_amount_base: number(price),
      table_column_amount_total_base: number(amount),
    },
    page: line.page,
    position: line.box,
  };
}

const textOf = (tokens: Token[]) => tokens.map((token) => token.text).join(' ');

/** Quantity, price and amount in this order; of several readings the one with the last amount. */
function findFactors(numbers: Value[]): Factors | undefined {
  if (numbers.length < 3 || numbers.length > MAX_NUMBERS) return undefined;
  let best: Factors | undefined;
  numbers.forEach((quantity, at) => {
    numbers.slice(at + 1).forEach((price, offset) => {
      for (const amount of numbers.slice(at + offset + 2)) {
        if (Number(quantity.value) <= 0 || price.decimals === 0 || amount.decimals === 0) continue;
        if (Math.abs(Number(quantity.value) * Number(price.value) - Number(amount.value)) > 0.011) continue;
        if (!best || amount.box[0] >= best.amount.box[0]) best = { quantity, price, amount };
      }
    });
  });
  return best;
}
