/**
 * Reads a date written in a format, or as ISO `YYYY-MM-DD` (API: annotation-content.md section 2).
 *
 * @param format of the schema (API: schemas.md section 2); default `YYYY-MM-DD`
 * @returns the ISO date, null if the text is none
 */
export function parseDate(_text: string, _format?: string | null): string | null {
  throw new Error('not built yet');
}

/** Writes an ISO date in a format. */
export function formatDate(_iso: string, _format?: string | null): string {
  throw new Error('not built yet');
}
