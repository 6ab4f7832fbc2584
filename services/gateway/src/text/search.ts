import { type Box, unite, type Word } from './page-text';

/** Words of a text stand closer to each other, columns farther: times the height of a line. */
const COLUMN_GAP = 1.5;

/**
 * Boxes of a phrase on a page: consecutive words of one line, or of a line and the next one below it; not across columns. Case
 * does not count. A phrase may be part of a word at its ends.
 *
 * @param tolerance edits that a match may be away, 0 for text that was not read by OCR
 */
export function findPhrase(words: readonly Word[], phrase: string, tolerance: number): Box[] {
  const wanted = fold(phrase).split(' ').filter(Boolean);
  if (wanted.length === 0) return [];
  const next = followers(words);
  const used = new Set<Word>();
  const found: Box[] = [];
  for (const start of words) {
    const span: Word[] = [];
    for (let word: Word | undefined = start; word && span.length < wanted.length; word = next.get(word))
      span.push(word);
    if (span.length < wanted.length || span.some((word) => used.has(word))) continue;
    if (span.at(-1)!.line - start.line > 1) continue;
    const texts = span.map(({ text }) => fold(text));
    if (!matches(texts, wanted, tolerance)) continue;
    found.push(unite(span));
    for (const word of span) used.add(word);
  }
  return found;
}

/** The word behind each one: beside it, or at the beginning of the next line of its column. */
function followers(words: readonly Word[]): Map<Word, Word> {
  const runs: Word[][] = [];
  for (const word of words) {
    const before = runs.at(-1)?.at(-1);
    if (before && before.line === word.line && isBeside(before, word)) runs.at(-1)!.push(word);
    else runs.push([word]);
  }
  const byLine = new Map<number, Word[][]>();
  for (const run of runs) byLine.set(run[0]!.line, [...(byLine.get(run[0]!.line) ?? []), run]);
  const next = new Map<Word, Word>();
  for (const run of runs) {
    for (const [i, word] of run.entries()) if (i > 0) next.set(run[i - 1]!, word);
    let most = 0;
    for (const below of byLine.get(run[0]!.line + 1) ?? []) {
      const shared = sharedWidth(run, below);
      if (shared > most) next.set(run.at(-1)!, below[0]!);
      most = Math.max(most, shared);
    }
  }
  return next;
}

function isBeside({ box: a }: Word, { box: b }: Word): boolean {
  return Math.max(b[0] - a[2], a[0] - b[2]) <= COLUMN_GAP * Math.max(a[3] - a[1], b[3] - b[1]);
}

function sharedWidth(one: readonly Word[], other: readonly Word[]): number {
  const [a, b] = [unite(one), unite(other)];
  return Math.min(a[2], b[2]) - Math.max(a[0], b[0]);
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
