import { findKeys, type Key } from '../candidates/key-phrases';
import { numberIn } from '../candidates/line-items/column-content';
import { type Meaning, NUMERIC } from '../candidates/line-items/column-meanings';
import { readLineItems } from '../candidates/line-items/line-items';
import { upToTotals } from '../candidates/line-items/sums';
import type { Head } from '../candidates/line-items/table-head';
import type { DecimalMark } from '../candidates/numbers';
import { type Line, normalize, type PageLayout, type Token, unite } from '../layout/page-layout';
import { isBeside } from '../layout/relations';
import { findBorders, joinHeaderCells, linesBelow } from '../layout/tables';
import type { FieldCandidate, Position, TableRow } from '../recognition';
import { isAlike } from './alike';

/** A row as a person confirmed it: column's identifier (`table_column_…`) -> plain decimal or text. */
export type PlainRow = Readonly<Record<string, string>>;

/** How the line items of a sender's documents are set. */
export interface LearnedTable {
  /** Words of the head, with their left edge as a share of the page's width. */
  head: { word: string; x: number }[];
  /** From the left; edges as shares of the page's width. */
  columns: { meaning: Meaning; left: number; right: number }[];
}

const PREFIX = 'table_column_';
/** How far below a row the next one is looked for, in lines. */
const NEXT_ROW = 80;
const LEAST_HEAD_WORDS = 2;
const MOST_HEAD_WORDS = 40;
/** What is learned must read so much of its own document, 0..1. */
const READS_WELL = 0.5;

/**
 * Learns how a table is set, from the rows that a person confirmed. Undefined when it cannot be told, and when what would be learned
 * does not read its own document better than the engine did.
 *
 * @param read what the engine had read for each row; null: nothing
 */
export function learnTable(
  pages: readonly PageLayout[],
  mark: DecimalMark,
  rows: readonly PlainRow[],
  read: readonly (PlainRow | null)[],
): LearnedTable | undefined {
  const before = agreement(
    read.filter((row) => row !== null),
    rows,
  );
  if (before === 1) return undefined;
  const placed = placeRows(pages, rows, mark);
  const first = placed[0];
  if (!first || placed.length < rows.length / 2) return undefined;
  const lines = headOver(first.page, first.line);
  const head = wordsOf(lines).slice(0, MOST_HEAD_WORDS);
  const columns = settleColumns(placed, lines);
  if (head.length < LEAST_HEAD_WORDS || !columns) return undefined;
  const { width } = first.page;
  const table = {
    head: head.map(({ word, x }) => ({ word, x: share(x, width) })),
    columns: columns.map(({ meaning, left, right }) => ({
      ...{ meaning, left: share(left, width), right: share(right, width) },
    })),
  };
  const keys = pages.flatMap((page) => findKeys(page));
  const after = readTable(pages, keys, mark, table).map(plainRow);
  const now = agreement(after, rows);
  return now > before && now >= READS_WELL ? table : undefined;
}

const share = (x: number, width: number) => Math.round((x / width) * 10_000) / 10_000;

/** Cells of a row as plain values. */
export const plainRow = ({ cells }: Pick<TableRow, 'cells'>): PlainRow =>
  Object.fromEntries(Object.entries(cells).map(([column, { value }]) => [column, value]));

/** The rows of a document whose table is set as the learned one; none when its head is not found. */
export const readTable = (
  pages: readonly PageLayout[],
  keys: Key[],
  mark: DecimalMark,
  table: LearnedTable,
): TableRow[] => readLineItems([...pages], keys, mark, (page, pageKeys) => findKnownHead(page, pageKeys, table)).rows;

/**
 * Rows with what the engine read beside their cells: in columns that the document has, and the one that was learned from had not.
 *
 * @param rows as they were read by the learned table
 * @param read the same rows as the engine reads them by itself
 */
