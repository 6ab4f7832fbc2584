import type { Key } from '../candidates/key-phrases';
import { mendPercent, toUnits } from '../candidates/numbers';
import type { Value } from '../candidates/values';
import type { Line, PageLayout } from '../layout/page-layout';

/** A rate of tax with its base and tax, found by arithmetic: base x rate = tax. */
export interface TaxRow {
  rate: Value;
  base: Value | undefined;
  tax: Value;
  total: Value | undefined;
  page: number;
  line: number;
  /** What the label calls the tax, where it stands without its base: India's invoices name two of the same rate. */
  name?: string;
  /** The state's tax beside the central one, of the same base. */
  isSecond?: true;
}

const MAX_RATE = 30;
/** Lines with more numbers are no rows of taxes, and every three of them would be tried. */
const MAX_AMOUNTS = 12;

/**
 * Lines in which one number is the tax of another at the rate that a third one names. Finds tables of taxes and lines
 * such as "19 % VAT on 100.00: 19.00" in any language.
 *
 * @param outside lines that are no tax rows (the line items)
 */
export function findTaxRows(
  pages: PageLayout[],
  values: Value[],
  outside: (page: number, line: number) => boolean,
  keys: Key[],
): TaxRow[] {
  const rows: TaxRow[] = [];
  for (const page of pages) {
    const taxKeys = keys.filter(
      (key) => key.page === page.number && key.meanings.some((one) => one.field === 'amount_total_tax'),
    );
    const labelOf = (line: Line) => taxKeys.find((key) => key.line === line.number)?.phrase;
    const isIndian = page.tokens.some(({ parts }) => parts.includes('cgst'));
    for (const line of page.lines) {
      if (outside(page.number, line.number)) continue;
      const numbers = values.filter(
        (value) =>
          value.page === page.number &&
          value.line === line.number &&
          (value.type === 'amount' || value.type === 'rate'),
      );
      numbers.sort((a, b) => a.box[0] - b.box[0]);
      const under = numbers.length === 1 ? amountUnder(page, numbers[0]!, values) : [];
      const row = readRow(numbers) ?? readLabelledRow([...numbers, ...under], labelOf(line));
      if (!row) continue;
      const place = { page: page.number, line: line.number };
      const second = isIndian ? findSecond(row, numbers) : undefined;
      rows.push({ ...row, ...place, ...(second && { name: 'cgst' }) });
      if (second) rows.push({ ...row, ...place, tax: second, name: 'sgst', isSecond: true });
    }
  }
  const records = rows.some(({ base }) => base) ? [] : pages.flatMap((page) => findTaxRecords(page, values, outside));
  return dropRepeated([...rows, ...records]);
}

/** Lines of a record of a tax: its rate, base and tax. */
const LINES_OF_RECORD = 3;

/** "Aliquota IVA (%): 22.00" over "Totale imponibile: 1215.00" over "Totale imposta: 267.30": one number in each line. */
function findTaxRecords(page: PageLayout, values: Value[], outside: (page: number, line: number) => boolean): TaxRow[] {
  const rows: TaxRow[] = [];
  const single = page.lines.map(({ number }): Value | undefined => {
    const own = values.filter(
      ({ page: at, line, type }) => at === page.number && line === number && (type === 'amount' || type === 'rate'),
    );
    return own.length === 1 && !outside(page.number, number) ? own[0] : undefined;
  });
  for (let at = 0; at + LINES_OF_RECORD <= single.length; at++) {
    const numbers = single.slice(at, at + LINES_OF_RECORD).filter((value) => value !== undefined);
    const lines = page.lines.slice(at, at + LINES_OF_RECORD);
    if (numbers.length < LINES_OF_RECORD) continue;
    const isPercent = ({ line }: Value) =>
      lines.some(({ number, tokens }) => number === line && tokens.some(({ text }) => text.includes('%')));
    const rate = numbers.find((value) => isPercent(value) && isRate({ ...value, type: 'rate' }));
    const [base, tax] = numbers.filter((value) => value !== rate && value.decimals > 0);
    if (!rate || !base || !tax || !isTaxOf({ ...rate, type: 'rate' }, base, tax)) continue;
    rows.push({ rate, base, tax, total: undefined, page: page.number, line: rate.line });
    at += LINES_OF_RECORD - 1;
  }
  return rows;
}

