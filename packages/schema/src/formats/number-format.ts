/** What stands between the thousands and before the decimals; no decimal separator: a format for whole numbers. */
interface Separators {
  thousands: string;
  decimal: string | null;
}

/** The format of numbers whose schema names none. */
export const DEFAULT_NUMBER_FORMAT = '# ##0.#';

const SEPARATORS: ReadonlyMap<string | null, Separators> = new Map([
  ['# ##0,#', { thousands: ' ', decimal: ',' }],
  ['# ##0.#', { thousands: ' ', decimal: '.' }],
  ['#,##0.#', { thousands: ',', decimal: '.' }],
  ["#'##0.#", { thousands: "'", decimal: '.' }],
  ['#.##0,#', { thousands: '.', decimal: ',' }],
  ['# ##0', { thousands: ' ', decimal: null }],
  ['#,##0', { thousands: ',', decimal: null }],
  ["#'##0", { thousands: "'", decimal: null }],
  ['#.##0', { thousands: '.', decimal: null }],
  [null, { thousands: '', decimal: '.' }],
]);

/** The formats that a schema may name; null as well (API: schemas.md section 2). */
export const NUMBER_FORMATS: readonly (string | null)[] = [...SEPARATORS.keys()];

const SPACES_AND_APOSTROPHES = /[\s'\u2019]/g;
const SIGNED = /^(?:\((?<bracketed>[^()]*)\)|(?<sign>[-+\u2212])?(?<digits>.*?)(?<trailingMinus>[-\u2212])?)$/s;
const PLAIN_DECIMAL = /^([+-]?)0*(\d+)(\.\d+)?$/;

/**
 * Reads a number as a person or an extension wrote it (API: annotation-content.md section 2).
 *
 * @param format of the schema; undefined is the default `# ##0.#`, null means no thousands separator
 * @returns the number as plain decimal text with the digits given (`1234.50`), null if it is none
 */
export function parseNumber(text: string, format?: string | null): { normalized: string } | null {
  const separators = separatorsOf(format);
  const normalized = parseWritten(text.trim(), separators) ?? normalizeDecimal(text.trim());
  const fitting = normalized === null ? null : fitDecimal(normalized, format);
  return fitting === null ? null : { normalized: fitting };
}

/**
 * Writes a plain decimal (`-1234.50`) in a format, with the digits given. A number with decimals cannot be shown in a
 * format for whole numbers: it stays as it is.
 *
 * @param format as for {@link parseNumber}
 */
export function formatNumber(normalized: string, format?: string | null): string {
  const separators = separatorsOf(format);
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(\.\d+)?$/.exec(normalized) ?? [];
  if (whole === undefined) return normalized;
  if (separators.decimal === null && fraction) return normalized;
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, separators.thousands);
  return `${sign}${grouped}${fraction.replace('.', separators.decimal ?? '')}`;
}

/**
 * A plain decimal in its one spelling: no plus, no leading zeros, no minus before zero, the decimals given.
 *
 * @returns null if the text is no plain decimal
 */
export function normalizeDecimal(text: string): string | null {
  const [, sign, whole, fraction = ''] = PLAIN_DECIMAL.exec(text) ?? [];
  if (whole === undefined) return null;
  const isZero = !/[1-9]/.test(whole + fraction);
  return `${sign === '-' && !isZero ? '-' : ''}${whole}${fraction}`;
}

/** A normalized decimal as a format can show it: null for a fraction in a format for whole numbers. */
export function fitDecimal(normalized: string, format?: string | null): string | null {
  if (separatorsOf(format).decimal !== null) return normalized;
  const [whole, fraction = ''] = normalized.split('.');
  return /^0*$/.test(fraction) ? whole! : null;
}

/** What stands before the decimals in a format; null: it has none. */
export function decimalMarkOf(format?: string | null): string | null {
  return separatorsOf(format).decimal;
}

function separatorsOf(format: string | null | undefined): Separators {
  return (
    SEPARATORS.get(format === undefined ? DEFAULT_NUMBER_FORMAT : format) ?? SEPARATORS.get(DEFAULT_NUMBER_FORMAT)!
  );
}

function parseWritten(text: string, { thousands, decimal }: Separators): string | null {
  const compact = text.replace(SPACES_AND_APOSTROPHES, '');
  const signed = SIGNED.exec(compact)?.groups;
  if (!signed) return null;
  const { bracketed, sign, trailingMinus } = signed;
  if (sign && trailingMinus) return null;
  const negative = bracketed !== undefined || trailingMinus !== undefined || (sign !== undefined && sign !== '+');

  let digits = bracketed ?? signed.digits ?? '';
  if (thousands) digits = digits.replaceAll(thousands, '');
  if (decimal !== null) digits = digits.replace(decimal, '.');
  return /^\d/.test(digits) ? normalizeDecimal(`${negative ? '-' : ''}${digits}`) : null;
}
