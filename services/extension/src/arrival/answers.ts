import { idFromUrl } from '@intake/urls';
import type { JsonObject } from '../webhook/outcome';

/** Longest value of a field, in characters. API: limits.md. */
const LONGEST_VALUE = 1500;

/** A list of objects in an answer; empty when it is not there. Throws an Error that says what is wrong with it. */
export function objectsOf(body: JsonObject, key: string): readonly JsonObject[] {
  const list = body[key] ?? [];
  if (!Array.isArray(list)) throw new Error(`${key} must be a list`);
  for (const [i, one] of list.entries()) {
    if (typeof one !== 'object' || one === null || Array.isArray(one))
      throw new Error(`${key}[${i}] must be an object`);
  }
  return list as JsonObject[];
}

/** The document that an entry names. */
export function documentOf(entry: JsonObject, place: string): number {
  const id = idFromUrl('documents', entry.document);
  if (id === null) throw new Error(`${place}.document must be the URL of a document`);
  return id;
}

/** A switch in an answer. */
export function switchOf(entry: JsonObject, key: string, place: string): boolean {
  const value = entry[key] ?? false;
  if (typeof value !== 'boolean') throw new Error(`${place}.${key} must be true or false`);
  return value;
}

/** `values` of an entry, by id; those whose id has none of the prefixes are left out, and what is too long is cut. */
export function valuesOf(entry: JsonObject, place: string, prefixes: readonly string[]): Record<string, string> {
  const pairs = objectsOf(entry, 'values').flatMap(({ id, value }, i): [string, string][] => {
    if (typeof id !== 'string') throw new Error(`${place}.values[${i}].id must be a text`);
    if (value !== null && !['string', 'number', 'boolean'].includes(typeof value)) {
      throw new Error(`${place}.values[${i}].value must be a text`);
    }
    if (value === null || !prefixes.some((prefix) => id.startsWith(prefix))) return [];
    return [[id, [...String(value)].slice(0, LONGEST_VALUE).join('')]];
  });
  return Object.fromEntries(pairs);
}

/** Values as payloads carry them. */
export function listValues(values: Readonly<Record<string, string>>): { id: string; value: string }[] {
  return Object.entries(values).map(([id, value]) => ({ id, value }));
}
