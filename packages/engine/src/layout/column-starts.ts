import type { Word } from '../recognition';

/** How far apart the left edges of lines of one column are at most, in heights of words. */
const APART = 0.12;
/** Lines above and below that are looked at. */
const REACH = 5;
/** Lines that must begin at an edge, so that a word at it begins a column, too. */
const LEAST_LINES = 3;
/** How much wider the gap before a column is than the spaces between the words beside it; OCR's boxes are less exact. */
const WIDER = { text: 1.4, ocr: 2 };

/**
 * Words in the middle of a segment with which a column begins: in narrow cells the text of one reaches close to the next,
 * but what stands above and below begins at the same edge.
 *
 * @param lines segments of each line, from the top
 * @param unit height of most words
 */
export function findColumnStarts(lines: readonly Word[][][], unit: number, source: 'text' | 'ocr'): Set<Word> {
  const wider = WIDER[source];
  const apart = APART * unit;
  const edges = lines.map((segments) => segments.map(([first], at) => ({ left: first!.position[0], inner: at > 0 })));
  const starts = new Set<Word>();
  for (const [at, segments] of lines.entries()) {
    const near = edges
      .slice(Math.max(0, at - REACH), at + REACH + 1)
      .filter((_, other) => other !== Math.min(at, REACH));
    for (const words of segments) {
      if (words.length < 3) continue;
      const gaps = words.slice(1).map((word, index) => word.position[0] - words[index]!.position[2]);
      const usual = [...gaps].sort((a, b) => a - b)[Math.floor((gaps.length - 1) / 2)]!;
      for (const [index, gap] of gaps.entries()) {
        // A label and what stands behind its colon are one.
        if (gap < wider * usual || gap <= 0 || /:$/.test(words[index]!.text)) continue;
        const word = words[index + 1]!;
        const begun = near.flatMap((line) => line.filter(({ left }) => Math.abs(left - word.position[0]) <= apart));
        if (begun.length >= LEAST_LINES && begun.some(({ inner }) => inner)) starts.add(word);
      }
    }
  }
  return starts;
}
