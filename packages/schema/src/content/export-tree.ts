import type { DatapointType, SchemaContent } from '../schema-content';
import { type SchemaIndex, schemaIndex } from '../schema-index';
import type { ContentNode, DatapointContent } from './content-node';
import { groupByParent } from './content-tree';

/** What an export shows of a node. */
export interface ExportedNode extends Pick<ContentNode, 'id' | 'parentId' | 'index' | 'category' | 'schemaId'> {
  readonly content: Pick<DatapointContent, 'value' | 'normalizedValue' | 'rirConfidence'> | null;
}

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
export function exportTree(schema: SchemaContent, nodes: readonly ExportedNode[]): ExportGroup[] {
  const index = schemaIndex(schema);
  const children = groupByParent(nodes);
  const exportBelow = (id: number): ExportNode[] =>
    (children.get(id) ?? []).flatMap((child): ExportNode[] =>
      child.category === 'datapoint' ? exportDatapoint(index, child) : [exportGroup(child, child.category)],
    );
  const exportGroup = ({ id, schemaId }: ExportedNode, category: ExportGroup['category']): ExportGroup => ({
    category,
    schema_id: schemaId,
    children: exportBelow(id),
  });
  return (children.get(null) ?? []).map((section) => exportGroup(section, 'section'));
}

function exportDatapoint(index: SchemaIndex, { schemaId, content }: ExportedNode): ExportDatapoint[] {
  const datapoint = index.datapoints.get(schemaId);
  if (!datapoint || !content || datapoint.type === 'button' || datapoint.can_export === false) return [];
  const { rirConfidence, normalizedValue, value } = content;
  return [
    {
      category: 'datapoint',
      schema_id: schemaId,
      rir_confidence: rirConfidence,
      value: normalizedValue ?? value,
      type: datapoint.type,
    },
  ];
}