export function addColumns(
  rows: readonly TableRow[],
  read: readonly TableRow[],
  pages: readonly PageLayout[],
  { columns }: LearnedTable,
): TableRow[] {
  const learned = new Set(columns.map(({ meaning }) => `${PREFIX}${meaning}`));
  return rows.map((row) => {
    const same = read.find((one) => isBesideRow(one, row));
    const width = pages.find(({ number }) => number === row.page)!.width;
    const taken = [
      ...columns
        .filter(({ meaning }) => meaning !== 'unknown')
        .map(({ left, right }) => [left * width, right * width] as const),
      ...Object.values(row.cells).flatMap(({ position }) => (position ? [[position[0], position[2]] as const] : [])),
    ];
    const isFree = ({ position }: FieldCandidate) =>
      position && taken.every(([left, right]) => position[2] <= left || position[0] >= right);
    const more = Object.entries(same?.cells ?? {}).filter(([column, cell]) => !learned.has(column) && isFree(cell));
    return { ...row, cells: { ...Object.fromEntries(more), ...row.cells } };
  });
}

const isBesideRow = ({ position: a, page }: TableRow, { position: b, page: other }: TableRow): boolean =>
  a !== null && b !== null && isBeside({ box: a, page }, { box: b, page: other });

/** Part of a head's words that must be found again. */
const SAME_HEAD = 0.7;
/** How far words of a head may have moved, as a share of the page's width. */
const MOVED = 0.03;
const MOST_HEAD_LINES = 4;

function findKnownHead(page: PageLayout, keys: Key[], { head, columns }: LearnedTable): Head | undefined {
  const words = page.lines.map(({ tokens }) =>
    head.filter(({ word, x }) => tokens.some((token) => isHeadWord(token, word, x * page.width, page))),
  );
  let best: { lines: Line[]; found: number } | undefined;
  for (let at = 0; at < page.lines.length; at++)
    for (let depth = 1; depth <= MOST_HEAD_LINES && at + depth <= page.lines.length; depth++) {
      const found = new Set(words.slice(at, at + depth).flat()).size;
      if (found > (best?.found ?? 0)) best = { lines: page.lines.slice(at, at + depth), found };
    }
  if (!best || best.found < SAME_HEAD * head.length) return undefined;
  const { lines } = best;
  const top = Math.min(...lines.map((line) => line.box[1]));
  const bottom = Math.max(...lines.map((line) => line.box[3]));
  const boxes = columns.map(({ left, right }): Position => [left * page.width, top, right * page.width, bottom]);
  const borders = findBorders(boxes, upToTotals(linesBelow(page, bottom), keys));
  return {
    ...{ bottom, lines },
    columns: columns.map(({ meaning }, at) => ({
      meaning,
      left: at === 0 ? 0 : borders[at - 1]!,
      right: at === columns.length - 1 ? page.width : borders[at]!,
      header: boxes[at]!,
    })),
  };
}

const isHeadWord = ({ parts, box }: Token, word: string, x: number, page: PageLayout) =>
  Math.abs(box[0] - x) < MOVED * page.width && parts.some((part) => isAlike(part, word));

/** The head above the first row: the nearest lines without amounts, of which one has several cells if there is such. */
function headOver(page: PageLayout, row: Line): Line[] {
  const above = page.lines.slice(0, page.lines.indexOf(row));
  const isText = ({ tokens }: Line) => !tokens.some(({ text }) => /\d[.,]\d{2}\b|\d{3}/.test(text));
  const isNear = (at: number) => at >= above.length - LINES_ABOVE;
  const hasCells = above.findLastIndex((line, at) => isNear(at) && isText(line) && line.segments.length >= 2);
  const nearest = hasCells >= 0 ? hasCells : above.findLastIndex((line, at) => isNear(at) && isText(line));
  if (nearest < 0) return [];
  let from = nearest;
  const isClose = (at: number) => above[at + 1]!.box[1] - above[at]!.box[3] < 0.9 * page.unit;
  while (from > 0 && nearest - from < MOST_HEAD_LINES - 1 && isText(above[from - 1]!) && isClose(from - 1)) from--;
  return above.slice(from, nearest + 1);
}

const wordsOf = (lines: readonly Line[]): { word: string; x: number }[] =>
  lines.flatMap(({ tokens }) =>
    tokens.flatMap(({ parts, box }) => {
      const word = parts.find((part) => part.length > 1 && /\p{L}/u.test(part));
      return word ? [{ word, x: box[0] }] : [];
    }),
  );

