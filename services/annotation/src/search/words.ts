import { escapePattern } from '@intake/mongo';

/** Longer words are cut: nobody searches for more. */
const MAX_WORD_LENGTH = 64;
/** So many words of one annotation are found; a table of thousands of rows has more. */
const MAX_WORDS = 3000;

/** As words are compared. */
function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/**
 * The words of some texts, lower case, each once: what stands between blanks, and the letters and digits in it, so that
 * `INV-2024` is found by `inv-20` and by `2024`.
 */
export function wordsOf(texts: Iterable<string>): string[] {
  const words = new Set<string>();
  for (const text of texts) {
    for (const token of fold(text).split(/\s+/)) {
      for (const word of [token, ...token.split(/[^\p{L}\p{N}]+/u)]) {
        if (word !== '') words.add(word.slice(0, MAX_WORD_LENGTH));
      }
      if (words.size >= MAX_WORDS) return [...words].slice(0, MAX_WORDS);
    }
  }
  return [...words];
}

/** What is searched for: each term is to be the beginning of a word. API: annotations.md section 2, `search`. */
export function termsOf(search: string): string[] {
  const terms = fold(search)
    .split(/\s+/)
    .filter((term) => term !== '');
  return [...new Set(terms.map((term) => term.slice(0, MAX_WORD_LENGTH)))];
}

/** A pattern that matches what begins with a text; nothing in it is special. */
export function prefixPattern(text: string): string {
  return `^${escapePattern(text)}`;
}
