import { type Line, type PageLayout, type Token, unite } from '../../layout/page-layout';
import type { FieldCandidate, TableRow } from '../../recognition';
import type { Key } from '../key-phrases';
import { toUnits } from '../numbers';
import { readCurrency, type Value } from '../values';
import type { LineItems } from './line-items';

/** So many rows are no chance. */
const LEAST_ROWS = 2;
const MOST_ROWS = 40;
/** Lines without an amount between two rows, and between the last one and the sum. */
const MOST_BETWEEN = 2;
const CONFIDENCE = 0.85;

/** A line with an amount at the right. */
interface Priced {
  line: Line;
  at: number;
  amount: Value;
}

/**
 * Line items of receipts and short bills, which have neither a head nor quantities: texts with an amount at the right, one
 * under the other, of which the first amount below that has the label of a total is the sum.
 */
export function findItemsBySum(pages: PageLayout[], keys: Key[], values: Value[]): LineItems {
  for (const page of pages) {
    const own = keys.filter((key) => key.page === page.number);
    const sums = own.filter(({ meanings }) => meanings.some(({ field }) => SUMS.includes(field)));
    const priced = page.lines.flatMap((line, at): Priced[] => {
      const amounts = values.filter(
        (value) => value.page === page.number && value.line === line.number && value.type === 'amount',
      );
      const amount = amounts.sort((a, b) => b.box[2] - a.box[2])[0];
      return amount && amount.decimals === 2 ? [{ line, at, amount }] : [];
    });
    for (const [end, { line, amount }] of priced.entries()) {
      const label = sums.find((key) => key.line === line.number);
      // "Totale onorari", "Summe Arbeiten": what is summed up may have any name.
      if (!label && !/^(?:total[ei]?|summe|suma|soucet|spolu|celkem)$/.test(line.tokens[0]!.parts[0] ?? '')) continue;
      const rows = rowsAbove(page, priced.slice(0, end + 1), own, amount);
      if (!rows) continue;
      const isNet = label?.meanings[0]?.field === 'amount_total_base' && /^(?!sub)/.test(label.phrase);
      return {
        rows: rows.map((row) => toRow(page, row, isNet)),
        lines: new Set(rows.map((row) => `${page.number}:${row.line.number}`)),
      };
    }
  }
  return { rows: [], lines: new Set() };
}

const SUMS = ['amount_total', 'amount_total_base', 'total_stop', 'amount_due'];

/** "Gesamtbeitrag" and "Versicherungsteuer" make a sum, too. */
const SUM_OR_TAX = /\b(?:gesamt|total|summe)|(?:steuer|tax)(?: |$)/;

/** The lines right above a sum that make it, if there are such. */
function rowsAbove(page: PageLayout, priced: Priced[], keys: Key[], sum: Value): Priced[] | undefined {
  const rows: Priced[] = [];
  const wanted = toUnits(sum.value);
  let last = priced.at(-1)!;
  let rest = wanted;
  for (const one of priced.slice(0, -1).reverse()) {
    const isInColumn = Math.abs(one.amount.box[2] - sum.box[2]) < 1.5 * page.unit;
    const isLabelled =
      SUM_OR_TAX.test(one.line.tokens.flatMap(({ parts }) => parts).join(' ')) ||
      keys.some(
        (key) =>
          key.line === one.line.number &&
          // "Direzione lavori, primo acconto" is sold like anything else.
          !(key.tokens[0] !== one.line.tokens[0] && key.meanings[0]!.field === 'amount_paid') &&
          key.meanings.some(({ field, weight }) => weight === 1 && /^amount_|^total_/.test(field)),
      );
    if (!isInColumn || isLabelled || last.at - one.at > MOST_BETWEEN + 1 || wordsOf(one).length === 0) return undefined;
    rows.unshift(one);
    rest -= toUnits(one.amount.value);
    last = one;
    if (rest === 0 && wanted !== 0) return rows.length >= LEAST_ROWS ? rows : undefined;
    if (rows.length >= MOST_ROWS) return undefined;
  }
  return undefined;
}

/** The words of a row before its amount, without the quantity at the beginning. */
function wordsOf({ line, amount }: Priced): Token[] {
  const before = line.tokens.filter((token) => !amount.tokens.includes(token) && token.box[0] < amount.box[0]);
  const named = quantityOf(before) ? before.slice(1) : before;
  // Net amount and rate in columns before the amount are no words; "3,5%" behind the name of a milk belongs to it.
  const last = named.findLast(({ text }) => !/^[\d.,%+-]+$/.test(text) && !readCurrency(text));
  const words = named.slice(0, named.findLastIndex(({ segment }) => segment === last?.segment) + 1);
  return words.some(({ text }) => /\p{L}{3}/u.test(text)) ? words : [];
}

/** "2 Flat white" */
const quantityOf = ([first, second]: Token[]): string | undefined =>
  second && /^\p{L}/u.test(second.text) ? /^([1-9]\d?)[x×]?$/i.exec(first!.text)?.[1] : undefined;

function toRow(page: PageLayout, row: Priced, isNet: boolean): TableRow {
  const { line, amount } = row;
  const words = wordsOf(row);
  const first = line.tokens[0]!;
  const quantity = first === words[0] ? undefined : quantityOf(line.tokens);
  const cell = (value: string, tokens: Token[]): FieldCandidate => ({
    value,
    rawText: tokens.map((token) => token.text).join(' '),
    page: page.number,
    position: unite(tokens.map((token) => token.box)),
    confidence: CONFIDENCE,
  });
  return {
    type: 'data',
    cells: {
      ...(quantity && { table_column_quantity: cell(quantity, [first]) }),
      table_column_description: cell(words.map((token) => token.text).join(' '), words),
      [isNet ? 'table_column_amount_total_base' : 'table_column_amount_total']: cell(amount.value, amount.tokens),
    },
    page: page.number,
    position: line.box,
  };
}
