import type { SchemaContent } from '../schema-content';
import type { ContentResult } from './content-change';
import type { ContentNode } from './content-node';
import type { WriteContext } from './write-context';

/**
 * PATCH of one node: sets the attributes that are given (API: annotation-content.md section 4).
 *
 * @param patch the body as it was sent
 * @returns the change, or errors by attribute; an unknown node gives `{errors: {id: [...]}}`
 */
export function patchNode(
  _schema: SchemaContent,
  _nodes: readonly ContentNode[],
  _id: number,
  _patch: unknown,
  _context: WriteContext,
): ContentResult {
  throw new Error('not built yet');
}

/**
 * PATCH of the tree: nodes are matched by id, else by schema id within their parent, rows without id by position
 * (API: annotation-content.md section 4). Missing nodes are kept; rows are neither added nor removed.
 *
 * @param content the list of sections of the body as it was sent
 * @returns the change, or `{errors: {content: [...]}}` nested as the tree that was sent
 */
export function patchTree(
  _schema: SchemaContent,
  _nodes: readonly ContentNode[],
  _content: unknown,
  _context: WriteContext,
): ContentResult {
  throw new Error('not built yet');
}
