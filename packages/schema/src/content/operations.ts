import type { FieldErrors } from '../checking/field-errors';
import {
  isObject,
  type JsonObject,
  NOT_A_STRING,
  NOT_AN_INTEGER,
  notAChoice,
  notAList,
  notAnObject,
  ownValue,
  REQUIRED,
} from '../json';
import type { Datapoint, SchemaContent, Tuple } from '../schema-content';
import { schemaIndex } from '../schema-index';
import type { ContentResult } from './content-change';
import type { ContentNode } from './content-node';
import { Draft } from './draft';
import { type GivenAttributes, readAttributes, readStrings } from './given-attributes';
import { nodeIdFrom, notFound } from './node-id';
import type { WriteContext } from './write-context';
import { type WriteRules, writeNode } from './write-node';

/**
 * Applies `replace`, `add` and `remove` in order, all or none (API: annotation-content.md section 4.1).
 *
 * @param operations the list as it was sent
 * @returns the change, or `{errors: {operations: [...]}}`
 */
export function applyOperations(
  schema: SchemaContent,
  nodes: readonly ContentNode[],
  operations: unknown,
  context: WriteContext,
): ContentResult {
  if (operations === undefined) return { errors: { operations: [REQUIRED] } };
  if (!Array.isArray(operations)) return { errors: { operations: [notAList(operations)] } };
  const draft = new Draft(nodes, schemaIndex(schema));
  const errors = operations.map((operation) => applyOne(draft, operation, context) ?? {});
  if (errors.some((error) => Object.keys(error).length > 0)) return { errors: { operations: errors } };
  return draft.finish();
}

/**
 * Appends an empty item to a multivalue (API: annotation-content.md section 4, `add_empty`).
 *
 * @returns the change, or `{errors: {id: [...]}}` where there is no such multivalue
 */
export function addEmptyItem(
  schema: SchemaContent,
  nodes: readonly ContentNode[],
  multivalueId: number,
  context: WriteContext,
): ContentResult {
  const draft = new Draft(nodes, schemaIndex(schema));
  const node = draft.find(multivalueId);
  if (!node) return { errors: { id: [notFound(multivalueId)] } };
  const errors = addItem(draft, node, {}, {}, context);
  return errors ? { errors } : draft.finish();
}

function applyOne(draft: Draft, operation: unknown, context: WriteContext): FieldErrors | null {
  if (!isObject(operation)) return { non_field_errors: [notAnObject(operation)] };
  const op = ownValue(operation, 'op');
  const errors: FieldErrors = {};
  if (op === undefined) errors.op = [REQUIRED];
  else if (op !== 'replace' && op !== 'add' && op !== 'remove') errors.op = [notAChoice(op)];
  const target = findTarget(draft, ownValue(operation, 'id'));
  if (target.errors) errors.id = target.errors;
  const value = ownValue(operation, 'value');
  if (value === undefined && op !== 'remove') errors.value = [REQUIRED];
  if (Object.keys(errors).length > 0) return errors;

  const node = target.node!;
  if (op === 'remove') return removeItem(draft, node);
  return op === 'add' ? addItem(draft, node, value, operation, context) : replaceNode(draft, node, value, context);
}

function findTarget(draft: Draft, raw: unknown): { node?: ContentNode; errors?: string[] } {
  if (raw === undefined) return { errors: [REQUIRED] };
  const id = nodeIdFrom(raw);
  if (id === null) return { errors: [NOT_AN_INTEGER] };
  const node = draft.find(id);
  return node ? { node } : { errors: [notFound(id)] };
}

function replaceNode(draft: Draft, node: ContentNode, value: unknown, context: WriteContext): FieldErrors | null {
  const schemaNode = draft.schemaOf(node);
  if (schemaNode?.category !== 'datapoint') return { id: ['Only datapoints can be replaced.'] };
  if (!isObject(value)) return { value: { non_field_errors: [notAnObject(value)] } };
  const read = readSettable(value);
  if (read.errors) return { value: read.errors };
  const { source, pageCount } = context;
  const written = writeNode(node, schemaNode, read.given, {
    defaultSources: ({ contentGiven, valueChanged }) => {
      if (source === 'user') return contentGiven ? ['human'] : null;
      return valueChanged ? [] : null;
    },
    normalizedValue: 'match',
    source,
    pageCount,
  });
  if (written.errors) return { value: written.errors };
  draft.replace(written.node);
  return null;
}

function removeItem(draft: Draft, node: ContentNode): FieldErrors | null {
  const parent = node.parentId === null ? undefined : draft.find(node.parentId);
  if (parent?.category !== 'multivalue') return { id: ['Only an item of a multivalue can be removed.'] };
  draft.remove(node);
  return null;
}

