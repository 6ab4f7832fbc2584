import { buildNodes } from '../content/build-nodes';
import type { ContentResult } from '../content/content-change';
import type { ContentNode } from '../content/content-node';
import { renderTree } from '../content/content-tree';
import { applyOperations } from '../content/operations';
import type { SchemaContent } from '../schema-content';
import { applyGridOperations, applyGridPartsOperations, transformGrid } from './grid-operations';
import { boxOf, type GridPart } from './grid-part';
import type { GridContext } from './table-draft';

const SCHEMA: SchemaContent = [
  {
    category: 'section',
    id: 'lines_section',
    label: 'Lines',
    children: [
      { category: 'datapoint', id: 'number', label: 'Number', type: 'string' },
      {
        category: 'multivalue',
        id: 'lines',
        label: 'Lines',
        grid: { row_types: ['header', 'data'], default_row_type: 'data', row_types_to_extract: ['data'] },
        children: {
          category: 'tuple',
          id: 'line',
          label: 'Line',
          children: [
            { category: 'datapoint', id: 'name', label: 'Name', type: 'string' },
            { category: 'datapoint', id: 'total', label: 'Total', type: 'string' },
          ],
        },
      },
    ],
  },
];
let last = 0;
const allocateId = () => ++last;
const empty = (): ContentNode[] => {
  last = 0;
  return buildNodes(SCHEMA, null, allocateId);
};
/** A page on which each cell says where it is. */
const context: GridContext = {
  allocateId,
  readCell: (page, [left = 0, top = 0]) => ({
    text: `${page}${left < 50 ? ` at\n${top}` : `${top}`}`,
    box: [left, top, left + 5, top + 5],
  }),
};
const part = (over: Partial<GridPart> = {}): GridPart => ({
  page: 1,
  columns: [
    { left_position: 10, schema_id: 'name', header_texts: ['Description'] },
    { left_position: 60, schema_id: 'total', header_texts: [] },
  ],
  rows: [
    { top_position: 100, tuple_id: null, type: 'header' },
    { top_position: 120, tuple_id: null, type: 'data' },
    { top_position: 140, tuple_id: null, type: null },
    { top_position: 160, tuple_id: null, type: 'data' },
  ],
  width: 90,
  height: 80,
  ...over,
});
const done = (result: ContentResult): ContentNode[] => {
  if (result.errors) throw new Error(JSON.stringify(result.errors));
  return result.nodes;
};
const tableIn = (nodes: readonly ContentNode[]) => nodes.find(({ schemaId }) => schemaId === 'lines')!;
const gridIn = (nodes: readonly ContentNode[]) => (tableIn(nodes).grid as { parts: GridPart[] } | null)?.parts ?? [];
const valuesIn = (nodes: readonly ContentNode[]) =>
  renderTree(nodes)[0]!.children![1]!.children!.map((row) => row.children!.map((cell) => cell.content!.value));
const operate = (nodes: readonly ContentNode[], operations: unknown) =>
  applyGridOperations(SCHEMA, nodes, tableIn(nodes).id, operations, context);

it('a cell reaches to the next column and row, or to the end of the part', () => {
  const { columns, rows } = part();
  expect(boxOf(part(), columns[0]!, rows[0]!)).toEqual([10, 100, 60, 120]);
  expect(boxOf(part(), columns[1]!, rows[3]!)).toEqual([60, 160, 100, 180]);
});

