import type { Datapoint, EnumOption } from '../schema-content';

/** A value in the format of its field, and what it means. */
export interface NormalizedValue {
  value: string;
  /** Null when the value is empty or not readable as the type of the field. */
  normalizedValue: string | null;
}

/**
 * Parses a value as the type of its field and writes it in the field's format (API: annotation-content.md section 2).
 *
 * @param raw what was given; numbers and booleans become text, null the empty text
 * @param options.tooLong what to do above 1500 characters: `cut` (extraction) or `error` (API); default `error`
 * @param options.options of an enum, where they were changed for the annotation
 * @returns the value, or the text of an error
 */
export function normalizeValue(
  _datapoint: Datapoint,
  _raw: unknown,
  _options: { tooLong?: 'cut' | 'error'; options?: readonly EnumOption[] } = {},
): (NormalizedValue & { error?: undefined }) | { error: string } {
  throw new Error('not built yet');
}
