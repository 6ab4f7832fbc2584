import fc from 'fast-check';
import type { Datapoint, SchemaContent } from '../schema-content';
import { buildNodes } from './build-nodes';
import type { ContentChange, ContentResult } from './content-change';
import type { ContentNode } from './content-node';
import { groupByParent } from './content-tree';
import { addEmptyItem, applyOperations } from './operations';

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
      field('total', { type: 'number', format: '# ##0,#' }),
      field('issued', { type: 'date', format: 'D.M.YYYY' }),
      field('currency', { type: 'enum', options: [{ value: 'eur', label: 'EUR' }] }),
      field('press', { type: 'button' }),
      field('computed', { rir_field_names: [], formula: '1', ui_configuration: { type: 'formula', edit: 'enabled' } }),
      { category: 'multivalue', id: 'orders', label: 'Orders', children: field('order') },
      {
        category: 'multivalue',
        id: 'items',
        label: 'Items',
        children: {
          category: 'tuple',
          id: 'item',
          label: 'Item',
          children: [field('name'), field('price', { type: 'number' }), field('edit', { type: 'button' })],
        },
      },
    ],
  },
];

const read = (value: string) => ({ value, rawText: value, page: 1, position: [1, 2, 3, 4], confidence: 0.9 });
const NODES = (() => {
  let lastId = 0;
  const line = (name: string) => ({ type: 'data', cells: { name: read(name) }, page: 1, position: null });
  return buildNodes(
    SCHEMA,
    {
      fields: { number: [read('A1')], total: [read('12.50')], order: [read('o1')] },
      tables: { line_items: [line('Bottle'), line('Glass')] },
      values: {},
      defaultScoreThreshold: 0.8,
    },
    () => ++lastId,
  );
})();
const idOf = (schemaId: string, at = 0) => NODES.filter((node) => node.schemaId === schemaId)[at]!.id;

const apply = (operations: unknown, source: 'user' | 'hook' = 'user', nodes: readonly ContentNode[] = NODES) => {
  let lastId = 1000;
  return applyOperations(SCHEMA, nodes, operations, { source, allocateId: () => ++lastId });
};
const applied = (result: ContentResult): ContentChange => {
  if (result.errors) throw new Error(JSON.stringify(result.errors));
  return result;
};
const replaced = (schemaId: string, value: object, source: 'user' | 'hook' = 'user') => {
  const { nodes, changed } = applied(apply([{ op: 'replace', id: idOf(schemaId), value }], source));
  return { node: nodes.find((node) => node.id === idOf(schemaId))!, changed: changed.map((node) => node.schemaId) };
};

