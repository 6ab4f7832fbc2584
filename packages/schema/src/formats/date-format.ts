import { RE2JS } from 're2js';
import { type Day, dayOfYear, dayOfYearToDay, isDay, isoOf, parseIsoDay, weekdayOf } from './calendar';

/** The format of dates whose schema names none. */
export const DEFAULT_DATE_FORMAT = 'YYYY-MM-DD';

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const WEEKDAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

/** How a token is written, and what it looks like when read. Tokens of time are not among them. */
interface Token {
  write: (day: Day) => string;
  pattern: string;
  /** Pattern between digits, where the length must be certain. */
  exactPattern?: string;
  numeric?: boolean;
}

const TOKENS: Readonly<Record<string, Token>> = {
  YYYY: { write: ({ year }) => pad(year, 4), pattern: '\\d{4}', numeric: true },
  YY: { write: ({ year }) => pad(year % 100, 2), pattern: '\\d{2}', numeric: true },
  Q: { write: ({ month }) => String(Math.ceil(month / 3)), pattern: '[1-4]', numeric: true },
  MMMM: { write: ({ month }) => MONTHS[month - 1]!, pattern: namePattern(MONTHS) },
  MMM: { write: ({ month }) => MONTHS[month - 1]!.slice(0, 3), pattern: namePattern(MONTHS) },
  MM: { write: ({ month }) => pad(month, 2), pattern: '\\d{1,2}', exactPattern: '\\d{2}', numeric: true },
  M: { write: ({ month }) => String(month), pattern: '\\d{1,2}', numeric: true },
  DDDD: { write: (day) => pad(dayOfYear(day), 3), pattern: '\\d{3}', numeric: true },
  DDD: { write: (day) => String(dayOfYear(day)), pattern: '\\d{1,3}', numeric: true },
  Do: { write: ({ day }) => `${day}${ordinalSuffix(day)}`, pattern: '\\d{1,2}(?:st|nd|rd|th)?' },
  DD: { write: ({ day }) => pad(day, 2), pattern: '\\d{1,2}', exactPattern: '\\d{2}', numeric: true },
  D: { write: ({ day }) => String(day), pattern: '\\d{1,2}', numeric: true },
  dddd: { write: (day) => WEEKDAYS[weekdayOf(day)]!, pattern: namePattern(WEEKDAYS) },
  ddd: { write: (day) => WEEKDAYS[weekdayOf(day)]!.slice(0, 3), pattern: namePattern(WEEKDAYS) },
  d: { write: (day) => String(weekdayOf(day)), pattern: '[0-6]', numeric: true },
};

const TIME_TOKEN = /^(?:HH?|hh?|kk?|mm?|ss?|S{1,9}|[Aa]|ZZ?|[Xx])$/;
const PARTS =
  /\[([^\]]*)\]|YYYY|YY|Q|MMMM|MMM|MM|M|DDDD|DDD|Do|DD|D|dddd|ddd|d|HH?|hh?|kk?|mm?|ss?|S{1,9}|[Aa]|ZZ?|[Xx]|./gsu;
const TIME_OF_DAY = '(?:[T, ]*\\d{1,2}(?:[:.]\\d{2}){1,2}(?:\\.\\d+)? ?(?:[ap]\\.?m\\.?)? ?(?:Z|[+-]\\d{2}:?\\d{2})?)?';

interface DateFormat {
  parts: (string | { token: string })[];
  /** Names of the tokens in the order of the groups. */
  tokens: string[];
  regexp: RE2JS;
}

const cache = new Map<string, DateFormat>();
const CACHE_SIZE = 200;

/**
 * Reads a date written in a format, or as ISO `YYYY-MM-DD` (API: annotation-content.md section 2). Days and months may
 * have one digit where the format has two; what the format does not name is the first: of the month, of the quarter, of
 * the year.
 *
 * @param format of the schema (API: schemas.md section 2); default `YYYY-MM-DD`
 * @returns the ISO date, null if the text is none
 */
export function parseDate(text: string, format?: string | null): string | null {
  const { regexp, tokens } = compileFormat(format ?? DEFAULT_DATE_FORMAT);
  const trimmed = text.trim();
  const match = regexp.matcher(trimmed.replace(/\s+/g, ' '));
  const day = match.matches() ? dayFromTokens(tokens.map((token, at) => [token, match.group(at + 1) ?? ''])) : null;
  const found = day ?? parseIsoDay(trimmed);
  return found && isoOf(found);
}

/** Writes an ISO date in a format. Text that is no ISO date stays as it is. */
export function formatDate(iso: string, format?: string | null): string {
  const day = parseIsoDay(iso);
  if (!day) return iso;
  const { parts } = compileFormat(format ?? DEFAULT_DATE_FORMAT);
  return parts.map((part) => (typeof part === 'string' ? part : TOKENS[part.token]!.write(day))).join('');
}

