import type { FieldErrors } from '../checking/field-errors';
import type { Box } from '../content/content-node';
import { findPageProblem, type WriteContext } from '../content/write-context';
import {
  isObject,
  type JsonObject,
  NOT_A_NUMBER,
  NOT_A_STRING,
  NOT_AN_INTEGER,
  notAChoice,
  notAList,
  notAnObject,
  ownValue,
  REQUIRED,
} from '../json';
import type { Multivalue, Tuple } from '../schema-content';

/** Separators of a table on one page, in pixels of the page image (API: annotation-content.md section 5). */
export interface GridPart {
  page: number;
  columns: GridColumn[];
  rows: GridRow[];
  /** From the left of the first column to the right of the last. */
  width: number;
  height: number;
}

export interface GridColumn {
  left_position: number;
  /** Null: the column is left out. */
  schema_id: string | null;
  header_texts: string[];
}

export interface GridRow {
  top_position: number;
  tuple_id: number | null;
  /** Null: the row is left out. */
  type: string | null;
}

interface SchemaNames {
  readonly columns: readonly string[];
  readonly rowTypes: readonly string[];
}

/** What a part may name. */
export interface GridNames extends SchemaNames, Pick<WriteContext, 'pageCount'> {
  /** Whether there is such a row in the table. */
  hasRow(tupleId: number): boolean;
}

/** More than any page has: geometry of a part looks at each of them for each other. */
const MAX_LINES = 1000;

/** Types of rows where the schema names none (API: schemas.md, multivalue). */
export const DATA: readonly string[] = ['data'];

type Read<T> = { given: T; errors?: undefined } | { errors: FieldErrors };

/** Reads a part as it was sent; what is not known is left out. */
export function readGridPart(raw: unknown, names: GridNames): Read<GridPart> {
  if (!isObject(raw)) return { errors: { non_field_errors: [notAnObject(raw)] } };
  const errors: FieldErrors = {};
  const page = ownValue(raw, 'page');
  if (page === undefined) errors.page = [REQUIRED];
  else if (!Number.isSafeInteger(page) || (page as number) < 1) errors.page = [NOT_AN_INTEGER];
  else {
    const problem = findPageProblem(page as number, names.pageCount);
    if (problem !== null) errors.page = [problem];
  }
  for (const side of ['width', 'height']) {
    const value = ownValue(raw, side);
    if (value === undefined) errors[side] = [REQUIRED];
    else if (!isNumber(value) || value <= 0) errors[side] = [NOT_A_NUMBER];
  }
  const columns = readList(raw, 'columns', errors, (one) => readColumn(one, names));
  const used = new Set<number>();
  const rows = readList(raw, 'rows', errors, (one) => readRow(one, names, used));
  if (Object.keys(errors).length > 0) return { errors };
  const { width, height } = raw as unknown as GridPart;
  return { given: { page: page as number, columns, rows, width, height } };
}

/** The rectangle of a cell: to the next column and the next row, or the end of the part. */
export function boxOf(part: GridPart, column: GridColumn, row: GridRow): Box {
  const lefts = part.columns.map((one) => one.left_position);
  const tops = part.rows.map((one) => one.top_position);
  const right = Math.min(...lefts.filter((left) => left > column.left_position), Math.min(...lefts) + part.width);
  const bottom = Math.min(...tops.filter((top) => top > row.top_position), Math.min(...tops) + part.height);
  return [column.left_position, row.top_position, right, bottom];
}

/** What the grid of a table may name by the schema. */
export function namesIn({ children: tuple, grid }: Multivalue & { children: Tuple }): SchemaNames {
  return { columns: tuple.children.map(({ id }) => id), rowTypes: grid?.row_types ?? DATA };
}

/** A grid whose rows stand for tuples with other ids; null: for none. */
export function renumberGrid(
  grid: Record<string, unknown>,
  number: (id: number) => number | null,
): Record<string, unknown> {
  return mapParts(grid, (part) => ({
    ...part,
    rows: part.rows.map((row) => ({ ...row, tuple_id: row.tuple_id === null ? null : number(row.tuple_id) })),
  }));
}