describe('replace', () => {
  it('parses, formats and moves', () => {
    const { node, changed } = replaced('total', { content: { value: '1234.5', position: [5, 6, 7, 8], page: 2 } });
    expect(node.content).toMatchObject({
      value: '1 234,5',
      normalizedValue: '1234.5',
      page: 2,
      position: [5, 6, 7, 8],
    });
    expect(changed).toEqual(['total']);
  });

  it('keeps what the engine read, and the place when none is given', () => {
    const before = NODES.find((node) => node.id === idOf('number'))!.content!;
    const { node } = replaced('number', { content: { value: 'B2', rir_text: 'x', rir_confidence: 1 } });
    expect(node.content).toEqual({ ...before, value: 'B2', normalizedValue: 'B2' });
  });

  it('takes no page that the document does not have, nor do new rows', () => {
    const cell = { content: { value: 'x', page: 3 } };
    const operations = [
      { op: 'replace', id: idOf('number'), value: cell },
      { op: 'add', id: idOf('items'), value: [{ schema_id: 'name', ...cell }] },
      { op: 'add', id: idOf('orders'), value: cell },
    ];
    const content = { page: ['The document has no page 3, its last one is 2.'] };
    const context = { source: 'hook', allocateId: () => 1000 } as const;
    expect(applyOperations(SCHEMA, NODES, operations, { ...context, pageCount: 2 })).toEqual({
      errors: { operations: [{ value: { content } }, { value: [{ content }] }, { value: { content } }] },
    });
  });

  it('takes the id as text', () => {
    const result = applied(apply([{ op: 'replace', id: String(idOf('number')), value: { content: { value: 'B2' } } }]));
    expect(result.changed.map((node) => node.content?.value)).toEqual(['B2']);
  });

  it.each<[string, object, 'user' | 'hook', string[]]>([
    ['a person gives content', { content: { value: 'B2' } }, 'user', ['human']],
    ['a person gives the same content', { content: { value: 'A1' } }, 'user', ['human']],
    ['a person gives sources', { content: { value: 'B2' }, validation_sources: [] }, 'user', []],
    ['a person gives no content', { hidden: true }, 'user', ['score']],
    ['a hook changes the value', { content: { value: 'B2' } }, 'hook', []],
    ['a hook gives the same value', { content: { value: 'A1' } }, 'hook', ['score']],
    [
      'a hook gives sources',
      { content: { value: 'B2' }, validation_sources: ['connector', 'mine'] },
      'hook',
      ['connector', 'mine'],
    ],
  ])('when %s, sets the sources', (_what, value, source, expected) => {
    expect(replaced('number', value, source).node.validationSources).toEqual(expected);
  });

  it('keeps what an extension gave, also when a person changes it later', () => {
    const box = [1, 2, 3, 4];
    const { node } = replaced('number', { content: { value: 'B2', position: box } }, 'hook');
    expect(node.content).toMatchObject({ connectorText: 'B2', connectorPosition: box });
    const others = NODES.map((one) => (one.id === node.id ? node : one));
    const change = [{ op: 'replace', id: node.id, value: { content: { value: 'C3' } } }];
    const [changed] = applied(apply(change, 'user', others)).changed;
    expect(changed?.content).toMatchObject({ value: 'C3', connectorText: 'B2', connectorPosition: box });
    expect(replaced('number', { hidden: true }, 'hook').node.content).toMatchObject({ connectorText: null });
    expect(replaced('number', { content: { value: 'B2' } }).node.content).toMatchObject({ connectorText: null });
  });

  it.each<[string, object, string, string | null]>([
    ['numbers of equal value', { value: '1 234,50', normalized_value: '1234.5' }, '1 234,50', '1234.50'],
    ['values that do not match', { value: '1 234,50', normalized_value: '7' }, '12,50', '12.50'],
    ['a normalized value alone', { normalized_value: '7.5' }, '7,5', '7.5'],
    ['an empty normalized value for an empty value', { value: '', normalized_value: null }, '', null],
  ])('takes %s', (_what, content, value, normalizedValue) => {
    expect(replaced('total', { content }).node.content).toMatchObject({ value, normalizedValue });
  });

  it('leaves everything alone when the values do not match', () => {
    const content = { value: '1', normalized_value: '2', position: [5, 6, 7, 8] };
    expect(replaced('total', { content, hidden: true, validation_sources: ['human'] }).changed).toEqual([]);
  });

  it('changes options and matches the value with the new ones', () => {
    const options = [{ value: 'Gold', label: 'Gold' }];
    const { node } = replaced('currency', { options, content: { value: 'gold' } });
    expect(node).toMatchObject({ options, content: { value: 'Gold' } });
    const back = applied(apply([{ op: 'replace', id: node.id, value: { options: null } }]));
    expect(back.nodes.find(({ id }) => id === node.id)).not.toHaveProperty('options');
  });

  it('ignores options of fields that have none, and content of buttons', () => {
    expect(replaced('number', { options: [] }).changed).toEqual([]);
    const { node } = replaced('press', { content: { value: 'x' }, hidden: true });
    expect(node).toMatchObject({ content: null, validationSources: ['NA'], hidden: true });
  });

  it('stops the recalculation of a formula that a person has edited', () => {
    expect(replaced('computed', { content: { value: '5' } }).node.noRecalculation).toBe(true);
    expect(replaced('computed', { content: { value: '5' } }, 'hook').node.noRecalculation).toBe(false);
    expect(replaced('number', { content: { value: '5' } }).node.noRecalculation).toBeUndefined();
  });

  it('cannot set what the node PATCH sets', () => {
    expect(replaced('number', { time_spent: 5, no_recalculation: true }).changed).toEqual([]);
  });
});

