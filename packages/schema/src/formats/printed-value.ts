import type { Datapoint } from '../schema-content';
import { type Day, isDay, isoOf } from './calendar';
import { parseDate } from './date-format';
import { decimalMarkOf, fitDecimal, normalizeDecimal } from './number-format';

/** Longer texts hold more than a number or a date. */
const MAX_LENGTH = 80;

/**
 * Reads a number or a date as it is printed on a document, which follows its own country rather than the format of the
 * field: `£1,570.50`, `1.570,50 €`, `15 March 2024`, `15. 3. 2024`.
 *
 * @param locale of the queue (API: workspaces-queues.md); an American one has the month before the day
 * @returns the plain decimal or the ISO date; null when the text holds none, or more than one, or the field is of another type
 */
export function readPrinted(datapoint: Datapoint, text: string, locale?: string): string | null {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > MAX_LENGTH) return null;
  if (datapoint.type === 'number') return readNumber(trimmed, datapoint.format);
  if (datapoint.type === 'date') return readDate(trimmed, datapoint.format, /[-_]US$/i.test(locale ?? ''));
  return null;
}

const MINUS = /[-\u2212\u2013]/;
const SIGNS = /[-+\u2212\u2013()\s]/g;
/** What may stand beside the digits: a sign or code of a currency, a unit, a percent sign. */
const BESIDE = /^[\p{L}.%]{0,5}\p{Sc}?[\p{L}.]{0,5}$/u;
/** Of a part of an identifier: `OV-210`. */
const HYPHEN = /\p{L}[-\u2212\u2013]/u;
const GROUPS = /^\d{1,3}(?:([\s'\u2019])\d{3})(?:\1\d{3})*(?=$|[.,])/;
const INDIAN = /^\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?$/;

function readNumber(text: string, format: string | null | undefined): string | null {
  const first = text.search(/\d/);
  if (first < 0) return null;
  const head = text.slice(0, first);
  const digits = /^\d(?:[\d.,'\u2019\s]*\d)?/.exec(text.slice(first))![0];
  // Swedish and Czech: `100,-` instead of `100,00`.
  const tail = text.slice(first + digits.length).replace(/^,[-\u2212\u2013]{1,2}/, '');
  if (HYPHEN.test(head) || ![head, tail].every((beside) => BESIDE.test(beside.replace(SIGNS, '')))) return null;

  const compact = GROUPS.test(digits) ? digits.replace(/[\s'\u2019]/g, '') : digits;
  const plain = separate(compact, decimalMarkOf(format));
  const isNegative = MINUS.test(head + tail) || head.includes('(');
  const decimal = plain === null ? null : normalizeDecimal(`${isNegative ? '-' : ''}${plain}`);
  return decimal === null ? null : fitDecimal(decimal, format);
}

/** Two kinds of separators, or a group that is not three digits, speak for themselves; else the format of the field decides. */
function separate(digits: string, decimalMark: string | null): string | null {
  if (INDIAN.test(digits)) return digits.replaceAll(',', '');
  const at = Math.max(digits.lastIndexOf(','), digits.lastIndexOf('.'));
  if (at < 0) return digits;
  const mark = digits[at]!;
  const whole = digits.slice(0, at);
  const last = digits.slice(at + 1);
  const groups = whole.split(/[.,]/);
  const isGrouped = groups.slice(1).every((group) => group.length === 3) && groups[0]!.length <= 3;
  if (groups.length > 1 && !isGrouped) return null;
  if (!whole.includes(mark)) {
    const hasOther = groups.length > 1;
    const couldBeThousands = !hasOther && last.length === 3 && /^[1-9]\d{0,2}$/.test(whole);
    return groups.join('') + (couldBeThousands && mark !== decimalMark ? last : `.${last}`);
  }
  // The last separator is one of those before it: thousands only, all of one kind.
  return last.length === 3 && !/[.,]/.test(whole.replaceAll(mark, '')) ? groups.join('') + last : null;
}

const LANGUAGES = 'en de fr es it pt ro nl sv da nb fi et hu cs sk pl'.split(' ');
const YEAR = "'?(\\d{4}|\\d{2})";
const BETWEEN = '[\\s.,/-]';
const DAY_NAME_YEAR = new RegExp(
  `(\\d{1,2})(?:st|nd|rd|th|er|º)?${BETWEEN}*(?:de |of )?(\\p{L}{3,12})${BETWEEN}+(?:de |del )?${YEAR}`,
  'iu',
);
const NAME_DAY_YEAR = new RegExp(`(\\p{L}{3,12})${BETWEEN}*(\\d{1,2})(?:st|nd|rd|th)?${BETWEEN}+(\\d{4})`, 'iu');
const YEAR_NAME_DAY = new RegExp(`(\\d{4})${BETWEEN}+(\\p{L}{3,12})${BETWEEN}+(\\d{1,2})`, 'iu');
const YEAR_FIRST = /(\d{4})\s?([./-])\s?(\d{1,2})\s?\2\s?(\d{1,2})/;
const YEAR_LAST = /(\d{1,2})\s?([./-])\s?(\d{1,2})\s?\2\s?(\d{4}|\d{2})/;

let months: Map<string, number> | undefined;

function readDate(text: string, format: string | null | undefined, isMonthFirst: boolean): string | null {
  const found = ([pattern, read]: (typeof DATES)[number]): Day | null => {
    const match = pattern.exec(text);
    // More digits are another date, a time, a number: which one was meant, nobody knows.
    if (!match || /\d/.test(text.replace(match[0], ''))) return null;
    return read(match.slice(1) as [string, string, string, string]);
  };
  for (const one of DATES) {
    const day = found(one);
    if (day) return isoOf(day);
  }
  const day = found([YEAR_LAST, ([first, , second, year]) => validDay(year, second, first)]);
  const other = found([YEAR_LAST, ([first, , second, year]) => validDay(year, first, second)]);
  if (day && other) return isMonthFirst ? isoOf(other) : (parseDate(text, format) ?? isoOf(day));
  const only = day ?? other;
  return only && isoOf(only);
}

const DATES: readonly (readonly [RegExp, (groups: [string, string, string, string]) => Day | null])[] = [
  [YEAR_FIRST, ([year, , month, day]) => validDay(year, month, day)],
  [DAY_NAME_YEAR, ([day, month, year]) => validDay(year, month, day)],
  [NAME_DAY_YEAR, ([month, day, year]) => validDay(year, month, day)],
  [YEAR_NAME_DAY, ([year, month, day]) => validDay(year, month, day)],
];

/** 00 to 68 are of this century, as in formats of dates. */
function validDay(yearText: string, monthText: string, dayText: string): Day | null {
  const number = Number(yearText);
  const year = yearText.length === 4 ? number : number + (number > 68 ? 1900 : 2000);
  const month = /^\d+$/.test(monthText) ? Number(monthText) : (monthNames().get(plainName(monthText)) ?? 0);
  const found = { year, month, day: Number(dayText) };
  return isDay(found) ? found : null;
}

/** Names of months in full and short, alone and beside a day (`leden`, `ledna`). */
function monthNames(): ReadonlyMap<string, number> {
  months ??= new Map(
    LANGUAGES.flatMap((language) =>
      (['long', 'short'] as const).flatMap((style) => [
        ...namesOf(language, { month: style }),
        ...namesOf(language, { month: style, day: 'numeric' }),
      ]),
    ),
  );
  return months;
}

function namesOf(language: string, options: Intl.DateTimeFormatOptions): [string, number][] {
  const format = new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' });
  return Array.from({ length: 12 }, (_, index) => {
    const parts = format.formatToParts(Date.UTC(2024, index, 15));
    return [plainName(parts.find(({ type }) => type === 'month')?.value ?? ''), index + 1];
  });
}

function plainName(name: string): string {
  return name
    .normalize('NFD')
    .replace(/[\p{M}.]/gu, '')
    .toLowerCase();
}
