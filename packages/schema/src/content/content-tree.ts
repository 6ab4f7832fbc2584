import type { EnumOption, NodeCategory } from '../schema-content';
import type { ContentNode, DatapointContent } from './content-node';

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
export function nodesToTree(nodes: readonly ContentNode[]): ContentTreeNode[] {
  const children = groupByParent(nodes);
  const nest = (node: ContentNode): ContentTreeNode => ({ ...node, children: (children.get(node.id) ?? []).map(nest) });
  return (children.get(null) ?? []).map(nest);
}

/** Children by the id of their parent, in their order; sections under null. */
export function groupByParent<N extends Pick<ContentNode, 'parentId' | 'index'>>(
  nodes: readonly N[],
): Map<number | null, N[]> {
  const children = new Map<number | null, N[]>();
  for (const node of nodes) {
    const siblings = children.get(node.parentId);
    if (siblings) siblings.push(node);
    else children.set(node.parentId, [node]);
  }
  for (const siblings of children.values()) siblings.sort((a, b) => a.index - b.index);
  return children;
}

type Children = ReadonlyMap<number | null, readonly ContentNode[]>;

/** The whole tree as the API answers it. */
export function renderTree(nodes: readonly ContentNode[]): ApiContentNode[] {
  return renderChildren(null, groupByParent(nodes));
}

/** One node with everything below it as the API answers it; null for an unknown id. */
export function renderNode(nodes: readonly ContentNode[], id: number): ApiContentNode | null {
  return renderNodes(nodes, [id])[0] ?? null;
}

/** Some nodes, each with everything below it, in the order of the ids; unknown ones are left out. */
export function renderNodes(nodes: readonly ContentNode[], ids: readonly number[]): ApiContentNode[] {
  const children = groupByParent(nodes);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return ids.flatMap((id) => byId.get(id) ?? []).map((node) => render(node, children));
}

function renderChildren(parentId: number | null, children: Children): ApiContentNode[] {
  return (children.get(parentId) ?? []).map((child) => render(child, children));
}

function render(node: ContentNode, children: Children): ApiContentNode {
  const { id, schemaId, category } = node;
  const common = { id, schema_id: schemaId, category };
  switch (category) {
    case 'section':
      return { ...common, children: renderChildren(id, children) };
    case 'multivalue':
      return {
        ...common,
        children: renderChildren(id, children),
        ...renderTimes(node),
        time_spent_grid: node.timeSpentGrid ?? 0,
        time_spent_grid_overall: node.timeSpentGridOverall ?? 0,
        hidden: node.hidden,
        ...(node.grid === undefined ? {} : { grid: node.grid }),
      };
    case 'tuple':
      return { ...common, children: renderChildren(id, children), hidden: node.hidden };
    case 'datapoint':
      return {
        ...common,
        content: node.content && renderContent(node.content),
        validation_sources: [...node.validationSources],
        ...renderTimes(node),
        hidden: node.hidden,
        ...(node.options ? { options: node.options } : {}),
        ...(node.noRecalculation === undefined ? {} : { no_recalculation: node.noRecalculation }),
      };
  }
}

function renderTimes(node: ContentNode): Pick<ApiContentNode, 'time_spent' | 'time_spent_overall'> {
  return { time_spent: node.timeSpent, time_spent_overall: node.timeSpentOverall };
}

function renderContent(content: DatapointContent): Record<string, unknown> {
  return {
    value: content.value,
    normalized_value: content.normalizedValue,
    page: content.page,
    position: content.position,
    rir_text: content.rirText,
    rir_raw_text: content.rirRawText,
    rir_page: content.rirPage,
    rir_position: content.rirPosition,
    rir_confidence: content.rirConfidence,
    connector_text: content.connectorText,
    connector_position: content.connectorPosition,
    ocr_text: content.ocrText,
    ocr_raw_text: content.ocrRawText,
    ocr_position: content.ocrPosition,
  };
}
