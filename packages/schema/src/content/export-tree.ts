import type { DatapointType, SchemaContent } from '../schema-content';
import type { ContentNode } from './content-node';

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
 */
export function exportTree(_schema: SchemaContent, _nodes: readonly ContentNode[]): ExportGroup[] {
  throw new Error('not built yet');
}
