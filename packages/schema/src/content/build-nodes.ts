import type { SchemaContent } from '../schema-content';
import type { ContentNode } from './content-node';
import type { Sources } from './sources';

/**
 * Makes the content of a new annotation: every node of the schema, with first values and validation sources
 * (API: schemas.md section 3, annotation-content.md section 3). Parents stand before their children.
 *
 * @param sources null when nothing was extracted (yet): values are empty or the default ones
 * @param allocateId gives the next unused id; called once per node, in the order of the result
 */
export function buildNodes(_schema: SchemaContent, _sources: Sources | null, _allocateId: () => number): ContentNode[] {
  throw new Error('not built yet');
}
