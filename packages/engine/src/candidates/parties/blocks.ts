import type { PageLayout, Segment } from '../../layout/page-layout';
import { isBeside, isInColumn, linesBetween } from '../../layout/relations';
import type { Position } from '../../recognition';
import { isPostal, isStreet } from './party-forms';

/** Segments under one another with the same left or right edge. */
export function findBlocks(page: PageLayout): Segment[][] {
  const blocks: Segment[][] = [];
  for (const segment of page.segments) {
    const block = blocks.find((one) => {
      const last = one.at(-1)!;
      const gap = linesBetween(last, segment, page.unit);
      const aligned =
        Math.abs(last.box[0] - segment.box[0]) < 0.8 * page.unit ||
        (last.box[0] > page.width * 0.4 && Math.abs(last.box[2] - segment.box[2]) < 0.2 * page.unit);
      const isNear = gap < 1.1 && !isSetApart(one, segment);
      return aligned && gap > -0.6 && (isNear || (gap < 2.2 && isPlaceOf(one, segment)));
    });
    if (block) block.push(segment);
    else blocks.push([segment]);
  }
  return blocks.flatMap((block) => (isUnderLogo(block, page.unit) ? [block.slice(0, 1), block.slice(1)] : [block]));
}

/** An address may have an empty line between its street and its place, where another line would stand. */
const isPlaceOf = (block: Segment[], next: Segment): boolean =>
  isStreet(block.at(-1)!.text) && !block.some(({ text }) => isPostal(text)) && isPostal(next.text);

/** A logo in large letters stands apart from the window under it, of which the lines stand closer together. */
function isUnderLogo([logo, first, second]: Segment[], unit: number): boolean {
  if (!logo || !first || !second || height(logo) < 1.5 * height(first)) return false;
  return first.box[1] - logo.box[3] - (second.box[1] - first.box[3]) > 0.5 * unit;
}

/** True behind a space that is much wider than those between the lines of a block. */
function isSetApart(block: Segment[], next: Segment): boolean {
  const tops = [...block.slice(-2), next].map((one) => one.box[1]);
  return tops.length === 3 && tops[2]! - tops[1]! > 1.7 * (tops[1]! - tops[0]!);
}

/** Behind that many lines, the text of a letter begins. */
const MOST_LINES = 5;

/** What stands under an address at the same edge, behind an empty line: how to reach the sender, his bank and registers. */
export function blockUnder(block: Segment[], all: Segment[][], unit: number): Segment[] {
  const last = block.at(-1)!;
  const isUnder = ([top]: Segment[]) => {
    const gap = linesBetween(last, top!, unit);
    return gap > -0.6 && gap < 2.2 && top!.box[1] > last.box[1] && Math.abs(top!.box[0] - last.box[0]) < 0.8 * unit;
  };
  return (all.find(isUnder) ?? []).slice(0, MOST_LINES);
}

/** The first line of the block that a line is in: a smaller share of a long one is under the head than of those below it. */
export function topOfBlock(page: PageLayout, head: Segment, line: Segment): Segment {
  const above = page.segments.find(
    (one) =>
      one.box[1] > head.box[3] - 0.4 * page.unit &&
      one.box[1] < line.box[1] - 0.4 * page.unit &&
      Math.abs(one.box[0] - line.box[0]) < 0.3 * page.unit &&
      linesBetween(one, line, page.unit) < 0.6,
  );
  return above ? topOfBlock(page, head, above) : line;
}

/** True when something else of the lower one's column stands between the two. */
export function isApart(page: PageLayout, above: Segment, below: Segment): boolean {
  const near = 0.4 * page.unit;
  return page.segments.some(
    (one) => one.box[1] > above.box[1] + near && one.box[1] < below.box[1] - near && isInColumn(one, below, page.unit),
  );
}

/** What stands behind a label on its line. */
export function rightOf(page: PageLayout, label: Segment): Segment | undefined {
  const right = page.segments.filter((one) => isBeside(one, label) && one.box[0] > label.box[2]);
  return right.sort((a, b) => a.box[0] - b.box[0])[0];
}

/** The text right above another one, aligned with it at the left, at the right or in the middle. */
export function lineAbove(page: PageLayout, below: Segment): Segment | undefined {
  return page.segments
    .filter(
      (one) =>
        one !== below && one.box[1] < below.box[1] - 0.4 * page.unit && linesBetween(one, below, page.unit) < 0.9,
    )
    .filter((one) => {
      const centre = Math.abs((one.box[0] + one.box[2] - below.box[0] - below.box[2]) / 2);
      const isRight = Math.abs(one.box[2] - below.box[2]) < 0.3 * page.unit;
      return Math.abs(one.box[0] - below.box[0]) < page.unit || centre < 2 * page.unit || isRight;
    })
    .sort((a, b) => b.box[1] - a.box[1])[0];
}

/** True when two boxes of one page share some of their area. */
export const overlaps = (a: Position, b: Position) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];

/** Height of a text in pixels: tells large letters. */
export const height = ({ box }: Segment) => box[3] - box[1];
