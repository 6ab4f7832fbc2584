import type { Line, Token } from '../../layout/page-layout';
import { type Column, cutLine } from '../../layout/tables';
import { type DecimalMark, NUMBER_PATTERN, parseNumber } from '../numbers';
import { type Meaning, MONEY, NUMERIC } from './column-meanings';

const NUMBER_CELL = new RegExp(
  String.raw`^[^\d\p{L}]{0,3}\p{L}{0,3}\s?[-+−–(]?\s?(${NUMBER_PATTERN}-?)\s*(%|\D{0,8}|[cdk]?m[23])$`,
  'u',
);
const textOf = (tokens: Token[]) => tokens.map((token) => token.text).join(' ');

/** Cells of one column, in the lines that look like rows. */
interface Content {
  texts: (string | undefined)[];
  numbers: (number | undefined)[];
  /** Share of the cells that are numbers. */
  numeric: number;
}

/**
 * Puts right what the headings leave open or say wrong, by what stands under them: quantity x price = amount, codes
 * under "#", percentages, texts.
 *
 * @param body lines under the head, up to the totals
 */
export function settleByContent(columns: Column<Meaning>[], body: Line[], mark: DecimalMark): Column<Meaning>[] {
  const rows = body
    .map((line) => cutLine(line, columns))
    .filter((cut) => countNumbers([...cut.values()], mark) >= 2)
    .slice(0, 60);
  if (rows.length === 0) return columns;
  const content = columns.map((column) =>
    readContent(
      rows.map((row) => row.get(column)),
      mark,
    ),
  );
  const meanings = columns.map((column) => column.meaning);
  // "Unit" over numbers is short for the price of a unit.
  columns.forEach(({ meaning }, at) => {
    const texts = filledTexts(content[at]!);
    if (meaning !== 'uom' || share(texts, (text) => /^[^\p{L}]*\d[^\p{L}]*$/u.test(text)) <= 0.7) return;
    const isPrice = !meanings.includes('amount_base') && share(texts, hasCents) > 0.7;
    meanings[at] = isPrice ? 'amount_base' : 'unknown';
  });
  settleDescription(meanings, content);
  settleCodes(meanings, content);
  settleTexts(meanings, content);
  settleRates(meanings, content);
  settleProduct(meanings, content);
  settleNetPrice(meanings, content);
  settleTotal(meanings, content);
  settleGross(meanings, content);
  settleWithTax(meanings, content);
  return columns.map((column, at) => ({ ...column, meaning: meanings[at]! }));
}

const countNumbers = (cells: Token[][], mark: DecimalMark) =>
  cells.filter((tokens) => numberIn(textOf(tokens), mark) !== undefined).length;

/** The number that a cell is, without its sign, with a currency or unit of few letters around it; undefined when it is none. */
export function numberIn(text: string, mark: DecimalMark): number | undefined {
  // "PLO-014" is a code, "EUR -14.00" an amount.
  const match = /^\p{L}{1,3}[-–]\d+$/u.test(text) ? undefined : NUMBER_CELL.exec(text);
  const value = match && parseNumber(match[1]!, mark);
  return value ? Number(value) : undefined;
}

function readContent(cells: (Token[] | undefined)[], mark: DecimalMark): Content {
  const texts = cells.map((tokens) => tokens && textOf(tokens));
  const numbers = texts.map((text) => (text === undefined ? undefined : numberIn(text, mark)));
  const filled = texts.filter((text) => text !== undefined).length;
  return { texts, numbers, numeric: numbers.filter((one) => one !== undefined).length / Math.max(1, filled) };
}

const hasCents = (text: string) => /\d[.,]\d{2}$/.test(text);
const filledTexts = ({ texts }: Content) => texts.filter((text): text is string => text !== undefined);
const share = (texts: string[], holds: (text: string) => boolean) =>
  texts.length === 0 ? 0 : texts.filter(holds).length / texts.length;

/** "Product" and "Name": where what is headed as the description has no words, and another text column has, that is it. */
function settleDescription(meanings: Meaning[], content: Content[]): void {
  const described = meanings.indexOf('description');
  const wordy = (index: number) => share(filledTexts(content[index]!), (text) => /\p{L}{3}/u.test(text));
  if (described < 0) return;
  const capitals = share(filledTexts(content[described]!), (text) => /^[\p{Lu}\d][\p{Lu}\d./_-]*$/u.test(text)) > 0.8;
  if (wordy(described) > 0.2 && !capitals) return;
  const other = meanings.findIndex(
    (meaning, index) => (meaning === 'other' || meaning === 'unknown' || meaning === 'code') && wordy(index) > 0.8,
  );
  if (other < 0) return;
  const isCode = capitals || share(filledTexts(content[described]!), (text) => /^\S*\d\S*$/.test(text)) > 0.6;
  meanings[described] = isCode && (meanings[other] === 'code' || !meanings.includes('code')) ? 'code' : 'other';
  meanings[other] = 'description';
}