describe('add', () => {
  const add = (schemaId: string, value: unknown, others: object = {}, source: 'user' | 'hook' = 'hook') => {
    const { added } = applied(apply([{ op: 'add', id: idOf(schemaId), value, ...others }], source));
    return added;
  };

  it('appends a row with all its cells', () => {
    const added = add('items', [{ schema_id: 'price', content: { value: '5.00', page: 1, position: [1, 1, 2, 2] } }]);
    expect(added.map(({ id, parentId, index, schemaId }) => [id, parentId, index, schemaId])).toEqual([
      [1001, idOf('items'), 2, 'item'],
      [1002, 1001, 0, 'name'],
      [1003, 1001, 1, 'price'],
      [1004, 1001, 2, 'edit'],
    ]);
    expect(added[1]!.content!.value).toBe('');
    expect(added[2]!.content).toMatchObject({ value: '5.00', normalizedValue: '5.00', page: 1, rirText: null });
    expect(added[3]).toMatchObject({ content: null, validationSources: ['NA'] });
  });

  it('takes an object keyed by schema ids, and an empty list', () => {
    expect(add('items', { name: { content: { value: 'Cup' } } })[1]!.content!.value).toBe('Cup');
    expect(add('items', [])).toHaveLength(4);
    expect(add('items', {})).toHaveLength(4);
  });

  it.each<[string, object, 'user' | 'hook', string[][]]>([
    ['those of the row', { validation_sources: ['connector'] }, 'hook', [['connector'], ['connector']]],
    ['human where a person wrote', {}, 'user', [['human'], []]],
    ['none where a hook wrote', {}, 'hook', [[], []]],
  ])('sets %s as sources of the cells', (_what, others, source, expected) => {
    const added = add('items', [{ schema_id: 'name', content: { value: 'Cup' } }], others, source);
    expect([added[1]!.validationSources, added[2]!.validationSources]).toEqual(expected);
  });

  it('lets sources of a cell win over those of the row', () => {
    const cell = { schema_id: 'name', content: { value: 'Cup' }, validation_sources: ['human'] };
    expect(add('items', [cell], { validation_sources: ['connector'] })[1]!.validationSources).toEqual(['human']);
  });

  it.each([
    ['an object', { content: { value: 'o2' } }],
    ['an object with its schema id', { schema_id: 'order', content: { value: 'o2' } }],
    ['a list of one', [{ content: { value: 'o2' } }]],
  ])('appends an item of a list given as %s', (_what, value) => {
    const added = add('orders', value);
    expect(added).toHaveLength(1);
    expect(added[0]).toMatchObject({ parentId: idOf('orders'), index: 1, content: { value: 'o2' } });
  });

  it('appends behind a row that was removed before', () => {
    const { nodes } = applied(
      apply([
        { op: 'remove', id: idOf('item', 1) },
        { op: 'add', id: idOf('items'), value: [] },
      ]),
    );
    const rows = groupByParent(nodes).get(idOf('items'))!;
    expect(rows.map(({ id }) => id)).toEqual([idOf('item', 0), 1001]);
  });
});

describe('remove', () => {
  it('takes a row away with its cells', () => {
    const rowId = idOf('item');
    const { nodes, removed, changed, added } = applied(apply([{ op: 'remove', id: rowId }]));
    expect([...removed].sort((a, b) => a - b)).toEqual([rowId, rowId + 1, rowId + 2, rowId + 3]);
    expect(nodes).toHaveLength(NODES.length - 4);
    expect([changed, added]).toEqual([[], []]);
  });

  it('forgets what was changed before', () => {
    const { changed } = applied(
      apply([
        { op: 'replace', id: idOf('order'), value: { content: { value: 'x' } } },
        { op: 'remove', id: idOf('order') },
      ]),
    );
    expect(changed).toEqual([]);
  });
});

