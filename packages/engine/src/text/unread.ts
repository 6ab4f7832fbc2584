import { unite } from '../layout/page-layout';
import type { RawWord } from './characters';
import { levelAt, measurePaper, type Paper, TILE } from './paper';
import type { Gray } from './skew';

/** `[left, top, right, bottom]` in pixels of the picture. */
type Box = readonly [number, number, number, number];

/** Side of the squares in which ink is counted, in pixels. */
const CELL_BITS = 2;
const CELL = 1 << CELL_BITS;
/** Ink is darker than this share of the paper, and so many pixels of it make a square inked. */
const INK = 0.68;
const LEAST_DARK = 4;
/** Cells in a row that are a rule and no letter. */
const RULE_CELLS = 36;
/** Letters of one number stand closer, in cells. */
const GAP_CELLS = 4;
/** White that is left around the pieces, as a multiple of the height of words. */
const WHITE = 1;
/** More pieces than these are a picture, or the grain of a bad photo. */
const MAX_PIECES = 250;
/** Pieces that are narrower together, as a multiple of the height of words, are specks or a sign, and not worth a start of OCR. */
const LEAST_WIDTH = 2;

export interface Unread {
  /** Nothing but the pieces, on white and without rules, cut out around them: time would go into the white. */
  picture: Gray;
  /** Where `picture` begins on the page. */
  left: number;
  /** The row of the page that each row of `picture` shows, in order: those far from all pieces are left out. */
  rows: number[];
  /** Where the pieces are on the page. */
  pieces: Box[];
}

/**
 * Ink that has the size of words and that OCR has left out: numbers alone in the wide columns of a table, cells between
 * rules.
 *
 * @param words what was read, in pixels of the picture
 * @returns undefined when nothing is left out
 */
export function findUnread(picture: Gray, words: readonly Box[]): Unread | undefined {
  const height = heightOfWords(words);
  if (height === undefined) return undefined;
  const paper = measurePaper(picture);
  const grid = findInkCells(picture, paper);
  const rules = findRules(grid);
  const open = grid.ink.slice();
  for (let at = 0; at < open.length; at++) if (rules[at]) open[at] = 0;
  for (const word of words) cover(open, grid, word);
  const pieces = findPieces(open, grid).filter((piece) => isWord(piece, height));
  const boxes = pieces.map(({ box }): Box => box);
  const wide = boxes.reduce((sum, [left, , right]) => sum + right - left, 0);
  if (wide < LEAST_WIDTH * height || pieces.length > MAX_PIECES) return undefined;
  return { ...copyPieces(picture, boxes, paper, grid, rules, height), pieces: boxes };
}

/** Words that are higher than the others by so much may be two lines in one. */
const CROWDED = 1.8;
/** Large letters are read with more certainty. */
const CERTAIN = 0.8;
/** No letters are narrower than this share of their height. */
const NARROWEST = 0.22;

/** Words that are two lines of small type run into one, as beside a heading in large letters: higher than letters of their width are, or read with doubt. */
export function findCrowded(words: readonly RawWord[]): RawWord[] {
  const height = heightOfWords(words.map(({ position }) => position));
  if (height === undefined) return [];
  return words.filter(({ text, confidence, position: [left, top, right, bottom] }) => {
    const high = bottom - top;
    const isNarrow = text.length > 1 && (right - left) / text.length < NARROWEST * high;
    return high > CROWDED * height && (isNarrow || confidence < CERTAIN);
  });
}

/** A box in pixels of what was cut out, as it stands on the page. */
export function placeOnPage({ left, rows }: Pick<Unread, 'left' | 'rows'>, [l, t, r, b]: Box): Box {
  const row = Math.round(t);
  const down = rows[row]! - row;
  return [l + left, t + down, r + left, b + down];
}

/** Median height of what was read; on a page with next to nothing it cannot be told what is missing. */
function heightOfWords(words: readonly Box[]): number | undefined {
  const heights = words.map(([, top, , bottom]) => bottom - top).sort((a, b) => a - b);
  return heights.length < 10 ? undefined : heights[Math.floor(heights.length / 2)];
}

interface Grid {
  ink: Uint8Array;
  across: number;
  down: number;
}

function findInkCells({ data, width, height }: Gray, paper: Paper): Grid {
  const across = Math.floor(width / CELL);
  const down = Math.floor(height / CELL);
  const ink = new Uint8Array(across * down);
  const dark = new Uint8Array(across);
  for (let row = 0; row < down; row++) {
    dark.fill(0);
    for (let y = row * CELL; y < (row + 1) * CELL; y++) {
      for (let left = 0; left < across * CELL; left += TILE) {
        const level = Math.ceil(levelAt(paper, left, y) * INK);
        const end = y * width + Math.min(left + TILE, across * CELL);
        for (let at = y * width + left, x = left; at < end; at++, x++) if (data[at]! < level) dark[x >> CELL_BITS]!++;
      }
    }
    for (let column = 0; column < across; column++) if (dark[column]! >= LEAST_DARK) ink[row * across + column] = 1;
  }
  return { ink, across, down };
}