/** A grid in a table of another shape: columns and rows that are named no more are left out. */
export function fitGrid(
  grid: Record<string, unknown>,
  { columns, rowTypes, hasRow }: SchemaNames & Pick<GridNames, 'hasRow'>,
): Record<string, unknown> {
  const known = (name: string | null, names: readonly string[]) =>
    name !== null && names.includes(name) ? name : null;
  const numbered = renumberGrid(grid, (id) => (hasRow(id) ? id : null));
  return mapParts(numbered, (part) => ({
    ...part,
    columns: part.columns.map((column) => ({ ...column, schema_id: known(column.schema_id, columns) })),
    rows: part.rows.map((row) => ({ ...row, type: known(row.type, rowTypes) })),
  }));
}

function mapParts(grid: Record<string, unknown>, change: (part: GridPart) => GridPart): Record<string, unknown> {
  const { parts = [] } = grid as { parts?: GridPart[] };
  return { ...grid, parts: parts.map(change) };
}

function readList<T>(raw: JsonObject, name: string, errors: FieldErrors, read: (one: unknown) => Read<T>): T[] {
  const list = ownValue(raw, name);
  if (list === undefined) errors[name] = [REQUIRED];
  else if (!Array.isArray(list)) errors[name] = [notAList(list)];
  else if (list.length > MAX_LINES) errors[name] = [`Ensure this field has no more than ${MAX_LINES} elements.`];
  if (errors[name] || !Array.isArray(list)) return [];
  const all = list.map(read);
  if (all.some((one) => one.errors)) errors[name] = all.map((one) => one.errors ?? {});
  return all.flatMap((one) => (one.errors ? [] : [one.given]));
}

function readColumn(raw: unknown, { columns }: GridNames): Read<GridColumn> {
  if (!isObject(raw)) return { errors: { non_field_errors: [notAnObject(raw)] } };
  const left = ownValue(raw, 'left_position');
  const id = ownValue(raw, 'schema_id') ?? null;
  const texts = ownValue(raw, 'header_texts') ?? [];
  const errors: FieldErrors = {
    ...(!isNumber(left) && { left_position: [left === undefined ? REQUIRED : NOT_A_NUMBER] }),
    ...(id !== null &&
      !columns.includes(id as string) && { schema_id: [`${JSON.stringify(id)} is no column of the table.`] }),
    ...(!isStrings(texts) && { header_texts: [NOT_A_STRING] }),
  };
  if (Object.keys(errors).length > 0) return { errors };
  return {
    given: { left_position: left as number, schema_id: id as string | null, header_texts: [...(texts as string[])] },
  };
}

function readRow(raw: unknown, { rowTypes, hasRow }: GridNames, used: Set<number>): Read<GridRow> {
  if (!isObject(raw)) return { errors: { non_field_errors: [notAnObject(raw)] } };
  const top = ownValue(raw, 'top_position');
  const type = ownValue(raw, 'type') ?? null;
  const tupleId = ownValue(raw, 'tuple_id') ?? null;
  const errors: FieldErrors = {
    ...(!isNumber(top) && { top_position: [top === undefined ? REQUIRED : NOT_A_NUMBER] }),
    ...(type !== null && !rowTypes.includes(type as string) && { type: [notAChoice(type)] }),
  };
  if (tupleId !== null) {
    if (typeof tupleId !== 'number' || !hasRow(tupleId)) errors.tuple_id = ['There is no such row in the table.'];
    else if (used.has(tupleId)) errors.tuple_id = ['Another row of the grid has this tuple.'];
    else used.add(tupleId);
  }
  if (Object.keys(errors).length > 0) return { errors };
  return {
    given: { top_position: top as number, tuple_id: tupleId as number | null, type: type as string | null },
  };
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
