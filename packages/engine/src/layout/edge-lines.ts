import type { Position } from '../recognition';
import type { RawWord } from '../text/characters';
import { groupLines } from './lines';
import { unite } from './page-layout';

interface Size {
  width: number;
  height: number;
}

/** A line that was laid under the page. */
interface LaidLine {
  turn: RawWord['turn'];
  /** Where it lies, and how far it was moved after it had been turned. */
  box: Position;
  moved: readonly [x: number, y: number];
}

/** Where lines that are laid under the page begin, as a share of its width: as the lines of a foot do. */
const INDENT = 0.08;

/**
 * Lays text that does not read left to right, such as the particulars of a company along the edge of its letters,
 * under the page: each of its lines as a further line of the foot, in the direction in which it reads.
 *
 * @returns `restore` gives a box back its place on the page; undefined when everything reads left to right
 */
export function layEdgesUnder(
  words: RawWord[],
  page: Size,
): { words: RawWord[]; restore: ((box: Position) => Position) | undefined } {
  const laid: RawWord[] = [];
  const lines: LaidLine[] = [];
  let top = page.height;
  for (const turn of [1, 2, 3] as const) {
    const turned = words
      .filter((word) => word.turn === turn)
      .map((word): RawWord => ({ ...word, position: turnBox(word.position, turn), turn: 0 }));
    for (const line of groupLines(turned)) {
      const box = unite(line.map((word) => word.position));
      const height = box[3] - box[1];
      const moved = [INDENT * page.width - box[0], top + height / 2 - box[1]] as const;
      laid.push(...line.map((word) => ({ ...word, position: moveBox(word.position, ...moved) })));
      lines.push({ turn, box: moveBox(box, ...moved), moved });
      top += 1.5 * height;
    }
  }
  if (lines.length === 0) return { words, restore: undefined };
  const restore = (box: Position): Position => {
    const parts = lines
      .filter((line) => line.box[1] < box[3] && line.box[3] > box[1])
      .map(({ turn, box: whole, moved: [x, y] }) => turnBoxBack(moveBox(clip(box, whole), -x, -y), turn));
    if (parts.length === 0) return box;
    const whole = unite(box[1] < page.height ? [...parts, clip(box, [0, 0, page.width, page.height])] : parts);
    return whole.map((edge) => Math.round(edge * 10) / 10) as unknown as Position;
  };
  return { words: [...words.filter((word) => word.turn === 0), ...laid], restore };
}

const moveBox = ([left, top, right, bottom]: Position, x: number, y: number): Position => [
  left + x,
  top + y,
  right + x,
  bottom + y,
];

const clip = (box: Position, to: Position): Position => [
  Math.min(Math.max(box[0], to[0]), to[2]),
  Math.min(Math.max(box[1], to[1]), to[3]),
  Math.min(Math.max(box[2], to[0]), to[2]),
  Math.min(Math.max(box[3], to[1]), to[3]),
];

/** A box after the page has been turned around its corner so that text with this turn reads left to right. */
function turnBox([left, top, right, bottom]: Position, turn: RawWord['turn']): Position {
  if (turn === 1) return [top, -right, bottom, -left];
  if (turn === 2) return [-right, -bottom, -left, -top];
  return [-bottom, left, -top, right];
}

function turnBoxBack([left, top, right, bottom]: Position, turn: RawWord['turn']): Position {
  if (turn === 1) return [-bottom, left, -top, right];
  if (turn === 2) return [-right, -bottom, -left, -top];
  return [top, -right, bottom, -left];
}
