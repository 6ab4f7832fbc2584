import type { Box, Word } from '../api/types';

/** Where the name of a frame stands: beside which of its sides, and from which of its edges on. */
const NAME_PLACES = ['above-left', 'above-right', 'below-left', 'below-right', 'right', 'left'] as const;
export type NamePlace = (typeof NAME_PLACES)[number];

/** A place in a page: 0..1 of its width and height. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

export type Turn = 0 | 90 | 180 | 270;

/** The place in the page that is seen at a place of a view that is turned clockwise. */
export function unturn({ x, y }: Point, turn: Turn): Point {
  switch (turn) {
    case 90:
      return { x: y, y: 1 - x };
    case 180:
      return { x: 1 - x, y: 1 - y };
    case 270:
      return { x: 1 - y, y: x };
    default:
      return { x, y };
  }
}

/** The frame between two places, in pixels of the page image. */
export function boxBetween(a: Point, b: Point, width: number, height: number): Box {
  return [
    Math.min(a.x, b.x) * width,
    Math.min(a.y, b.y) * height,
    Math.max(a.x, b.x) * width,
    Math.max(a.y, b.y) * height,
  ];
}

/** The word at a place, or close to it. */
export function wordAt(words: readonly Word[], at: Point, width: number, height: number): Word | undefined {
  const [x, y, near] = [at.x * width, at.y * height, 3];
  return words.find(
    ({ position: [left, top, right, bottom] }) =>
      x >= left - near && x <= right + near && y >= top - near && y <= bottom + near,
  );
}

/** What is on a page, in pixels of its image. */
export interface Printed {
  readonly width: number;
  /** The frames of fields. */
  readonly values: readonly Box[];
  readonly words: readonly Box[];
}

/** A value that is hidden is worse than so much of other text. */
const VALUE_WEIGHT = 10;

/** The place for the name of a frame, of the given size, that hides least of the page. */
export function placeOfName(
  [left, top, right, bottom]: Box,
  [width, height]: readonly [number, number],
  page: Printed,
): NamePlace {
  const middle = (top + bottom - height) / 2;
  const corners: Readonly<Record<NamePlace, readonly [number, number]>> = {
    'above-left': [left, top - height],
    'above-right': [right - width, top - height],
    'below-left': [left, bottom],
    'below-right': [right - width, bottom],
    right: [right, middle],
    left: [left - width, middle],
  };
  const hidden = (place: NamePlace): number => {
    const [x, y] = corners[place];
    if (x < 0 || y < 0 || x + width > page.width) return Number.POSITIVE_INFINITY;
    const name: Box = [x, y, x + width, y + height];
    return overlap(name, page.words) + VALUE_WEIGHT * overlap(name, page.values);
  };
  return NAME_PLACES.reduce((best, place) => (hidden(place) < hidden(best) ? place : best));
}

/** How much of boxes another one covers. */
function overlap([left, top, right, bottom]: Box, boxes: readonly Box[]): number {
  const covered = boxes.map(
    ([l, t, r, b]) =>
      Math.max(0, Math.min(right, r) - Math.max(left, l)) * Math.max(0, Math.min(bottom, b) - Math.max(top, t)),
  );
  return covered.reduce((sum, area) => sum + area, 0);
}