/** How far above its first row a table's head is looked for, in lines. */
const LINES_ABOVE = 8;

/** A confirmed row and where it stands. */
interface PlacedRow {
  page: PageLayout;
  line: Line;
  /** Words that may be the cell; several where the line has the value several times. */
  cells: Map<Meaning, Token[][]>;
}

function placeRows(pages: readonly PageLayout[], rows: readonly PlainRow[], mark: DecimalMark): PlacedRow[] {
  const lines = pages.flatMap((page) => page.lines.map((line) => ({ page, line, numbers: numbersIn(line, mark) })));
  const placed: PlacedRow[] = [];
  let from = 0;
  for (const row of rows) {
    const wanted = Object.entries(row).flatMap(([column, value]) => (value === '' ? [] : [wantedCell(column, value)]));
    let best: { at: number; cells: PlacedRow['cells'] } | undefined;
    const until = placed.length > 0 ? from + NEXT_ROW : lines.length;
    for (let at = from; at < Math.min(until, lines.length); at++) {
      const cells = findCells(lines[at]!, wanted);
      if (cells.size > (best?.cells.size ?? 0)) best = { at, cells };
    }
    const isNumber = best && [...best.cells.keys()].some((meaning) => NUMERIC.has(meaning));
    if (!best || !isNumber || best.cells.size < Math.min(2, wanted.length)) continue;
    // The numbers of a row may stand beside the second line of its description, or under the last one.
    const description = wanted.find(({ meaning }) => meaning === 'description');
    for (const beside of [best.at + 1, best.at - 1]) {
      if (!description || best.cells.has('description') || lines[beside]?.page !== lines[best.at]!.page) continue;
      const found = wordsIn(lines[beside]!.line, description.words);
      if (found.length > 0) best.cells.set('description', found);
    }
    const { page, line } = lines[best.at]!;
    placed.push({ page, line, cells: best.cells });
    from = best.at + 1;
  }
  return placed;
}

const meaningOf = (column: string) => column.slice(PREFIX.length) as Meaning;

/** A confirmed cell as it is looked for on the lines. */
const wantedCell = (column: string, value: string) => ({
  ...{ meaning: meaningOf(column), value, words: new Set(normalize(value)) },
});

/** A number on a line. */
interface PrintedNumber {
  value: number;
  tokens: Token[];
}

function findCells(
  { line, numbers }: { line: Line; numbers: readonly PrintedNumber[] },
  wanted: readonly ReturnType<typeof wantedCell>[],
): PlacedRow['cells'] {
  const cells: PlacedRow['cells'] = new Map();
  for (const { meaning, value, words } of wanted) {
    const found = NUMERIC.has(meaning)
      ? numbers.filter((number) => isSameNumber(number.value, Number(value))).map(({ tokens }) => tokens)
      : wordsIn(line, words);
    if (found.length > 0) cells.set(meaning, found);
  }
  return cells;
}

const GROUPS = 3;

/** The numbers of a line; those in groups, "1 450,00", as one. */
function numbersIn({ tokens }: Line, mark: DecimalMark): PrintedNumber[] {
  const numbers: PrintedNumber[] = [];
  for (let at = 0; at < tokens.length; at++)
    for (let count = Math.min(GROUPS, tokens.length - at); count > 0; count--) {
      const own = tokens.slice(at, at + count);
      const areGroups = own.every(({ segment, text }) => segment === own[0]!.segment && /\d/.test(text));
      if (count > 1 && !(areGroups && own.slice(0, -1).every(({ text }) => /^-?\d{1,3}$/.test(text)))) continue;
      const value = numberIn(own.map(({ text }) => text).join(' '), mark);
      if (value === undefined) continue;
      numbers.push({ value, tokens: own });
      if (count > 1) at += count - 1;
      break;
    }
  return numbers;
}

/** Amounts of credit notes are printed with or without a minus. */
const isSameNumber = (a: number, b: number) => Math.abs(Math.abs(a) - Math.abs(b)) < 1e-6;

/** Letters of a word that is no chance. */
const LONG_WORD = 5;

