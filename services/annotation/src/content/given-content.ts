import { type FieldErrors, Refusal } from '@intake/rpc';
import { applyOperations, type ContentNode, type SchemaContent, type WriteContext } from '@intake/schema';

/** A node of given content, as it was sent. API: annotations.md section 3, `content_data`. */
interface GivenNode {
  readonly category?: unknown;
  readonly schema_id?: unknown;
  readonly content?: unknown;
  readonly validation_sources?: unknown;
  readonly children?: unknown;
}

/** It is kept in the row of the annotation until the extraction; a row of MongoDB has 16 MB, with all else. */
const MAX_GIVEN_BYTES = 8 * 1024 * 1024;

/** Why given content is not taken, in words; null: it is. */
export function findGivenProblem(givenJson: string | null): string | null {
  const isTooLarge = givenJson !== null && Buffer.byteLength(givenJson) > MAX_GIVEN_BYTES;
  return isTooLarge ? 'More than 8 MB cannot be given here: add the rest by content/operations.' : null;
}

/**
 * Puts given values into content: datapoints get theirs, tables and lists the given rows instead of their own.
 *
 * @param given the list of nodes as it was sent
 * @returns all nodes; throws INVALID with `content_data` for what does not fit the schema
 */
export function applyGiven(
  schema: SchemaContent,
  nodes: readonly ContentNode[],
  given: unknown,
  allocateId: WriteContext['allocateId'],
): readonly ContentNode[] {
  const bySchemaId = new Map<string, ContentNode>();
  for (const node of nodes) if (!bySchemaId.has(node.schemaId)) bySchemaId.set(node.schemaId, node);
  const operations = listOf(given).flatMap((node) => operationsOf(node, nodes, bySchemaId));
  const result = applyOperations(schema, nodes, operations, { allocateId, source: 'document' });
  if (result.errors) throw wrong(firstMessage(result.errors) ?? 'The values do not fit the schema.');
  return result.nodes;
}

function operationsOf(
  given: GivenNode,
  nodes: readonly ContentNode[],
  bySchemaId: ReadonlyMap<string, ContentNode>,
): object[] {
  const { category, schema_id, children } = given;
  if (category === 'section') {
    return listOf(children ?? []).flatMap((child) => operationsOf(child, nodes, bySchemaId));
  }
  const node = bySchemaId.get(String(schema_id));
  if (!node || node.category !== category) {
    throw wrong(`There is no ${String(category)} "${String(schema_id)}" in the schema of the queue.`);
  }
  if (category === 'datapoint') return [{ op: 'replace', id: node.id, value: settableOf(given) }];
  const own = nodes.filter(({ parentId }) => parentId === node.id);
  return [
    ...own.map(({ id }) => ({ op: 'remove', id })),
    ...listOf(children ?? []).map((row) => ({
      op: 'add',
      id: node.id,
      value: row.category === 'tuple' ? listOf(row.children ?? []).map(cellOf) : cellOf(row),
    })),
  ];
}

function settableOf({ content, validation_sources }: GivenNode): object {
  return { ...(content !== undefined && { content }), ...(validation_sources !== undefined && { validation_sources }) };
}

function cellOf(given: GivenNode): object {
  return { schema_id: given.schema_id, ...settableOf(given) };
}

function listOf(value: unknown): GivenNode[] {
  const isNode = (one: unknown) => typeof one === 'object' && one !== null && !Array.isArray(one);
  if (!Array.isArray(value) || !value.every(isNode)) throw wrong('Expected a list of nodes.');
  return value as GivenNode[];
}

function wrong(message: string): Refusal {
  return new Refusal('INVALID', { fields: { content_data: [message] } });
}

function firstMessage(errors: FieldErrors | FieldErrors[string]): string | null {
  if (typeof errors === 'string') return errors;
  for (const inner of Object.values(errors)) {
    const message = firstMessage(inner as FieldErrors);
    if (message) return message;
  }
  return null;
}

/** A node whose number, and its parent's, is higher by `first`. */
export function shiftIds(node: ContentNode, first: number): ContentNode {
  return { ...node, id: node.id + first, parentId: node.parentId === null ? null : node.parentId + first };
}