/** Under "#" or "No." there are numbers of rows, or codes of articles. */
function settleCodes(meanings: Meaning[], content: Content[]): void {
  if (meanings.includes('code')) return;
  const at = meanings.findIndex(
    (meaning, index) =>
      (meaning === 'position' || meaning === 'unknown') &&
      share(filledTexts(content[index]!), (text) => /^(?=\S*\d)(?:\S*\p{Lu}\S*|\S{5,})$/u.test(text)) > 0.6 &&
      (meaning === 'position' || index <= 1),
  );
  const isAmount = at >= 0 && share(filledTexts(content[at]!), (text) => /[.,]\d{2}$/.test(text)) > 0.5;
  if (at >= 0 && !isAmount) meanings[at] = 'code';
}

/** Without a heading for it, the description is the column of words, and the unit one of short words. */
function settleTexts(meanings: Meaning[], content: Content[]): void {
  const letters = (index: number) =>
    filledTexts(content[index]!).reduce((sum, text) => sum + (text.match(/\p{L}/gu)?.length ?? 0), 0) /
    Math.max(1, filledTexts(content[index]!).length);
  const free = meanings.flatMap((meaning, index) => (meaning === 'unknown' ? [index] : []));
  if (!meanings.includes('description')) {
    const named = meanings.flatMap((meaning, index) => (meaning === 'position' ? [index] : []));
    const longest = [...free, ...named].sort((a, b) => letters(b) - letters(a))[0];
    if (longest !== undefined && letters(longest) >= 6) meanings[longest] = 'description';
  }
  if (!meanings.includes('uom')) {
    const unit = free.find(
      (index) =>
        meanings[index] === 'unknown' &&
        share(filledTexts(content[index]!), (text) => /^\p{L}{1,5}\.?$/u.test(text)) > 0.8,
    );
    if (unit !== undefined) meanings[unit] = 'uom';
  }
}

/** Where no column is headed as the amounts of the rows, the last one is, when it holds amounts. */
function settleTotal(meanings: Meaning[], content: Content[]): void {
  const last = meanings.length - 1;
  if (meanings.includes('amount_total_base') || meanings.includes('amount_total')) return;
  if (meanings[last] !== 'other' && meanings[last] !== 'unknown') return;
  const texts = filledTexts(content[last]!);
  if (texts.length > 0 && share(texts, hasCents) === 1) meanings[last] = 'amount_total_base';
}

/** A column headed "VAT" holds rates or amounts. */
function settleRates(meanings: Meaning[], content: Content[]): void {
  const percent = (index: number) =>
    share(filledTexts(content[index]!), (text) => /^\d{1,2}(?:[.,]\d{1,2})? ?%$/.test(text)) > 0.8;
  // "20,0" under "TVA" has fewer decimals than money.
  const rounded = (index: number) => {
    const texts = filledTexts(content[index]!);
    return new Set(texts).size <= MOST_RATES && share(texts, (text) => /^\d{1,2}(?:[.,]\d)?$/.test(text)) === 1;
  };
  const tax = meanings.indexOf('tax');
  if (tax >= 0 && !meanings.includes('rate') && (percent(tax) || rounded(tax))) meanings[tax] = 'rate';
  const rate = meanings.indexOf('rate');
  if (rate >= 0 && tax >= 0 && percent(tax) && share(filledTexts(content[rate]!), hasCents) === 1) {
    meanings[tax] = 'rate';
    meanings[rate] = 'tax';
  }
  if (rate < 0 || meanings.includes('tax')) return;
  const texts = filledTexts(content[rate]!);
  if (share(texts, hasCents) > 0.8 && new Set(texts).size > MOST_RATES) meanings[rate] = 'tax';
}

/** No document has more rates of tax. */
const MOST_RATES = 3;

const isProduct = (a: number, b: number, product: number) =>
  Math.abs(a * b - product) <= 0.011 + Math.abs(product) * 0.002;

interface Triple {
  quantity: number;
  price: number;
  amount: number;
  holds: number;
  /** Rows in which neither factor is 1. */
  telling: number;
  rows: number;
}

