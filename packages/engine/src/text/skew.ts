import sharp from 'sharp';

/** Gray pixels, one byte each. */
export interface Gray {
  data: Buffer;
  width: number;
  height: number;
}

/** Longest side of the picture on which angles are measured. */
const SIDE = 1200;
const MAX_POINTS = 40_000;
/** Text that leans more is not put right. */
const MAX_DEGREES = 10;

/** What the ink of a page says about the direction of its lines. */
export interface Direction {
  /** Degrees by which the lines fall to the right (clockwise); 0 when it cannot be told. */
  skew: number;
  /** The same, if the lines run up or down the page. */
  sidewaysSkew: number;
  /** The lines of text seem to run up or down the page. */
  sideways: boolean;
}

/**
 * Measures the direction of the lines: in their own direction, rows of ink and rows of white take turns most sharply.
 */
export async function measureDirection({ data, width, height }: Gray): Promise<Direction> {
  const zoom = Math.min(1, SIDE / Math.max(width, height));
  const { data: small, info } = await sharp(data, { raw: { width, height, channels: 1 } })
    .resize(Math.max(1, Math.round(width * zoom)), Math.max(1, Math.round(height * zoom)), { fit: 'fill' })
    .grayscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const points = findInk(small, info.width, info.height);
  if (points.x.length < 500) return { skew: 0, sidewaysSkew: 0, sideways: false };
  const flat = sharpest(points);
  const upright = sharpest({ x: points.y, y: points.x });
  return { skew: angleOf(flat), sidewaysSkew: -angleOf(upright), sideways: upright.score > 1.3 * flat.score };
}

/** A page without lines of text has no angle that stands out. */
const angleOf = ({ angle, score, level }: { angle: number; score: number; level: number }) =>
  score > 1.25 * level && Math.abs(angle) < MAX_DEGREES - 0.5 ? angle : 0;

/** Points of ink: `x[at]`, `y[at]`. */
interface Points {
  x: Int32Array;
  y: Int32Array;
}

/** Longer runs of ink are rules, frames and pictures, not letters. */
const LONGEST_RUN = 26;

/** Dark points of letters. */
function findInk(data: Buffer, width: number, height: number): Points {
  const levels = new Uint32Array(256);
  for (let at = 0; at < data.length; at++) levels[data[at]!]!++;
  let paper = 255;
  for (let below = data.length; paper > 0 && below > data.length / 2; paper--) below -= levels[paper]!;
  const least = paper - 45;
  const dark = new Uint8Array(data.length);
  for (let at = 0; at < data.length; at++) dark[at] = data[at]! < least ? 1 : 0;
  const inRule = new Uint8Array(data.length);
  for (let y = 0; y < height; y++) markRuns(dark, inRule, y * width, 1, width);
  for (let x = 0; x < width; x++) markRuns(dark, inRule, x, width, height);
  const found: number[] = [];
  const margin = Math.round(Math.min(width, height) * 0.02);
  for (let y = margin; y < height - margin; y++) {
    for (let at = y * width + margin; at < (y + 1) * width - margin; at++) {
      if (dark[at] && !inRule[at]) found.push(at);
    }
  }
  const step = Math.max(1, Math.ceil(found.length / MAX_POINTS));
  const kept = Int32Array.from({ length: Math.ceil(found.length / step) }, (_, at) => found[at * step]!);
  return { x: kept.map((at) => at % width), y: kept.map((at) => Math.floor(at / width)) };
}

/** Marks the long runs of ink in one line of pixels, which begins at `first` and goes on every `stride`. */
function markRuns(dark: Uint8Array, marks: Uint8Array, first: number, stride: number, length: number): void {
  let start = 0;
  for (let step = 0; step <= length; step++) {
    if (step < length && dark[first + step * stride]) continue;
    if (step - start > LONGEST_RUN) for (let one = start; one < step; one++) marks[first + one * stride] = 1;
    start = step + 1;
  }
}

function sharpest(points: Points) {
  const coarse = scan(points, -MAX_DEGREES, MAX_DEGREES, 0.5);
  const fine = scan(points, coarse.angle - 0.5, coarse.angle + 0.5, 0.1);
  return { ...fine, level: coarse.level };
}

function scan(points: Points, from: number, to: number, step: number) {
  let best = { angle: 0, score: -1 };
  const scores: number[] = [];
  for (let angle = from; angle <= to + 1e-9; angle += step) {
    const score = sharpness(points, angle);
    scores.push(score);
    if (score > best.score) best = { angle: Math.round(angle * 10) / 10, score };
  }
  scores.sort((a, b) => a - b);
  return { ...best, level: scores[Math.floor(scores.length / 2)]! };
}

/** Sum of the squared steps of the profile along an angle. */
function sharpness({ x, y }: Points, degrees: number): number {
  const slope = Math.tan((degrees * Math.PI) / 180);
  const bins = new Int32Array(6 * SIDE);
  // No line of the profile is below zero, so that what is cut off is rounded.
  for (let at = 0; at < x.length; at++) bins[(y[at]! - x[at]! * slope + (2 * SIDE + 0.5)) | 0]!++;
  let sum = 0;
  for (let at = 1; at < bins.length; at++) {
    const step = bins[at]! - bins[at - 1]!;
    sum += step * step;
  }
  return sum;
}
