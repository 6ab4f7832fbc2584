import type { Position } from '../recognition';
import type { PageLayout } from './page-layout';

interface Placed {
  box: Position;
  page: number;
}

/** True when two things stand on one line, also on one that a scan has tilted a little. */
export function isBeside(a: Placed, b: Placed): boolean {
  if (a.page !== b.page) return false;
  const shared = Math.min(a.box[3], b.box[3]) - Math.max(a.box[1], b.box[1]);
  return shared > 0.45 * Math.min(a.box[3] - a.box[1], b.box[3] - b.box[1]);
}

/** True when `below` starts under `above` and stands in the same column: aligned left, right, centred or overlapping. */
export function isInColumn(above: Placed, below: Placed, unit: number): boolean {
  if (above.page !== below.page || below.box[1] < above.box[1] + 0.5 * (above.box[3] - above.box[1])) return false;
  const [left, , right] = above.box;
  const shared = Math.min(right, below.box[2]) - Math.max(left, below.box[0]);
  return (
    shared > 0.25 * Math.min(right - left, below.box[2] - below.box[0]) ||
    Math.abs(left - below.box[0]) < unit ||
    Math.abs(right - below.box[2]) < unit
  );
}

/** White space between the bottom of one and the top of the other, in heights of the page's words. */
export function linesBetween(above: Placed, below: Placed, unit: number): number {
  return (below.box[1] - above.box[3]) / unit;
}

/** White space between the right edge of one and the left edge of the other, as a share of the page's width. */
export function widthBetween(left: Placed, right: Placed, page: PageLayout): number {
  return (right.box[0] - left.box[2]) / page.width;
}
