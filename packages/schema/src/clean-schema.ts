import type { SchemaContent } from './schema-content';

/**
 * Content as it is stored: attributes that clients cannot read as null and that were sent as null are left out
 * (API: schemas.md section 2). Everything else is kept as it is; the argument is not modified.
 */
export function cleanSchemaContent(_content: SchemaContent): SchemaContent {
  throw new Error('not built yet');
}
