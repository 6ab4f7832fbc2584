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

/** Beginning of a node in the text that `renderTree` makes; inside a text the quotes would be escaped. */
const NODE = /\{"id":(\d+),"schema_id":/g;

/**
 * The body of `GET content` as JSON text: the tree, and its copy under an old name. A table of thousands of rows is tens of
 * megabytes, so the text is not taken apart for the URLs to be put in.
 */
export function contentToText(treeJson: string, annotationId: number, urls: ApiUrls): Buffer {
  const url = JSON.stringify(urls.contentNode(annotationId, 0)).slice(0, -2).replaceAll('$', '$$$$');
  const tree = Buffer.from((treeJson || '[]').replace(NODE, `{"id":$1,"url":${url}$1","schema_id":`));
  return Buffer.concat([Buffer.from('{"content":'), tree, Buffer.from(',"results":'), tree, Buffer.from('}')]);
}
