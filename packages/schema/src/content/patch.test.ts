import type { Datapoint, SchemaContent } from '../schema-content';
import { buildNodes } from './build-nodes';
import type { ContentChange, ContentResult } from './content-change';
import { renderNode, renderTree } from './content-tree';
import { patchNode, patchTree } from './patch';

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
    id: 'section',
    label: 'Section',
    children: [
      field('number'),
      field('issued', { type: 'date', format: 'D.M.YY' }),
      field('computed', { rir_field_names: [], formula: '', ui_configuration: { type: 'formula' } }),
      field('locked', { rir_field_names: [], formula: '', ui_configuration: { type: 'formula', edit: 'disabled' } }),
      field('press', { type: 'button' }),
      {
        category: 'multivalue',
        id: 'items',
        label: 'Items',
        children: {
          category: 'tuple',
          id: 'item',
          label: 'Item',
          children: [field('name'), field('price', { type: 'number' })],
        },
      },
    ],
  },
];
const read = (value: string) => ({ value, rawText: value, page: 1, position: [1, 2, 3, 4], confidence: 0.9 });
const line = (name: string) => ({ type: 'data', cells: { name: read(name) }, page: 1, position: null });
const NODES = (() => {
  let lastId = 0;
  return buildNodes(
    SCHEMA,
    {
      fields: { number: [read('A1')], issued: [read('1955-04-03')] },
      tables: { line_items: [line('Bottle'), line('Glass')] },
      values: {},
      defaultScoreThreshold: 0.8,
    },
    () => ++lastId,
  );
})();
const idOf = (schemaId: string, at = 0) => NODES.filter((node) => node.schemaId === schemaId)[at]!.id;
const USER = { source: 'user' as const };

const applied = (result: ContentResult): ContentChange => {
  if (result.errors) throw new Error(JSON.stringify(result.errors));
  return result;
};
const patched = (schemaId: string, patch: unknown) => {
  const { nodes, changed } = applied(patchNode(SCHEMA, NODES, idOf(schemaId), patch, USER));
  return { node: nodes.find((node) => node.id === idOf(schemaId))!, changed: changed.map((node) => node.schemaId) };
};

describe('patchNode', () => {
  it.each<[string, object, string[]]>([
    ['[] for a changed value', { content: { value: 'B2' } }, []],
    ['what they were for the same value', { content: { value: 'A1', page: 2 } }, ['score']],
    ['those given', { content: { value: 'B2' }, validation_sources: ['human'] }, ['human']],
    ['those given alone', { validation_sources: ['human'] }, ['human']],
  ])('sets as sources %s', (_what, patch, expected) => {
    expect(patched('number', patch).node.validationSources).toEqual(expected);
  });

  it('ignores a normalized value beside the value', () => {
    const { node } = patched('issued', { content: { value: '5.6.24', normalized_value: '1999-01-01' } });
    expect(node.content).toMatchObject({ value: '5.6.24', normalizedValue: '2024-06-05' });
  });

  it('does not change what is sent back as it is', () => {
    expect(patched('issued', renderNode(NODES, idOf('issued'))).changed).toEqual([]);
    expect(patched('press', renderNode(NODES, idOf('press'))).changed).toEqual([]);
  });

  it('sets the times of fields and tables', () => {
    expect(patched('number', { time_spent: 1.5, time_spent_overall: 3 }).node).toMatchObject({
      timeSpent: 1.5,
      timeSpentOverall: 3,
    });
    expect(patched('items', { time_spent_grid: 2, hidden: true }).node).toMatchObject({
      timeSpentGrid: 2,
      hidden: true,
    });
    expect(patched('item', { hidden: true }).node.hidden).toBe(true);
    expect(patched('section', { hidden: true }).changed).toEqual([]);
  });

  it('stops and resumes the recalculation only of formulas that may be edited', () => {
    expect(patched('computed', { no_recalculation: true }).node.noRecalculation).toBe(true);
    expect(patched('computed', { content: { value: 'x' } }).node.noRecalculation).toBe(true);
    expect(patched('computed', { content: { value: 'x' }, no_recalculation: false }).node.noRecalculation).toBe(false);
    expect(patched('locked', { no_recalculation: true }).node.noRecalculation).toBeUndefined();
    expect(patched('number', { no_recalculation: true }).node.noRecalculation).toBeUndefined();
  });

  it.each<[string, unknown, unknown]>([
    ['no object', [], { non_field_errors: ['Invalid data. Expected a dictionary, but got list.'] }],
    ['negative seconds', { time_spent: -1 }, { time_spent: ['Ensure this value is greater than or equal to 0.'] }],
    ['seconds as text', { time_spent: '1' }, { time_spent: ['A valid number is required.'] }],
    ['null', { hidden: null }, { hidden: ['This field may not be null.'] }],
    [
      'a list as content',
      { content: [] },
      { content: { non_field_errors: ['Invalid data. Expected a dictionary, but got list.'] } },
    ],
    [
      'a value too long',
      { content: { value: 'x'.repeat(1501) } },
      { content: { value: ['Ensure this field has no more than 1500 characters.'] } },
    ],
  ])('refuses %s', (_what, patch, expected) => {
    expect(patchNode(SCHEMA, NODES, idOf('number'), patch, USER)).toEqual({ errors: expected });
  });

  it('takes a page that the document has, or the one that was there', () => {
    const onPage = (page: number, nodes = NODES) =>
      patchNode(SCHEMA, nodes, idOf('number'), { content: { page } }, { source: 'user', pageCount: 3 });
    expect(onPage(3).errors).toBeUndefined();
    expect(onPage(4)).toEqual({ errors: { content: { page: ['The document has no page 4, its last one is 3.'] } } });
    expect(patched('number', { content: { page: 9 } }).node.content).toMatchObject({ page: 9 });
    const lost = applied(patchNode(SCHEMA, NODES, idOf('number'), { content: { page: 9 } }, { source: 'user' })).nodes;
    expect(onPage(9, lost).errors).toBeUndefined();
    expect(onPage(8, lost).errors).toBeDefined();
  });

  it('does not know other nodes', () => {
    expect(patchNode(SCHEMA, NODES, 999, {}, USER)).toEqual({ errors: { id: ['Datapoint 999 not found.'] } });
  });
});

