/** Reading of JSON values that others sent, with the usual texts of errors (API: README.md section 8). */

export type JsonObject = Readonly<Record<string, unknown>>;

export const REQUIRED = 'This field is required.';
export const NOT_NULL = 'This field may not be null.';
export const NOT_BLANK = 'This field may not be blank.';
export const NOT_A_STRING = 'Not a valid string.';
export const NOT_AN_INTEGER = 'A valid integer is required.';
export const NOT_A_NUMBER = 'A valid number is required.';
export const NOT_A_BOOLEAN = 'Must be a valid boolean.';

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An attribute of its own of an object; never one that the language gives to every object. */
export function ownValue(object: JsonObject, attribute: string): unknown {
  return Object.hasOwn(object, attribute) ? object[attribute] : undefined;
}

export function notAList(value: unknown): string {
  return `Expected a list of items but got type "${typeName(value)}".`;
}

export function notAnObject(value: unknown): string {
  return `Invalid data. Expected a dictionary, but got ${typeName(value)}.`;
}

export function notAChoice(value: unknown): string {
  return `"${typeof value === 'string' ? value : JSON.stringify(value)}" is not a valid choice.`;
}

/** The type of a JSON value by the names that clients of the public API know. */
function typeName(value: unknown): string {
  if (value === null || value === undefined) return 'NoneType';
  if (Array.isArray(value)) return 'list';
  switch (typeof value) {
    case 'string':
      return 'str';
    case 'boolean':
      return 'bool';
    case 'number':
      return Number.isInteger(value) ? 'int' : 'float';
    default:
      return 'dict';
  }
}
