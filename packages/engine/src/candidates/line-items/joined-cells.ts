import type { Token } from '../../layout/page-layout';
import { type DecimalMark, parseNumber } from '../numbers';
import { type Cell, type DraftRow, productHolds } from './cells';
import { COLUMNS } from './headings';

/** Quantities without a heading stand before the descriptions: "12 x Maintenance"; quantity x price = amount tells. */
export function splitQuantities(drafts: DraftRow[], mark: DecimalMark): void {
  const found = drafts.map(({ cells, text }) => {
    const [first, second] = text[0] ?? [];
    const value =
      first && second && /^\d/.test(first.text) ? parseNumber(first.text.replace(/[x×]$/i, ''), mark) : undefined;
    if (!first || value === undefined) return undefined;
    const quantity: Cell = { tokens: [first], value, raw: first.text };
    return productHolds(new Map(cells).set('quantity', quantity)) === 1 ? quantity : undefined;
  });
  if (drafts.length === 0 || found.filter(Boolean).length < 0.7 * drafts.length) return;
  drafts.forEach(({ cells, text }, at) => {
    const quantity = found[at];
    if (!quantity) return;
    cells.set('quantity', quantity);
    const rest = text[0]!.slice(1);
    text[0] = /^[x×]$/i.test(rest[0]!.text) ? rest.slice(1) : rest;
  });
}

/**
 * Units that belong to the quantities before them, although they stand over the edge of the next column, or in one of
 * their own without a heading: the words behind them begin at one edge.
 */
export function splitUnits(drafts: DraftRow[], unit: number): void {
  const [head, behind] = drafts[0]?.text[0] ?? [];
  const edge = behind?.box[0];
  const isUnit = ({ cells, text }: DraftRow) => {
    const [first, second] = text[0] ?? [];
    const last = cells.get('quantity')?.tokens.at(-1);
    return (
      first !== undefined &&
      second !== undefined &&
      last !== undefined &&
      /^\p{L}{1,5}(?:\.|[²³?])?$/u.test(first.text) &&
      (first.box[0] - last.box[2] < 0.6 * unit ||
        (Math.abs(first.box[0] - head!.box[0]) < 0.3 * unit && second.box[0] - first.box[2] > 0.6 * unit)) &&
      first.box[0] > last.box[0] &&
      Math.abs(second.box[0] - edge!) < 0.3 * unit
    );
  };
  if (drafts.length < 2 || edge === undefined || !drafts.every(isUnit)) return;
  for (const { cells, text } of drafts) {
    const token = text[0]!.shift()!;
    cells.set('uom', { tokens: [token], value: token.text, raw: token.text });
  }
}

/** "USt Betrag" over "7 % 104,58" are the headings of two columns that are set tight, not one of tax amounts. */
export function splitRates(drafts: DraftRow[], mark: DecimalMark): void {
  const found = drafts.map(({ cells }) => {
    const tokens = cells.get('tax')?.tokens ?? [];
    const end = tokens.findIndex(({ text }) => text.endsWith('%')) + 1;
    const [percent, amount] = [tokens.slice(0, end), tokens.slice(end)].map((own) => ({
      tokens: own,
      raw: own.map(({ text }) => text).join(' '),
    }));
    const rate = parseNumber(percent!.raw.replace(/ ?%$/, ''), mark);
    const value = parseNumber(amount!.raw, mark);
    if (rate === undefined || value === undefined) return undefined;
    return { rate: { ...percent!, value: rate }, amount: { ...amount!, value } };
  });
  if (drafts.length === 0 || !found.every((one) => one !== undefined)) return;
  drafts.forEach(({ cells }, at) => {
    cells.delete('tax');
    cells.set('rate', found[at]!.rate);
    cells.set('amount_total_base', found[at]!.amount);
  });
}

/** "1 KR3M", "2 SFK5": numbers of rows under one heading with the codes. */
export function dropPositions(drafts: DraftRow[]): void {
  const coded = drafts.flatMap(({ cells }) => cells.get('code') ?? []);
  const numbers = coded.map(({ tokens }) =>
    tokens.length > 1 ? Number(tokens[0]!.text.replace(/\.$/, '')) : Number.NaN,
  );
  if (coded.length < 2 || !numbers.every((number, at) => number === numbers[0]! + at)) return;
  for (const cell of coded) {
    cell.tokens = cell.tokens.slice(1);
    cell.value = cell.tokens.map(({ text }) => text).join(' ');
    cell.raw = cell.value;
  }
}

/** Codes in a column of their own without a heading, or with one that OCR has left out: a gap stands behind them. */
export function splitCodes(drafts: DraftRow[], unit: number): void {
  const firsts = drafts.map(({ text }) => text[0]?.[0]);
  const isCode = (token: Token | undefined) => token !== undefined && /^[\p{Lu}\d][\p{Lu}\d./-]{2,}$/u.test(token.text);
  const widths = drafts.flatMap(({ text: [line] }) =>
    line && line.length > 1 ? [line[1]!.box[0] - line[0]!.box[0]] : [],
  );
  const isApart = drafts.every(
    ({ text: [line] }) => line && line.length > 1 && line[1]!.box[0] - line[0]!.box[2] > 0.8 * unit,
  );
  if (drafts.length < 2 || !isApart || !firsts.every(isCode)) return;
  if (!firsts.every((token) => /\d/.test(token!.text)) || Math.max(...widths) - Math.min(...widths) > 0.5 * unit)
    return;
  drafts.forEach(({ cells, text }) => {
    const token = text[0]!.shift()!;
    cells.set('code', { tokens: [token], value: token.text, raw: token.text });
  });
}

/** Where each description begins or ends with a line of its own that has the form of a code, these are the codes. */
export function unstackCodes(drafts: DraftRow[]): void {
  const isCode = (tokens: Token[] | undefined) =>
    tokens?.length === 1 && /^(?=.*[\p{Lu}\d])[\p{Lu}\d][\p{Lu}\d./_-]{2,}$/u.test(tokens[0]!.text);
  const hasDigit = (tokens: Token[]) => /[\d-]/.test(tokens[0]!.text);
  for (const at of [0, -1]) {
    const stacked = drafts.filter(({ text }) => text.length > 1);
    const lines = stacked.map(({ text }) => text.at(at)!);
    if (stacked.length === 0 || stacked.length < drafts.length - 1 || !lines.every(isCode)) continue;
    if (lines.filter(hasDigit).length < (at === 0 ? lines.length / 2 : lines.length)) continue;
    for (const draft of stacked) {
      const token = draft.text.at(at)![0]!;
      draft.cells.set('code', { tokens: [token], value: token.text, raw: token.text });
      draft.text = at === 0 ? draft.text.slice(1) : draft.text.slice(0, -1);
    }
    return;
  }
}

/** The number of an article in the lines of its description, behind its label: "Art. no. 4711". */
export function findCode(text: Token[][]): Cell | undefined {
  for (const tokens of text.slice(1)) {
    const parts = tokens.map((token) => token.parts);
    const code = tokens.at(-1)!;
    const label = parts.slice(0, -1).flat();
    const named = COLUMNS.get(label[0] ?? '')?.some(
      (phrase) =>
        phrase.parts.length === label.length &&
        phrase.parts.every((part, at) => part === label[at]) &&
        phrase.meanings.some((meaning) => meaning.field === 'code'),
    );
    if (!named || !/\d/.test(code.text)) continue;
    const value = code.text.replace(/^[(:]+|[),.;]+$/g, '');
    return { tokens: [code], value, raw: code.text };
  }
  return undefined;
}
