import type { SchemaContent } from './schema-content';

/** Attributes that the clients' models cannot read as null. */
const NON_NULLABLE = new Set([
  'hidden',
  'disable_prediction',
  'can_export',
  'can_collapse',
  'stretch',
  'show_grid_by_default',
  'constraints',
]);

/**
 * Content as it is stored: attributes that clients cannot read as null and that were sent as null are left out
 * (API: schemas.md section 2). Everything else is kept as it is; the argument is not modified.
 *
 * @param content what {@link checkSchemaContent} accepted
 */
export function cleanSchemaContent(content: unknown): SchemaContent {
  return (content as unknown[]).map(cleanNode) as SchemaContent;
}

function cleanNode(node: unknown): unknown {
  const entries = Object.entries(node as Record<string, unknown>)
    .filter(([attribute, value]) => !(value === null && NON_NULLABLE.has(attribute)))
    .map(([attribute, value]) => [attribute, attribute === 'children' ? cleanChildren(value) : value]);
  return Object.fromEntries(entries);
}

function cleanChildren(children: unknown): unknown {
  if (Array.isArray(children)) return children.map(cleanNode);
  return typeof children === 'object' && children !== null ? cleanNode(children) : children;
}
