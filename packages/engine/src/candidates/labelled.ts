import type { PageLayout, Segment, Token } from '../layout/page-layout';
import { isBeside, isInColumn, linesBetween, widthBetween } from '../layout/relations';
import type { Position } from '../recognition';
import { WEIGHTS } from '../scoring/confidence';
import type { Key } from './key-phrases';

/** Anything that can stand beside or under a label. */
export interface Placed {
  box: Position;
  page: number;
  tokens: Token[];
}

/** A value that a label announces. */
export interface Labelled<T> {
  value: T;
  key: Key;
  weight: number;
  /** Sum of what the label and the position say, in logits. */
  score: number;
  relation: 'beside' | 'under';
}

export interface LabelOptions {
  /** How far under the label a value may stand, in line heights; columns of tables go further. */
  maxLines?: number;
  /** On a line with several values behind the label, the last one is meant (amount columns) instead of the first. */
  last?: boolean;
}

/** A value has its decimals, sign and so on beside it; anything else between label and value breaks the connection. */
const BLOCKING_WEIGHT = 0.9;

/** No honest page has so many labels of one field. */
const MAX_LABELS = 100;

/**
 * Pairs values with the labels of one field. Another label between label and value breaks the connection.
 *
 * @param keys all labels of the page, also those of other fields
 */
export function pairWithLabels<T extends Placed>(
  page: PageLayout,
  field: string,
  keys: Key[],
  values: T[],
  options: LabelOptions = {},
): Labelled<T>[] {
  const pairs: Labelled<T>[] = [];
  const own = keys.filter((key) => key.meanings.some((meaning) => meaning.field === field)).slice(0, MAX_LABELS);
  const breaking = own.length > 0 && values.length > 0 ? keys.filter(breaks) : [];
  for (const key of own) {
    const weight = key.meanings.find((meaning) => meaning.field === field)!.weight;
    const others = breaking.filter((other) => other !== key);
    // "Deposit of 12 May: 150.00", "Paid by card 150.00": these do not come between a label and its amount.
    const between = options.last
      ? others.filter((other) => !announcesDate(other) && !namesPayment(other, key))
      : others;
    const isStacked = values.some((value) => beginsUnder(page, key, value));
    const beside = values.filter(
      (value) =>
        isBeside(key, value) &&
        !(isStacked && isInsideOther(key, value)) &&
        startOf(value, key) >= key.box[2] - 0.3 * page.unit &&
        !others.some((other) => isOfCellAbove(key, other, value, page.unit)) &&
        !between.some(
          (other) => isBeside(key, other) && other.box[0] >= key.box[2] - 1 && other.box[2] <= value.box[0] + 1,
        ),
    );
    beside.sort((a, b) => a.box[0] - b.box[0]);
    if (options.last) beside.reverse();
    beside.forEach((value, rank) => {
      const distance = Math.max(0, widthBetween(key, value, page));
      const score =
        WEIGHTS.start +
        WEIGHTS.label * weight +
        WEIGHTS.besideLabel +
        (options.last ? 0 : WEIGHTS.distance * Math.max(0, distance - 0.05)) -
        rank * 0.8;
      pairs.push({ value, key, weight, score, relation: 'beside' });
    });
    const wrapped = beside.length === 0 ? atNextLine(page, key, values) : undefined;
    if (wrapped) {
      const score = WEIGHTS.start + WEIGHTS.label * weight + WEIGHTS.besideLabel;
      pairs.push({ value: wrapped, key, weight, score, relation: 'beside' });
    }
    const maxLines = options.maxLines ?? 2.2;
    const cellEnd = nextOnLine(page, key);
    const segmentUnder = inSameCell(page, key);
    const under = values
      .filter(
        (value) =>
          isInColumn(key, value, page.unit) ||
          isInCell(key, value, cellEnd, page.unit) ||
          segmentUnder === value.tokens[0]?.segment,
      )
      .filter((value) => linesBetween(key, value, page.unit) < maxLines)
      .filter((value) => !others.some((other) => standsBetween(key, other, value, page.unit)))
      .sort((a, b) => a.box[1] - b.box[1]);
    under.slice(0, 4).forEach((value, rank) => {
      const lines = Math.max(0, linesBetween(key, value, page.unit));
      const score =
        WEIGHTS.start +
        WEIGHTS.label * weight +
        WEIGHTS.underLabel +
        // In a table of amounts the last row is the sum.
        (options.last ? WEIGHTS.linesUnder / 4 : WEIGHTS.linesUnder) * lines -
        rank * (options.last ? 0.1 : 0.5) -
        (isInColumn(key, value, page.unit) ? 0 : 0.6) -
        (beside.length > 0 ? 1.5 : 0);
      pairs.push({ value, key, weight, score, relation: 'under' });
    });
  }
  return pairs.sort((a, b) => b.score - a.score);
}

/** A label that is all of its text, and a value that begins the text right under it, at the same edge. */
function beginsUnder(page: PageLayout, key: Key, { tokens: [first] }: Placed): boolean {
  const { segment } = key.tokens[0]!;
  const own = first?.segment;
  return (
    own !== undefined &&
    own.tokens[0] === first &&
    segment.tokens[0] === key.tokens[0] &&
    segment.tokens.at(-1) === key.tokens.at(-1) &&
    Math.abs(own.box[0] - segment.box[0]) < 0.3 * page.unit &&
    own.box[1] > segment.box[1] &&
    linesBetween(segment, own, page.unit) < 0.9
  );
}

