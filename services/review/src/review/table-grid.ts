import type { Box, ContentNode, GridPart, GridRow, SchemaNode, Word } from '../api/types';
import { childrenOf, columnsOf, type SchemaIndex } from './content';

/**
 * The lines of a table on its page (API: annotation-content.md section 5), and what moving them does to its cells. Places are pixels of the
 * page image. Edits are functions from a part to a part, so that they can wait for each other.
 */

export type GridEdit = (part: GridPart) => GridPart;
export type Axis = 'columns' | 'rows';

/** A part of the grid of a table. */
export interface PlacedPart {
  /** Its place in the stored grid; undefined: it is not stored yet. */
  readonly index?: number;
  readonly part: GridPart;
}

/** What `grid_parts_operations` takes. */
export interface GridChange {
  readonly grid: GridPart;
  readonly operations: {
    readonly rows: readonly { readonly op: string; readonly row_index?: number; readonly tuple_id?: number }[];
    readonly columns: readonly { readonly op: string; readonly schema_id: string }[];
  };
}

/** Types that rows may have, and those whose cells are read. API: schemas.md section 2. */
export interface RowTypes {
  readonly all: readonly string[];
  readonly first: string;
  readonly read: readonly string[];
}

/** Columns and rows are not made narrower. */
const NARROWEST = 6;
/** What the first line is above its text. */
const ABOVE = 3;

export function rowTypesOf({ grid }: SchemaNode): RowTypes {
  if (!grid) return { all: ['data'], first: 'data', read: ['data'] };
  return { all: grid.row_types, first: grid.default_row_type, read: grid.row_types_to_extract };
}

/** The parts of a table: those that are stored, and for other pages those that its cells stand for. */
export function partsOf(table: ContentNode, index: SchemaIndex): PlacedPart[] {
  const stored = (table.grid?.parts ?? []).map((part, at): PlacedPart => ({ index: at, part: nameRows(part, table) }));
  const pages = new Set(stored.map(({ part }) => part.page));
  const others = new Set(
    (table.children ?? []).flatMap((row) => boxesOf(row).flatMap(({ page }) => (pages.has(page) ? [] : [page]))),
  );
  const schema = index.get(table.schema_id);
  const made = [...others]
    .sort((a, b) => a - b)
    .flatMap((page) => (schema ? fromCells(table, schema, page, index) : []));
  return [...stored, ...made.map((part): PlacedPart => ({ part }))];
}

/** Rows of the table belong to the rows of a part in which their cells stand: they may have been moved or made anew since. */
function nameRows(part: GridPart, { children = [] }: ContentNode): GridPart {
  const tops = edgesOf(part, 'rows');
  const placed = new Map<number, number>();
  const standing = new Set<number>();
  for (const row of children) {
    const boxes = boxesOf(row).filter(({ page }) => page === part.page);
    if (boxes.length === 0) continue;
    standing.add(row.id);
    const middle = median(boxes.map(({ box }) => (box[1] + box[3]) / 2));
    const at = tops.findIndex((top, i) => middle >= top && middle < (tops[i + 1] ?? top));
    if (at >= 0 && !placed.has(at)) placed.set(at, row.id);
  }
  const present = new Set(children.map(({ id }) => id));
  const isFree = (id: number | null) => id !== null && present.has(id) && !standing.has(id);
  return {
    ...part,
    rows: part.rows.map((row, at) => ({
      ...row,
      tuple_id: placed.get(at) ?? (isFree(row.tuple_id) ? row.tuple_id : null),
    })),
  };
}

/** The part that the cells of a page stand for. */
function fromCells(table: ContentNode, schema: SchemaNode, page: number, index: SchemaIndex): GridPart[] {
  const rows = (table.children ?? []).flatMap(({ id, children = [] }) => {
    const cells = children.flatMap((cell) =>
      boxesOf(cell).flatMap((one) => (one.page === page ? [{ column: cell.schema_id, box: one.box }] : [])),
    );
    return cells.length === 0 ? [] : [{ id, cells, top: Math.min(...cells.map(({ box }) => box[1])) }];
  });
  rows.sort((a, b) => a.top - b.top);
  const all = rows.flatMap(({ cells }) => cells);
  const columns = columnsOf(table, index)
    .flatMap(({ id, label }) => {
      const boxes = all.filter(({ column }) => column === id).map(({ box }) => box);
      return boxes.length === 0 ? [] : [{ id, label, left: side(boxes, 0), right: side(boxes, 2) }];
    })
    .sort((a, b) => a.left + a.right - b.left - b.right);
  if (columns.length === 0) return [];
  const right = Math.max(...all.map(({ box }) => box[2])) + ABOVE;
  const bottom = Math.max(...all.map(({ box }) => box[3])) + ABOVE;
  const edges = columns.map(({ left, right: end }, i) => {
    const before = columns[i - 1];
    return before
      ? between((before.right + left) / 2, (before.left + before.right) / 2, (left + end) / 2)
      : left - ABOVE;
  });
  const first = rows[0]?.top ?? 0;
  const type = rowTypesOf(schema).read[0] ?? null;
  return [
    {
      page,
      columns: columns.map(({ id, label }, i) => ({
        left_position: edges[i] ?? 0,
        schema_id: id,
        header_texts: [label],
      })),
      rows: rows
        .filter(({ top }, i) => i === 0 || top - (rows[i - 1]?.top ?? 0) >= NARROWEST)
        .map(({ id, top }) => ({ top_position: top - ABOVE, tuple_id: id, type })),
      width: right - (edges[0] ?? 0),
      height: bottom - first + ABOVE,
    },
  ];
}

