import type { Position } from '../recognition';

/** A character of a text layer, in pixels of the page image. */
export interface Character {
  text: string;
  /** From pen position to pen position, and from the font's descent to its ascent. */
  box: Position;
  /** White space as written in the file, not what PDFium guesses. */
  space: boolean;
  /** Clockwise angle of the text in quarters of a turn, rounded: 0 reads left to right. */
  turn: 0 | 1 | 2 | 3;
}

/** A word before it has a line. */
export interface RawWord {
  text: string;
  position: Position;
  confidence: number;
  turn: 0 | 1 | 2 | 3;
}

/** Gap between two characters of different words, in heights of the line. A space is about a quarter of an em. */
const WORD_GAP = 0.14;
/** The same where the letters of the word so far touch: a space of smaller type, or one that kerning has made narrow. */
const TIGHT_WORD_GAP = 0.1;
/** Letters of a word touch when there is less between them. */
const TOUCHING = 0.03;
/** So many letters tell how tight a word is set. */
const LEAST_LETTERS = 4;

/**
 * Puts characters together to words by the gaps between them: spaces in the file say little, because kerned text is
 * written in pieces and tables are often written without any.
 */
export function joinCharacters(characters: Character[]): RawWord[] {
  const words: RawWord[] = [];
  let run: Character[] = [];
  const flush = () => {
    const word = finishWord(run);
    if (word) words.push(word);
    run = [];
  };
  for (const character of characters) {
    const last = run.at(-1);
    if (character.space) flush();
    else if (last && isOverprint(last, character)) continue;
    else {
      if (last && !continues(run, character)) flush();
      run.push(character);
    }
  }
  flush();
  return dropOverprints(words);
}

/** Position along and across the direction of the text: start, end, top, bottom. */
function along({ box: [l, t, r, b], turn }: Character): [number, number, number, number] {
  if (turn === 0) return [l, r, t, b];
  if (turn === 1) return [t, b, -r, -l];
  if (turn === 2) return [-r, -l, -b, -t];
  return [-b, -t, l, r];
}

function continues(run: Character[], next: Character): boolean {
  const last = run.at(-1)!;
  if (last.turn !== next.turn) return false;
  const [start, , top, bottom] = along(last);
  const [nextStart, , nextTop, nextBottom] = along(next);
  const height = Math.max(bottom - top, nextBottom - nextTop, 1);
  const shared = Math.min(bottom, nextBottom) - Math.max(top, nextTop);
  if (shared < 0.4 * Math.min(bottom - top, nextBottom - nextTop)) return false;
  // The letters of a ligature begin at one place, each with a width of its own.
  if (Math.abs(nextStart - start) < 0.01 * height) return true;
  const end = start + widthOfGlyph(run, start, 0.01 * height);
  const gap = nextStart - end;
  const least = isTight(run, height) ? TIGHT_WORD_GAP : WORD_GAP;
  return gap < least * height && gap > -Math.max(0.5 * height, 0.8 * (end - start));
}

function isTight(run: Character[], height: number): boolean {
  if (run.length < LEAST_LETTERS) return false;
  const places = run.map(along);
  return places.every(([start], at) => at === 0 || start - places[at - 1]![1] < TOUCHING * height);
}

/** Width of the last glyph of a run, which may be a ligature of several characters. */
function widthOfGlyph(run: Character[], start: number, tolerance: number): number {
  let width = 0;
  for (const character of [...run].reverse()) {
    const [from, to] = along(character);
    if (Math.abs(from - start) > tolerance) break;
    width += to - from;
  }
  return width;
}

/** Bold is sometimes made by printing the same character twice, a little beside itself. */
function isOverprint(last: Character, next: Character): boolean {
  if (last.text !== next.text || last.turn !== next.turn) return false;
  const height = last.box[3] - last.box[1];
  // The letters of a ligature such as "ff" share exactly one box.
  const apart = Math.max(...last.box.map((edge, index) => Math.abs(edge - next.box[index]!)));
  if (apart < 0.005 * height && /[ft]/i.test(next.text)) return false;
  return last.box.every((edge, index) => Math.abs(edge - next.box[index]!) < 0.12 * height);
}

function finishWord(run: Character[]): RawWord | undefined {
  const first = run[0];
  if (!first) return undefined;
  const text = run
    .map((character) => character.text)
    .join('')
    .normalize('NFC');
  if (text.trim() === '') return undefined;
  const position: Position = [
    Math.min(...run.map(({ box }) => box[0])),
    Math.min(...run.map(({ box }) => box[1])),
    Math.max(...run.map(({ box }) => box[2])),
    Math.max(...run.map(({ box }) => box[3])),
  ];
  return { text, position, confidence: 1, turn: first.turn };
}

function dropOverprints(words: RawWord[]): RawWord[] {
  const seen = new Set<string>();
  return words.filter(({ text, position }) => {
    const key = `${text}|${position.map((edge) => Math.round(edge / 3)).join()}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
