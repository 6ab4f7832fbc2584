import { RE2JS } from 're2js';

/** Longest pattern in characters, and largest compiled program: keep the time of one search in bounds. */
const MAX_PATTERN_LENGTH = 1000;
const MAX_PROGRAM_SIZE = 5000;

/** Compiled expressions that are kept; the oldest goes first. */
const CACHE_SIZE = 500;
const cache = new Map<string, RE2JS>();

/**
 * Compiles an expression in RE2 syntax, whose searches take linear time (API: schemas.md section 4).
 *
 * @throws Error with a text for people if it cannot be compiled or is too large
 */
export function compileRegexp(pattern: string): RE2JS {
  const known = cache.get(pattern);
  if (known) return known;
  const compiled = compile(pattern);
  if (cache.size >= CACHE_SIZE) cache.delete(cache.keys().next().value!);
  cache.set(pattern, compiled);
  return compiled;
}

function compile(pattern: string): RE2JS {
  if (pattern.length > MAX_PATTERN_LENGTH) {
    throw new Error(`Ensure this field has no more than ${MAX_PATTERN_LENGTH} characters.`);
  }
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(pattern);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error);
    throw new Error(`Not a valid regular expression in RE2 syntax: ${reason}.`);
  }
  if (compiled.programSize() > MAX_PROGRAM_SIZE) throw new Error('The regular expression is too large.');
  return compiled;
}

/** The text for people of what is wrong with an expression in RE2 syntax, or null. */
export function findRegexpProblem(pattern: string): string | null {
  try {
    compileRegexp(pattern);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}