/** A part for a frame that was drawn on a page: a row for each line of text, a column between gaps that go through all of them. */
export function partFromWords(page: number, frame: Box, words: readonly Word[], { first }: RowTypes): GridPart {
  const [left, top, right, bottom] = frame;
  const inside = words.filter(({ position: [l, t, r, b] }) => {
    const [x, y] = [(l + r) / 2, (t + b) / 2];
    return x >= left && x <= right && y >= top && y <= bottom;
  });
  const height = median(inside.map(({ position: [, t, , b] }) => b - t)) || NARROWEST;
  const lines = spans(
    inside.map(({ position: [, t, , b] }) => [t + height * 0.2, b - height * 0.2] as const),
    0,
  );
  const columns = spans(
    inside.map(({ position: [l, , r] }) => [l, r] as const),
    height,
  );
  const column = (at: number) => ({ left_position: at, schema_id: null, header_texts: [] });
  const row = (at: number): GridRow => ({ top_position: at, tuple_id: null, type: first });
  return {
    page,
    columns: [column(left), ...columns.slice(1).map(([from], i) => column(((columns[i]?.[1] ?? from) + from) / 2))],
    rows: [row(top), ...lines.slice(1).map(([from]) => row(from - height * 0.2 - ABOVE))],
    width: right - left,
    height: bottom - top,
  };
}

/** Where columns or rows begin, and where the last one ends. */
export function edgesOf(part: GridPart, axis: Axis): number[] {
  const starts = startsOf(part, axis);
  return [...starts, (starts[0] ?? 0) + (axis === 'columns' ? part.width : part.height)];
}

/** A line moves, but not over another one. @param line from 0; the last is the end of the part */
export function moveLine(axis: Axis, line: number, to: number): GridEdit {
  return (part) => {
    const edges = edgesOf(part, axis);
    if (edges[line] === undefined) return part;
    const [before, after] = [edges[line - 1] ?? -Infinity, edges[line + 1] ?? Infinity];
    edges[line] = between(Math.max(0, to), before + NARROWEST, after - NARROWEST);
    return withEdges(part, axis, edges);
  };
}

/** A column or row becomes two; the new one has no meaning, or the same type. */
export function split(axis: Axis, at: number): GridEdit {
  return (part) => {
    const edges = edgesOf(part, axis);
    const [from, to] = [edges[at], edges[at + 1]];
    if (from === undefined || to === undefined || to - from < 2 * NARROWEST) return part;
    edges.splice(at + 1, 0, (from + to) / 2);
    const type = part.rows[at]?.type ?? null;
    const columns = [...part.columns];
    const rows = [...part.rows];
    if (axis === 'columns') columns.splice(at + 1, 0, { left_position: 0, schema_id: null, header_texts: [] });
    else rows.splice(at + 1, 0, { top_position: 0, tuple_id: null, type });
    return withEdges({ ...part, columns, rows }, axis, edges);
  };
}

/** A column or row goes; the one before it reaches to the next. The last one stays. */
export function removeLine(axis: Axis, at: number): GridEdit {
  return (part) => {
    if (part[axis].length < 2 || !part[axis][at]) return part;
    const edges = edgesOf(part, axis).filter((_, i) => i !== at);
    return withEdges({ ...part, [axis]: part[axis].filter((_, i) => i !== at) }, axis, edges);
  };
}

/** A column gets a meaning, or none; a column that had it gets the one of this. */
export function setMeaning(at: number, schemaId: string | null): GridEdit {
  return (part) => {
    const had = part.columns[at]?.schema_id ?? null;
    return {
      ...part,
      columns: part.columns.map((column, i) => {
        if (i === at) return { ...column, schema_id: schemaId };
        return schemaId !== null && column.schema_id === schemaId ? { ...column, schema_id: had } : column;
      }),
    };
  };
}

