import type { Query } from './query';

/** The query parameters that are read here, for the OpenAPI document. */
export const FIELDS_PARAMETERS = [
  { name: 'fields', schema: { type: 'string' }, description: 'Only these attributes, separated by commas.' },
  { name: 'fields!', schema: { type: 'string' }, description: 'All attributes but these.' },
] as const;

/**
 * Keeps only the attributes that `fields=a,b` names, or drops those of `fields!=a,b` (API: README.md section 6).
 * Returns the function to apply to each object, or null when everything is wanted.
 */
export function readFields(query: Query): ((object: object) => object) | null {
  if (!query.text.includes('fields')) return null;
  const only = new Set(query.list('fields'));
  const without = new Set(query.list('fields!'));
  if (only.size === 0 && without.size === 0) return null;
  return (object) =>
    Object.fromEntries(
      Object.entries(object).filter(([key]) => (only.size === 0 || only.has(key)) && !without.has(key)),
    );
}
