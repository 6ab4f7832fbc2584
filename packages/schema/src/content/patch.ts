import type { FieldErrors } from '../checking/field-errors';
import { isObject, type JsonObject, NOT_AN_INTEGER, notAList, notAnObject, ownValue, REQUIRED } from '../json';
import type { SchemaContent } from '../schema-content';
import { schemaIndex } from '../schema-index';
import type { ContentResult } from './content-change';
import type { ContentNode } from './content-node';
import { Draft } from './draft';
import { readAttributes } from './given-attributes';
import { nodeIdFrom, notFound } from './node-id';
import type { WriteContext } from './write-context';
import { type WriteRules, writeNode } from './write-node';

/**
 * PATCH of one node: sets the attributes that are given (API: annotation-content.md section 4).
 *
 * @param patch the body as it was sent
 * @returns the change, or errors by attribute; an unknown node gives `{errors: {id: [...]}}`
 */
export function patchNode(
  schema: SchemaContent,
  nodes: readonly ContentNode[],
  id: number,
  patch: unknown,
  context: Omit<WriteContext, 'allocateId'>,
): ContentResult {
  const draft = new Draft(nodes, schemaIndex(schema));
  const node = draft.find(id);
  if (!node) return { errors: { id: [notFound(id)] } };
  if (!isObject(patch)) return { errors: { non_field_errors: [notAnObject(patch)] } };
  const errors = patchOne(draft, node, patch, rulesOf(context));
  return errors ? { errors } : draft.finish();
}

/**
 * PATCH of the tree: nodes are matched by id, else by schema id within their parent, rows without id by position
 * (API: annotation-content.md section 4). Missing nodes are kept; rows are neither added nor removed.
 *
 * @param content the list of sections of the body as it was sent
 * @returns the change, or `{errors: {content: [...]}}` nested as the tree that was sent
 */
export function patchTree(
  schema: SchemaContent,
  nodes: readonly ContentNode[],
  content: unknown,
  context: Omit<WriteContext, 'allocateId'>,
): ContentResult {
  if (content === undefined) return { errors: { content: [REQUIRED] } };
  if (!Array.isArray(content)) return { errors: { content: [notAList(content)] } };
  const draft = new Draft(nodes, schemaIndex(schema));
  const errors = patchSiblings(draft, null, content, rulesOf(context));
  return errors ? { errors: { content: errors } } : draft.finish();
}

function rulesOf(context: Omit<WriteContext, 'allocateId'>): WriteRules {
  const { source, pageCount } = context;
  const defaultSources: WriteRules['defaultSources'] = ({ valueChanged }) => (valueChanged ? [] : null);
  return { defaultSources, normalizedValue: 'ignore', source, pageCount };
}

function patchOne(draft: Draft, node: ContentNode, patch: JsonObject, rules: WriteRules): FieldErrors | null {
  const read = readAttributes(patch);
  if (read.errors) return read.errors;
  const schemaNode = draft.schemaOf(node);
  if (!schemaNode) return null;
  const written = writeNode(node, schemaNode, read.given, rules);
  if (written.errors) return written.errors;
  draft.replace(written.node);
  return null;
}

function patchSiblings(
  draft: Draft,
  parent: ContentNode | null,
  given: unknown[],
  rules: WriteRules,
): FieldErrors[] | null {
  const siblings = draft.childrenOf(parent?.id ?? null);
  const errors = given.map((patch, position): FieldErrors => {
    if (!isObject(patch)) return { non_field_errors: [notAnObject(patch)] };
    const match = matchNode(draft, siblings, patch, parent?.category === 'multivalue' ? position : null);
    return match.errors ?? patchSubtree(draft, match.node, patch, rules);
  });
  return errors.some((error) => Object.keys(error).length > 0) ? errors : null;
}

function patchSubtree(draft: Draft, node: ContentNode, patch: JsonObject, rules: WriteRules): FieldErrors {
  const errors: FieldErrors = patchOne(draft, node, patch, rules) ?? {};
  const children = ownValue(patch, 'children');
  if (children === undefined || node.category === 'datapoint') return errors;
  const below = Array.isArray(children) ? patchSiblings(draft, node, children, rules) : [notAList(children)];
  return below ? { ...errors, children: below } : errors;
}

/** @param rowPosition position among the rows that were sent, null for nodes that are no rows */
function matchNode(
  draft: Draft,
  siblings: readonly ContentNode[],
  patch: JsonObject,
  rowPosition: number | null,
): { node: ContentNode; errors?: undefined } | { errors: FieldErrors } {
  const givenId = ownValue(patch, 'id');
  if (givenId !== undefined && givenId !== null) {
    const id = nodeIdFrom(givenId);
    if (id === null) return { errors: { id: [NOT_AN_INTEGER] } };
    const node = draft.find(id);
    return node ? { node } : { errors: { id: [notFound(id)] } };
  }
  if (rowPosition !== null) {
    const node = siblings[rowPosition];
    return node ? { node } : { errors: { non_field_errors: ['There is no such row.'] } };
  }
  const schemaId = ownValue(patch, 'schema_id');
  if (schemaId === undefined) return { errors: { schema_id: [REQUIRED] } };
  const node = siblings.find((sibling) => sibling.schemaId === schemaId);
  return node
    ? { node }
    : { errors: { schema_id: [`${JSON.stringify(schemaId)} is not in this place of the schema.`] } };
}
