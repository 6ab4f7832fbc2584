import type { exporting } from '@intake/contracts';
import { type FieldErrors, Refusal } from '@intake/rpc';

/** papaparse takes no such delimiter and would silently write commas. */
const BAD_DELIMITERS = ['"', '\ufeff'];

const QUOTINGS = ['quote_minimal', 'quote_none', 'quote_all', 'quote_non_numeric'] as const;

/** How a CSV file is written (API: export.md section 4.4). */
export interface CsvDialect {
  readonly delimiter: string;
  readonly quoteChar: string;
  readonly quoting: (typeof QUOTINGS)[number];
  /** Stands before special characters with `quote_none`; otherwise unused. */
  readonly escapeChar: string;
  /** Cells that a spreadsheet would take for a formula get a `'` in front. */
  readonly formulaGuard: boolean;
}

/** Reads the dialect of a request; what is not given has its default. Throws Refusal INVALID with every wrong parameter. */
export function readDialect(given: exporting.CsvDialect | undefined): CsvDialect {
  const errors: FieldErrors = {};
  const readCharacter = (parameter: string, text: string | undefined, fallback: string): string => {
    if (!text) return fallback;
    if ([...text].length !== 1) errors[parameter] = ['Enter exactly one character.'];
    else if (text === '\r' || text === '\n') errors[parameter] = ['A line end cannot be used here.'];
    return text;
  };
  const delimiter = readCharacter('delimiter', given?.delimiter, ',');
  const quoteChar = readCharacter('quote_char', given?.quoteChar, '"');
  const escapeChar = readCharacter('escape_char', given?.escapeChar, '');
  const quoting = QUOTINGS.find((name) => name === (given?.quoting || 'quote_minimal'));

  if (!quoting) {
    errors.quoting = [`Select a valid choice. ${given?.quoting} is not one of the available choices.`];
  } else if (quoting === 'quote_none' && escapeChar === '') {
    errors.escape_char = ['This parameter is required with quote_none.'];
  } else if (quoting !== 'quote_none' && delimiter === quoteChar && !errors.quote_char) {
    errors.quote_char = ['Must differ from the delimiter.'];
  } else if (quoting !== 'quote_none' && BAD_DELIMITERS.includes(delimiter) && !errors.delimiter) {
    errors.delimiter = ['This character cannot be used here.'];
  } else if (quoting === 'quote_none' && delimiter === escapeChar && !errors.escape_char) {
    errors.escape_char = ['Must differ from the delimiter.'];
  }
  if (!quoting || Object.keys(errors).length > 0) throw new Refusal('INVALID', { fields: errors });
  return { delimiter, quoteChar, quoting, escapeChar, formulaGuard: given?.formulaGuard ?? false };
}