/** Where the columns headed quantity, price and amount do not multiply, and three others do, those are meant. */
function settleProduct(meanings: Meaning[], content: Content[]): void {
  const numeric = meanings.flatMap((meaning, index) => {
    const isPossible = NUMERIC.has(meaning) || meaning === 'unknown' || meaning === 'other';
    return isPossible && content[index]!.numeric > 0.6 ? [index] : [];
  });
  const first = (...wanted: Meaning[]) => numeric.find((index) => wanted.includes(meanings[index]!));
  const named = [first('quantity'), first('amount_base', 'amount'), first('amount_total_base', 'amount_total')];
  const known = named.every((index) => index !== undefined)
    ? tryTriple(content, ...(named as [number, number, number]))
    : undefined;
  // Where no heading names the price, one row that tells is enough.
  const least = named[0] !== undefined && named[1] === undefined && named[2] !== undefined ? 1 : 2;
  let best: Triple | undefined;
  for (const quantity of numeric) {
    for (const price of numeric) {
      for (const amount of numeric) {
        if (quantity >= price || amount === quantity || amount === price) continue;
        const triple = tryTriple(content, quantity, price, amount);
        const enough =
          triple.rows > 0 && triple.holds >= 0.7 * triple.rows && triple.telling >= Math.min(least, triple.rows);
        if (enough && (!best || triple.holds > best.holds)) best = triple;
      }
    }
  }
  if (known && known.holds >= known.rows / 2 && known.holds >= (best?.holds ?? 0)) {
    if (meanings[known.amount] === 'amount_total') makeGross(meanings, known.price);
    return;
  }
  if (!best) return;
  const isPrice = (index: number) => ['amount_base', 'amount'].includes(meanings[index]!);
  const isQuantity = (index: number) => meanings[index] === 'quantity';
  const swap = isPrice(best.quantity) || isQuantity(best.price);
  const [quantity, price] = swap ? [best.price, best.quantity] : [best.quantity, best.price];
  const gross =
    ['amount', 'amount_total'].includes(meanings[best.amount]!) && !hasSmallNet(meanings, content, best.amount);
  const chosen: [number, Meaning][] = [
    [quantity, 'quantity'],
    [price, gross ? 'amount' : 'amount_base'],
    [best.amount, gross ? 'amount_total' : 'amount_total_base'],
  ];
  for (const [, meaning] of chosen) {
    meanings.forEach((other, index) => {
      if (other === meaning) meanings[index] = 'other';
    });
  }
  for (const [index, meaning] of chosen) meanings[index] = meaning;
}

/** What is headed like the net amount of a row, and makes its gross amount only with the quantity, is the price. */
function settleNetPrice(meanings: Meaning[], content: Content[]): void {
  if (meanings.includes('amount_base')) return;
  const [quantity, net, rate, gross] = (['quantity', 'amount_total_base', 'rate', 'amount_total'] as const).map(
    (meaning) => content[meanings.indexOf(meaning)]?.numbers,
  );
  if (!quantity || !net || !rate || !gross) return;
  const rows = gross.flatMap((total, at) => {
    const [count, price, percent] = [quantity[at], net[at], rate[at]];
    if (total === undefined || count === undefined || price === undefined || percent === undefined) return [];
    return [{ count, holds: isProduct(count * (1 + percent / 100), price, total) }];
  });
  const telling = rows.some(({ count, holds }) => holds && Math.abs(count) !== 1);
  if (telling && rows.every(({ holds }) => holds)) meanings[meanings.indexOf('amount_total_base')] = 'amount_base';
}

/** "Price" and "Price incl. VAT", of which the second is the product of the first and the quantity: both are with tax. */
function settleGross(meanings: Meaning[], content: Content[]): void {
  const [price, total] = [meanings.indexOf('amount_base'), meanings.indexOf('amount')];
  if (price < 0 || total < price || meanings.includes('amount_total') || meanings.includes('amount_total_base')) return;
  const counts = content[meanings.indexOf('quantity')]?.numbers;
  const rows = content[total]!.numbers.flatMap((product, at) => {
    const each = content[price]!.numbers[at];
    return product === undefined || each === undefined ? [] : [isProduct(counts?.[at] ?? 1, each, product)];
  });
  if (rows.length < 2 || rows.filter(Boolean).length < 0.8 * rows.length) return;
  meanings[price] = 'amount';
  meanings[total] = 'amount_total';
}

/** A column without a known heading that holds the net amounts with their tax is that of the gross amounts. */
function settleWithTax(meanings: Meaning[], content: Content[]): void {
  if (meanings.includes('amount_total')) return;
  const [net, tax, rate] = (['amount_total_base', 'tax', 'rate'] as const).map(
    (meaning) => content[meanings.indexOf(meaning)]?.numbers,
  );
  if (!net || !(tax || rate)) return;
  const holds = (index: number) => {
    const rows = content[index]!.numbers.flatMap((gross, at) => {
      const base = net[at];
      if (gross === undefined || base === undefined) return [];
      const added = tax ? (tax[at] ?? 0) : (base * (rate![at] ?? 0)) / 100;
      return [{ right: Math.abs(base + added - gross) < 0.016, taxed: added !== 0 }];
    });
    return rows.some(({ taxed }) => taxed) && rows.every(({ right }) => right);
  };
  const gross = meanings.findIndex((meaning, index) => (meaning === 'unknown' || meaning === 'other') && holds(index));
  if (gross >= 0) meanings[gross] = 'amount_total';
}