/** The longest run of a line's words that are those of a text. */
function wordsIn({ tokens }: Line, words: ReadonlySet<string>): Token[][] {
  let best: Token[] = [];
  let run: Token[] = [];
  for (const token of tokens) {
    const isOne = token.parts.length > 0 && token.parts.every((part) => words.has(part));
    const goesOn = run.length === 0 || run.at(-1)!.segment === token.segment;
    run = isOne ? [...(goesOn ? run : []), token] : [];
    if (run.length > best.length) best = run;
  }
  const parts = best.flatMap((token) => token.parts);
  const isWhole = parts.length >= Math.min(words.size, 2) || parts.join('').length >= LONG_WORD;
  return best.length > 0 && isWhole ? [best] : [];
}

interface Span {
  meaning: Meaning;
  left: number;
  right: number;
}

/** Columns in the order in which most documents have them: it decides where a line has a value several times. */
const ORDER: Meaning[] = [
  ...(['code', 'description', 'quantity', 'uom', 'amount_base', 'amount', 'rate', 'tax'] as const),
  ...(['amount_total_base', 'amount_total', 'other'] as const),
];

/** Where the columns stand; undefined when they overlap, or are no table. */
function settleColumns(placed: readonly PlacedRow[], head: readonly Line[]): Span[] | undefined {
  const spans = new Map<Meaning, Span>();
  const meanings = ORDER.filter((meaning) => placed.some(({ cells }) => cells.has(meaning)));
  const boxOf = (tokens: Token[]) => unite(tokens.map((token) => token.box));
  for (const meaning of meanings) {
    const boxes = placed.flatMap(({ cells }) => {
      const found = cells.get(meaning) ?? [];
      return found.length === 1 && isAlone(found[0]!, meaning, cells) ? [boxOf(found[0]!)] : [];
    });
    if (boxes.length > 0) spans.set(meaning, spanOf(meaning, boxes));
  }
  for (const meaning of meanings) {
    if (spans.has(meaning)) continue;
    const boxes = placed.flatMap(({ cells }) => {
      const free = (cells.get(meaning) ?? []).map(boxOf).filter((box) => ![...spans.values()].some(isUnder(box)));
      return free[0] ? [free[0]] : [];
    });
    if (boxes.length > 0) spans.set(meaning, spanOf(meaning, boxes));
  }
  const known = [...spans.values()].filter(
    (span) =>
      !IN_TEXTS.has(span.meaning) || ![...spans.values()].some((other) => other !== span && overlap(span, other) > 0),
  );
  const isTable =
    known.some(({ meaning }) => meaning === 'description') && known.some(({ meaning }) => NUMERIC.has(meaning));
  if (!isTable) return undefined;
  const filled = [...known, ...otherColumns(placed, known)];
  const all = [...filled, ...emptyColumns(head, filled)];
  return partColumns(all.sort((a, b) => a.left + a.right - b.left - b.right));
}

/** Columns that have a heading, and no cell in this document: what they mean is not known. */
function emptyColumns(head: readonly Line[], filled: readonly Span[]): Span[] {
  const pieces = head.flatMap(({ segments }) => segments.map(({ tokens }) => tokens));
  return joinHeaderCells(pieces)
    .filter(({ box }) => !filled.some(isUnder(box)))
    .map(({ box: [left, , right] }) => ({ meaning: 'unknown', left, right }));
}

/** What stands in the column of another text is told apart from it when the rows are read. */
const IN_TEXTS = new Set<Meaning>(['code', 'uom']);

/** True where no other cell of the row may be the same words. */
const isAlone = (tokens: Token[], meaning: Meaning, cells: PlacedRow['cells']) =>
  [...cells].every(([other, found]) => other === meaning || !found.some((one) => one.includes(tokens[0]!)));

const isUnder =
  ([left, , right]: Position) =>
  (span: Span) =>
    overlap(span, { left, right }) > 0;

