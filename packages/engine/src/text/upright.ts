import type { FieldCandidate, Position, Recognition, RecognizedPage } from '../recognition';
import type { RawWord } from './characters';

/** How the words of a page were put upright: the page image was turned clockwise before its words were placed. */
export interface Upright {
  /** Degrees, clockwise. */
  angle: number;
  /** Size of the page image after turning, in its pixels. */
  width: number;
  height: number;
}

/** Words of a page whose text runs mostly in another direction, as they stand after the page has been turned. */
export function turnUpright(
  words: RawWord[],
  { width, height }: { width: number; height: number },
): { words: RawWord[]; upright: Upright | undefined } {
  const counts = [0, 0, 0, 0];
  for (const word of words) counts[word.turn]! += word.text.length;
  const turn = counts.indexOf(Math.max(...counts)) as RawWord['turn'];
  const all = counts.reduce((sum, count) => sum + count, 0);
  if (turn === 0 || counts[turn]! < 0.7 * all || all < 40) return { words, upright: undefined };
  const upright: Upright = {
    angle: (4 - turn) * 90,
    width: turn === 2 ? width : height,
    height: turn === 2 ? height : width,
  };
  const turned = words.map((word) => ({
    ...word,
    position: turnBox(word.position, { width, height }, upright, upright.angle),
    turn: ((word.turn - turn + 4) % 4) as RawWord['turn'],
  }));
  return { words: turned, upright };
}

interface Size {
  width: number;
  height: number;
}

/** A box after its page has been turned around its middle; a small skew moves it without changing its size. */
function turnBox([left, top, right, bottom]: Position, from: Size, to: Size, degrees: number): Position {
  const radians = (degrees * Math.PI) / 180;
  const [sin, cos] = [Math.sin(radians), Math.cos(radians)];
  const x = (left + right) / 2 - from.width / 2;
  const y = (top + bottom) / 2 - from.height / 2;
  const middleX = to.width / 2 + x * cos - y * sin;
  const middleY = to.height / 2 + x * sin + y * cos;
  const lies = Math.abs(Math.round(degrees / 90)) % 2 === 1;
  const [wide, high] = lies ? [bottom - top, right - left] : [right - left, bottom - top];
  return [middleX - wide / 2, middleY - high / 2, middleX + wide / 2, middleY + high / 2];
}

/** A box on an upright page, as it stands on the page image. */
export function turnBack(box: Position, upright: Upright, page: Size): Position {
  const [left, top, right, bottom] = turnBox(box, upright, page, -upright.angle);
  const clamp = (value: number, most: number) => Math.round(Math.min(Math.max(value, 0), most) * 10) / 10;
  return [clamp(left, page.width), clamp(top, page.height), clamp(right, page.width), clamp(bottom, page.height)];
}

/** A page of which words were moved before it was read. */
export interface MovedPage {
  /** Size of its image. */
  size: Size;
  /** Where a box stands on the image. */
  restore: (box: Position) => Position;
}

/** Puts everything that was found on pages whose words were moved where it stands on the page images. */
export function restorePositions(recognition: Recognition, moved: ReadonlyMap<number, MovedPage>): Recognition {
  if (moved.size === 0) return recognition;
  const restore = <T extends Position | null>(position: T, number: number): T => {
    const page = moved.get(number);
    return (page && position ? page.restore(position) : position) as T;
  };
  const candidate = (one: FieldCandidate): FieldCandidate => ({ ...one, position: restore(one.position, one.page) });
  const { fields, tables, pages } = recognition;
  return {
    ...recognition,
    pages: pages.map((page): RecognizedPage => {
      const size = moved.get(page.number)?.size;
      const words = page.words.map((word) => ({ ...word, position: restore(word.position, page.number) }));
      return size ? { ...page, width: size.width, height: size.height, words } : page;
    }),
    fields: Object.fromEntries(Object.entries(fields).map(([name, list]) => [name, list.map(candidate)])),
    tables: Object.fromEntries(
      Object.entries(tables).map(([name, rows]) => [
        name,
        rows?.map((row) => ({
          ...row,
          position: restore(row.position, row.page),
          cells: Object.fromEntries(Object.entries(row.cells).map(([column, cell]) => [column, candidate(cell)])),
        })),
      ]),
    ),
  };
}
