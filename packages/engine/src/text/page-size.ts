/** Resolution of page images (API: pages.md). */
const DPI = 150;
/** Longest side of a page image in pixels (API: pages.md). */
export const LONGEST_SIDE = 2000;

/** Size of the image of a page of `width` x `height` points (1/72 inch), rotation applied. */
export function sizeOfPdfPage(width: number, height: number, longestSide = LONGEST_SIDE): [number, number] {
  const w = Number.isFinite(width) && width > 0 ? width : 612;
  const h = Number.isFinite(height) && height > 0 ? height : 792;
  return scaleTo(w, h, Math.min(DPI / 72, LONGEST_SIDE / Math.max(w, h), longestSide / Math.max(w, h)));
}

/**
 * Size of the page image of a picture: 150 DPI where the file's resolution is believable (the page is then between
 * a receipt and A3), otherwise as it is; never enlarged, never longer than `longestSide`.
 */
export function sizeOfPicture(
  width: number,
  height: number,
  density: number | undefined,
  longestSide = LONGEST_SIDE,
): [number, number] {
  const longest = Math.max(width, height);
  const believed = believeDensity(width, height, density);
  const full = Math.min(1, LONGEST_SIDE / longest, believed ? DPI / believed : 1);
  return scaleTo(width, height, Math.min(full, longestSide / longest));
}

/** The resolution that a picture claims, if a page of that size makes sense. */
export function believeDensity(width: number, height: number, density: number | undefined): number | undefined {
  if (!density || density < 140 || density > 1300) return undefined;
  const inches = Math.max(width, height) / density;
  return inches >= 5 && inches <= 18 ? density : undefined;
}

function scaleTo(width: number, height: number, scale: number): [number, number] {
  return [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
}
