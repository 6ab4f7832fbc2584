import { type ContentNode, type DatapointContent, type ExportedNode, emptyContent } from '@intake/schema';

/** A node as it is stored: what a table of thousands of rows has in nearly every cell, nothing, is left out. */
export interface NodeRow
  extends Partial<
    Pick<
      ContentNode,
      | 'validationSources'
      | 'hidden'
      | 'timeSpent'
      | 'timeSpentOverall'
      | 'timeSpentGrid'
      | 'timeSpentGridOverall'
      | 'options'
      | 'noRecalculation'
      | 'grid'
    >
  > {
  _id: number;
  annotationId: number;
  parentId: number | null;
  index: number;
  category: ContentNode['category'];
  schemaId: string;
  /** Without what is null; null or absent for nodes that hold nothing. */
  content?: Partial<DatapointContent> | null;
}

/** @returns the row; undefined stands for what is left out */
export function toRow(annotationId: number, { id, content, ...node }: ContentNode): NodeRow {
  const { parentId, index, category, schemaId, validationSources: sources } = node;
  return {
    _id: id,
    annotationId,
    parentId,
    index,
    category,
    schemaId,
    content: content ? filledOf(content) : undefined,
    validationSources: sources.length > 0 ? sources : undefined,
    hidden: node.hidden || undefined,
    timeSpent: node.timeSpent || undefined,
    timeSpentOverall: node.timeSpentOverall || undefined,
    timeSpentGrid: node.timeSpentGrid,
    timeSpentGridOverall: node.timeSpentGridOverall,
    options: node.options,
    noRecalculation: node.noRecalculation,
    grid: node.grid,
  };
}

/** The node of a row; rows of older versions say everything. */
export function toNode(row: NodeRow): ContentNode {
  const node: ContentNode = {
    id: row._id,
    parentId: row.parentId,
    index: row.index,
    category: row.category,
    schemaId: row.schemaId,
    content: row.content ? Object.assign(emptyContent(), row.content) : null,
    validationSources: row.validationSources ?? [],
    hidden: row.hidden ?? false,
    timeSpent: row.timeSpent ?? 0,
    timeSpentOverall: row.timeSpentOverall ?? 0,
  };
  if (row.timeSpentGrid !== undefined) node.timeSpentGrid = row.timeSpentGrid;
  if (row.timeSpentGridOverall !== undefined) node.timeSpentGridOverall = row.timeSpentGridOverall;
  if (row.options !== undefined) node.options = row.options;
  if (row.noRecalculation !== undefined) node.noRecalculation = row.noRecalculation;
  if (row.grid !== undefined) node.grid = row.grid;
  return node;
}

/** The fields of a row that {@link toExportedNode} reads. */
export const EXPORTED = {
  annotationId: 1,
  parentId: 1,
  index: 1,
  category: 1,
  schemaId: 1,
  'content.value': 1,
  'content.normalizedValue': 1,
  'content.rirConfidence': 1,
} as const;

/** What an export shows of a row. */
export function toExportedNode({ _id, parentId, index, category, schemaId, content }: NodeRow): ExportedNode {
  const { value = '', normalizedValue = null, rirConfidence = null } = content ?? {};
  return {
    ...{ id: _id, parentId, index, category, schemaId },
    content: content ? { value, normalizedValue, rirConfidence } : null,
  };
}

function filledOf(content: DatapointContent): Partial<DatapointContent> {
  return Object.fromEntries(Object.entries(content).filter(([, value]) => value !== null));
}
