import type { SchemaContent } from '../schema-content';
import type { ContentNode } from './content-node';
import type { ContentMessage } from './message';

/**
 * The standard checks: types, constraints and number of rows (API: annotation-content.md section 6, schemas.md
 * section 4).
 *
 * @param options.skipHidden leaves out messages of hidden nodes; default false
 */
export function checkContent(
  _schema: SchemaContent,
  _nodes: readonly ContentNode[],
  _options: { skipHidden?: boolean } = {},
): ContentMessage[] {
  throw new Error('not built yet');
}
