import path from 'node:path';
import type { RawWord } from './characters';
import { run, runOnPicture } from './run-on-picture';
import type { Gray } from './skew';

const SCRIPT = path.join(__dirname, '..', '..', 'python', 'read_words.py');
const START_MS = 60_000;
/**
 * Memory that PP-OCR may take, in bytes, beside what else reads the document. It allocates 1.1 GB for a square picture, and has 0.6 GB
 * of a page of A4 in memory, 0.8 GB of a square.
 */
const PPOCR_BYTES = 1_250_000_000;
/** Memory that a process may take which reads documents, in bytes: with PP-OCR as much more as that may take. */
export const memoryWith = (ppocr: string | undefined, bytes: number): number => bytes + (ppocr ? PPOCR_BYTES : 0);
/** The boxes of lines are widened when they are found: so much of their height is paper over and under the letters. */
const MARGIN = 0.4;

/**
 * Words of an upright gray picture as PP-OCR reads them (its models are in the Python package rapidocr, Apache-2.0). It takes {@link PPOCR_BYTES} at most, and some
 * seconds. It is asked for a second opinion only, so it does not throw: when it fails there are no words, and `problem` says why.
 *
 * @param scale from the picture's pixels to those of the page image
 */
export async function readWithPpocr(
  python: string,
  picture: Gray,
  scale: { x: number; y: number },
  timeoutMs: number,
): Promise<{ words: RawWord[]; problem: string | undefined }> {
  let found: [string, ...number[]][];
  try {
    found = JSON.parse(await runOnPicture(python, picture, [SCRIPT, String(PPOCR_BYTES)], timeoutMs));
  } catch (error) {
    const { name, message } = error as Error;
    // An error of JSON quotes the document.
    return { words: [], problem: name === 'SyntaxError' ? 'the answer of PP-OCR cannot be read' : lastLine(message) };
  }
  const words = found.map(([text, confidence = 0, left = 0, top = 0, right = 0, bottom = 0]): RawWord => {
    const margin = ((bottom - top) * MARGIN) / 2;
    return {
      text,
      position: [left * scale.x, (top + margin) * scale.y, right * scale.x, (bottom - margin) * scale.y],
      confidence,
      turn: 0,
    };
  });
  return { words, problem: undefined };
}

/** Letters and digits that are taken for each other. */
const alike = (text: string) =>
  text
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()
    .replace(/[il1|]/g, 'i')
    .replace(/o/g, '0');

/** Words that PP-OCR has joined ("PetalingJaya"), parted as another program reads the same letters. */
export function partWords(joined: readonly RawWord[], parted: readonly RawWord[]): RawWord[] {
  return joined.flatMap((word): RawWord[] => {
    const [left, top, right, bottom] = word.position;
    const inside = parted
      .filter(({ position: [l, t, r, b] }) => {
        const [x, y] = [(l + r) / 2, (t + b) / 2];
        return x > left && x < right && y > top && y < bottom;
      })
      .sort((a, b) => a.position[0] - b.position[0]);
    const text = inside.map((one) => one.text).join('');
    if (inside.length < 2 || alike(text) !== alike(word.text) || alike(text) === '') return [word];
    let at = 0;
    return inside.map((one): RawWord => {
      const own = text.length === word.text.length ? word.text.slice(at, at + one.text.length) : one.text;
      at += one.text.length;
      return { ...word, text: own, position: [one.position[0], top, one.position[2], bottom] };
    });
  });
}

/** What Python complains of stands under where it happened. */
const lastLine = (message: string) => message.trim().split('\n').at(-1)!;

/** Why PP-OCR cannot be used with a Python; undefined when it can. */
export async function findPpocrProblem(python: string): Promise<string | undefined> {
  try {
    await run(python, ['-c', 'import rapidocr, onnxruntime'], 'ignore', START_MS);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
