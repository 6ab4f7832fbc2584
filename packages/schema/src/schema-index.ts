import type { Datapoint, Multivalue, SchemaContent, SchemaNode, Tuple } from './schema-content';

/** Look-ups in the content of a schema. */
export interface SchemaIndex {
  /** Every node by id, in the order of the schema, parents first. */
  nodes: ReadonlyMap<string, SchemaNode>;
  /** Datapoints by id, in the order of the schema. */
  datapoints: ReadonlyMap<string, Datapoint>;
  /** The node that holds a node; null for sections and unknown ids. */
  parentOf(id: string): SchemaNode | null;
  /** Ids from the section down to the node itself; empty for an unknown id. */
  pathOf(id: string): string[];
  /** The multivalue that the node is or lies in. */
  multivalueOf(id: string): Multivalue | null;
}

/** Children of a schema node as a list, whatever the category. */
export function childrenOf(_node: SchemaNode): (Multivalue | Tuple | Datapoint)[] {
  throw new Error('not built yet');
}

/** Makes the look-ups for content that {@link checkSchemaContent} accepted. */
export function schemaIndex(_content: SchemaContent): SchemaIndex {
  throw new Error('not built yet');
}