function dayFromTokens(found: readonly (readonly [string, string])[]): Day | null {
  const read = new Map(found);
  const year = read.has('YYYY') ? Number(read.get('YYYY')) : centuryOf(read.get('YY'));
  if (year === null) return null;

  const ordinal = read.get('DDDD') ?? read.get('DDD');
  if (ordinal !== undefined) return dayOfYearToDay(year, Number(ordinal));

  const month = monthFromTokens(read);
  const day = Number.parseInt(read.get('DD') ?? read.get('D') ?? read.get('Do') ?? '1', 10);
  const result = { year, month, day };
  return isDay(result) ? result : null;
}

function monthFromTokens(read: ReadonlyMap<string, string>): number {
  const name = read.get('MMMM') ?? read.get('MMM');
  if (name) return MONTHS.findIndex((month) => month.slice(0, 3).toLowerCase() === name.slice(0, 3).toLowerCase()) + 1;
  const number = read.get('MM') ?? read.get('M');
  if (number !== undefined) return Number(number);
  return read.has('Q') ? Number(read.get('Q')) * 3 - 2 : 1;
}

/** 00 to 68 are of this century, as the public format language has it. */
function centuryOf(year: string | undefined): number | null {
  if (year === undefined) return null;
  return Number(year) + (Number(year) > 68 ? 1900 : 2000);
}

function compileFormat(format: string): DateFormat {
  const known = cache.get(format);
  if (known) return known;
  const { parts, endsWithTime } = splitFormat(format);
  const tokens = parts.flatMap((part) => (typeof part === 'string' ? [] : [part.token]));
  const pattern = parts.map((part, at) => (typeof part === 'string' ? literalPattern(part) : tokenPattern(parts, at)));
  const regexp = RE2JS.compile(`(?i)${pattern.join('')}${endsWithTime ? TIME_OF_DAY : ''}`);
  const compiled = { parts, tokens, regexp };
  if (cache.size >= CACHE_SIZE) cache.delete(cache.keys().next().value!);
  cache.set(format, compiled);
  return compiled;
}

/** Tokens and literal texts of a format, without the time of day and what joins it to the date. */
function splitFormat(format: string): { parts: DateFormat['parts']; endsWithTime: boolean } {
  const parts: DateFormat['parts'] = [];
  let beginsWithTime = false;
  let endsWithTime = false;
  for (const [text, bracketed] of format.matchAll(PARTS)) {
    if (bracketed === undefined && TIME_TOKEN.test(text)) {
      beginsWithTime ||= parts.every((part) => typeof part === 'string');
      endsWithTime = true;
      // What stands before a time belongs to it: a space, a comma, a T.
      if (typeof parts.at(-1) === 'string') parts.pop();
    } else if (bracketed === undefined && Object.hasOwn(TOKENS, text)) {
      parts.push({ token: text });
      endsWithTime = false;
    } else {
      const last = parts.at(-1);
      if (typeof last === 'string') parts[parts.length - 1] = last + (bracketed ?? text);
      else parts.push(bracketed ?? text);
    }
  }
  if (beginsWithTime && typeof parts[0] === 'string') parts.shift();
  if (endsWithTime && typeof parts.at(-1) === 'string') parts.pop();
  return { parts, endsWithTime };
}

function tokenPattern(parts: DateFormat['parts'], at: number): string {
  const token = tokenAt(parts, at)!;
  const betweenDigits = tokenAt(parts, at - 1)?.numeric || tokenAt(parts, at + 1)?.numeric;
  return `(${betweenDigits && token.exactPattern ? token.exactPattern : token.pattern})`;
}

function tokenAt(parts: DateFormat['parts'], at: number): Token | undefined {
  const part = parts[at];
  return part === undefined || typeof part === 'string' ? undefined : TOKENS[part.token];
}

/** Spaces around punctuation are free, as in `1. 2. 2024` and `1.2.2024`. */
function literalPattern(literal: string): string {
  return [...literal.replace(/\s+/g, ' ').matchAll(/ ?[\p{P}\p{S}] ?| |[^ \p{P}\p{S}]+/gu)]
    .map(([piece]) => {
      if (piece === ' ') return ' ';
      const text = piece.trim();
      return /^[\p{P}\p{S}]/u.test(text) ? ` ?${RE2JS.quote(text)} ?` : RE2JS.quote(text);
    })
    .join('');
}

function namePattern(names: readonly string[]): string {
  return names.flatMap((name) => [name, name.slice(0, 3)]).join('|');
}

function ordinalSuffix(day: number): string {
  if (day >= 11 && day <= 13) return 'th';
  return ['th', 'st', 'nd', 'rd'][day % 10] ?? 'th';
}

function pad(value: number, length: number): string {
  return String(value).padStart(length, '0');
}
