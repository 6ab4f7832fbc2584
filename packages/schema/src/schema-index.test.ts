import type { Datapoint, SchemaContent } from './schema-content';
import { childrenOf, schemaIndex } from './schema-index';

const field = (id: string): Datapoint => ({ category: 'datapoint', id, label: id, type: 'string' });
const SCHEMA: SchemaContent = [
  {
    category: 'section',
    id: 's',
    label: 'S',
    children: [field('__proto__'), { category: 'multivalue', id: 'list', label: 'L', children: field('item') }],
  },
  {
    category: 'section',
    id: 's2',
    label: 'S',
    children: [
      {
        category: 'multivalue',
        id: 'table',
        label: 'T',
        children: { category: 'tuple', id: 'row', label: 'R', children: [field('a'), field('b')] },
      },
    ],
  },
];
const index = schemaIndex(SCHEMA);

describe('schemaIndex', () => {
  it('knows all nodes in the order of the schema', () => {
    expect([...index.nodes.keys()]).toEqual(['s', '__proto__', 'list', 'item', 's2', 'table', 'row', 'a', 'b']);
    expect([...index.datapoints.keys()]).toEqual(['__proto__', 'item', 'a', 'b']);
  });

  it('knows where a node stands', () => {
    expect(index.pathOf('b')).toEqual(['s2', 'table', 'row', 'b']);
    expect(index.pathOf('s')).toEqual(['s']);
    expect(index.pathOf('none')).toEqual([]);
    expect(index.parentOf('b')?.id).toBe('row');
    expect(index.parentOf('s')).toBeNull();
    expect(index.parentOf('constructor')).toBeNull();
  });

  it('knows the multivalue around a node', () => {
    expect(['b', 'row', 'table', 'item'].map((id) => index.multivalueOf(id)?.id)).toEqual([
      'table',
      'table',
      'table',
      'list',
    ]);
    expect(index.multivalueOf('__proto__')).toBeNull();
  });

  it('lists children of every category', () => {
    expect([...index.nodes.values()].map((node) => childrenOf(node).length)).toEqual([2, 0, 1, 0, 1, 1, 2, 0, 0]);
  });
});
