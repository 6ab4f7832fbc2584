import {
  isObject,
  type JsonObject,
  NOT_A_BOOLEAN,
  NOT_A_NUMBER,
  NOT_A_STRING,
  NOT_AN_INTEGER,
  NOT_BLANK,
  NOT_NULL,
  notAChoice,
  notAList,
  notAnObject,
  ownValue,
  REQUIRED,
} from '../json';
import { ErrorCollector } from './error-collector';
import type { FieldErrors } from './field-errors';

/** Checks the value of an attribute: texts or nested errors of what is wrong with it, null when nothing is. */
export type Check = (value: unknown) => string | string[] | FieldErrors | FieldErrors[] | null;

/** The attribute may be left out, or be null. */
export function nullable(check: Check): Check {
  return (value) => (value === undefined || value === null ? null : check(value));
}

/** The attribute may be left out, but not be null. */
export function optional(check: Check): Check {
  return (value) => (value === undefined ? null : notNull(check)(value));
}

/** The attribute must be there. */
export function required(check: Check): Check {
  return (value) => (value === undefined ? REQUIRED : notNull(check)(value));
}

export const isText: Check = (value) => (typeof value === 'string' ? null : NOT_A_STRING);

export const isBoolean: Check = (value) => (typeof value === 'boolean' ? null : NOT_A_BOOLEAN);

/** @param max in characters */
export function isTextUpTo(max: number): Check {
  return (value) => {
    if (typeof value !== 'string') return NOT_A_STRING;
    return [...value].length > max ? `Ensure this field has no more than ${max} characters.` : null;
  };
}

export function notBlank(check: Check): Check {
  return (value) => (typeof value === 'string' && value.trim() === '' ? NOT_BLANK : check(value));
}

export function isOneOf(choices: readonly unknown[]): Check {
  return (value) => (choices.includes(value) ? null : notAChoice(value));
}

export function isIntegerFrom(min: number): Check {
  return (value) => {
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) return NOT_AN_INTEGER;
    return value < min ? `Ensure this value is greater than or equal to ${min}.` : null;
  };
}

export function isNumberBetween(min: number, max: number): Check {
  return (value) => {
    if (typeof value !== 'number' || !Number.isFinite(value)) return NOT_A_NUMBER;
    if (value < min) return `Ensure this value is greater than or equal to ${min}.`;
    return value > max ? `Ensure this value is less than or equal to ${max}.` : null;
  };
}

export const isListOfTexts: Check = (value) => {
  if (!Array.isArray(value)) return notAList(value);
  return value.every((item) => typeof item === 'string') ? null : NOT_A_STRING;
};

/** An object whose attributes are checked; others are let through. */
export function isObjectOf(
  checks: Readonly<Record<string, Check>>,
  checkWhole?: (object: JsonObject) => string | null,
): Check {
  return (value) => {
    if (!isObject(value)) return { non_field_errors: [notAnObject(value)] };
    const errors = new ErrorCollector();
    checkAttributes(errors, value, checks);
    if (!errors.finish() && checkWhole) errors.add('non_field_errors', checkWhole(value));
    return errors.finish();
  };
}

/** Checks attributes of an object and collects what is wrong with them. */
export function checkAttributes(
  errors: ErrorCollector,
  object: JsonObject,
  checks: Readonly<Record<string, Check>>,
): void {
  for (const [attribute, check] of Object.entries(checks)) errors.add(attribute, check(ownValue(object, attribute)));
}

function notNull(check: Check): Check {
  return (value) => (value === null ? NOT_NULL : check(value));
}
