import { guessLanguage } from './language';

/** Fewer words than this are not judged. */
const LEAST_WORDS = 25;

/**
 * Whether a text layer shows other letters than the page does (fonts with a wrong map to Unicode): no language's
 * frequent words are among its words, or most of them could not be spoken or mix letters with signs.
 */
export function isGarbled(texts: string[]): boolean {
  const words = texts.filter((text) => /[\p{L}]/u.test(text) && text.length >= 4 && !/\d/.test(text));
  // Other scripts have other rules.
  const latin = words.filter((word) => !/[^\p{Script=Latin}\P{L}]/u.test(word));
  if (latin.length < LEAST_WORDS || latin.length < 0.6 * words.length) return false;
  return guessLanguage(words) === undefined || latin.filter(isStrange).length > 0.5 * latin.length;
}

const plain = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

function isStrange(word: string): boolean {
  const inner = plain(word).replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  if (/[^\p{L}.,:;'’\-/&@()+*_|]/u.test(inner)) return true;
  const letters = inner.replace(/[^\p{L}]/gu, '');
  return letters.length >= 4 && (!/[aeiouyæøœı]/.test(letters) || /[^aeiouyæøœı]{6}/.test(letters));
}
