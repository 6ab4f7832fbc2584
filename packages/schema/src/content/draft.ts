import { renumberGrid } from '../grid/grid-part';
import type { SchemaNode } from '../schema-content';
import type { SchemaIndex } from '../schema-index';
import { isSameNode } from './compare-content';
import type { ContentChange } from './content-change';
import type { ContentNode } from './content-node';
import { newNode } from './new-node';

/**
 * The nodes of an annotation while a write is applied to them. What was given is never modified: a changed node is
 * replaced.
 */
export class Draft {
  private readonly before: ReadonlyMap<number, ContentNode>;
  private readonly current: Map<number, ContentNode>;
  private readonly children = new Map<number | null, ContentNode[]>();
  private readonly touched = new Set<number>();
  private readonly added = new Set<number>();
  private readonly removed: number[] = [];

  constructor(
    nodes: readonly ContentNode[],
    readonly schema: SchemaIndex,
  ) {
    this.before = new Map(nodes.map((node) => [node.id, node]));
    this.current = new Map(this.before);
    for (const node of nodes) this.siblings(node.parentId).push(node);
  }

  /** A node that was there before the write and still is; nodes that the write made are not found. */
  find(id: number): ContentNode | undefined {
    return this.added.has(id) ? undefined : this.current.get(id);
  }

  schemaOf(node: ContentNode): SchemaNode | undefined {
    return this.schema.nodes.get(node.schemaId);
  }

  /** Children that were there before the write, in their order. */
  childrenOf(parentId: number | null): ContentNode[] {
    return (this.children.get(parentId) ?? [])
      .flatMap(({ id }) => this.find(id) ?? [])
      .sort((one, other) => one.index - other.index);
  }

  /** Children as they are now, those that the write made too. */
  presentChildrenOf(parentId: number): ContentNode[] {
    return this.siblings(parentId).flatMap(({ id }) => this.current.get(id) ?? []);
  }

  replace(node: ContentNode): void {
    this.current.set(node.id, node);
    if (!this.added.has(node.id)) this.touched.add(node.id);
  }

  /** Appends an empty node of the schema to a parent. */
  append(schemaNode: SchemaNode, parent: ContentNode, id: number): ContentNode {
    const siblings = this.siblings(parent.id);
    const index = siblings.reduce((last, sibling) => Math.max(last, sibling.index), -1) + 1;
    const node = newNode(schemaNode, id, parent.id, index);
    siblings.push(node);
    this.added.add(id);
    this.current.set(id, node);
    return node;
  }

  /** Removes a node with everything below it; a row from the grid of its table too. */
  remove(node: ContentNode): void {
    const parent = node.parentId === null ? undefined : this.current.get(node.parentId);
    if (parent?.grid) {
      this.replace({ ...parent, grid: renumberGrid(parent.grid, (id) => (id === node.id ? null : id)) });
    }
    for (const child of [...this.siblings(node.id)]) {
      const present = this.current.get(child.id);
      if (present) this.remove(present);
    }
    this.current.delete(node.id);
    if (!this.added.delete(node.id)) this.removed.push(node.id);
  }

  finish(): ContentChange {
    const changed = [...this.touched].flatMap((id) => {
      const node = this.current.get(id);
      return node && !isSameNode(node, this.before.get(id)!) ? [node] : [];
    });
    const added = [...this.added].map((id) => this.current.get(id)!);
    return { nodes: [...this.current.values()], changed, added, removed: this.removed };
  }

  private siblings(parentId: number | null): ContentNode[] {
    const known = this.children.get(parentId);
    if (known) return known;
    const empty: ContentNode[] = [];
    this.children.set(parentId, empty);
    return empty;
  }
}
