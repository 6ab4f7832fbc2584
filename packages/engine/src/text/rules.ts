import { levelAt, measurePaper, TILE } from './paper';
import type { Gray } from './skew';

/** Shorter than this, in pixels at 300 DPI, is a stroke of a letter. */
const LEAST_LENGTH = 110;
/** Wider than this is no rule. */
const MOST_WIDTH = 10;
/** Pixels that a scan may leave out of a rule. */
const MOST_GAP = 3;
/** What is darker than this share of the paper may be part of a rule; rules are thin, and blurred on photos. */
const FAINT = 0.88;
/** What is darker than this share of the paper is ink. */
const INK = 0.75;
/** Share of a rule that is ink. */
const LEAST_INK = 0.3;
/** Pixels beside a rule that it makes gray. */
const EDGE = 2;
/** Share of a run of ink at which it must be as thin as a rule: the numbers in the cells may touch it. */
const LEAST_THIN = 0.75;

/**
 * A picture without the rules that run down between the cells of tables: OCR takes them for strokes of the numbers
 * beside them ("1", "]", "|").
 */
export function eraseRules(picture: Gray): Gray {
  const { data: pixels, width, height } = picture;
  const paper = measurePaper(picture);
  const ink = new Uint8Array(width * height);
  let data: Buffer | undefined;
  const erase = (x: number, top: number, bottom: number) => {
    data ??= Buffer.from(picture.data);
    for (let y = top; y < bottom; y++) {
      for (let one = Math.max(0, x - EDGE); one <= Math.min(width - 1, x + EDGE); one++)
        data[y * width + one] = levelAt(paper, one, y);
    }
  };
  // Runs of ink in all columns at once, because pixels of one line stand beside each other in memory. 0: no run.
  const tops = new Int32Array(width);
  const bottoms = new Int32Array(width);
  const close = (x: number) => {
    const [top, bottom] = [tops[x]! - 1, bottoms[x]!];
    if (bottom - top >= LEAST_LENGTH && isRule(ink, x, top, bottom, width)) erase(x, top, bottom);
  };
  for (let y = 0; y < height; y++) {
    for (let left = 0; left < width; left += TILE) {
      const level = levelAt(paper, left, y);
      // Whole steps of gray, which are compared faster, and tell the same pixels apart.
      const faint = Math.ceil(FAINT * level);
      const dark = Math.ceil(INK * level);
      const right = Math.min(width, left + TILE);
      const row = y * width;
      for (let x = left; x < right; x++) {
        const pixel = pixels[row + x]!;
        if (pixel >= faint) continue;
        ink[row + x] = pixel < dark ? 2 : 1;
        if (tops[x]! > 0 && y - bottoms[x]! > MOST_GAP) {
          close(x);
          tops[x] = 0;
        }
        tops[x] ||= y + 1;
        bottoms[x] = y + 1;
      }
    }
  }
  for (let x = 0; x < width; x++) if (tops[x]! > 0) close(x);
  return data ? { data, width, height } : picture;
}

function isRule(ink: Uint8Array, x: number, top: number, bottom: number, width: number): boolean {
  let [thin, dark, all] = [0, 0, 0];
  for (let y = top; y < bottom; y += 2) {
    const row = y * width;
    let left = x;
    let right = x;
    while (left > 0 && x - left <= MOST_WIDTH && ink[row + left - 1]) left--;
    while (right < width - 1 && right - left <= MOST_WIDTH && ink[row + right + 1]) right++;
    all++;
    if (right - left < MOST_WIDTH) thin++;
    if (ink[row + x] === 2) dark++;
  }
  return thin >= LEAST_THIN * all && dark >= LEAST_INK * all;
}