/** A value behind words of another text than its label's: "Unit 9", of an address beside the label. */
const isInsideOther = (key: Key, { tokens: [first] }: Placed): boolean =>
  first !== undefined &&
  first.segment !== key.tokens[0]!.segment &&
  first.segment.tokens[0] !== first &&
  /^\p{L}+$/u.test(first.segment.tokens[0]!.text);

/** "... IBAN DE78 7639 1000 0000 4188 62, BIC:": behind a label at the end of a line of text its value begins the next. */
function atNextLine<T extends Placed>(page: PageLayout, key: Key, values: T[]): T | undefined {
  const { segment } = key.tokens[0]!;
  if (key.tokens[0] === segment.tokens[0] || key.tokens.at(-1) !== segment.tokens.at(-1)) return undefined;
  const isNext = (other: Segment) =>
    Math.abs(other.box[0] - segment.box[0]) < page.unit &&
    other.box[1] > segment.box[1] &&
    linesBetween(segment, other, page.unit) < 0.9;
  const next = page.segments.find((other) => other.line > segment.line && isNext(other));
  return values.find((value) => value.tokens[0] !== undefined && value.tokens[0] === next?.tokens[0]);
}

/** Where a value begins behind its label; the currency of "Amount due GBP 603.60" belongs to both. */
function startOf({ tokens, box }: Placed, key: Key): number {
  const own = tokens.filter((token) => !key.tokens.includes(token));
  if (own.length === 0) return tokens.length === 0 ? box[0] : Number.NEGATIVE_INFINITY;
  return Math.min(...own.map((token) => token.box[0]));
}

const PARTIES = ['sender', 'recipient', 'delivery', 'label_name', 'label_skip'];

/** Words such as "client" are part of many labels; only labels of values come between a label and its value. */
function breaks({ meanings }: Key): boolean {
  return meanings.some((one) => one.weight >= BLOCKING_WEIGHT && !PARTIES.includes(one.field));
}

const announcesDate = ({ meanings, tokens }: Key): boolean =>
  /^\p{Ll}/u.test(tokens[0]!.text) && meanings.every(({ field }) => /date|^terms$/.test(field));

/** How something was paid, in the text that says that it was. */
const namesPayment = ({ meanings, tokens }: Key, before: Key): boolean =>
  tokens[0]!.segment === before.tokens[0]!.segment &&
  meanings.some(({ field }) => field === 'payment_method' || field === '_tendered');

/** Cells beside each other may be set half a line apart: what stands right under a label of its own belongs to that. */
const isOfCellAbove = ({ line }: Key, other: Key, { tokens: [first], box }: Placed, unit: number): boolean =>
  first !== undefined &&
  first.line !== line &&
  other.line !== first.line &&
  other.tokens[0] === other.tokens[0]!.segment.tokens[0] &&
  Math.abs(other.box[0] - box[0]) < 0.3 * unit &&
  Math.abs(other.box[3] - box[1]) < 0.5 * unit;

/** Where the next thing on the label's line begins: the cell of a form reaches to there. */
function nextOnLine(page: PageLayout, key: Key): number {
  const segment = key.tokens[0]!.segment;
  const lefts = page.segments
    .filter((one) => one !== segment && one.box[0] > key.box[2] && isBeside(key, one))
    .map((one) => one.box[0]);
  return Math.min(page.width, ...lefts);
}

/** Under a row of headings there is a row of as many values: headings in the middle of their cells, values at the left. */
function inSameCell(page: PageLayout, key: Key): Segment | undefined {
  const segment = key.tokens[0]!.segment;
  const at = page.lines.findIndex(({ number }) => number === segment.line);
  const [heads, below] = [page.lines[at], page.lines[at + 1]];
  if (!heads || !below || heads.segments.length < 3 || heads.segments.length !== below.segments.length)
    return undefined;
  if (/\d/.test(heads.segments.map(({ text }) => text).join(''))) return undefined;
  const isNear = below.box[1] - heads.box[3] < 1.2 * page.unit;
  return isNear ? below.segments[heads.segments.indexOf(segment)] : undefined;
}

/** In forms the label stands at the left of its cell and the value at the right. */
function isInCell(key: Key, value: Placed, cellEnd: number, unit: number): boolean {
  if (value.page !== key.page || value.box[1] < key.box[1] + 0.5 * (key.box[3] - key.box[1])) return false;
  return value.box[0] > key.box[0] - unit && value.box[2] < cellEnd + unit;
}

/** True when another label stands under the first one and nearer to the value, or right before the value. */
function standsBetween(key: Key, other: Key, value: Placed, unit: number): boolean {
  if (other.page !== key.page) return false;
  const beforeValue =
    isBeside(other, value) && other.box[2] <= value.box[0] + 1 && other.box[2] > value.box[0] - 8 * unit;
  if (beforeValue && other.box[0] >= key.box[0] - 6 * unit) return true;
  return isInColumn(key, other, unit) && other.box[3] <= value.box[1] + 0.4 * unit && isInColumn(other, value, unit);
}
