import type { PageLayout, Token } from '../layout/page-layout';
import { isAlike } from './alike';
import type { Spot } from './spots';

/** What stands around a value: by it the value's place is found again in another document of the same sender. */
export interface Anchor {
  /** Words in front of it on its line, the nearest last; numbers are left out. */
  left: string[];
  /** Words of the nearest label above it. */
  above: string[];
  /** Left and right edge, and top, as shares of the page's width and height. */
  x: number;
  right: number;
  y: number;
  /** The first page is 1. */
  page: number;
  /** Stands on the last page. */
  last: boolean;
}

const MOST_WORDS = 4;
/** How far above a value its label is looked for, in lines. */
const LINES_ABOVE = 8;

/** Describes what stands around a value. */
export function anchorOf(spot: Pick<Spot, 'page' | 'box' | 'tokens'>, pages: readonly PageLayout[]): Anchor {
  const page = pages.find(({ number }) => number === spot.page)!;
  const first = spot.tokens[0]!;
  return {
    left: wordsLeft(page, first),
    above: wordsAbove(page, spot),
    x: round(spot.box[0] / page.width),
    right: round(spot.box[2] / page.width),
    y: round(spot.box[1] / page.height),
    page: spot.page,
    last: spot.page === pages.at(-1)!.number,
  };
}

const round = (share: number) => Math.round(share * 10_000) / 10_000;
const isWord = (part: string) => !/\d/.test(part);

function wordsLeft(page: PageLayout, first: Token): string[] {
  const line = page.lines.find(({ number }) => number === first.line);
  const before = line?.tokens.slice(0, line.tokens.indexOf(first)) ?? [];
  const words: string[] = [];
  for (const token of before.reverse()) {
    const parts = token.parts.filter(isWord);
    if (parts.length < token.parts.length && words.length > 0) break;
    words.unshift(...parts);
    if (words.length >= MOST_WORDS) break;
  }
  return words.slice(-MOST_WORDS);
}

function wordsAbove(page: PageLayout, spot: Pick<Spot, 'box' | 'tokens'>): string[] {
  const [left, , right] = spot.box;
  const at = page.lines.findIndex(({ number }) => number === spot.tokens[0]!.line);
  for (let index = at - 1; index >= Math.max(0, at - LINES_ABOVE); index--) {
    for (const segment of page.lines[index]!.segments) {
      if (segment.box[0] > right + page.unit || segment.box[2] < left - page.unit) continue;
      const words = segment.tokens.flatMap((token) => token.parts).filter(isWord);
      if (words.some((word) => word.length > 1)) return words.slice(0, MOST_WORDS);
    }
  }
  return [];
}

/** From this much on, two anchors are the same place. */
export const SAME_PLACE = 2;

/** How much speaks for two values standing at the same place of two documents; see {@link SAME_PLACE}. */
export function compareAnchors(a: Anchor, b: Anchor): number {
  const aside = Math.min(Math.abs(a.x - b.x), Math.abs(a.right - b.right));
  const down = Math.abs(a.y - b.y);
  return (
    compareLeft(a.left, b.left) +
    compareAbove(a.above, b.above) +
    (aside < 0.015 ? 0.8 : aside < 0.05 ? 0.3 : aside > 0.2 ? -0.8 : 0) +
    (down < 0.02 ? 0.8 : down < 0.06 ? 0.4 : 0) +
    (a.page === b.page || (a.last && b.last) ? 0.3 : -0.7)
  );
}

function compareLeft(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return a.length === b.length ? 0.4 : -1;
  let same = 0;
  const most = Math.min(a.length, b.length);
  while (same < most && isAlike(a.at(-1 - same)!, b.at(-1 - same)!)) same++;
  if (same === 0) return -1.5;
  return same === most ? 2 : 1;
}

function compareAbove(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return a.length === b.length ? 0.2 : -0.3;
  const common = a.filter((word) => b.some((other) => isAlike(word, other))).length;
  return common >= 0.6 * Math.max(a.length, b.length) ? 1.2 : -0.5;
}
