import { readFileSync } from 'node:fs';
import path from 'node:path';

/** ISO 639-2 code -> frequent words and words of invoices, lower case. */
const WORDS: Record<string, string[]> = JSON.parse(
  readFileSync(path.join(__dirname, '..', '..', 'data', 'languages.json'), 'utf8'),
);

const codesOf = new Map<string, string[]>();
for (const [code, words] of Object.entries(WORDS)) {
  for (const word of words) codesOf.set(word, [...(codesOf.get(word) ?? []), code]);
}

/** The value list of API: schemas.md section 3 writes some languages its own way. */
const FIELD_VALUES: Record<string, string> = { ita: 'ital', spa: 'esp' };
const NAMED = new Set('ces deu eng fra slk esp hun swe dan fin ital nor pol por'.split(' '));

/** The text's main language, by its frequent words; undefined for too little text. */
export function guessLanguage(words: string[]): { code: string; confidence: number } | undefined {
  const scores = new Map<string, number>();
  for (const word of words) {
    for (const part of word.toLowerCase().split(/[^\p{L}]+/u)) {
      const codes = codesOf.get(part);
      // A word that several languages share tells less.
      for (const code of codes ?? []) scores.set(code, (scores.get(code) ?? 0) + 1 / codes!.length);
    }
  }
  const ranked = [...scores].sort((a, b) => b[1] - a[1]);
  const [best, second] = ranked;
  if (!best || best[1] < 1) return undefined;
  const margin = (best[1] - (second?.[1] ?? 0)) / (best[1] + 2);
  return { code: best[0], confidence: Math.min(0.98, 0.5 + margin * 0.6) };
}

/** The value of the field `language` for an ISO 639-2 code. */
export function languageValue(code: string): string {
  const value = FIELD_VALUES[code] ?? code;
  return NAMED.has(value) ? value : 'other';
}
