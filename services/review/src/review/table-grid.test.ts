import type { Box, ContentNode, GridPart, SchemaNode, Word } from '../api/types';
import { indexSchema } from './content';
import {
  changeBetween,
  edgesOf,
  moveLine,
  partFromWords,
  partsOf,
  type RowTypes,
  removeLine,
  rowTypesOf,
  setMeaning,
  setRowType,
  split,
} from './table-grid';

const column = (id: string): SchemaNode => ({ id, label: id.toUpperCase(), category: 'datapoint', type: 'string' });
const TABLE: SchemaNode = {
  id: 'items',
  label: 'Items',
  category: 'multivalue',
  grid: { row_types: ['data', 'header'], default_row_type: 'data', row_types_to_extract: ['data'] },
  children: {
    id: 'item',
    label: 'Item',
    category: 'tuple',
    children: [column('what'), column('price'), column('sum')],
  },
};
const index = indexSchema([TABLE]);
const TYPES = rowTypesOf(TABLE);

const node = (id: number, schema_id: string, category: ContentNode['category'], more: Partial<ContentNode> = {}) => ({
  id,
  url: `/annotations/1/content/${id}`,
  schema_id,
  category,
  ...more,
});
const cell = (id: number, schemaId: string, position: Box | null, page = 1) =>
  node(id, schemaId, 'datapoint', {
    content: {
      value: 'x',
      normalized_value: null,
      page: position && page,
      position,
      rir_text: null,
      rir_confidence: null,
    },
  });
/** Rows of 20 pixels from 100 on, every 30. */
const row = (id: number, at: number) =>
  node(id, 'item', 'tuple', {
    children: [
      cell(id + 1, 'what', [50, 100 + 30 * at, 200, 120 + 30 * at]),
      cell(id + 2, 'price', [300, 100 + 30 * at, 340, 120 + 30 * at]),
      cell(id + 3, 'sum', null),
    ],
  });
const table = (rows: ContentNode[], grid: ContentNode['grid'] = null) =>
  node(1, 'items', 'multivalue', { children: rows, grid });
const onlyPart = (of: ContentNode): GridPart => partsOf(of, index)[0]?.part as GridPart;

describe('the grid of a table', () => {
  it('comes from its cells while none is stored', () => {
    const [found, ...others] = partsOf(table([row(20, 1), row(10, 0)]), index);
    expect(others).toEqual([]);
    expect(found?.index).toBeUndefined();
    expect(found?.part).toEqual({
      page: 1,
      columns: [
        { left_position: 47, schema_id: 'what', header_texts: ['WHAT'] },
        { left_position: 250, schema_id: 'price', header_texts: ['PRICE'] },
      ],
      rows: [
        { top_position: 97, tuple_id: 10, type: 'data' },
        { top_position: 127, tuple_id: 20, type: 'data' },
      ],
      width: 296,
      height: 56,
    });
  });

  it('has a part for each page on which rows stand', () => {
    const second = node(30, 'item', 'tuple', { children: [cell(31, 'what', [50, 100, 200, 120], 2)] });
    expect(partsOf(table([row(10, 0), second]), index).map(({ part }) => part.page)).toEqual([1, 2]);
  });

  it('is not there without any place', () => {
    expect(partsOf(table([]), index)).toEqual([]);
  });

  it('names the rows that stand in it now, whatever it named when it was stored', () => {
    const part = onlyPart(table([row(10, 0), row(20, 1)]));
    const stale = { ...part, rows: part.rows.map((one, i) => ({ ...one, tuple_id: i === 0 ? 20 : 99 })) };
    const [found] = partsOf(table([row(10, 0), row(20, 1)], { parts: [stale] }), index);
    expect(found?.index).toBe(0);
    expect(found?.part.rows.map(({ tuple_id: id }) => id)).toEqual([10, 20]);
  });

  it('keeps the name of a row whose values stand nowhere, and forgets rows that are gone', () => {
    const typed = node(10, 'item', 'tuple', { children: [cell(11, 'what', null)] });
    const part = onlyPart(table([row(10, 0), row(20, 1)]));
    const [found] = partsOf(table([typed], { parts: [part] }), index);
    expect(found?.part.rows.map(({ tuple_id: id }) => id)).toEqual([10, null]);
  });
});

