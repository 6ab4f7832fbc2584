/**
 * Reads a number as a person or the engine wrote it (API: annotation-content.md section 2).
 *
 * @param format of the schema; undefined is the default `# ##0.#`, null means no thousands separator
 * @returns the number as plain decimal text with the digits given (`1234.50`), null if it is none
 */
export function parseNumber(_text: string, _format?: string | null): { normalized: string } | null {
  throw new Error('not built yet');
}

/** Writes a plain decimal (`-1234.50`) in a format; formats without decimals cut nothing: the digits given are kept. */
export function formatNumber(_normalized: string, _format?: string | null): string {
  throw new Error('not built yet');
}