function addItem(
  draft: Draft,
  multivalue: ContentNode,
  value: unknown,
  operation: JsonObject,
  context: WriteContext,
): FieldErrors | null {
  const schemaNode = draft.schemaOf(multivalue);
  if (schemaNode?.category !== 'multivalue') return { id: ['Items can be added only to a multivalue.'] };
  const rowSources = ownValue(operation, 'validation_sources');
  const sources = rowSources === undefined ? null : readStrings(rowSources);
  if (sources?.errors) return { validation_sources: sources.errors };

  const item = schemaNode.children;
  const rules = rulesOfNewCells(context, sources?.given);
  if (item.category === 'tuple') return addRow(draft, multivalue, item, value, rules, context);
  const [only, ...others] = Array.isArray(value) ? value : [value];
  if (others.length > 0 || !isObject(only)) return { value: ['Expected one object.'] };
  const errors = checkSchemaId(ownValue(only, 'schema_id') ?? item.id, [item]);
  if (errors) return { value: errors };
  const read = readSettable(only);
  if (read.errors) return { value: read.errors };
  return asValueErrors(addCell(draft, multivalue, item, read.given, rules, context));
}

function addRow(
  draft: Draft,
  table: ContentNode,
  tuple: Tuple,
  value: unknown,
  rules: WriteRules,
  context: WriteContext,
): FieldErrors | null {
  const cells = Array.isArray(value) ? readCellList(value, tuple) : readCellObject(value, tuple);
  if (cells.errors) return { value: cells.errors };
  const row = draft.append(tuple, table, context.allocateId());
  for (const datapoint of tuple.children) {
    const errors = addCell(draft, row, datapoint, cells.given.get(datapoint.id) ?? {}, rules, context);
    if (errors) return { value: cells.nest(datapoint.id, errors) };
  }
  return null;
}

function addCell(
  draft: Draft,
  parent: ContentNode,
  datapoint: Datapoint,
  given: GivenAttributes,
  rules: WriteRules,
  context: WriteContext,
): FieldErrors | null {
  const node = draft.append(datapoint, parent, context.allocateId());
  const written = writeNode(node, datapoint, given, rules);
  if (written.errors) return written.errors;
  draft.replace(written.node);
  return null;
}

/** The row's sources hold for all its cells; without them what a person writes is validated. */
function rulesOfNewCells({ source, pageCount }: WriteContext, rowSources: string[] | undefined): WriteRules {
  return {
    defaultSources: ({ contentGiven }) => rowSources ?? (source === 'user' && contentGiven ? ['human'] : null),
    normalizedValue: 'match',
    source,
    pageCount,
  };
}

/** Cells of a row by schema id, and how errors of one are nested in what was sent. */
interface GivenCells {
  given: ReadonlyMap<string, GivenAttributes>;
  nest: (schemaId: string, errors: FieldErrors) => FieldErrors | FieldErrors[];
  errors?: undefined;
}

function readCellList(value: readonly unknown[], tuple: Tuple): GivenCells | { errors: FieldErrors[] } {
  const given = new Map<string, GivenAttributes>();
  const positions = new Map<string, number>();
  const errors = value.map((cell, position): FieldErrors => {
    if (!isObject(cell)) return { non_field_errors: [notAnObject(cell)] };
    const schemaId = ownValue(cell, 'schema_id');
    const wrongId = checkSchemaId(schemaId, tuple.children);
    if (wrongId) return wrongId;
    const id = schemaId as string;
    if (given.has(id)) return { schema_id: [`${id} is given twice.`] };
    const read = readSettable(cell);
    if (read.errors) return read.errors;
    given.set(id, read.given);
    positions.set(id, position);
    return {};
  });
  if (errors.some((error) => Object.keys(error).length > 0)) return { errors };
  const nest = (schemaId: string, cellErrors: FieldErrors) =>
    value.map((_, position) => (position === positions.get(schemaId) ? cellErrors : {}));
  return { given, nest };
}

function readCellObject(value: unknown, tuple: Tuple): GivenCells | { errors: FieldErrors } {
  if (!isObject(value)) return { errors: { non_field_errors: [notAList(value)] } };
  const given = new Map<string, GivenAttributes>();
  const errors = Object.entries(value).flatMap(([schemaId, cell]): [string, FieldErrors][] => {
    const wrongId = checkSchemaId(schemaId, tuple.children);
    if (wrongId) return [[schemaId, wrongId]];
    if (!isObject(cell)) return [[schemaId, { non_field_errors: [notAnObject(cell)] }]];
    const read = readSettable(cell);
    if (read.errors) return [[schemaId, read.errors]];
    given.set(schemaId, read.given);
    return [];
  });
  if (errors.length > 0) return { errors: Object.fromEntries(errors) };
  return { given, nest: (schemaId, cellErrors) => Object.fromEntries([[schemaId, cellErrors]]) };
}

function checkSchemaId(schemaId: unknown, allowed: readonly Datapoint[]): FieldErrors | null {
  if (schemaId === undefined) return { schema_id: [REQUIRED] };
  if (typeof schemaId !== 'string') return { schema_id: [NOT_A_STRING] };
  if (allowed.some((datapoint) => datapoint.id === schemaId)) return null;
  return { schema_id: [`${JSON.stringify(schemaId)} is not in this place of the schema.`] };
}

/** Of all attributes only these can be set by operations. */
function readSettable(value: JsonObject): ReturnType<typeof readAttributes> {
  const settable = ['content', 'validation_sources', 'hidden', 'options'];
  return readAttributes(Object.fromEntries(settable.map((attribute) => [attribute, ownValue(value, attribute)])));
}

function asValueErrors(errors: FieldErrors | null): FieldErrors | null {
  return errors && { value: errors };
}
