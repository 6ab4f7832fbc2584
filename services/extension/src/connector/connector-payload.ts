import { type SchemaContent, schemaIndex } from '@intake/schema';

/** A node of the content as the annotation service gives it. */
export interface ContentNode {
  readonly id: number;
  readonly schema_id?: string;
  readonly category?: string;
  readonly children?: readonly ContentNode[];
  readonly content?: Readonly<Record<string, unknown>> | null;
  readonly validation_sources?: readonly string[];
}

/** The content as connectors get it: ids are texts, datapoints flat, values normalized. API: hooks-and-connectors.md section 7.2. */
export function connectorContent(nodes: readonly ContentNode[], schema: SchemaContent): object[] {
  const { datapoints } = schemaIndex(schema);
  const show = ({ id, category, schema_id, children, content, validation_sources }: ContentNode): object => {
    const own = { id: String(id), category, schema_id };
    if (category !== 'datapoint') return { ...own, children: (children ?? []).map(show) };
    return {
      ...own,
      page: content?.page ?? null,
      position: content?.position ?? null,
      rir_position: content?.rir_position ?? null,
      rir_confidence: content?.rir_confidence ?? null,
      value: content ? (content.normalized_value ?? content.value ?? '') : null,
      validation_sources: validation_sources ?? [],
      type: datapoints.get(schema_id ?? '')?.type ?? 'string',
    };
  };
  return nodes.map(show);
}
