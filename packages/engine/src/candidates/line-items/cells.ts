import type { Line, Token } from '../../layout/page-layout';
import type { Column } from '../../layout/tables';
import { type DecimalMark, NUMBER_PATTERN, parseNumber } from '../numbers';
import { readCurrency } from '../values';
import { type Meaning, NUMERIC } from './column-meanings';

/** What stands in a column of a row: its words, its value (numbers with a point and no grouping), and the text as printed. */
export interface Cell {
  tokens: Token[];
  value: string;
  raw: string;
  /** A unit beside a number. */
  extra?: string | undefined;
}

/** The cells of a row by what their column means. */
export type Cells = Map<Meaning, Cell>;

/** A row while its lines are read: its cells, the lines of its description, and the lines that it takes up. */
export interface DraftRow {
  cells: Cells;
  text: Token[][];
  lines: Line[];
}

/** What is longer is the number of an account or the like. */
const MAX_DIGITS = 10;

const NUMBER = new RegExp(String.raw`[-+−–]?\(?\s?${NUMBER_PATTERN}-?\)?`, 'u');

const DATE = /(?<![\d.,])\d{1,2}([./-])\d{1,2}\1(?:\d{4}|\d{2})(?![\d.,])/;

/** Reads the words of each column: numbers of numeric columns, the text of others. */
export function readCells(cut: Map<Column<Meaning>, Token[]>, mark: DecimalMark): Cells {
  const cells: Cells = new Map();
  for (const [{ meaning }, tokens] of cut) {
    const raw = tokens.map((token) => token.text).join(' ');
    if (!NUMERIC.has(meaning)) {
      if (meaning === 'description' && !/\p{L}/u.test(raw)) continue;
      if (meaning === 'uom' && !/\p{L}/u.test(raw)) continue;
      cells.set(meaning, { tokens, value: raw, raw });
      continue;
    }
    // A date in a sentence is no quantity.
    const match = DATE.test(raw) ? null : NUMBER.exec(raw);
    const value = match ? parseNumber(match[0].replace(/^\((.*)\)$/, '-$1'), mark) : undefined;
    if (!match || value === undefined || value.split('.')[0]!.length > MAX_DIGITS) continue;
    const around = (raw.slice(0, match.index) + raw.slice(match.index + match[0].length)).replace(/[%\s]/g, ' ').trim();
    // Words in a column of numbers: only a currency or a unit may stand there.
    if (around.length > 8 && !readCurrency(around)) continue;
    const extra =
      /^\p{L}[\p{L}\d².³/]*\.?(?:\(\p{L}{1,3}\))?$/u.test(around) && !readCurrency(around) ? around : undefined;
    cells.set(meaning, { tokens, value, raw, extra });
  }
  return cells;
}

/** 1 when quantity x price = total, -1 when it is something else, 0 when it cannot be told. */
export function productHolds(cells: Cells): number {
  const [quantity, price, total] = (['quantity', 'amount_base', 'amount_total_base'] as const).map((meaning) =>
    Number(cells.get(meaning)?.value),
  );
  if (![quantity, price, total].every((value) => Number.isFinite(value))) return 0;
  const wanted = quantity! * price!;
  return Math.abs(wanted - total!) <= 0.011 + Math.abs(total!) * 0.002 ? 1 : -0.5;
}

/** OCR loses the decimal mark now and then; quantity x price = amount tells where one stood. */
export function restorePoints(cells: Cells): void {
  const names = ['quantity', 'amount_base', 'amount_total_base'] as const;
  if (productHolds(cells) !== -0.5) return;
  for (const name of names) {
    const cell = cells.get(name)!;
    if (!/^-?\d{2,}$/.test(cell.value)) continue;
    for (const places of [2, 1, 3]) {
      const digits = cell.value.replace('-', '').padStart(places + 1, '0');
      const value = `${cell.value.startsWith('-') ? '-' : ''}${digits.slice(0, -places)}.${digits.slice(-places)}`;
      cells.set(name, { ...cell, value });
      if (productHolds(cells) === 1) return;
    }
    cells.set(name, cell);
  }
}

/** True for a row whose amount has decimals: those of a rate beside it are not lost. */
export const isExact = (cells: Cells) =>
  /[.,]\d{2}$/.test((cells.get('amount_total_base') ?? cells.get('amount_total'))?.raw ?? '');

/** True when a rate of the net amount of a row is the tax of the row. */
export function makesTax(cells: Cells, percent: string): boolean {
  const [net, tax] = (['amount_total_base', 'tax'] as const).map((meaning) => Number(cells.get(meaning)?.value));
  return Math.abs((net! * Number(percent)) / 100 - tax!) <= 0.5 + Math.abs(tax!) * 0.001;
}