describe('operations that are refused', () => {
  const SAFE = { op: 'replace', id: idOf('number'), value: { content: { value: 'B2' } } };

  it.each<[string, unknown, unknown]>([
    ['no object', 'replace', { non_field_errors: ['Invalid data. Expected a dictionary, but got str.'] }],
    [
      'nothing',
      {},
      { op: ['This field is required.'], id: ['This field is required.'], value: ['This field is required.'] },
    ],
    ['an unknown operation', { op: 'move', id: idOf('number'), value: {} }, { op: ['"move" is not a valid choice.'] }],
    ['an unknown id', { op: 'remove', id: 884061 }, { id: ['Datapoint 884061 not found.'] }],
    ['an id as text', { op: 'remove', id: '884061' }, { id: ['Datapoint 884061 not found.'] }],
    ['an id that is none', { op: 'remove', id: '1e3' }, { id: ['A valid integer is required.'] }],
    ['an id with a fraction', { op: 'remove', id: 1.5 }, { id: ['A valid integer is required.'] }],
    ['null as id', { op: 'remove', id: null }, { id: ['A valid integer is required.'] }],
    ['replacing a row', { op: 'replace', id: idOf('item'), value: {} }, { id: ['Only datapoints can be replaced.'] }],
    [
      'removing a field',
      { op: 'remove', id: idOf('number') },
      { id: ['Only an item of a multivalue can be removed.'] },
    ],
    ['removing a cell', { op: 'remove', id: idOf('name') }, { id: ['Only an item of a multivalue can be removed.'] }],
    [
      'removing a section',
      { op: 'remove', id: idOf('section') },
      { id: ['Only an item of a multivalue can be removed.'] },
    ],
    [
      'adding to a field',
      { op: 'add', id: idOf('number'), value: [] },
      { id: ['Items can be added only to a multivalue.'] },
    ],
    [
      'a column that is not in the row',
      { op: 'add', id: idOf('items'), value: [{ schema_id: 'name' }, { schema_id: 'total' }] },
      { value: [{}, { schema_id: ['"total" is not in this place of the schema.'] }] },
    ],
    [
      'a cell without schema id',
      { op: 'add', id: idOf('items'), value: [{}] },
      { value: [{ schema_id: ['This field is required.'] }] },
    ],
    [
      'a cell given twice',
      { op: 'add', id: idOf('items'), value: [{ schema_id: 'name' }, { schema_id: 'name' }] },
      { value: [{}, { schema_id: ['name is given twice.'] }] },
    ],
    [
      'a column that is not in the row, keyed',
      JSON.parse(`{"op": "add", "id": ${idOf('items')}, "value": {"__proto__": {}}}`),
      { value: JSON.parse('{"__proto__": {"schema_id": ["\\"__proto__\\" is not in this place of the schema."]}}') },
    ],
    [
      'a value too long in a cell',
      { op: 'add', id: idOf('items'), value: [{ schema_id: 'name', content: { value: 'x'.repeat(1501) } }] },
      { value: [{ content: { value: ['Ensure this field has no more than 1500 characters.'] } }] },
    ],
    ['two items for a list', { op: 'add', id: idOf('orders'), value: [{}, {}] }, { value: ['Expected one object.'] }],
    [
      'a wrong schema id in a list',
      { op: 'add', id: idOf('orders'), value: { schema_id: 'name' } },
      { value: { schema_id: ['"name" is not in this place of the schema.'] } },
    ],
    [
      'wrong types everywhere',
      {
        op: 'replace',
        id: idOf('number'),
        value: {
          content: { value: {}, position: [1, 2, 3], page: 0 },
          validation_sources: 'human',
          hidden: 1,
          options: {},
        },
      },
      {
        value: {
          content: {
            position: ['Expected 4 numbers: left, top, right, bottom.'],
            page: ['A valid integer is required.'],
          },
          validation_sources: ['Expected a list of items but got type "str".'],
          hidden: ['Must be a valid boolean.'],
          options: ['Expected a list of items but got type "dict".'],
        },
      },
    ],
    [
      'an object as value',
      { op: 'replace', id: idOf('number'), value: { content: { value: {} } } },
      { value: { content: { value: ['Not a valid string.'] } } },
    ],
    [
      'an option without value',
      { op: 'replace', id: idOf('currency'), value: { options: [{ label: 'x' }] } },
      { value: { options: [{ value: ['This field is required.'] }] } },
    ],
    [
      'sources of the row that are none',
      { op: 'add', id: idOf('items'), value: [], validation_sources: [1] },
      { validation_sources: ['Not a valid string.'] },
    ],
  ])('because of %s', (_what, operation, expected) => {
    expect(apply([SAFE, operation])).toEqual({ errors: { operations: [{}, expected] } });
  });

  it('because there is no list of them', () => {
    expect(apply({})).toEqual({ errors: { operations: ['Expected a list of items but got type "dict".'] } });
    expect(apply(undefined)).toEqual({ errors: { operations: ['This field is required.'] } });
  });

  it('because a node is gone, or was made by an operation before', () => {
    const removal = { op: 'remove', id: idOf('item') };
    expect(apply([removal, removal])).toMatchObject({ errors: { operations: [{}, { id: [expect.any(String)] }] } });
    const made = apply([
      { op: 'add', id: idOf('items'), value: [] },
      { op: 'remove', id: 1001 },
    ]);
    expect(made).toEqual({ errors: { operations: [{}, { id: ['Datapoint 1001 not found.'] }] } });
  });
});