describe('a frame that is drawn', () => {
  const word = (left: number, top: number, right: number): Word => ({
    text: 'w',
    position: [left, top, right, top + 10],
  });

  it('has a row for each line and a column between gaps', () => {
    const words = [word(10, 20, 60), word(64, 21, 90), word(200, 20, 240), word(10, 50, 80), word(205, 49, 240)];
    const part = partFromWords(3, [0, 10, 300, 70], words, TYPES);
    expect(part).toMatchObject({ page: 3, width: 300, height: 60 });
    expect(edgesOf(part, 'columns')).toEqual([0, 145, 300]);
    expect(part.rows).toHaveLength(2);
    expect(part.rows[1]?.top_position).toBeCloseTo(46);
    expect(part.columns.every(({ schema_id: id }) => id === null)).toBe(true);
    expect(part.rows.every(({ type }) => type === 'data')).toBe(true);
  });

  it('is one cell when nothing stands in it', () => {
    const part = partFromWords(1, [0, 0, 100, 50], [word(500, 500, 600)], TYPES);
    expect([part.columns.length, part.rows.length]).toEqual([1, 1]);
  });
});

describe('what is read again', () => {
  const before = onlyPart(table([row(10, 0), row(20, 1)]));
  const types: RowTypes = TYPES;
  const operations = (after: GridPart) => changeBetween(before, after, types).operations;

  it('nothing, when nothing moved', () => {
    expect(operations(before)).toEqual({ rows: [], columns: [] });
  });

  it('the columns at both sides of a line that moved', () => {
    expect(operations(moveLine('columns', 1, 270)(before))).toEqual({
      rows: [],
      columns: [
        { op: 'update', schema_id: 'what' },
        { op: 'update', schema_id: 'price' },
      ],
    });
  });

  it('lines do not pass each other', () => {
    expect(edgesOf(moveLine('columns', 1, 5000)(before), 'columns')).toEqual([47, 337, 343]);
    expect(edgesOf(moveLine('rows', 0, -20)(before), 'rows')).toEqual([0, 127, 153]);
  });

  it('the rows at both sides of a line that moved', () => {
    expect(operations(moveLine('rows', 1, 130)(before)).rows).toEqual([
      { op: 'update', row_index: 0, tuple_id: 10 },
      { op: 'update', row_index: 1, tuple_id: 20 },
    ]);
  });

  it('a column that means something else now, with the one that meant it before', () => {
    const after = setMeaning(0, 'price')(before);
    expect(after.columns.map(({ schema_id: id }) => id)).toEqual(['price', 'what']);
    expect(operations(after).columns).toEqual([
      { op: 'update', schema_id: 'price' },
      { op: 'update', schema_id: 'what' },
    ]);
  });

  it('what a column meant is emptied when it means nothing or goes', () => {
    expect(operations(setMeaning(1, null)(before)).columns).toEqual([{ op: 'delete', schema_id: 'price' }]);
    expect(operations(removeLine('columns', 1)(before)).columns).toEqual([
      { op: 'delete', schema_id: 'price' },
      { op: 'update', schema_id: 'what' },
    ]);
  });

  it('a row that is left out, or of a type that is not read, leaves the table and comes back', () => {
    const { grid, operations: gone } = changeBetween(before, setRowType(0, 'header')(before), types);
    expect(gone.rows).toEqual([{ op: 'delete', tuple_id: 10 }]);
    expect(grid.rows[0]).toEqual({ top_position: 97, tuple_id: null, type: 'header' });
    expect(changeBetween(grid, setRowType(0, 'data')(grid), types).operations.rows).toEqual([
      { op: 'create', row_index: 0 },
    ]);
  });

  it('the halves of a row that is split, and what is left when one goes', () => {
    const halves = split('rows', 1)(before);
    expect(edgesOf(halves, 'rows')).toEqual([97, 127, 140, 153]);
    expect(operations(halves).rows).toEqual([
      { op: 'update', row_index: 1, tuple_id: 20 },
      { op: 'create', row_index: 2 },
    ]);
    expect(operations(removeLine('rows', 1)(before)).rows).toEqual([
      { op: 'delete', tuple_id: 20 },
      { op: 'update', row_index: 0, tuple_id: 10 },
    ]);
  });

  it('no row is made before a column has a meaning', () => {
    const drawn = partFromWords(1, [0, 0, 100, 50], [], types);
    const nothing = { ...drawn, columns: [], rows: [] };
    expect(changeBetween(nothing, drawn, types).operations).toEqual({ rows: [], columns: [] });
    expect(changeBetween(drawn, setMeaning(0, 'what')(drawn), types).operations).toEqual({
      rows: [{ op: 'create', row_index: 0 }],
      columns: [{ op: 'update', schema_id: 'what' }],
    });
  });

  it('a part keeps a column and a row', () => {
    const one = partFromWords(1, [0, 0, 100, 50], [], types);
    expect(removeLine('rows', 0)(one)).toBe(one);
    expect(removeLine('columns', 0)(one)).toBe(one);
  });
});