/** Around all boxes but those that stand elsewhere than most. */
function spanOf(meaning: Meaning, boxes: Position[]): Span {
  const middles = boxes.map(([left, , right]) => (left + right) / 2).sort((a, b) => a - b);
  const middle = middles[Math.floor(middles.length / 2)]!;
  const near = boxes.filter(([left, , right]) => left <= middle && middle <= right);
  const own = near.length > 0 ? near : boxes;
  return { meaning, left: Math.min(...own.map((box) => box[0])), right: Math.max(...own.map((box) => box[2])) };
}

type Range = Pick<Span, 'left' | 'right'>;
const overlap = (a: Range, b: Range) => Math.min(a.right, b.right) - Math.max(a.left, b.left);

/** Columns that the confirmed rows do not speak of, which most rows have. */
function otherColumns(placed: readonly PlacedRow[], known: readonly Span[]): Span[] {
  const others: (Span & { lines: Set<Line> })[] = [];
  for (const { line } of placed)
    for (const { box } of line.tokens) {
      // What stands close to a cell is its unit or the rest of it.
      const near = 0.5 * (box[3] - box[1]);
      if (known.some(isUnder([box[0] - near, box[1], box[2] + near, box[3]]))) continue;
      const same = others.find(isUnder(box));
      same?.lines.add(line);
      if (same) Object.assign(same, { left: Math.min(same.left, box[0]), right: Math.max(same.right, box[2]) });
      else others.push({ meaning: 'other', left: box[0], right: box[2], lines: new Set([line]) });
    }
  return others.filter(({ lines }) => lines.size >= placed.length / 2);
}

/** Columns beside each other, parted where they touch; undefined when one lies over another. */
function partColumns(columns: Span[]): Span[] | undefined {
  const parted: Span[] = [];
  for (const column of columns) {
    const last = parted.at(-1);
    const over = last ? overlap(last, column) : 0;
    if (last && over > 0) {
      if (over > 0.5 * Math.min(last.right - last.left, column.right - column.left)) return undefined;
      const border = (Math.max(last.left, column.left) + Math.min(last.right, column.right)) / 2;
      last.right = border;
      parted.push({ ...column, left: border });
    } else parted.push({ ...column });
  }
  return parted;
}

/** How far rows are the wanted ones, 0..1: the F1 of their cells, over the columns that the wanted ones have. */
export function agreement(rows: readonly PlainRow[], wanted: readonly PlainRow[]): number {
  const columns = new Set(wanted.flatMap((row) => Object.keys(row).filter((column) => row[column] !== '')));
  const cellsOf = (row: PlainRow) =>
    Object.entries(row).filter(([column, value]) => columns.has(column) && value !== '');
  const count = (list: readonly PlainRow[]) => list.reduce((sum, row) => sum + cellsOf(row).length, 0);
  const all = count(rows) + count(wanted);
  const pairs = pairRows(rows, wanted);
  const right = wanted.reduce((sum, row, at) => sum + (pairs[at] ? countSame(pairs[at], row) : 0), 0);
  return all > 0 ? (2 * right) / all : 1;
}

/** For each wanted row the row that is most like it, each once. */
export function pairRows(rows: readonly PlainRow[], wanted: readonly PlainRow[]): (PlainRow | null)[] {
  const free = new Set(rows);
  return wanted.map((row) => {
    let best: { one: PlainRow; same: number } | undefined;
    for (const one of free) {
      const same = countSame(one, row);
      if (same > (best?.same ?? 0)) best = { one, same };
    }
    if (best) free.delete(best.one);
    return best?.one ?? null;
  });
}

const countSame = (row: PlainRow, wanted: PlainRow) =>
  Object.keys(wanted).filter((column) => isSameCell(column, row[column] ?? '', wanted[column]!)).length;

/** Most words of a description are enough. */
const SAME_WORDS = 0.7;

function isSameCell(column: string, a: string, b: string): boolean {
  if (a === '' || b === '') return false;
  if (NUMERIC.has(meaningOf(column))) return isSameNumber(Number(a), Number(b));
  const [one, other] = [new Set(normalize(a)), new Set(normalize(b))];
  const common = [...one].filter((word) => other.has(word)).length;
  return (2 * common) / (one.size + other.size) >= (meaningOf(column) === 'description' ? SAME_WORDS : 1);
}
