import type { Datapoint, SchemaContent } from '../schema-content';
import { buildNodes } from './build-nodes';
import { nodesToTree, renderNode, renderTree } from './content-tree';
import { exportTree } from './export-tree';

const field = (id: string, attributes: Partial<Datapoint> = {}): Datapoint => ({
  category: 'datapoint',
  id,
  label: id,
  type: 'string',
  rir_field_names: [id],
  ...attributes,
});

const SCHEMA: SchemaContent = [
  {
    category: 'section',
    id: 'header',
    label: 'Header',
    children: [
      field('number', { hidden: true }),
      field('total', { type: 'number', format: '#.##0,#' }),
      field('issued', { type: 'date', format: 'D.M.YYYY' }),
      field('press', { type: 'button' }),
      field('secret', { can_export: false }),
      field('list_price', { type: 'number' }),
    ],
  },
  {
    category: 'section',
    id: 'lines',
    label: 'Lines',
    children: [
      { category: 'multivalue', id: 'orders', label: 'Orders', children: field('order') },
      {
        category: 'multivalue',
        id: 'items',
        label: 'Items',
        children: {
          category: 'tuple',
          id: 'item',
          label: 'Item',
          children: [field('name'), field('note', { can_export: false })],
        },
      },
      {
        category: 'multivalue',
        id: 'private',
        label: 'Private',
        rir_field_names: ['tax_details'],
        children: {
          category: 'tuple',
          id: 'private_row',
          label: 'Row',
          children: [field('hush', { can_export: false, rir_field_names: ['name'] })],
        },
      },
    ],
  },
  { category: 'section', id: 'buttons', label: 'Buttons', children: [field('other_press', { type: 'button' })] },
];

const read = (value: string) => ({ value, rawText: value, page: 1, position: [1, 2, 3, 4], confidence: 0.9 });
const line = (name: string) => ({ type: 'data', cells: { name: read(name) }, page: 1, position: null });
const NODES = (() => {
  let lastId = 0;
  return buildNodes(
    SCHEMA,
    {
      fields: {
        number: [read('A1')],
        total: [read('1234.50')],
        issued: [read('2024-04-03')],
        list_price: [read('about 5')],
      },
      tables: { line_items: [line('Bottle'), line('Glass')], tax_details: [line('x')] },
      values: {},
      defaultScoreThreshold: 0.8,
    },
    () => ++lastId,
  );
})();
const SHUFFLED = [...NODES].reverse();

describe('nodesToTree', () => {
  it('nests nodes in their order, however they are stored', () => {
    const tree = nodesToTree(SHUFFLED);
    expect(tree.map((section) => section.schemaId)).toEqual(['header', 'lines', 'buttons']);
    expect(tree[1]!.children[1]!.children.map((row) => row.children.map((cell) => cell.content!.value))).toEqual([
      ['Bottle', ''],
      ['Glass', ''],
    ]);
  });
});

describe('renderTree', () => {
  it('answers every key of a datapoint', () => {
    expect(renderTree(SHUFFLED)[0]!.children![0]).toEqual({
      id: 2,
      schema_id: 'number',
      category: 'datapoint',
      content: {
        value: 'A1',
        normalized_value: 'A1',
        page: 1,
        position: [1, 2, 3, 4],
        rir_text: 'A1',
        rir_raw_text: 'A1',
        rir_page: 1,
        rir_position: [1, 2, 3, 4],
        rir_confidence: 0.9,
        connector_text: null,
        connector_position: null,
        ocr_text: null,
        ocr_raw_text: null,
        ocr_position: null,
      },
      validation_sources: ['score'],
      time_spent: 0,
      time_spent_overall: 0,
      hidden: true,
    });
  });

  it('answers buttons, tables and rows with their own keys', () => {
    const [header, lines] = renderTree(NODES);
    expect(header).toEqual({ id: 1, schema_id: 'header', category: 'section', children: expect.any(Array) });
    expect(header!.children![3]).toMatchObject({ schema_id: 'press', content: null, validation_sources: ['NA'] });
    const [orders, items] = lines!.children!;
    expect(orders).not.toHaveProperty('grid');
    expect({ ...items, children: [] }).toEqual({
      id: items!.id,
      schema_id: 'items',
      category: 'multivalue',
      children: [],
      time_spent: 0,
      time_spent_overall: 0,
      time_spent_grid: 0,
      time_spent_grid_overall: 0,
      hidden: false,
      grid: null,
    });
    expect(Object.keys(items!.children![0]!)).toEqual(['id', 'schema_id', 'category', 'children', 'hidden']);
  });

  it('answers options and stopped recalculation only where they were set', () => {
    const options = [{ value: 'a', label: 'A' }];
    const changed = NODES.map((node) => (node.id === 2 ? { ...node, options, noRecalculation: true } : node));
    expect(renderNode(changed, 2)).toMatchObject({ options, no_recalculation: true });
  });
});

describe('renderNode', () => {
  it('answers a node with what is below it', () => {
    const items = NODES.find((node) => node.schemaId === 'items')!;
    expect(renderNode(SHUFFLED, items.id)!.children!.map((row) => row.children![0]!.content!.value)).toEqual([
      'Bottle',
      'Glass',
    ]);
    expect(renderNode(NODES, 999)).toBeNull();
  });
});

describe('exportTree', () => {
  it('has normalized values, and neither buttons nor what is not to be exported', () => {
    expect(exportTree(SCHEMA, SHUFFLED)).toEqual([
      {
        category: 'section',
        schema_id: 'header',
        children: [
          { category: 'datapoint', schema_id: 'number', rir_confidence: 0.9, value: 'A1', type: 'string' },
          { category: 'datapoint', schema_id: 'total', rir_confidence: 0.9, value: '1234.50', type: 'number' },
          { category: 'datapoint', schema_id: 'issued', rir_confidence: 0.9, value: '2024-04-03', type: 'date' },
          { category: 'datapoint', schema_id: 'list_price', rir_confidence: 0.9, value: 'about 5', type: 'number' },
        ],
      },
      {
        category: 'section',
        schema_id: 'lines',
        children: [
          { category: 'multivalue', schema_id: 'orders', children: [] },
          {
            category: 'multivalue',
            schema_id: 'items',
            children: ['Bottle', 'Glass'].map((value) => ({
              category: 'tuple',
              schema_id: 'item',
              children: [{ category: 'datapoint', schema_id: 'name', rir_confidence: 0.9, value, type: 'string' }],
            })),
          },
          {
            category: 'multivalue',
            schema_id: 'private',
            children: [{ category: 'tuple', schema_id: 'private_row', children: [] }],
          },
        ],
      },
      { category: 'section', schema_id: 'buttons', children: [] },
    ]);
  });

  it('is empty without nodes', () => {
    expect(exportTree(SCHEMA, [])).toEqual([]);
  });

  it('has empty text for missing values', () => {
    let lastId = 0;
    const [header] = exportTree(
      SCHEMA,
      buildNodes(SCHEMA, null, () => ++lastId),
    );
    expect(header).toMatchObject({ children: [{ value: '', rir_confidence: null }, {}, {}, {}] });
  });
});
