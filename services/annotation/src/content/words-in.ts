/** `[left, top, right, bottom]` in pixels of the page image. */
export type Rectangle = readonly [number, number, number, number];

/** A word of a page as document-storage keeps it: `[text, left, top, right, bottom, line]`. */
export type StoredWord = readonly [string, number, number, number, number, number];

/** A side shorter than this is a click rather than a frame, in pixels. API: annotation-content.md section 4. */
const CLICK_PX = 4;

/**
 * The text inside a rectangle: words of which more than half lies in it, or, where it is hardly more than a click, all that
 * it touches. Lines are kept apart.
 *
 * @returns the text and the box that it was taken from
 */
export function wordsIn(words: readonly StoredWord[], rectangle: Rectangle): { text: string; box: Rectangle } {
  const [left, top, right, bottom] = rectangle;
  const isClick = right - left < CLICK_PX || bottom - top < CLICK_PX;
  const inside = words.filter(([, l, t, r, b]) => {
    const wide = Math.min(r, right) - Math.max(l, left);
    const high = Math.min(b, bottom) - Math.max(t, top);
    if (wide < 0 || high < 0) return false;
    return isClick || wide * high > ((r - l) * (b - t)) / 2;
  });
  const lines = new Map<number, string[]>();
  for (const [text, , , , , line] of inside) lines.set(line, [...(lines.get(line) ?? []), text]);
  const box: Rectangle =
    isClick && inside.length > 0
      ? [
          Math.min(...inside.map((word) => word[1])),
          Math.min(...inside.map((word) => word[2])),
          Math.max(...inside.map((word) => word[3])),
          Math.max(...inside.map((word) => word[4])),
        ]
      : rectangle;
  return { text: [...lines.values()].map((line) => line.join(' ')).join('\n'), box };
}
