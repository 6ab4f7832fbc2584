/** Whether text is a number in the form of an export: plain decimal, `.` before the fraction, no grouping. */
export function isNumber(text: string): boolean {
  return /^[+-]?\d+(\.\d+)?$/.test(text);
}

/** Whether a spreadsheet's floating point number keeps every digit of the text. */
export function isExactInSpreadsheet(text: string): boolean {
  const digits = text.replace(/[+\-.]/g, '').replace(/^0+/, '');
  return isNumber(text) && digits.length <= 15;
}

const DAY_MS = 24 * 3600 * 1000;
/** Day 0 of spreadsheets. */
const EPOCH = Date.UTC(1899, 11, 30);
/** 1900-03-01: the days before it are numbered differently by different programs. */
const FIRST_SERIAL = 61;

/** Day number of a date `YYYY-MM-DD` in a spreadsheet; null when it is no date or too early for one. */
export function toDateSerial(text: string): number | null {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (!match) return null;
  const at = new Date(`${text}T00:00:00Z`);
  if (Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== text) return null;
  const serial = (at.getTime() - EPOCH) / DAY_MS;
  return serial >= FIRST_SERIAL ? serial : null;
}
