import { type FieldErrors, invalidField, Refusal } from '@intake/rpc';
import { type Collection, idFromUrl } from '@intake/urls';
import { type ZodType, z } from 'zod';

type Issue = z.core.$ZodIssue;

/** Largest `metadata` in bytes of compact UTF-8 JSON. API: README.md section 7. */
const MAX_METADATA_BYTES = 4096;

const NOT_AN_INTEGER = 'A valid integer is required.';

/** Checks a request body; unknown keys are dropped. Throws INVALID with every field's error at once (API: README.md section 8). */
export function readShape<T>(shape: ZodType<T>, body: unknown): T {
  const result = shape.safeParse(body);
  if (result.success) return result.data;
  throw new Refusal('INVALID', { fields: toFieldErrors(result.error.issues, body) });
}

/** Text. `maximum` counts characters. */
export function string(maximum = 10_000) {
  return z.string().max(maximum);
}

/** Text that may not be empty or blank. */
export function name(maximum = 255) {
  return string(maximum).refine((value) => value.trim() !== '', 'This field may not be blank.');
}

/** A number; the text of one is taken too (forms know no numbers). */
export const number = numberOf(z.number()).meta({ type: 'number' });

/** A number within limits, or an integer; the text of one is taken too. */
export function numberOf(shape: z.ZodNumber) {
  return z.preprocess((value) => (typeof value === 'string' && value.trim() !== '' ? Number(value) : value), shape);
}

/** An integer; the text of one is taken too. */
export function integer(minimum?: number, maximum?: number) {
  let shape = z.int(NOT_AN_INTEGER);
  if (minimum !== undefined) shape = shape.min(minimum);
  if (maximum !== undefined) shape = shape.max(maximum);
  return numberOf(shape).meta({
    type: 'integer',
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
  });
}

/** A boolean; the text of one is taken too (forms know no booleans). */
export const boolean = z
  .preprocess(
    (value) => (typeof value === 'string' ? ({ true: true, false: false }[value.toLowerCase()] ?? value) : value),
    z.boolean(),
  )
  .meta({ type: 'boolean' });

/** Any JSON object. */
export const object = z
  .custom<Record<string, unknown>>((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
    error: ({ input }) => findAbsence(input) ?? `Expected a dictionary of items but got type "${nameOfType(input)}".`,
  })
  .meta({ type: 'object' });

/** `metadata`: a JSON object of at most 4 kB. */
export const metadata = object
  .refine(
    (value) => Buffer.byteLength(JSON.stringify(value)) <= MAX_METADATA_BYTES,
    'Metadata may not be larger than 4 kB.',
  )
  .meta({ type: 'object', description: 'Any JSON object of at most 4096 bytes.' });

/** A URL of an object of this collection; gives the id. */
export function reference(collection: Collection) {
  return z
    .unknown()
    .transform((value, context): number => {
      const id = idFromUrl(collection, value);
      if (id !== null) return id;
      const message =
        findAbsence(value) ??
        (typeof value === 'string'
          ? 'Invalid hyperlink - No URL match.'
          : `Incorrect type. Expected URL string, received ${nameOfType(value)}.`);
      context.addIssue({ code: 'custom', message, params: { reference: true } });
      return z.NEVER;
    })
    .meta({ type: 'string', format: 'uri', examples: [`https://intake.example.com/api/v1/${collection}/1`] });
}

const DURATION = /^(?:(\d{1,6}) +)?(?:(?:(\d{1,9}):)?(\d{1,9}):)?(\d{1,12}(?:\.\d{1,6})?)$/;

/** Reads `[DD] [HH:[MM:]]ss[.uuuuuu]` as seconds; null when it is none. */
export function parseDuration(text: string): number | null {
  const match = DURATION.exec(text.trim());
  if (!match) return null;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1).map((part) => Number(part ?? 0));
  return ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
}

/** A duration as text; gives seconds. */
export const duration = z
  .union([z.string(), z.number()])
  .transform((value, context): number => {
    const seconds = parseDuration(String(value));
    if (seconds !== null) return seconds;
    context.addIssue({ code: 'custom', message: WRONG_DURATION });
    return z.NEVER;
  })
  .meta({ type: 'string', examples: ['01:00:00', '90 00:00:00'] });

/** Message for a text that is no duration. */
export const WRONG_DURATION =
  'Duration has wrong format. Use one of these formats instead: [DD] [HH:[MM:]]ss[.uuuuuu].';

/** The refusal of a reference to what is not there, or not for this caller. */
export function unknownReference(field: string): Refusal {
  return invalidField(field, 'Invalid hyperlink - Object does not exist.');
}

const MISSING = 'This field is required.';
const NULL = 'This field may not be null.';

