import { Decimal } from 'decimal.js';
import { MAX_VALUE_LENGTH } from '../content/content-node';
import type { Datapoint, EnumOption } from '../schema-content';
import { parseIsoDay } from './calendar';
import { formatDate, parseDate } from './date-format';
import { fitDecimal, formatNumber, normalizeDecimal, parseNumber } from './number-format';

/** A value in the format of its field, and what it means. */
export interface NormalizedValue {
  value: string;
  /** Null when the value is empty or not readable as the type of the field. */
  normalizedValue: string | null;
}

export interface NormalizeOptions {
  /** What to do above 1500 characters: `cut` (extraction) or `error` (API); default `error`. */
  tooLong?: 'cut' | 'error';
  /** Options of an enum, where they were changed for the annotation. */
  options?: readonly EnumOption[];
  /**
   * True: the text is ISO or a plain decimal rather than written in the field's format, as the engine's values are; the
   * field's format is tried only after that.
   */
  canonical?: boolean;
}

export type NormalizeResult = (NormalizedValue & { error?: undefined }) | { error: string };

/**
 * Parses a value as the type of its field and writes it in the field's format (API: annotation-content.md section 2).
 * What cannot be read is kept as it is, with `normalizedValue` null.
 *
 * @param raw what was given; numbers and booleans become text, null the empty text
 * @returns the value, or the text of an error: not a scalar, too long, or the field is a button
 */
export function normalizeValue(datapoint: Datapoint, raw: unknown, options: NormalizeOptions = {}): NormalizeResult {
  if (datapoint.type === 'button') return { error: 'A button holds no value.' };
  const text = toText(raw);
  if (text === null) return { error: 'Not a valid string.' };
  const fitting = fitLength(text, options.tooLong ?? 'error');
  if (fitting === null) return { error: `Ensure this field has no more than ${MAX_VALUE_LENGTH} characters.` };
  if (fitting === '') return { value: '', normalizedValue: null };
  // A number of JSON has a decimal point, whatever separators the field has.
  const canonical = options.canonical === true || typeof raw === 'number';
  return normalizeText(datapoint, fitting, canonical, options.options);
}

function normalizeText(
  datapoint: Datapoint,
  text: string,
  canonical: boolean,
  changedOptions: readonly EnumOption[] | undefined,
): NormalizedValue {
  switch (datapoint.type) {
    case 'number':
      return normalizeNumber(text, datapoint.format, canonical);
    case 'date':
      return normalizeDate(text, datapoint.format, canonical);
    case 'enum': {
      const value = matchOption(text, changedOptions ?? datapoint.options ?? []);
      return { value, normalizedValue: value };
    }
    default:
      return { value: text, normalizedValue: text };
  }
}

function normalizeNumber(text: string, format: string | null | undefined, canonical: boolean): NormalizedValue {
  const decimal = canonical ? normalizeDecimal(text.trim()) : null;
  const normalizedValue = decimal === null ? parseNumber(text, format)?.normalized : fitDecimal(decimal, format);
  if (!normalizedValue) return { value: text, normalizedValue: null };
  return { value: formatNumber(normalizedValue, format), normalizedValue };
}

function normalizeDate(text: string, format: string | null | undefined, canonical: boolean): NormalizedValue {
  const iso = canonical && parseIsoDay(text.trim()) ? text.trim() : parseDate(text, format);
  return iso === null
    ? { value: text, normalizedValue: null }
    : { value: formatDate(iso, format), normalizedValue: iso };
}

/** The option's own spelling when the text differs only in case. */
function matchOption(text: string, options: readonly EnumOption[]): string {
  if (options.some((option) => option.value === text)) return text;
  const wanted = text.trim().toLowerCase();
  return options.find((option) => option.value.toLowerCase() === wanted)?.value ?? text;
}

function toText(raw: unknown): string | null {
  if (raw === null || raw === undefined) return '';
  if (typeof raw === 'string') return raw;
  if (typeof raw === 'number') return Number.isFinite(raw) ? new Decimal(raw).toFixed() : null;
  return typeof raw === 'boolean' ? String(raw) : null;
}

function fitLength(text: string, tooLong: 'cut' | 'error'): string | null {
  if (text.length <= MAX_VALUE_LENGTH) return text;
  const characters = [...text];
  if (characters.length <= MAX_VALUE_LENGTH) return text;
  return tooLong === 'cut' ? characters.slice(0, MAX_VALUE_LENGTH).join('') : null;
}