describe('grid_operations', () => {
  it('a part that is created makes a row of the table of each row to extract', () => {
    const nodes = done(operate(empty(), [{ op: 'create', grid: part() }]));
    expect(valuesIn(nodes)).toEqual([
      ['1 at 120', '1120'],
      ['1 at 160', '1160'],
    ]);
    const ids = nodes.filter(({ category }) => category === 'tuple').map(({ id }) => id);
    expect(gridIn(nodes)[0]?.rows.map(({ tuple_id: id }) => id)).toEqual([null, ids[0], null, ids[1]]);
    const cell = nodes.find(({ schemaId }) => schemaId === 'total');
    expect(cell).toMatchObject({
      validationSources: [],
      content: { normalizedValue: '1120', page: 1, position: [60, 120, 65, 125], ocrText: '1120', rirText: null },
    });
  });

  it('a part before another one puts its rows before them, and goes with them', () => {
    const second = done(operate(empty(), [{ op: 'create', grid: part({ page: 2 }) }]));
    const both = done(operate(second, [{ op: 'create', grid_index: 0, grid: part() }]));
    expect(valuesIn(both).map(([name]) => name)).toEqual(['1 at 120', '1 at 160', '2 at 120', '2 at 160']);
    const left = done(operate(both, [{ op: 'delete', grid_index: 0 }]));
    expect(valuesIn(left).map(([name]) => name)).toEqual(['2 at 120', '2 at 160']);
    expect(gridIn(done(operate(left, [{ op: 'delete', grid_index: 0 }])))).toEqual([]);
  });

  it('an update keeps the rows that it names, reads them again, and removes those that are gone', () => {
    const nodes = done(operate(empty(), [{ op: 'create', grid: part() }]));
    const [before] = gridIn(nodes) as [GridPart];
    const rows = [
      { ...before.rows[3]!, top_position: 170 },
      { top_position: 190, tuple_id: null, type: 'data' },
    ];
    const after = done(operate(nodes, [{ op: 'update', grid_index: 0, grid: { ...before, rows } }]));
    expect(valuesIn(after).map(([name]) => name)).toEqual(['1 at 170', '1 at 190']);
    expect(gridIn(after)[0]?.rows[0]?.tuple_id).toBe(before.rows[3]?.tuple_id);
  });

  it.each([
    [
      [
        { op: 'create', grid: part() },
        { op: 'delete', grid_index: 0 },
      ],
      /One call takes one kind/,
    ],
    [[{ op: 'delete', grid_index: 0 }], /no such part/],
    [[{ op: 'update', grid: part() }], /required/],
    [[{ op: 'move' }], /not a valid choice/],
    [[{ op: 'create', grid: { ...part(), page: 0 } }], /page.*integer/],
    [
      [{ op: 'create', grid: part({ columns: [{ left_position: 1, schema_id: 'other', header_texts: [] }] }) }],
      /no column/,
    ],
    [[{ op: 'create', grid: part({ rows: [{ top_position: 1, tuple_id: 99, type: 'data' }] }) }], /no such row/],
    [
      [{ op: 'create', grid: part({ rows: [{ top_position: 1, tuple_id: null, type: 'sum' }] }) }],
      /not a valid choice/,
    ],
    ['create', /list of items/],
  ])('%# is refused with a reason', (operations, message) => {
    expect(JSON.stringify(operate(empty(), operations))).toMatch(message);
  });

  it('only a table has a grid', () => {
    const nodes = empty();
    const { id } = nodes.find(({ schemaId }) => schemaId === 'number')!;
    expect(applyGridOperations(SCHEMA, nodes, id, [], context)).toEqual({
      errors: { id: ['Only a table has a grid.'] },
    });
  });
});

it('a row that is removed is removed from the grid, and made anew from it', () => {
  const nodes = done(operate(empty(), [{ op: 'create', grid: part() }]));
  const [, first] = gridIn(nodes)[0]!.rows;
  const removed = done(
    applyOperations(SCHEMA, nodes, [{ op: 'remove', id: first?.tuple_id }], { allocateId, source: 'user' }),
  );
  expect(gridIn(removed)[0]?.rows[1]).toEqual({ ...first, tuple_id: null });
  const again = done(operate(removed, [{ op: 'update', grid_index: 0, grid: gridIn(removed)[0] }]));
  expect(valuesIn(again)).toEqual(valuesIn(nodes));
});