function findAbsence(value: unknown): string | undefined {
  return value === undefined ? MISSING : value === null ? NULL : undefined;
}

/** Turns the findings of a shape into the nested error body of the API. */
export function toFieldErrors(issues: readonly Issue[], body: unknown): FieldErrors {
  const errors: FieldErrors = {};
  const ofWrongType = new Set(issues.filter(({ code }) => code === 'invalid_type').map(({ path }) => path.join('.')));
  for (const issue of issues) {
    // Text where a list should be has a length too, which is then complained of.
    if (issue.code !== 'invalid_type' && ofWrongType.has(issue.path.join('.'))) continue;
    const path = issue.path.length > 0 ? issue.path : ['non_field_errors'];
    // A list of references is one field to the client, whichever of them is wrong.
    const isReference = issue.code === 'custom' && issue.params?.reference === true && typeof path.at(-1) === 'number';
    place(errors, isReference ? path.slice(0, -1) : path, body, describe(issue, valueAt(body, issue.path)));
  }
  return errors;
}

/**
 * Puts a message where the path says: an object nests, a list of objects becomes a list with `{}` for correct items, a list of
 * anything else an object by index.
 */
function place(errors: FieldErrors, path: readonly PropertyKey[], body: unknown, message: string): void {
  const [key, ...rest] = path;
  const field = String(key);
  if (rest.length === 0) {
    const there = errors[field];
    if (there === undefined) errors[field] = [message];
    else if (isMessages(there)) there.push(message);
    return;
  }
  const child = valueAt(body, [key!]);
  if (typeof rest[0] === 'number' && Array.isArray(child) && child.some(isObject)) {
    errors[field] ??= child.map(() => ({}));
    const items = errors[field] as FieldErrors[];
    if (rest.length === 1) items[rest[0]] = { non_field_errors: [message] };
    else place(items[rest[0]]!, rest.slice(1), valueAt(child, [rest[0]]), message);
  } else {
    errors[field] ??= {};
    place(errors[field] as FieldErrors, rest, child, message);
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function isMessages(value: FieldErrors[string]): value is string[] {
  return Array.isArray(value) && typeof value[0] === 'string';
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  let value = body;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

/** What is said of a text that has not the form it should have. */
const INVALID_FORMATS: Readonly<Record<string, string>> = {
  email: 'Enter a valid email address.',
  url: 'Enter a valid URL.',
};

function describe(issue: Issue, value: unknown): string {
  if (issue.code === 'custom') return issue.message;
  const absence = findAbsence(value);
  if (absence) return absence;
  switch (issue.code) {
    case 'invalid_type':
      // The issue itself says no more than that a number is expected.
      if (issue.message === NOT_AN_INTEGER) return NOT_AN_INTEGER;
      return describeType(issue.expected, value, issue.path.length === 0);
    case 'too_big':
      if (issue.origin === 'string') return `Ensure this field has no more than ${issue.maximum} characters.`;
      if (issue.origin === 'array') return `Ensure this field has no more than ${issue.maximum} elements.`;
      return `Ensure this value is less than ${issue.inclusive ? 'or equal to ' : ''}${issue.maximum}.`;
    case 'too_small':
      if (issue.origin === 'string') {
        return issue.minimum === 1
          ? 'This field may not be blank.'
          : `Ensure this field has at least ${issue.minimum} characters.`;
      }
      if (issue.origin === 'array') return `Ensure this field has at least ${issue.minimum} elements.`;
      return `Ensure this value is greater than ${issue.inclusive ? 'or equal to ' : ''}${issue.minimum}.`;
    case 'invalid_value':
      return `"${typeof value === 'object' ? nameOfType(value) : String(value)}" is not a valid choice.`;
    case 'invalid_format':
      return INVALID_FORMATS[issue.format] ?? 'Enter a valid value.';
    default:
      return issue.message;
  }
}

function describeType(expected: string, value: unknown, isBody: boolean): string {
  switch (expected) {
    case 'string':
      return 'Not a valid string.';
    case 'int':
      return NOT_AN_INTEGER;
    case 'number':
      return 'A valid number is required.';
    case 'boolean':
      return 'Must be a valid boolean.';
    case 'array':
      return `Expected a list of items but got type "${nameOfType(value)}".`;
    default:
      return isBody
        ? `Invalid data. Expected a dictionary, but got ${nameOfType(value)}.`
        : `Expected a dictionary of items but got type "${nameOfType(value)}".`;
  }
}

/** Type names as the clients of this API know them from its messages. */
function nameOfType(value: unknown): string {
  if (value === null || value === undefined) return 'NoneType';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  return { string: 'str', boolean: 'bool', object: 'dict' }[typeof value as string] ?? 'object';
}
