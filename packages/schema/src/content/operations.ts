import type { SchemaContent } from '../schema-content';
import type { ContentResult } from './content-change';
import type { ContentNode } from './content-node';
import type { WriteContext } from './write-context';

/**
 * Applies `replace`, `add` and `remove` in order, all or none (API: annotation-content.md section 4.1).
 *
 * @param operations the list as it was sent
 * @returns the change, or `{errors: {operations: [...]}}`
 */
export function applyOperations(
  _schema: SchemaContent,
  _nodes: readonly ContentNode[],
  _operations: unknown,
  _context: WriteContext,
): ContentResult {
  throw new Error('not built yet');
}

/** Appends an empty item to a multivalue (API: annotation-content.md section 4, `add_empty`). */
export function addEmptyItem(
  _schema: SchemaContent,
  _nodes: readonly ContentNode[],
  _multivalueId: number,
  _context: WriteContext,
): ContentResult {
  throw new Error('not built yet');
}