describe('grid_parts_operations', () => {
  const filled = () => done(operate(empty(), [{ op: 'create', grid: part() }]));
  const operateParts = (nodes: readonly ContentNode[], grid: GridPart, operations: object) =>
    applyGridPartsOperations(SCHEMA, nodes, tableIn(nodes).id, { grid_index: 0, grid, operations }, context);

  it('reads a column again, or empties it', () => {
    const nodes = filled();
    const [before] = gridIn(nodes) as [GridPart];
    const moved = {
      ...before,
      columns: [
        { ...before.columns[0]!, left_position: 20 },
        { ...before.columns[1]!, left_position: 70 },
      ],
    };
    const read = done(operateParts(nodes, moved, { columns: [{ op: 'update', schema_id: 'total' }] }));
    expect(gridIn(read)[0]?.columns[1]?.left_position).toBe(70);
    const cells = read.filter(({ schemaId }) => schemaId === 'total');
    expect(cells.map(({ content }) => content?.position?.[0])).toEqual([70, 70]);
    const emptied = done(operateParts(read, moved, { columns: [{ op: 'delete', schema_id: 'total' }] }));
    expect(valuesIn(emptied)).toEqual([
      ['1 at 120', ''],
      ['1 at 160', ''],
    ]);
  });

  it('inserts, reads and removes rows', () => {
    const nodes = filled();
    const [before] = gridIn(nodes) as [GridPart];
    const rows = before.rows.map((row, i) => (i === 2 ? { ...row, type: 'data' } : row));
    const inserted = done(
      operateParts(nodes, { ...before, rows }, { rows: [{ op: 'create', row_index: 2, tuple_id: null }] }),
    );
    expect(valuesIn(inserted).map(([name]) => name)).toEqual(['1 at 120', '1 at 140', '1 at 160']);
    const [grid] = gridIn(inserted) as [GridPart];
    const first = grid.rows[1]!.tuple_id;
    const moved = { ...grid, rows: grid.rows.map((row, i) => (i === 3 ? { ...row, top_position: 165 } : row)) };
    const operations = [
      { op: 'delete', row_index: 1, tuple_id: first },
      { op: 'update', row_index: 3, tuple_id: grid.rows[3]!.tuple_id },
    ];
    const changed = done(operateParts(inserted, moved, { rows: operations }));
    expect(valuesIn(changed).map(([name]) => name)).toEqual(['1 at 140', '1 at 165']);
    expect(gridIn(changed)[0]?.rows[1]?.tuple_id).toBeNull();
  });

  it('refuses pages that the document does not have', () => {
    const operations = [{ op: 'create', grid: part({ page: 3 }) }];
    const known = { ...context, pageCount: 2 };
    expect(applyGridOperations(SCHEMA, empty(), tableIn(empty()).id, operations, known)).toEqual({
      errors: { operations: [{ grid: { page: ['The document has no page 3, its last one is 2.'] } }] },
    });
  });

  it('refuses rows and columns that are not there', () => {
    const nodes = filled();
    const [before] = gridIn(nodes) as [GridPart];
    const result = operateParts(nodes, before, {
      rows: [{ op: 'update', row_index: 9 }],
      columns: [{ op: 'update', schema_id: 'x' }],
    });
    expect(result).toEqual({
      errors: {
        operations: {
          rows: [{ row_index: ['There is no such row in the grid.'] }],
          columns: [{ schema_id: ['"x" is no column of the table.'] }],
        },
      },
    });
  });
});

it('transform_grid_to_datapoints makes all rows anew', () => {
  const filled = done(operate(empty(), [{ op: 'create', grid: part() }]));
  const table = tableIn(filled);
  const added = done(
    applyOperations(SCHEMA, filled, [{ op: 'add', id: table.id, value: [] }], { allocateId, source: 'user' }),
  );
  expect(valuesIn(added)).toHaveLength(3);
  const before = filled.filter(({ category }) => category === 'tuple').map(({ id }) => id);
  const after = done(transformGrid(SCHEMA, added, table.id, context));
  expect(valuesIn(after)).toEqual([
    ['1 at 120', '1120'],
    ['1 at 160', '1160'],
  ]);
  expect(after.filter(({ id }) => before.includes(id))).toEqual([]);
});

it('transform_grid_to_datapoints leaves the rows of a table without a grid alone', () => {
  const table = tableIn(empty());
  const filled = done(
    applyOperations(SCHEMA, empty(), [{ op: 'add', id: table.id, value: [] }], { allocateId, source: 'user' }),
  );
  expect(transformGrid(SCHEMA, filled, table.id, context)).toEqual({ errors: { id: ['The table has no grid.'] } });
});
