import type { FieldErrors } from '../checking/field-errors';
import type { ContentResult } from '../content/content-change';
import type { ContentNode } from '../content/content-node';
import { Draft } from '../content/draft';
import { nodeIdFrom, notFound } from '../content/node-id';
import {
  isObject,
  type JsonObject,
  NOT_AN_INTEGER,
  notAChoice,
  notAList,
  notAnObject,
  ownValue,
  REQUIRED,
} from '../json';
import type { Multivalue, SchemaContent, Tuple } from '../schema-content';
import { schemaIndex } from '../schema-index';
import { type GridPart, readGridPart } from './grid-part';
import { type GridContext, TableDraft } from './table-draft';

/** API: annotation-content.md section 4. All of them: the change, or errors; the errors of one operation refuse all. */
type Edit = (table: TableDraft) => FieldErrors | null;

/** Makes the rows of a table anew from its grid; without one there is nothing to make them of, and they stay. */
export function transformGrid(
  schema: SchemaContent,
  nodes: readonly ContentNode[],
  id: number,
  context: GridContext,
): ContentResult {
  return edit(schema, nodes, id, context, (table) => {
    if (table.parts.length === 0) return { id: ['The table has no grid.'] };
    table.removeAllRows();
    for (const part of table.parts) table.fillPart(part);
    return null;
  });
}

/** `create`, `update` and `delete` of whole parts, one kind in a call. @param operations the list as it was sent */
export function applyGridOperations(
  schema: SchemaContent,
  nodes: readonly ContentNode[],
  id: number,
  operations: unknown,
  context: GridContext,
): ContentResult {
  if (!Array.isArray(operations)) {
    return { errors: { operations: [operations === undefined ? REQUIRED : notAList(operations)] } };
  }
  const kinds = new Set(operations.map((one) => (isObject(one) ? ownValue(one, 'op') : undefined)));
  if (kinds.size > 1)
    return { errors: { operations: ['One call takes one kind of operation: create, update or delete.'] } };
  return edit(schema, nodes, id, context, (table) => {
    const errors: FieldErrors[] = operations.map(() => ({}));
    // Parts keep their numbers while others are removed.
    const order = [...operations.entries()];
    if (kinds.has('delete')) order.sort(([, one], [, other]) => numberIn(other) - numberIn(one));
    for (const [at, operation] of order) errors[at] = applyToPart(table, operation) ?? {};
    return errors.some(isWrong) ? { operations: errors } : null;
  });
}

/** Changes of rows and columns of one part. @param body `grid_index`, `grid` and `operations` as they were sent */
export function applyGridPartsOperations(
  schema: SchemaContent,
  nodes: readonly ContentNode[],
  id: number,
  body: JsonObject,
  context: GridContext,
): ContentResult {
  return edit(schema, nodes, id, context, (table): FieldErrors | null => {
    const index = partNumber(ownValue(body, 'grid_index'), table.parts.length);
    if (index.errors) return { grid_index: index.errors };
    const read = readGridPart(ownValue(body, 'grid'), table.names);
    if (read.errors) return { grid: read.errors };
    const operations = ownValue(body, 'operations') ?? {};
    if (!isObject(operations)) return { operations: { non_field_errors: [notAnObject(operations)] } };
    const part = read.given;
    const rows = readLines(operations, 'rows', (one) => applyToRow(table, part, one));
    table.parts[index.given] = part;
    const columns = readLines(operations, 'columns', (one) => applyToColumn(table, part, one));
    return rows || columns ? { operations: { ...(rows && { rows }), ...(columns && { columns }) } } : null;
  });
}

function edit(
  schema: SchemaContent,
  nodes: readonly ContentNode[],
  id: number,
  context: GridContext,
  change: Edit,
): ContentResult {
  const draft = new Draft(nodes, schemaIndex(schema));
  const node = draft.find(id);
  if (!node) return { errors: { id: [notFound(id)] } };
  const schemaNode = draft.schemaOf(node);
  if (!isTable(schemaNode)) return { errors: { id: ['Only a table has a grid.'] } };
  const table = new TableDraft(draft, node, schemaNode, context);
  const errors = change(table);
  if (errors) return { errors };
  table.finish();
  return draft.finish();
}

