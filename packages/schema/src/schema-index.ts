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
export function childrenOf(node: SchemaNode): (Multivalue | Tuple | Datapoint)[] {
  if (node.category === 'datapoint') return [];
  return node.category === 'multivalue' ? [node.children] : node.children;
}

/** Makes the look-ups for content that {@link checkSchemaContent} accepted. */
export function schemaIndex(content: SchemaContent): SchemaIndex {
  const nodes = new Map<string, SchemaNode>();
  const datapoints = new Map<string, Datapoint>();
  const parents = new Map<string, SchemaNode>();
  const multivalues = new Map<string, Multivalue>();

  const visit = (node: SchemaNode, parent: SchemaNode | null, above: Multivalue | null) => {
    const multivalue = above ?? (node.category === 'multivalue' ? node : null);
    nodes.set(node.id, node);
    if (parent) parents.set(node.id, parent);
    if (multivalue) multivalues.set(node.id, multivalue);
    if (node.category === 'datapoint') datapoints.set(node.id, node);
    for (const child of childrenOf(node)) visit(child, node, multivalue);
  };
  for (const section of content) visit(section, null, null);

  const pathOf = (id: string): string[] => {
    if (!nodes.has(id)) return [];
    const parent = parents.get(id);
    return parent ? [...pathOf(parent.id), id] : [id];
  };

  return {
    nodes,
    datapoints,
    parentOf: (id) => parents.get(id) ?? null,
    pathOf,
    multivalueOf: (id) => multivalues.get(id) ?? null,
  };
}