describe('patchTree', () => {
  it('changes nothing when the tree is sent back', () => {
    const { changed, added, removed } = applied(patchTree(SCHEMA, NODES, renderTree(NODES), USER));
    expect([changed, added, removed]).toEqual([[], [], []]);
  });

  it('finds nodes by id, schema id and place', () => {
    const tree = [
      {
        schema_id: 'section',
        children: [
          { schema_id: 'number', content: { value: 'B2' } },
          {
            id: String(idOf('items')),
            children: [
              { children: [{ schema_id: 'name', content: { value: 'Cup' } }] },
              { children: [{ id: idOf('price', 1), content: { value: '5' } }] },
            ],
          },
        ],
      },
    ];
    const { changed } = applied(patchTree(SCHEMA, NODES, tree, USER));
    expect(changed.map(({ id, content }) => [id, content!.value])).toEqual([
      [idOf('number'), 'B2'],
      [idOf('name', 0), 'Cup'],
      [idOf('price', 1), '5'],
    ]);
  });

  it('nests errors as the tree was sent, and applies nothing', () => {
    const tree = [
      {},
      { id: 'x' },
      {
        schema_id: 'section',
        children: [
          { schema_id: 'number', content: { value: 'B2' } },
          { schema_id: 'missing' },
          { schema_id: 'items', children: [{}, {}, {}] },
          { schema_id: 'issued', content: { page: 'one' } },
        ],
      },
      5,
    ];
    expect(patchTree(SCHEMA, NODES, tree, USER)).toEqual({
      errors: {
        content: [
          { schema_id: ['This field is required.'] },
          { id: ['A valid integer is required.'] },
          {
            children: [
              {},
              { schema_id: ['"missing" is not in this place of the schema.'] },
              { children: [{}, {}, { non_field_errors: ['There is no such row.'] }] },
              { content: { page: ['A valid integer is required.'] } },
            ],
          },
          { non_field_errors: ['Invalid data. Expected a dictionary, but got int.'] },
        ],
      },
    });
  });

  it('wants a list', () => {
    expect(patchTree(SCHEMA, NODES, {}, USER)).toEqual({
      errors: { content: ['Expected a list of items but got type "dict".'] },
    });
    expect(patchTree(SCHEMA, NODES, undefined, USER)).toEqual({ errors: { content: ['This field is required.'] } });
  });
});
