import type { ContentChange } from './content-change';
import type { ContentNode } from './content-node';

/** What is to be written, so that the content becomes `after`. */
export function compareContent(before: readonly ContentNode[], after: readonly ContentNode[]): ContentChange {
  const old = new Map(before.map((node) => [node.id, node]));
  const kept = new Set(after.map(({ id }) => id));
  const isChanged = (node: ContentNode) => {
    const was = old.get(node.id);
    return was !== undefined && !isSameNode(node, was);
  };
  return {
    nodes: [...after],
    changed: after.filter(isChanged),
    added: after.filter(({ id }) => !old.has(id)),
    removed: before.filter(({ id }) => !kept.has(id)).map(({ id }) => id),
  };
}

/** Whether two nodes say the same, in whatever order their keys are. */
export function isSameNode(one: ContentNode, other: ContentNode): boolean {
  if (one === other || JSON.stringify(one) === JSON.stringify(other)) return true;
  return sortedJson(one) === sortedJson(other);
}

function sortedJson(node: ContentNode): string {
  return JSON.stringify(node, (_key, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
}
