import type { EnumOption, NodeCategory } from '../schema-content';
import type { ContentNode } from './content-node';

/** A stored node with its children in their order. */
export interface ContentTreeNode extends ContentNode {
  children: ContentTreeNode[];
}

/** A node as the API answers it, without `url` (API: annotation-content.md sections 1 and 2). */
export interface ApiContentNode {
  id: number;
  schema_id: string;
  category: NodeCategory;
  content?: Record<string, unknown> | null;
  validation_sources?: string[];
  time_spent?: number;
  time_spent_overall?: number;
  time_spent_grid?: number;
  time_spent_grid_overall?: number;
  hidden?: boolean;
  options?: EnumOption[];
  no_recalculation?: boolean;
  grid?: Record<string, unknown> | null;
  children?: ApiContentNode[];
}

/** Nests stored nodes, sections first. Nodes whose parent is missing are left out. */
export function nodesToTree(_nodes: readonly ContentNode[]): ContentTreeNode[] {
  throw new Error('not built yet');
}

/** The whole tree as the API answers it. */
export function renderTree(_nodes: readonly ContentNode[]): ApiContentNode[] {
  throw new Error('not built yet');
}

/** One node with everything below it as the API answers it; null for an unknown id. */
export function renderNode(_nodes: readonly ContentNode[], _id: number): ApiContentNode | null {
  throw new Error('not built yet');
}
