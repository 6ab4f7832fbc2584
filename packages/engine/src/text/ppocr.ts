import path from 'node:path';
import type { RawWord } from './characters';
import { run, runOnPicture } from './run-ocr';
import type { Gray } from './skew';

const SCRIPT = path.join(__dirname, '..', '..', 'python', 'read_words.py');
const START_MS = 60_000;
/** The boxes of lines are widened when they are found: so much of their height is paper over and under the letters. */
const MARGIN = 0.4;

/**
 * Words of an upright gray picture as PP-OCR reads them (its models are in the Python package rapidocr, Apache-2.0). It takes 0.5 GB and some
 * seconds. Answers none when it fails: it is asked for a second opinion only.
 *
 * @param scale from the picture's pixels to those of the page image
 */
export async function readWithPpocr(
  python: string,
  picture: Gray,
  scale: { x: number; y: number },
  timeoutMs: number,
): Promise<RawWord[]> {
  const found = await runOnPicture(python, picture, [SCRIPT], timeoutMs)
    .then((output): [string, ...number[]][] => JSON.parse(output))
    .catch(() => []);
  return found.map(([text, confidence = 0, left = 0, top = 0, right = 0, bottom = 0]) => {
    const margin = ((bottom - top) * MARGIN) / 2;
    return {
      text,
      position: [left * scale.x, (top + margin) * scale.y, right * scale.x, (bottom - margin) * scale.y],
      confidence,
      turn: 0,
    };
  });
}

/** Why PP-OCR cannot be used with a Python; undefined when it can. */
export async function findPpocrProblem(python: string): Promise<string | undefined> {
  try {
    await run(python, ['-c', 'import rapidocr, onnxruntime'], 'ignore', START_MS);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
