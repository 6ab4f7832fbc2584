import type { FieldErrors } from '@intake/rpc';
import { findRegexpProblem } from '@intake/schema';
import type { JsonObject } from '../fields';

type Problem = string[] | FieldErrors | null;
type Check = (value: unknown) => Problem;

const isRecord = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isBoolean: Check = (value) => (typeof value === 'boolean' ? null : ['Must be a valid boolean.']);
const isCount: Check = (value) =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? null : ['A valid integer is required.'];
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null ? null : check(value);
const isListOf =
  (findProblem: (text: string) => string | null): Check =>
  (value) => {
    if (!Array.isArray(value)) return ['Expected a list of items.'];
    for (const text of value) {
      const problem = typeof text === 'string' ? findProblem(text) : 'Not a valid string.';
      if (problem) return [problem];
    }
    return null;
  };
const isSize: Check = (value) =>
  Array.isArray(value) && value.length === 2 && value.every((side) => isCount(side) === null)
    ? null
    : ['Expected width and height as two integers.'];

const MAX_PATTERN_LENGTH = 320;
const isPattern = (text: string) =>
  text.length > MAX_PATTERN_LENGTH ? `Ensure this field has no more than ${MAX_PATTERN_LENGTH} characters.` : null;

function isObjectOf(checks: Readonly<Record<string, Check>>): Check {
  return (value) => {
    if (!isRecord(value)) return ['Expected a dictionary of items.'];
    const errors: FieldErrors = {};
    for (const [key, check] of Object.entries(checks)) {
      const problem = Object.hasOwn(value, key) ? check(value[key]) : null;
      if (problem) errors[key] = problem;
    }
    return Object.keys(errors).length > 0 ? errors : null;
  };
}

const isFilters = isObjectOf({
  allowed_senders: isListOf(isPattern),
  denied_senders: isListOf(isPattern),
  document_rejection_conditions: isObjectOf({
    enabled: isBoolean,
    resolution_lower_than_px: orNull(isSize),
    file_size_less_than_b: orNull(isCount),
    mime_types: orNull(isListOf((type) => (/^.+\/.+$/.test(type) ? null : `"${type}" is not a valid MIME type.`))),
    file_name_regexes: orNull(isListOf(findRegexpProblem)),
  }),
});

/** What is wrong with the filters of an inbox, at its place; null: nothing. API: inboxes.md, Filters. */
export function findFiltersProblem(filters: JsonObject): FieldErrors | null {
  return isFilters(filters) as FieldErrors | null;
}
