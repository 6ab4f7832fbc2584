import type { Position, Word } from '../recognition';
import type { RawWord } from '../text/characters';

/**
 * Gives each word its line and puts the words in reading order: lines from the top, words from the left. Text that
 * does not read left to right gets lines of its own at the end.
 */
export function orderWords(words: RawWord[]): Word[] {
  const upright = groupLines(words.filter((word) => word.turn === 0));
  const turned = words.filter((word) => word.turn !== 0).map((word) => [word]);
  return [...upright, ...turned].flatMap((line, number) =>
    line.map(({ text, position, confidence }) => ({
      text,
      position: position.map((edge) => Math.round(edge * 10) / 10) as unknown as Position,
      line: number,
      confidence,
    })),
  );
}

const middle = ({ position: [, top, , bottom] }: RawWord) => (top + bottom) / 2;
const height = ({ position: [, top, , bottom] }: RawWord) => bottom - top;

/**
 * Words of one line overlap their left neighbour vertically. Growing lines from the left neighbour instead of from
 * a common height follows lines that run slightly up or down in a scan.
 */
function groupLines(words: RawWord[]): RawWord[][] {
  const lines: RawWord[][] = [];
  const byLeft = [...words].sort((a, b) => a.position[0] - b.position[0]);
  for (const word of byLeft) {
    let best: RawWord[] | undefined;
    let bestScore = 0.5;
    for (const line of lines) {
      const last = line.at(-1)!;
      // A word above or below in the same column is no neighbour, however close.
      if (word.position[0] < last.position[2] - 0.5 * height(last)) continue;
      const shared = Math.min(word.position[3], last.position[3]) - Math.max(word.position[1], last.position[1]);
      const score =
        shared / Math.min(height(word), height(last)) - Math.abs(middle(word) - middle(last)) / (4 * height(last));
      if (score > bestScore) {
        best = line;
        bestScore = score;
      }
    }
    if (best) best.push(word);
    else lines.push([word]);
  }
  const top = (line: RawWord[]) => line.reduce((sum, word) => sum + middle(word), 0) / line.length;
  return lines.sort((a, b) => top(a) - top(b));
}