/** The same tax once more behind the first, in a line of a table with columns for the central and the state tax. */
const findSecond = ({ base, tax }: Omit<TaxRow, 'page' | 'line'>, numbers: Value[]): Value | undefined =>
  base && numbers.find((one) => one.type === 'amount' && one.value === tax.value && one.box[0] > tax.box[2]);

/** Small numbers fit by chance: a printed sum of base and tax, and a base right before its tax, speak for a match. */
function readRow(numbers: Value[]): Omit<TaxRow, 'page' | 'line'> | undefined {
  const amounts = numbers.filter((value) => value.type === 'amount');
  if (amounts.length > MAX_AMOUNTS) return undefined;
  const printed = numbers.filter((value) => value.type === 'rate');
  const rates = [...printed, ...amounts, ...amounts.flatMap(mendRate), ...amounts.flatMap(inBrackets)].filter(isRate);
  let best: { row: Omit<TaxRow, 'page' | 'line'>; score: number } | undefined;
  for (const rate of rates) {
    for (const base of amounts) {
      for (const tax of amounts) {
        if (base === tax || base.box === rate.box || tax.box === rate.box || base.decimals === 0) continue;
        if (!isTaxOf(rate, base, tax)) continue;
        const sum = toUnits(base.value) + toUnits(tax.value);
        const total = amounts.find(
          (value) => value !== base && value !== tax && Math.abs(toUnits(value.value) - sum) <= 101,
        );
        const apart = Math.abs(numbers.indexOf(tax) - numbers.indexOf(base));
        const score = (total ? 3 : 0) + (rate.type === 'rate' ? 1 : 0) - apart * 0.5 - (tax.decimals === 0 ? 1 : 0);
        if (!best || score > best.score) best = { row: { rate, base, tax, total }, score };
      }
    }
  }
  return best?.row;
}

function isTaxOf(rate: Value, base: Value, tax: Value): boolean {
  const [b, t] = [toUnits(base.value), toUnits(tax.value)];
  const isZeroRate = rate.type === 'rate' && Number(rate.value) === 0 && t === 0 && tax.decimals > 0;
  if (b === 0 || (t === 0 && !isZeroRate) || Math.abs(t) >= Math.abs(b)) return false;
  // Rounding per line may add up to a few cents.
  return Math.abs((b * Number(rate.value)) / 100 - t) <= 160;
}

/** In a box at the side the amount stands under its label: "VAT 20 %" over "254.75". */
function amountUnder(page: PageLayout, rate: Value, values: Value[]): Value[] {
  const { segment } = rate.tokens[0]!;
  const below = page.segments.find(
    (one) =>
      one.line > segment.line &&
      Math.abs(one.box[0] - segment.box[0]) < 0.5 * page.unit &&
      one.box[1] - segment.box[3] < page.unit,
  );
  const own = values.filter(({ type, tokens }) => type === 'amount' && tokens[0]!.segment === below);
  return rate.type === 'rate' && own.length === 1 ? own : [];
}

/** "VAT 20 %: 254.75", without the base. */
function readLabelledRow(numbers: Value[], name: string | undefined): Omit<TaxRow, 'page' | 'line'> | undefined {
  if (!name) return undefined;
  const rates = numbers.filter((value) => value.type === 'rate' && isRate(value));
  const amounts = numbers.filter((value) => value.type === 'amount' && value.decimals > 0);
  const [rate, tax] = [rates[0], amounts[0]];
  const isBefore = rate && tax && tax.line === rate.line && tax.box[0] < rate.box[0];
  // "CGST output 9 %: 9 %" names its rate twice.
  const isOther = rates.some((one) => Number(one.value) !== Number(rate!.value));
  if (!rate || !tax || isOther || amounts.length > 1 || isBefore) return undefined;
  return { rate, base: undefined, tax, total: undefined, name };
}

