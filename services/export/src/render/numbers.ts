/** Whether text is a number in the form of an export: plain decimal, `.` before the fraction, no grouping. */
export function isNumber(text: string): boolean {
  return /^[+-]?\d+(\.\d+)?$/.test(text);
}

/** Whether a spreadsheet's floating point number keeps every digit of the text. */
export function isExactInSpreadsheet(text: string): boolean {
  const digits = text.replace(/[+\-.]/g, '').replace(/^0+/, '');
  return isNumber(text) && digits.length <= 15;
}

/** Spreadsheets number the days before differently. */
const FIRST_DATE = Date.UTC(1900, 2, 1);

/** Midnight UTC of a date `YYYY-MM-DD`; null when it is no date or too early for a spreadsheet. */
export function toSpreadsheetDate(text: string): Date | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return null;
  const at = new Date(`${text}T00:00:00Z`);
  const isDate = !Number.isNaN(at.getTime()) && at.toISOString().slice(0, 10) === text;
  return isDate && at.getTime() >= FIRST_DATE ? at : null;
}