/** @param type null: the row is left out */
export function setRowType(at: number, type: string | null): GridEdit {
  return (part) => ({ ...part, rows: part.rows.map((row, i) => (i === at ? { ...row, type } : row)) });
}

/** What makes one part of another one: cells are read only where their frames have changed, so that others keep what people typed. */
export function changeBetween(before: GridPart, after: GridPart, { read }: RowTypes): GridChange {
  const isRead = ({ type }: GridRow) => type !== null && read.includes(type);
  const [rowsBefore, rowsAfter] = [framesOf(before, 'rows'), framesOf(after, 'rows')];
  const tuples = new Map(before.rows.map(({ tuple_id: id }, i) => [id, rowsBefore[i]]));
  const kept = new Set(after.rows.filter(isRead).map(({ tuple_id: id }) => id));
  const hasMeaning = after.columns.some(({ schema_id: id }) => id !== null);
  const gone = before.rows.flatMap(({ tuple_id: id }) => (id === null || kept.has(id) ? [] : [id]));
  const rows = after.rows.flatMap((row, i) => {
    if (!isRead(row) || !hasMeaning) return [];
    if (row.tuple_id === null) return [{ op: 'create', row_index: i }];
    return isSame(tuples.get(row.tuple_id), rowsAfter[i])
      ? []
      : [{ op: 'update', row_index: i, tuple_id: row.tuple_id }];
  });
  const meanings = (part: GridPart) => {
    const frames = framesOf(part, 'columns');
    return new Map(part.columns.flatMap(({ schema_id: id }, i) => (id === null ? [] : [[id, frames[i]] as const])));
  };
  const [meant, means] = [meanings(before), meanings(after)];
  const emptied = [...meant.keys()].filter((id) => !means.has(id)).map((id) => ({ op: 'delete', schema_id: id }));
  const filled = [...means]
    .filter(([id, frame]) => !isSame(meant.get(id), frame))
    .map(([id]) => ({ op: 'update', schema_id: id }));
  return {
    grid: { ...after, rows: after.rows.map((row) => (isRead(row) ? row : { ...row, tuple_id: null })) },
    operations: {
      rows: [...gone.map((id) => ({ op: 'delete', tuple_id: id })), ...rows],
      columns: [...emptied, ...filled],
    },
  };
}

function startsOf(part: GridPart, axis: Axis): number[] {
  return axis === 'columns'
    ? part.columns.map(({ left_position: left }) => left)
    : part.rows.map(({ top_position: top }) => top);
}

function withEdges(part: GridPart, axis: Axis, edges: readonly number[]): GridPart {
  const at = (i: number) => edges[i] ?? 0;
  const size = at(edges.length - 1) - at(0);
  return axis === 'columns'
    ? { ...part, width: size, columns: part.columns.map((column, i) => ({ ...column, left_position: at(i) })) }
    : { ...part, height: size, rows: part.rows.map((row, i) => ({ ...row, top_position: at(i) })) };
}

type Span = readonly [number, number];

function framesOf(part: GridPart, axis: Axis): Span[] {
  const edges = edgesOf(part, axis);
  return edges.slice(1).map((end, i): Span => [edges[i] ?? end, end]);
}

function isSame(a: Span | undefined, b: Span | undefined): boolean {
  return a !== undefined && b !== undefined && Math.abs(a[0] - b[0]) < 0.5 && Math.abs(a[1] - b[1]) < 0.5;
}

/** Spans that touch each other, or nearly, as one; in order. */
function spans(all: readonly Span[], gap: number): Span[] {
  const merged: [number, number][] = [];
  for (const [from, to] of [...all].sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last && from - last[1] <= gap) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

/** Where the values of a node stand. */
function boxesOf(node: ContentNode): { readonly page: number; readonly box: Box }[] {
  const { content, children = [] } = node;
  const own = content?.position && content.page !== null ? [{ page: content.page, box: content.position }] : [];
  return [...own, ...children.flatMap(boxesOf)];
}

/** The outermost of the left (0) or right (2) sides of boxes, some stray ones left out of account. */
function side(boxes: readonly Box[], which: 0 | 2): number {
  const sorted = boxes.map((box) => box[which]).sort((a, b) => (which === 0 ? a - b : b - a));
  return sorted[Math.floor(sorted.length / 10)] ?? 0;
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

function between(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value));
}

/** Columns that a column of a grid may be: those that are shown, and the one that it is. */
export function meaningsOf(table: ContentNode, current: string | null, index: SchemaIndex): readonly SchemaNode[] {
  const schema = index.get(table.schema_id);
  const tuple = schema && childrenOf(schema)[0];
  const hidden = tuple ? childrenOf(tuple).filter(({ id, hidden: isHidden }) => isHidden && id === current) : [];
  return [...columnsOf(table, index), ...hidden];
}
