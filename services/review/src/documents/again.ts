/** The state that tries again what failed. API: states.md section 3. */
export const AGAIN: Readonly<Record<string, string>> = { failed_import: 'importing', failed_export: 'exporting' };