/** Long runs of ink, across and down. */
function findRules({ ink, across, down }: Grid): Uint8Array {
  const rules = new Uint8Array(ink.length);
  const mark = (first: number, stride: number, length: number) => {
    const end = first + length * stride;
    for (let start = first; start < end; start += stride) {
      if (!ink[start]) continue;
      let after = start;
      while (after < end && ink[after]) after += stride;
      if (after - start >= RULE_CELLS * stride) for (let at = start; at < after; at += stride) rules[at] = 1;
      start = after;
    }
  };
  for (let row = 0; row < down; row++) mark(row * across, 1, across);
  for (let column = 0; column < across; column++) mark(column, across, down);
  return rules;
}

/** Takes what was read off the open ink. */
function cover(open: Uint8Array, { across, down }: Grid, [left, top, right, bottom]: Box): void {
  const to = (value: number, most: number) => Math.min(most, Math.max(0, Math.floor(value / CELL)));
  for (let row = to(top - CELL, down - 1); row <= to(bottom + CELL, down - 1); row++)
    for (let column = to(left - CELL, across - 1); column <= to(right + CELL, across - 1); column++)
      open[row * across + column] = 0;
}

interface Piece {
  box: Box;
  /** Share of the box that is ink. */
  filled: number;
}

/** Groups of ink cells that stand close, with their boxes. */
function findPieces(open: Uint8Array, { across, down }: Grid): Piece[] {
  const pieces: Piece[] = [];
  const stack: number[] = [];
  for (let start = 0; start < open.length; start++) {
    if (!open[start]) continue;
    open[start] = 0;
    stack.push(start);
    let [left, top, right, bottom, cells] = [across, down, 0, 0, 0];
    while (stack.length > 0) {
      const at = stack.pop()!;
      const row = Math.floor(at / across);
      const column = at % across;
      cells++;
      left = Math.min(left, column);
      right = Math.max(right, column);
      top = Math.min(top, row);
      bottom = Math.max(bottom, row);
      for (let y = Math.max(0, row - 1); y <= Math.min(down - 1, row + 1); y++) {
        for (let x = Math.max(0, column - GAP_CELLS); x <= Math.min(across - 1, column + GAP_CELLS); x++) {
          if (!open[y * across + x]) continue;
          open[y * across + x] = 0;
          stack.push(y * across + x);
        }
      }
    }
    const box: Box = [left * CELL, top * CELL, (right + 1) * CELL, (bottom + 1) * CELL];
    pieces.push({ box, filled: cells / ((right - left + 1) * (bottom - top + 1)) });
  }
  return pieces;
}

/** As high as the words of the page, and neither solid nor a scratch. */
function isWord({ box: [left, top, right, bottom], filled }: Piece, height: number): boolean {
  const high = bottom - top;
  return high > 0.6 * height && high < 2 * height && right - left > 0.25 * height && filled > 0.15 && filled < 0.9;
}

function copyPieces(
  { data, width, height }: Gray,
  boxes: Box[],
  paper: Paper,
  grid: Grid,
  rules: Uint8Array,
  size: number,
): Omit<Unread, 'pieces'> {
  const margin = Math.round(0.3 * size);
  const white = Math.round(WHITE * size);
  const reach = ([left, top, right, bottom]: Box, by: number): Box => [
    Math.max(0, left - by),
    Math.max(0, top - by),
    Math.min(width, right + by),
    Math.min(height, bottom + by),
  ];
  const [left, , right] = reach(unite(boxes), white);
  const across = right - left;
  const isNear = new Uint8Array(height);
  for (const box of boxes) {
    const [, from, , to] = reach(box, white);
    isNear.fill(1, from, to);
  }
  const rows = [...isNear.keys()].filter((y) => isNear[y]);
  const rowOf = new Int32Array(height);
  rows.forEach((y, row) => {
    rowOf[y] = row;
  });
  const copy = Buffer.alloc(across * rows.length, 255);
  const isRule = (x: number, y: number) => {
    const [column, row] = [Math.floor(x / CELL), Math.floor(y / CELL)];
    return row < grid.down && column < grid.across && rules[row * grid.across + column] === 1;
  };
  for (const box of boxes) {
    const [l, t, r, b] = reach(box, margin);
    for (let y = t; y < b; y++) {
      for (let x = l; x < r; x++) {
        if (isRule(x, y)) continue;
        const level = levelAt(paper, x, y);
        copy[rowOf[y]! * across + x - left] = Math.min(
          255,
          Math.round((data[y * width + x]! * 255) / Math.max(1, level)),
        );
      }
    }
  }
  return { picture: { data: copy, width: across, height: rows.length }, left, rows };
}
