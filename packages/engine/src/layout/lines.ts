import type { Position, Word } from '../recognition';
import type { RawWord } from '../text/characters';

/** No printed page holds more words; what is beyond would only keep the later stages busy. */
const MAX_WORDS = 8000;

/**
 * Gives each word its line and puts the words in reading order: lines from the top, words from the left. All must
 * read left to right.
 */
export function orderWords(found: RawWord[]): Word[] {
  return groupLines(found.slice(0, MAX_WORDS)).flatMap((line, number) =>
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
export function groupLines(words: RawWord[]): RawWord[][] {
  const lines: RawWord[][] = [];
  const reached = new Bands();
  const byLeft = [...words].sort((a, b) => a.position[0] - b.position[0]);
  for (const word of byLeft) {
    let best: RawWord[] | undefined;
    let bestScore = 0.5;
    for (const line of reached.at(word)) {
      const last = line.at(-1)!;
      // A word above or below in the same column is no neighbour, however close.
      if (word.position[0] < last.position[2] - 0.5 * height(last)) continue;
      const shared = Math.min(word.position[3], last.position[3]) - Math.max(word.position[1], last.position[1]);
      const apart = Math.abs(middle(word) - middle(last)) / (4 * height(last));
      const score = shared / Math.min(height(word), height(last)) - apart;
      if (score > bestScore) {
        best = line;
        bestScore = score;
      }
    }
    if (best) {
      reached.remove(best);
      best.push(word);
    } else {
      best = [word];
      lines.push(best);
    }
    reached.add(best);
  }
  const top = (line: RawWord[]) => line.reduce((sum, word) => sum + middle(word), 0) / line.length;
  return lines.sort((a, b) => top(a) - top(b));
}

/** Lines by the heights at which they end, so that a word is compared only with those that it can continue. */
class Bands {
  private readonly bands = new Map<number, Set<RawWord[]>>();

  add(line: RawWord[]): void {
    for (const band of Bands.of(line.at(-1)!)) {
      const lines = this.bands.get(band);
      if (lines) lines.add(line);
      else this.bands.set(band, new Set([line]));
    }
  }

  remove(line: RawWord[]): void {
    for (const band of Bands.of(line.at(-1)!)) this.bands.get(band)?.delete(line);
  }

  at(word: RawWord): Set<RawWord[]> {
    const lines = new Set<RawWord[]>();
    for (const band of Bands.of(word)) for (const line of this.bands.get(band) ?? []) lines.add(line);
    return lines;
  }

  private static of({ position: [, top, , bottom] }: RawWord): number[] {
    const [first, last] = [Math.floor(top / 16), Math.floor(bottom / 16)];
    return Array.from({ length: Math.min(200, last - first + 1) }, (_, at) => first + at);
  }
}
