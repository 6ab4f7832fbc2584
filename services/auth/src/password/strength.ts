import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';

/** Fewest and most characters of a password that users choose themselves. API: auth.md section 2. */
const MIN_LENGTH = 12;
const MAX_LENGTH = 64;
/** Least score of a password that users choose themselves. */
const MIN_SCORE = 2;
/** Parts of names that are shorter are found in anything. */
const MIN_PART = 4;

const estimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, maxLength: MAX_LENGTH });

/** Whose password it is to be: it must not be made of this. */
export interface PasswordOwner {
  readonly username?: string;
  readonly email?: string;
  readonly firstName?: string;
  readonly lastName?: string;
}

/**
 * How hard a password is to guess, 0 to 4, and which rules it breaks (none: it may be used). API: auth.md section 2.
 */
export function scorePassword(password: string, owner: PasswordOwner = {}): { score: number; messages: string[] } {
  const known = [owner.username, owner.email, owner.firstName, owner.lastName].filter((text) => text !== undefined);
  const parts = [...new Set(known.flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)]))].filter(Boolean);
  const { score, sequence } = estimator.check(password.slice(0, MAX_LENGTH), parts);
  const isWord = sequence.some((match) => match.pattern === 'dictionary' && match.token.length === password.length);
  const lower = password.toLowerCase();
  const length = [...password].length;
  const rules: readonly (readonly [boolean, string])[] = [
    [length < MIN_LENGTH, `This password is too short. It must contain at least ${MIN_LENGTH} characters.`],
    [length > MAX_LENGTH, `This password is too long. It must contain at most ${MAX_LENGTH} characters.`],
    [
      parts.some((part) => part.length >= MIN_PART && lower.includes(part.toLowerCase())),
      'The password is too similar to the username.',
    ],
    [isWord, 'This password is too common.'],
    [/^\d+$/.test(password), 'This password is entirely numeric.'],
    [score < MIN_SCORE, 'This password is too easy to guess.'],
  ];
  return { score, messages: rules.filter(([broken]) => broken).map(([, message]) => message) };
}
