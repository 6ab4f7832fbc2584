import type { SchemaContent } from '../schema-content';

export interface SchemaTemplate {
  name: string;
  content: SchemaContent;
}

/** The template with a name or an alias of API: schemas.md section 1; undefined for an unknown one. */
export function templateByName(_name: string): SchemaTemplate | undefined {
  throw new Error('not built yet');
}
