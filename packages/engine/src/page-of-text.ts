import type { RecognizedPage } from './recognition';

const WIDE = 10;
const HIGH = 18;
const STEP = 26;

/**
 * A page as typed on a typewriter: each character of the text is 10 x 18 pixels. For tests and for looking at what
 * the stages behind the text stage do, without a document.
 */
export function pageOf(text: string, options: { number?: number; source?: 'text' | 'ocr' } = {}): RecognizedPage {
  const rows = text.split('\n');
  const words = rows.flatMap((row, line) =>
    [...row.matchAll(/\S+/g)].map((match) => ({
      text: match[0],
      position: [match.index * WIDE, line * STEP, (match.index + match[0].length) * WIDE, line * STEP + HIGH] as const,
      line,
      confidence: 1,
    })),
  );
  const width = Math.max(1240, ...words.map((word) => word.position[2]));
  const height = Math.max(1754, rows.length * STEP);
  return { number: options.number ?? 1, width, height, rotation: 0, words, source: options.source ?? 'text' };
}