describe('addEmptyItem', () => {
  const context = { source: 'user' as const, allocateId: () => 1001 };

  it('appends an item', () => {
    const { added } = applied(addEmptyItem(SCHEMA, NODES, idOf('orders'), context));
    expect(added).toEqual([expect.objectContaining({ id: 1001, schemaId: 'order', validationSources: [] })]);
  });

  it('needs a multivalue', () => {
    expect(addEmptyItem(SCHEMA, NODES, idOf('number'), context).errors).toEqual({
      id: ['Items can be added only to a multivalue.'],
    });
    expect(addEmptyItem(SCHEMA, NODES, 9999, context).errors).toEqual({ id: ['Datapoint 9999 not found.'] });
  });
});

describe('any operations', () => {
  const anyId = fc.oneof(
    fc.constantFrom(...NODES.map((node) => node.id)),
    fc.constantFrom(...NODES.map((node) => String(node.id))),
    fc.integer(),
  );
  const anyValue = fc.oneof(
    fc.record({
      content: fc.record(
        { value: fc.oneof(fc.string(), fc.double(), fc.constant(null)), page: fc.integer() },
        { requiredKeys: [] },
      ),
    }),
    fc.array(
      fc.record({
        schema_id: fc.constantFrom('name', 'price', 'edit', 'number'),
        content: fc.record({ value: fc.string() }),
      }),
    ),
    fc.jsonValue(),
  );
  const anyOperation = fc.oneof(
    fc.record(
      { op: fc.constantFrom('replace', 'add', 'remove', 'x'), id: anyId, value: anyValue },
      { requiredKeys: ['op', 'id'] },
    ),
    fc.jsonValue(),
  );

  it('keep the tree whole and the nodes that were given', () => {
    const given = structuredClone(NODES);
    fc.assert(
      fc.property(fc.array(anyOperation, { maxLength: 6 }), fc.constantFrom('user', 'hook'), (operations, source) => {
        const result = apply(operations, source as 'user');
        expect(NODES).toEqual(given);
        if (result.errors) {
          expect(result.errors.operations).toHaveLength(operations.length);
          return;
        }
        expectWholeTree(result.nodes);
        const kept = NODES.filter((node) => !result.removed.includes(node.id));
        expect(result.nodes).toHaveLength(kept.length + result.added.length);
      }),
      { numRuns: 500 },
    );
  });
});

function expectWholeTree(nodes: readonly ContentNode[]): void {
  const ids = new Set(nodes.map((node) => node.id));
  expect(ids.size).toBe(nodes.length);
  for (const node of nodes) expect(node.parentId === null || ids.has(node.parentId)).toBe(true);
  const children = groupByParent(nodes);
  for (const siblings of children.values()) {
    expect(new Set(siblings.map(({ index }) => index)).size).toBe(siblings.length);
  }
  for (const row of nodes.filter((node) => node.category === 'tuple')) {
    expect(children.get(row.id)!.map(({ schemaId }) => schemaId)).toEqual(['name', 'price', 'edit']);
  }
}
