import type { FieldErrors } from '../checking/field-errors';
import {
  isObject,
  type JsonObject,
  NOT_A_BOOLEAN,
  NOT_A_NUMBER,
  NOT_A_STRING,
  NOT_AN_INTEGER,
  NOT_NULL,
  notAList,
  notAnObject,
  ownValue,
  REQUIRED,
} from '../json';
import type { EnumOption } from '../schema-content';
import type { Box } from './content-node';

/** Attributes of a node that a client sent; what was not sent is undefined (API: annotation-content.md section 4). */
export interface GivenAttributes {
  content?: GivenContent;
  validationSources?: string[];
  hidden?: boolean;
  /** Null: back to the options of the schema. */
  options?: EnumOption[] | null;
  timeSpent?: number;
  timeSpentOverall?: number;
  timeSpentGrid?: number;
  timeSpentGridOverall?: number;
  noRecalculation?: boolean;
}

export interface GivenContent {
  /** Checked when it is parsed as the type of its field. */
  value?: unknown;
  normalizedValue?: unknown;
  page?: number | null;
  position?: Box | null;
}

type ReadResult<T> = { given: T; errors?: undefined } | { errors: string[] | FieldErrors | FieldErrors[] };

/** Reads the attributes that may be set; others are ignored. */
export function readAttributes(
  raw: JsonObject,
): { given: GivenAttributes; errors?: undefined } | { errors: FieldErrors } {
  // A button has no content; whoever sends back what was read must not fail.
  const sent = raw.content === null ? { ...raw, content: undefined } : raw;
  return readAll<GivenAttributes>(sent, {
    content: ['content', readContent],
    validationSources: ['validation_sources', readStrings],
    hidden: ['hidden', readBoolean],
    options: ['options', readOptions],
    timeSpent: ['time_spent', readSeconds],
    timeSpentOverall: ['time_spent_overall', readSeconds],
    timeSpentGrid: ['time_spent_grid', readSeconds],
    timeSpentGridOverall: ['time_spent_grid_overall', readSeconds],
    noRecalculation: ['no_recalculation', readBoolean],
  });
}

/** Reads a list of validation sources: any strings, as the list of them is open. */
export function readStrings(raw: unknown): ReadResult<string[]> {
  if (!Array.isArray(raw)) return { errors: [notAList(raw)] };
  if (!raw.every((entry): entry is string => typeof entry === 'string')) return { errors: [NOT_A_STRING] };
  return { given: [...raw] };
}

function readContent(raw: unknown): ReadResult<GivenContent> {
  if (!isObject(raw)) return { errors: { non_field_errors: [notAnObject(raw)] } };
  return readAll<GivenContent>(raw, {
    value: ['value', (value) => ({ given: value })],
    normalizedValue: ['normalized_value', (value) => ({ given: value })],
    page: ['page', readPage],
    position: ['position', readPosition],
  });
}

function readPage(raw: unknown): ReadResult<number | null> {
  if (raw === null) return { given: null };
  return typeof raw === 'number' && Number.isSafeInteger(raw) && raw >= 1
    ? { given: raw }
    : { errors: [NOT_AN_INTEGER] };
}

function readPosition(raw: unknown): ReadResult<Box | null> {
  if (raw === null) return { given: null };
  if (!Array.isArray(raw)) return { errors: [notAList(raw)] };
  const isBox = raw.length === 4 && raw.every((side) => typeof side === 'number' && Number.isFinite(side));
  return isBox ? { given: [...raw] } : { errors: ['Expected 4 numbers: left, top, right, bottom.'] };
}

function readBoolean(raw: unknown): ReadResult<boolean> {
  if (raw === null) return { errors: [NOT_NULL] };
  return typeof raw === 'boolean' ? { given: raw } : { errors: [NOT_A_BOOLEAN] };
}

function readSeconds(raw: unknown): ReadResult<number> {
  if (raw === null) return { errors: [NOT_NULL] };
  if (typeof raw !== 'number' || !Number.isFinite(raw)) return { errors: [NOT_A_NUMBER] };
  return raw >= 0 ? { given: raw } : { errors: ['Ensure this value is greater than or equal to 0.'] };
}

function readOptions(raw: unknown): ReadResult<EnumOption[] | null> {
  if (raw === null) return { given: null };
  if (!Array.isArray(raw)) return { errors: [notAList(raw)] };
  const read = raw.map(readOption);
  if (read.some((option) => option.errors)) return { errors: read.map((option) => option.errors ?? {}) };
  return { given: read.map((option) => option.given!) };
}

function readOption(raw: unknown): { given?: EnumOption; errors?: FieldErrors } {
  if (!isObject(raw)) return { errors: { non_field_errors: [notAnObject(raw)] } };
  const value = ownValue(raw, 'value');
  const label = ownValue(raw, 'label') ?? value;
  if (value === undefined) return { errors: { value: [REQUIRED] } };
  if (typeof value !== 'string') return { errors: { value: [NOT_A_STRING] } };
  if (typeof label !== 'string') return { errors: { label: [NOT_A_STRING] } };
  return { given: { value, label } };
}

type Readers<T> = {
  [K in keyof T]-?: readonly [attribute: string, read: (raw: unknown) => ReadResult<NonNullable<T>[K]>];
};

/** Reads each attribute that is there with its reader, and collects all errors. */
function readAll<T extends object>(
  raw: JsonObject,
  readers: Readers<T>,
): { given: T; errors?: undefined } | { errors: FieldErrors } {
  const given: Partial<T> = {};
  const errors: FieldErrors = {};
  for (const key of Object.keys(readers) as (keyof T)[]) {
    const [attribute, read] = readers[key];
    const value = ownValue(raw, attribute);
    if (value === undefined) continue;
    const result = read(value);
    if (result.errors) errors[attribute] = result.errors;
    else given[key] = result.given as T[keyof T];
  }
  return Object.keys(errors).length > 0 ? { errors } : { given: given as T };
}
