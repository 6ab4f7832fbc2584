import type { DatapointType, SchemaContent } from '../schema-content';
import { type SchemaIndex, schemaIndex } from '../schema-index';
import type { ContentNode } from './content-node';
import { type ContentTreeNode, nodesToTree } from './content-tree';

/** A node of exported content, with the keys and their order of API: export.md section 6. */
export type ExportNode = ExportGroup | ExportDatapoint;

export interface ExportGroup {
  category: 'section' | 'multivalue' | 'tuple';
  schema_id: string;
  children: ExportNode[];
}

export interface ExportDatapoint {
  category: 'datapoint';
  schema_id: string;
  rir_confidence: number | null;
  /** Normalized where it can be, else as it was written; empty is `''`. */
  value: string;
  type: DatapointType;
}

/**
 * The content of an annotation for export: no buttons, nothing with `can_export: false`, hidden nodes included (API:
 * export.md section 2). No nodes give `[]`.
 *
 * @param schema the annotation's own
 */
export function exportTree(schema: SchemaContent, nodes: readonly ContentNode[]): ExportGroup[] {
  const index = schemaIndex(schema);
  return nodesToTree(nodes).map((section) => exportGroup(index, section, 'section'));
}

function exportGroup(index: SchemaIndex, node: ContentTreeNode, category: ExportGroup['category']): ExportGroup {
  const children = node.children.flatMap((child): ExportNode[] =>
    child.category === 'datapoint' ? exportDatapoint(index, child) : [exportGroup(index, child, child.category)],
  );
  return { category, schema_id: node.schemaId, children };
}

function exportDatapoint(index: SchemaIndex, node: ContentTreeNode): ExportDatapoint[] {
  const datapoint = index.datapoints.get(node.schemaId);
  if (!datapoint || !node.content || datapoint.type === 'button' || datapoint.can_export === false) return [];
  const { rirConfidence, normalizedValue, value } = node.content;
  return [
    {
      category: 'datapoint',
      schema_id: node.schemaId,
      rir_confidence: rirConfidence,
      value: normalizedValue ?? value,
      type: datapoint.type,
    },
  ];
}
