import { type Box, unite, type Word } from './page-text';

/**
 * Boxes of a phrase on a page: consecutive words of one line, or of a line and the next. Case does not count. A phrase may
 * be part of a word at its ends.
 *
 * @param tolerance edits that a match may be away, 0 for text that was not read by OCR
 */
export function findPhrase(words: readonly Word[], phrase: string, tolerance: number): Box[] {
  const wanted = fold(phrase).split(' ').filter(Boolean);
  if (wanted.length === 0) return [];
  const texts = words.map(({ text }) => fold(text));
  const found: Box[] = [];
  for (let start = 0; start + wanted.length <= words.length; start++) {
    const end = start + wanted.length;
    const span = words.slice(start, end);
    if (span.at(-1)!.line - span[0]!.line > 1) continue;
    if (!matches(texts.slice(start, end), wanted, tolerance)) continue;
    found.push(unite(span));
    start = end - 1;
  }
  return found;
}

function matches(texts: readonly string[], wanted: readonly string[], tolerance: number): boolean {
  const last = wanted.length - 1;
  const exact = texts.every((text, i) => {
    const word = wanted[i]!;
    if (last === 0) return text.includes(word);
    if (i === 0) return text.endsWith(word);
    return i === last ? text.startsWith(word) : text === word;
  });
  return exact || (tolerance > 0 && isWithin(texts.join(' '), wanted.join(' '), tolerance));
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
}

/** Whether one text becomes the other by at most `limit` insertions, removals and replacements of a character. */
function isWithin(one: string, other: string, limit: number): boolean {
  if (Math.abs(one.length - other.length) > limit) return false;
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const change = row[j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1));
    }
    if (Math.min(...next) > limit) return false;
    row = next;
  }
  return row[other.length]! <= limit;
}
