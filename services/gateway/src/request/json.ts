import { Refusal } from '@intake/rpc';

/** Deepest nesting of a request body. API: limits.md. */
const MAX_DEPTH = 32;

/** Reads the JSON of a request. Throws PARSE_ERROR, and INVALID when it is nested too deeply. `__proto__` keys are dropped. */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Refusal('PARSE_ERROR', { detail: `JSON parse error - ${(error as Error).message}` });
  }
  return cleanJson(value);
}

/**
 * Drops `__proto__` keys from a value that was read from JSON. Throws INVALID when it is nested too deeply, for a null character
 * in a key, and for a number beyond all that can be kept (`1e400`), which would become null.
 */
export function cleanJson<T>(value: T): T {
  clean(value, 1);
  return value;
}

function clean(value: unknown, depth: number): void {
  if (value === Infinity || value === -Infinity) {
    throw new Refusal('INVALID', { detail: 'The JSON has a number that is too large.' });
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth > MAX_DEPTH) {
    throw new Refusal('INVALID', { detail: `The JSON is nested more than ${MAX_DEPTH} levels deep.` });
  }
  if (Object.hasOwn(value, '__proto__')) Reflect.deleteProperty(value, '__proto__');
  for (const [key, item] of Object.entries(value)) {
    if (key.includes('\0')) throw new Refusal('INVALID', { detail: 'The JSON has a key with a null character.' });
    clean(item, depth + 1);
  }
}