function isTable(schemaNode: ReturnType<Draft['schemaOf']>): schemaNode is Multivalue & { children: Tuple } {
  return schemaNode?.category === 'multivalue' && schemaNode.children.category === 'tuple';
}

function applyToPart(table: TableDraft, operation: unknown): FieldErrors | null {
  if (!isObject(operation)) return { non_field_errors: [notAnObject(operation)] };
  const op = ownValue(operation, 'op');
  if (op !== 'create' && op !== 'update' && op !== 'delete')
    return { op: [op === undefined ? REQUIRED : notAChoice(op)] };
  const count = table.parts.length;
  const given = ownValue(operation, 'grid_index') ?? (op === 'create' ? count : undefined);
  const index = partNumber(given, op === 'create' ? count + 1 : count);
  if (index.errors) return { grid_index: index.errors };
  if (op === 'delete') {
    for (const part of table.parts.slice(index.given, index.given + 1)) table.removeRowsOf(part);
    table.parts.splice(index.given, 1);
    return null;
  }
  const read = readGridPart(ownValue(operation, 'grid'), table.names);
  if (read.errors) return { grid: read.errors };
  const part = read.given;
  if (op === 'update') table.removeRowsOf(table.parts[index.given] as GridPart, part.rows);
  table.parts.splice(index.given, op === 'update' ? 1 : 0, part);
  table.fillPart(part);
  return null;
}

function applyToRow(table: TableDraft, part: GridPart, operation: JsonObject): FieldErrors | null {
  const op = ownValue(operation, 'op');
  if (op !== 'create' && op !== 'update' && op !== 'delete')
    return { op: [op === undefined ? REQUIRED : notAChoice(op)] };
  if (op === 'delete') {
    const id = nodeIdFrom(ownValue(operation, 'tuple_id'));
    if (id === null || !table.names.hasRow(id)) return { tuple_id: ['There is no such row in the table.'] };
    for (const row of part.rows) if (row.tuple_id === id) row.tuple_id = null;
    table.removeRow(id);
    return null;
  }
  const index = ownValue(operation, 'row_index');
  const row = typeof index === 'number' ? part.rows[index] : undefined;
  if (!row) return { row_index: [index === undefined ? REQUIRED : 'There is no such row in the grid.'] };
  if (op === 'update' && row.tuple_id === null) row.tuple_id = nodeIdFrom(ownValue(operation, 'tuple_id') ?? null);
  if (row.tuple_id !== null && !table.names.hasRow(row.tuple_id))
    return { tuple_id: ['There is no such row in the table.'] };
  table.fillRow(part, row);
  return null;
}

function applyToColumn(table: TableDraft, part: GridPart, operation: JsonObject): FieldErrors | null {
  const op = ownValue(operation, 'op');
  if (op !== 'update' && op !== 'delete') return { op: [op === undefined ? REQUIRED : notAChoice(op)] };
  const id = ownValue(operation, 'schema_id');
  if (id === undefined) return { schema_id: [REQUIRED] };
  if (!table.names.columns.includes(id as string))
    return { schema_id: [`${JSON.stringify(id)} is no column of the table.`] };
  if (op === 'update') table.fillColumn(part, id as string);
  else table.emptyColumn(part, id as string);
  return null;
}

function readLines(
  operations: JsonObject,
  name: string,
  apply: (one: JsonObject) => FieldErrors | null,
): FieldErrors[] | string[] | null {
  const list = ownValue(operations, name) ?? [];
  if (!Array.isArray(list)) return [notAList(list)];
  const errors = list.map((one) => (isObject(one) ? (apply(one) ?? {}) : { non_field_errors: [notAnObject(one)] }));
  return errors.some(isWrong) ? errors : null;
}

/** @param count so many there are */
function partNumber(raw: unknown, count: number): { given: number; errors?: undefined } | { errors: string[] } {
  if (raw === undefined) return { errors: [REQUIRED] };
  if (typeof raw !== 'number' || !Number.isSafeInteger(raw)) return { errors: [NOT_AN_INTEGER] };
  return raw >= 0 && raw < count ? { given: raw } : { errors: ['The grid has no such part.'] };
}

function numberIn(operation: unknown): number {
  const index = isObject(operation) ? ownValue(operation, 'grid_index') : undefined;
  return typeof index === 'number' ? index : -1;
}

function isWrong(errors: FieldErrors): boolean {
  return Object.keys(errors).length > 0;
}
