import type { Position } from '../recognition';
import { type Line, normalize, type PageLayout, type Token, unite } from './page-layout';

/** A cell of the row that heads a table. */
export interface HeaderCell {
  text: string;
  parts: string[];
  box: Position;
}

/** A column between two vertical borders. */
export interface Column<Meaning extends string> {
  meaning: Meaning;
  left: number;
  right: number;
  header: Position;
}

/**
 * Puts the pieces of the lines of a table's head together to cells: what stands above one another is one cell.
 *
 * @param pieces words of each line, already cut where one heading ends and the next begins
 */
export function joinHeaderCells(pieces: Token[][]): HeaderCell[] {
  const cells: { tokens: Token[]; box: Position }[] = [];
  for (const tokens of pieces) {
    const box = unite(tokens.map((token) => token.box));
    const cell = cells.find((one) => sharesColumn(one.box, box) && !isBesideBox(one.box, box));
    if (cell) {
      cell.tokens.push(...tokens);
      cell.box = unite([cell.box, box]);
    } else cells.push({ tokens, box });
  }
  return cells
    .map(({ tokens, box }) => {
      const text = tokens.map((token) => token.text).join(' ');
      return { text, parts: normalize(text), box };
    })
    .sort((a, b) => a.box[0] - b.box[0]);
}

function sharesColumn(a: Position, b: Position): boolean {
  const shared = Math.min(a[2], b[2]) - Math.max(a[0], b[0]);
  return shared > 0.4 * Math.min(a[2] - a[0], b[2] - b[0]);
}

const isBesideBox = (a: Position, b: Position) => Math.min(a[3], b[3]) - Math.max(a[1], b[1]) > 0.5 * (b[3] - b[1]);

/** What it costs when a border goes through a word, or leaves one on the side of the wrong heading. */
const CROSSED = 3;
const MISPLACED = 2;

/**
 * Borders between columns: where they go through the fewest words of the rows and leave each word with the heading
 * over it, or next to it.
 *
 * @param headings boxes of the head's cells, from the left
 * @returns one border fewer than headings
 */
export function findBorders(headings: Position[], lines: Line[]): number[] {
  const borders = bordersOf(headings, lines);
  const areInOrder = borders.every((border, at) => at === 0 || border > borders[at - 1]!);
  return areInOrder
    ? borders
    : bordersOf(
        headings,
        lines.filter((line) => !spansHeadings(line, headings)),
      );
}

function bordersOf(headings: Position[], lines: Line[]): number[] {
  const boxes = lines.flatMap((line) => ownersOf(joinNear(line), headings));
  return headings.slice(1).map((right, at) => {
    const left = headings[at]!;
    const near = boxes.filter(({ owner }) => owner === at || owner === at + 1);
    const from = Math.round(Math.min(left[0] + 4, right[0] - 1));
    const to = Math.round(Math.max(right[2] - 4, left[2] + 1));
    const cost = (x: number) =>
      near.reduce((sum, { box: [l, , r], owner }) => {
        const crossed = l < x && x < r ? CROSSED : 0;
        const isLeft = (l + r) / 2 < x;
        return sum + crossed + (isLeft === (owner === at) ? 0 : MISPLACED);
      }, 0);
    return cheapest(from, to, (left[2] + right[0]) / 2, cost);
  });
}

/** A line of text under several headings, such as a description under the row, tells nothing about their borders. */
function spansHeadings({ segments: [only, ...rest] }: Line, headings: Position[]): boolean {
  if (!only || rest.length > 0) return false;
  return headings.filter(([left, , right]) => left < only.box[2] && right > only.box[0]).length > 1;
}

/**
 * Whose the words of a line are. Two that stand apart are not both of one column: where numbers are set to the right
 * and headings to the left, the left one belongs to the heading before, and so do the numbers before it.
 */
function ownersOf(texts: Text[], headings: Position[]): { box: Position; owner: number }[] {
  const owners = texts.map(({ box }) => ownerOf(box, headings));
  const areNumbers = (at: number) => texts[at]!.isNumber && texts[at + 1]!.isNumber;
  const areApart = (at: number) => {
    const [{ box }, { box: next }] = [texts[at]!, texts[at + 1]!];
    return next[0] - box[2] > (areNumbers(at) ? 0.6 : 0.8) * (box[3] - box[1]);
  };
  const moveLeft = (at: number): boolean => {
    const owner = owners[at]! - 1;
    const before = headings[owner];
    if (!before || texts[at]!.box[0] <= before[0]) return false;
    const isFree = at === 0 || owners[at - 1]! < owner;
    const isLeft = owners[at - 1] === owner && areNumbers(at - 1) && areApart(at - 1);
    if (!isFree && !(isLeft && moveLeft(at - 1))) return false;
    owners[at] = owner;
    return true;
  };
  for (let at = texts.length - 2; at >= 0; at--) if (owners[at] === owners[at + 1] && areApart(at)) moveLeft(at);
  return texts.map(({ box }, at) => ({ box, owner: owners[at]! }));
}

