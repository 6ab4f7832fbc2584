import type { FieldErrors } from './field-errors';

/**
 * Checks the content of a schema (API: schemas.md sections 2 to 6).
 *
 * @param options.allowEmpty accepts `[]`, a schema that is not set up yet; default false
 * @returns null when nothing is wrong, else `{content: ...}` as the 400 answer carries it
 */
export function checkSchemaContent(_content: unknown, _options: { allowEmpty?: boolean } = {}): FieldErrors | null {
  throw new Error('not built yet');
}