/** Where OCR took the sign of "27%" for digits; whether it did, the tax tells. */
function mendRate(value: Value): Value[] {
  const rate = value.decimals === 0 && value.currency === undefined ? mendPercent(value.raw) : undefined;
  return rate === undefined ? [] : [{ ...value, type: 'rate', value: rate }];
}

/** "IVA (23,00) 476,85 109,68": brackets around a rate are no minus. */
const inBrackets = (value: Value): Value[] =>
  /^\(.*\)$/.test(value.raw) && value.currency === undefined
    ? [{ ...value, type: 'rate', value: value.value.replace(/^-/, '') }]
    : [];

function isRate({ value, type }: Value): boolean {
  const rate = Number(value);
  return (rate > 0 || type === 'rate') && rate >= 0 && rate <= MAX_RATE;
}

/** The same rate is often printed twice, in the table of taxes and beside the totals. */
function dropRepeated(found: TaxRow[]): TaxRow[] {
  const complete = found.filter((row) => row.base);
  const rows = complete.length > 0 ? complete : found;
  return rows.filter(
    (row, at) =>
      !rows
        .slice(0, at)
        .some(
          (other) =>
            Number(other.rate.value) === Number(row.rate.value) &&
            other.base?.value === row.base?.value &&
            !isOfTwoStates(other, row),
        ),
  );
}

/** The central and the state tax have the same rate and amount. */
const isOfTwoStates = (a: TaxRow, b: TaxRow) => /cgst/.test(a.name ?? '') && /(?:sgst|utgst)/.test(b.name ?? '');

/** Sums over the rows, in ten-thousandths; the base is NaN when some row has none. */
export interface TaxSums {
  base: number;
  tax: number;
  /** The taxes of the rows, when there are several. */
  parts: number[];
}

/**
 * @param values all values of the document: what is exempt stands in the columns of the rows, without a rate
 */
export function sumTaxRows(rows: TaxRow[], values: Value[]): TaxSums | undefined {
  if (rows.length === 0) return undefined;
  const exempt = findExempt(rows, values).reduce((sum, value) => sum + toUnits(value.value), 0);
  return {
    parts: rows.length > 1 ? rows.map(({ tax }) => toUnits(tax.value)) : [],
    base: rows
      .filter(({ isSecond }) => !isSecond)
      .reduce((sum, row) => sum + (row.base ? toUnits(row.base.value) : Number.NaN), exempt),
    tax: rows.reduce((sum, row) => sum + toUnits(row.tax.value), 0),
  };
}

/** "Exempt, art. 15: 16.00 0.00 16.00" under the rows of rates: bases with a tax of nothing, and totals that are the same. */
function findExempt(rows: TaxRow[], values: Value[]): Value[] {
  const row = rows.find(({ base, total }) => base && total) ?? rows.find(({ base }) => base);
  if (!row?.base) return [];
  const [base, tax, total] = [row.base, row.tax, row.total];
  const isUnder = (value: Value, above: Value) =>
    value.type === 'amount' &&
    value.page === row.page &&
    value.decimals > 0 &&
    Math.abs(value.box[2] - above.box[2]) < 0.5 * (above.box[3] - above.box[1]);
  const isNear = ({ line }: Value) => rows.some((one) => Math.abs(one.line - line) === 1);
  const known = new Set(rows.map(({ line }) => line));
  return values.filter((value) => {
    if (!isUnder(value, base) || known.has(value.line) || !isNear(value)) return false;
    const beside = values.filter(({ page, line }) => page === value.page && line === value.line);
    return (
      !beside.some(({ type }) => type === 'rate') &&
      beside.some((other) => isUnder(other, tax) && Number(other.value) === 0) &&
      (!total || beside.some((other) => isUnder(other, total) && other.value === value.value))
    );
  });
}
