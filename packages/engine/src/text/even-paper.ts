import { measurePaper, TILE } from './paper';
import type { Gray } from './skew';

/** Share of a picture that is dark: more than letters and rules cover, and less than of white letters on black. */
const LEAST_AROUND = 0.12;
const MOST_AROUND = 0.75;
/** Share of the picture's edges that is dark where the paper lies on something. A band of colour reaches to three of them. */
const LEAST_OF_EDGES = 0.6;
/** Of the lightest paper: what is darker is no paper. */
const LEAST_PAPER = 0.55;
/** Of the paper's own level: ink that is this dark is black, paper from this level on white. */
const BLACK = 0.45;
const WHITE = 0.93;
/** What is darker, of the even picture, lies around the paper when it reaches to an edge. */
const DARK = 150;

/**
 * A photo of a paper that lies on something dark, as if it were evenly lit and lay on white. Tesseract parts dark from light
 * at one level for the whole picture: there it would part the paper from the table, and take pale ink for paper.
 *
 * @returns the picture itself where it is no such photo
 */
export function evenPaper(picture: Gray): Gray {
  const { data, width, height } = picture;
  if (!isOnSomething(picture)) return picture;
  const { across, levels } = measurePaper(picture);
  const down = levels.length / across;
  const lightest = [...levels].sort((a, b) => a - b)[Math.floor(0.95 * levels.length)]!;
  const known = Float64Array.from(levels, (level) => (level < LEAST_PAPER * lightest ? lightest : level));
  const columns = Array.from({ length: width }, (_, x) => neighbours(x, across));
  const lefts = Int32Array.from(columns, ([left]) => left);
  const rights = Int32Array.from(columns, ([, right]) => right);
  const shares = Float64Array.from(columns, ([, , share]) => share);
  const even = Buffer.allocUnsafe(data.length);
  for (let y = 0; y < height; y++) {
    const [first, second, downward] = neighbours(y, down);
    const [above, below] = [first * across, second * across];
    for (let x = 0; x < width; x++) {
      const [left, right, rightward] = [lefts[x]!, rights[x]!, shares[x]!];
      const upper = known[above + left]! * (1 - rightward) + known[above + right]! * rightward;
      const lower = known[below + left]! * (1 - rightward) + known[below + right]! * rightward;
      const share = data[y * width + x]! / (upper * (1 - downward) + lower * downward);
      even[y * width + x] = Math.max(0, Math.min(255, ((share - BLACK) / (WHITE - BLACK)) * 255));
    }
  }
  whitenAround({ data: even, width, height });
  return { data: even, width, height };
}

/** Makes white what is dark and reaches to an edge of the picture. */
function whitenAround({ data, width, height }: Gray): void {
  const open: number[] = [];
  const reach = (at: number) => {
    if (data[at]! >= DARK) return;
    data[at] = 255;
    open.push(at);
  };
  for (let x = 0; x < width; x++) {
    reach(x);
    reach((height - 1) * width + x);
  }
  for (let y = 0; y < height; y++) {
    reach(y * width);
    reach(y * width + width - 1);
  }
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const x = at % width;
    if (x > 0) reach(at - 1);
    if (x < width - 1) reach(at + 1);
    if (at >= width) reach(at - width);
    if (at < data.length - width) reach(at + width);
  }
}

/** The two tiles between whose middles a pixel lies, and how far it is on its way from the first to the second. */
function neighbours(at: number, tiles: number): [first: number, second: number, share: number] {
  const place = Math.max(0, Math.min(tiles - 1, at / TILE - 0.5));
  const first = Math.floor(place);
  return [first, Math.min(tiles - 1, first + 1), place - first];
}

/** How many pixels there are of each level of gray. */
function countLevels(data: Uint8Array): Uint32Array {
  const counts = new Uint32Array(256);
  for (let at = 0; at < data.length; at++) counts[data[at]!]!++;
  return counts;
}

/** The level that parts dark from light best (Otsu's). */
function levelBetween(counts: Uint32Array, pixels: number): number {
  const sum = counts.reduce((all, count, gray) => all + count * gray, 0);
  let best = { level: 0, spread: -1 };
  let below = 0;
  let sumBelow = 0;
  for (let level = 0; level < 256; level++) {
    below += counts[level]!;
    sumBelow += counts[level]! * level;
    if (below === 0 || below === pixels) continue;
    const apart = sumBelow / below - (sum - sumBelow) / (pixels - below);
    const spread = below * (pixels - below) * apart * apart;
    if (spread > best.spread) best = { level, spread };
  }
  return best.level;
}

function isOnSomething({ data, width, height }: Gray): boolean {
  const counts = countLevels(data);
  const level = levelBetween(counts, data.length);
  const dark = counts.subarray(0, level + 1).reduce((all, count) => all + count, 0);
  if (dark <= LEAST_AROUND * data.length || dark >= MOST_AROUND * data.length) return false;
  const isDark = (at: number) => data[at]! <= level;
  let edges = 0;
  for (let x = 0; x < width; x++) edges += Number(isDark(x)) + Number(isDark((height - 1) * width + x));
  for (let y = 0; y < height; y++) edges += Number(isDark(y * width)) + Number(isDark(y * width + width - 1));
  return edges >= LEAST_OF_EDGES * 2 * (width + height);
}
