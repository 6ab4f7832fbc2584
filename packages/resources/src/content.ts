import type { ApiUrls } from '@intake/urls';

/** A node of a content tree as the annotation service gives it: everything but its URL. */
interface Node {
  readonly id: number;
  readonly schema_id?: string;
  readonly children?: readonly Node[];
}

/** Adds the URL to a node and to all below it. API: annotation-content.md section 1. */
export function nodeToJson(node: Node, annotationId: number, urls: ApiUrls): object {
  const { id, children, ...rest } = node;
  return {
    id,
    url: urls.contentNode(annotationId, id),
    ...rest,
    ...(children && { children: children.map((child) => nodeToJson(child, annotationId, urls)) }),
  };
}

/** A list of nodes from the JSON text that an rpc carries. */
export function readNodes(json: string): readonly Node[] {
  if (json === '') return [];
  const value = JSON.parse(json) as Node | readonly Node[];
  return Array.isArray(value) ? value : [value as Node];
}

/** The body of `GET content`: the tree, and its copy under an old name. */
export function contentToJson(treeJson: string, annotationId: number, urls: ApiUrls) {
  const content = readNodes(treeJson).map((node) => nodeToJson(node, annotationId, urls));
  return { content, results: content };
}

/**
 * The nodes of an annotation whose `schema_id` is asked for, as one flat list: datapoints alone, multivalues and tuples
 * with what is in them. API: annotations.md section 2, sideload of content.
 */
export function findNodes(nodes: readonly Node[], schemaIds: ReadonlySet<string>): Node[] {
  return nodes.flatMap((node) => [
    ...(node.schema_id !== undefined && schemaIds.has(node.schema_id) ? [node] : []),
    ...findNodes(node.children ?? [], schemaIds),
  ]);
}
