import type { SchemaContent } from '../schema-content';
import type { ContentNode } from './content-node';
import type { ContentMessage } from './message';

/** Exact sums of the columns that ask for one, one message per column (API: annotation-content.md section 6). */
export function aggregateContent(_schema: SchemaContent, _nodes: readonly ContentNode[]): ContentMessage[] {
  throw new Error('not built yet');
}
