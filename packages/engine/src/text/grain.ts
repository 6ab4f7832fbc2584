import sharp from 'sharp';
import type { Gray } from './skew';

/** Pixels that are compared: nearer ones are alike where a picture was made larger. */
const APART = 3;
/** Share of the pixels that is looked at: one of so many, in both directions. */
const STEP = 4;

/**
 * How uneven the paper is: the median difference of pixels that are close to each other, in steps of gray. Most of a page
 * is paper, so letters do not count.
 */
export function measureGrain({ data, width, height }: Gray): number {
  const counts = new Uint32Array(256);
  let all = 0;
  for (let y = 0; y < height; y += STEP) {
    for (let at = y * width; at < (y + 1) * width - APART; at += STEP) {
      counts[Math.abs(data[at]! - data[at + APART]!)]!++;
      all++;
    }
  }
  let median = 0;
  for (let below = counts[0]!; below < all / 2; below += counts[++median]!);
  return median;
}

/** From this grain on letters are read better when it is smoothed. */
const LEAST_GRAIN = 4;
/** Radius in pixels at 300 DPI: less than half a stroke. */
const SMOOTHING = 1.2;

/** A grainy picture smoothed, so that OCR does not take the grain for letters; any other picture as it is. */
export async function smoothGrain(picture: Gray): Promise<Gray> {
  if (measureGrain(picture) < LEAST_GRAIN) return picture;
  const { width, height } = picture;
  const { data } = await sharp(picture.data, { raw: { width, height, channels: 1 } })
    .blur(SMOOTHING)
    .grayscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width, height };
}