/** The heading that a word stands under, or else the nearest. */
function ownerOf([left, , right]: Position, headings: Position[]): number {
  let best = { at: 0, shared: Number.NEGATIVE_INFINITY };
  headings.forEach((heading, at) => {
    // Negative: the distance between them.
    const shared = Math.min(right, heading[2]) - Math.max(left, heading[0]);
    if (shared > best.shared) best = { at, shared };
  });
  return best.at;
}

const isNumeric = (text: string) => /^[\d.,'’%€$£+-]+$/.test(text);

/** Gap inside a text, in heights of its words; columns are never set so tight. */
const WORD_GAP = 0.3;
/** Gap inside a number in groups, "1 450,00", as OCR sees it. */
const GROUP_GAP = 0.6;

/** "146,00" before "21%", "21%" before "2 130,66", "ks" before "890,00": two cells, however close they stand. */
const areCells = (before: string, text: string) =>
  (/[.,]\d\d$/.test(before) && /^\d.*(?:[.,]\d\d|%)$/.test(text)) ||
  (/\d%$/.test(before) && /^\d/.test(text)) ||
  (/^\d+$/.test(before) && /^\d.*%$/.test(text)) ||
  (/^\p{L}{1,4}\.?$/u.test(before) && /^\d.*[.,]\d\d$/.test(text));

interface Text {
  box: Position;
  isNumber: boolean;
}

/** Boxes of the words of a line, with the spaces between words of a text filled. */
function joinNear(line: Line): Text[] {
  return line.segments.flatMap(({ tokens }) => {
    const texts: Text[] = [];
    tokens.forEach(({ box, text }, at) => {
      const last = texts.at(-1);
      const before = tokens[at - 1]?.text ?? '';
      const isText = at > 0 && !isNumeric(text) && !isNumeric(before);
      const areGroups = /^-?\d{1,3}$/.test(before) && /^\d{3}(?:[.,]\d+)?$/.test(text);
      const isNear =
        last &&
        !areCells(before, text) &&
        box[0] - last.box[2] < (areGroups ? GROUP_GAP : WORD_GAP) * (box[3] - box[1]);
      if (last && (isText || isNear)) last.box = unite([last.box, box]);
      else texts.push({ box, isNumber: isNumeric(text) });
    });
    return texts;
  });
}

/** Middle of the widest stretch of least cost; of equal ones the nearest to `wanted`. */
function cheapest(from: number, to: number, wanted: number, cost: (x: number) => number): number {
  const costs = Array.from({ length: Math.max(1, to - from) }, (_, at) => cost(from + at));
  const least = Math.min(...costs);
  let best = { middle: wanted, score: Number.NEGATIVE_INFINITY };
  for (let start = 0; start < costs.length; start++) {
    if (costs[start] !== least) continue;
    let end = start;
    while (end + 1 < costs.length && costs[end + 1] === least) end++;
    const middle = from + (start + end) / 2;
    const score = Math.min(end - start, 40) - 0.5 * Math.abs(middle - wanted);
    if (score > best.score) best = { middle, score };
    start = end;
  }
  return best.middle;
}

/** The words of a line that stand in each column, by their middle. */
export function cutLine<Meaning extends string>(line: Line, columns: Column<Meaning>[]): Map<Column<Meaning>, Token[]> {
  const cells = new Map<Column<Meaning>, Token[]>();
  for (const token of line.tokens) {
    const middle = (token.box[0] + token.box[2]) / 2;
    const column = columns.find((one) => middle >= one.left && middle < one.right);
    if (!column) continue;
    const cell = cells.get(column);
    if (cell) cell.push(token);
    else cells.set(column, [token]);
  }
  return cells;
}

/** Lines of a page under a height, from the top; the boxes of lines that are set close may overlap. */
export const linesBelow = (page: PageLayout, bottom: number) =>
  page.lines.filter((line) => (line.box[1] + line.box[3]) / 2 > bottom);