/** Where the amount of the row is with tax and the product of quantity and price, so is the price. */
function makeGross(meanings: Meaning[], price: number): void {
  if (!meanings.includes('amount_total_base') && !meanings.includes('amount')) meanings[price] = 'amount';
}

/** A column that is headed like the net amounts and holds much less than the product, as amounts of tax do. */
function hasSmallNet(meanings: Meaning[], content: Content[], product: number): boolean {
  const net = content[meanings.indexOf('amount_total_base')]?.numbers;
  const rows = net?.flatMap((base, at) => {
    const whole = content[product]!.numbers[at];
    return base === undefined || whole === undefined ? [] : [Math.abs(base) < 0.5 * Math.abs(whole)];
  });
  return rows !== undefined && rows.length > 0 && rows.every(Boolean);
}

function tryTriple(content: Content[], quantity: number, price: number, amount: number): Triple {
  let [holds, telling, rows] = [0, 0, 0];
  content[amount]!.numbers.forEach((product, at) => {
    const [a, b] = [content[quantity]!.numbers[at], content[price]!.numbers[at]];
    if (a === undefined || b === undefined || product === undefined || product === 0) return;
    rows++;
    const reductions = content.flatMap(({ numbers }, index) =>
      [quantity, price, amount].includes(index) ? [] : (numbers[at] ?? []),
    );
    const holdsReduced = reductions.some(
      (percent) => percent > 0 && percent < 100 && isProduct(a * (1 - percent / 100), b, product),
    );
    if (!isProduct(a, b, product) && !holdsReduced) return;
    holds++;
    if (Math.abs(a) !== 1 && Math.abs(b) !== 1) telling++;
  });
  return { quantity, price, amount, holds, telling, rows };
}

/**
 * The words of a line by columns; what has the form of a neighbouring column that is empty goes there: a number beside
 * a column of units, a unit beside a column of numbers, both of them under the heading of the unit.
 */
export function cutRow(line: Line, columns: Column<Meaning>[], mark: DecimalMark): Map<Column<Meaning>, Token[]> {
  const cut = cutLine(line, columns);
  takeBackWords(cut, columns);
  columns.forEach((column, at) => {
    const tokens = cut.get(column);
    if (!tokens) return;
    const before = columns[at - 1];
    const words = tokens.findIndex((token) => /^\p{L}/u.test(token.text));
    if (column.meaning === 'uom' && words > 0 && before && NUMERIC.has(before.meaning) && !cut.has(before)) {
      const numbers = tokens.slice(0, words);
      if (numberIn(textOf(numbers), mark) !== undefined) {
        cut.set(before, numbers);
        cut.set(column, tokens.slice(words));
        return;
      }
    }
    const isNumber = numberIn(textOf(tokens), mark) !== undefined && !/\p{L}/u.test(textOf(tokens));
    const isWord = /^\p{L}{1,6}\.?$/u.test(textOf(tokens));
    const fits = (meaning: Meaning) =>
      isNumber && column.meaning === 'uom'
        ? NUMERIC.has(meaning)
        : isWord && MONEY.has(column.meaning) && meaning === 'uom';
    const other = [columns[at - 1], columns[at + 1]].find((one) => one && !cut.has(one) && fits(one.meaning));
    if (!other) return;
    cut.delete(column);
    cut.set(other, tokens);
  });
  return cut;
}

/** The end of a long description reaches over the border to a column of numbers: it is part of the same text. */
function takeBackWords(cut: Map<Column<Meaning>, Token[]>, columns: Column<Meaning>[]): void {
  const described = columns.findIndex(({ meaning }) => meaning === 'description');
  const next = columns[described + 1];
  const [words, tokens] = [described < 0 ? undefined : cut.get(columns[described]!), next && cut.get(next)];
  if (!next || !words || !tokens || !NUMERIC.has(next.meaning)) return;
  const segment = words.at(-1)!.segment;
  const over = tokens.filter((token) => token.segment === segment);
  if (over.length === 0 || over.length === tokens.length || !over.some(({ text }) => /\p{L}/u.test(text))) return;
  cut.set(columns[described]!, [...words, ...over]);
  cut.set(
    next,
    tokens.filter((token) => !over.includes(token)),
  );
}
