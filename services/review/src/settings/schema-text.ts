import type { SchemaNode } from '../api/types';
import { childrenOf, indexSchema } from '../review/content';

/** What a text holds: the content of a schema, or why it is none. */
export type Parsed = { readonly content: readonly SchemaNode[] } | { readonly problem: string };

export function parseContent(text: string): Parsed {
  try {
    const content: unknown = JSON.parse(text);
    return Array.isArray(content) && content.every(isNode)
      ? { content: content as SchemaNode[] }
      : { problem: 'a list of sections is needed, each with children that are objects' };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

/** Whether the tree can be walked; what is wrong inside of it, the service says. */
function isNode(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { children } = value as { readonly children?: unknown };
  return children === undefined || children === null || (Array.isArray(children) ? children : [children]).every(isNode);
}

/** Errors of the API with the way to where they are: `content 1 › children 2 › id: This field is required.` */
export function problemsOf(errors: unknown, path: readonly string[] = []): string[] {
  if (typeof errors === 'string') return [`${path.join(' › ')}: ${errors}`];
  if (Array.isArray(errors)) {
    return errors.flatMap((error, i) =>
      problemsOf(error, typeof error === 'string' ? path : [...path.slice(0, -1), `${path.at(-1) ?? ''} ${i + 1}`]),
    );
  }
  if (typeof errors !== 'object' || errors === null) return [];
  return Object.entries(errors).flatMap(([key, value]) => problemsOf(value, [...path, key]));
}

export interface SchemaChange {
  readonly kind: 'added' | 'removed' | 'changed';
  readonly id: string;
  readonly label: string;
}

/** What saving a schema does to its fields. */
export function changesBetween(before: readonly SchemaNode[], after: readonly SchemaNode[]): SchemaChange[] {
  const [old, now] = [indexSchema(before), indexSchema(after)];
  const change = (kind: SchemaChange['kind'], { id, label }: SchemaNode) => ({ kind, id, label });
  const own = (node: SchemaNode) => JSON.stringify({ ...node, children: childrenOf(node).map(({ id }) => id) });
  return [
    ...[...now.values()].filter(({ id }) => !old.has(id)).map((node) => change('added', node)),
    ...[...old.values()].filter(({ id }) => !now.has(id)).map((node) => change('removed', node)),
    ...[...now.values()].flatMap((node) => {
      const other = old.get(node.id);
      return other && own(other) !== own(node) ? [change('changed', node)] : [];
    }),
  ];
}
