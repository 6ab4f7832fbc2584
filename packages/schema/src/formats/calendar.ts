/** A day of the Gregorian calendar; month and day count from 1. */
export interface Day {
  year: number;
  month: number;
  day: number;
}

const MONTH_LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

export function isDay({ year, month, day }: Day): boolean {
  return year >= 1 && year <= 9999 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}

/** Reads `YYYY-MM-DD`; null if that is no day. */
export function parseIsoDay(text: string): Day | null {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!match) return null;
  const day = { year: Number(match[1]), month: Number(match[2]), day: Number(match[3]) };
  return isDay(day) ? day : null;
}

export function isoOf({ year, month, day }: Day): string {
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

/** 1 for the first of January. */
export function dayOfYear({ year, month, day }: Day): number {
  let days = day;
  for (let before = 1; before < month; before += 1) days += daysInMonth(year, before);
  return days;
}

/** The opposite of {@link dayOfYear}; null if the year has no such day. */
export function dayOfYearToDay(year: number, ordinal: number): Day | null {
  let left = ordinal;
  for (let month = 1; month <= 12; month += 1) {
    const length = daysInMonth(year, month);
    if (left >= 1 && left <= length) return { year, month, day: left };
    left -= length;
  }
  return null;
}

/** 0 for Sunday. */
export function weekdayOf(day: Day): number {
  const yearsBefore = day.year - 1;
  const leapDays = Math.floor(yearsBefore / 4) - Math.floor(yearsBefore / 100) + Math.floor(yearsBefore / 400);
  return (yearsBefore * 365 + leapDays + dayOfYear(day)) % 7;
}

function daysInMonth(year: number, month: number): number {
  return month === 2 && isLeapYear(year) ? 29 : MONTH_LENGTHS[month - 1]!;
}
