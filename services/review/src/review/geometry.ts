import type { Box, Word } from '../api/types';

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
