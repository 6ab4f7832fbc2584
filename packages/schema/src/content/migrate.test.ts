import type { Datapoint, SchemaContent } from '../schema-content';
import { buildNodes } from './build-nodes';
import type { ContentNode } from './content-node';
import { migrateContent } from './migrate';
import { applyOperations } from './operations';

const field = (id: string, over: Partial<Datapoint> = {}): Datapoint => ({
  category: 'datapoint',
  id,
  label: id,
  type: 'string',
  ...over,
});
const section = (...children: SchemaContent[number]['children']): SchemaContent => [
  { category: 'section', id: 'all', label: 'All', children },
];
const list = (id: string, item: Datapoint): SchemaContent[number]['children'][number] => ({
  category: 'multivalue',
  id,
  label: id,
  children: item,
});
const table = (id: string, ...columns: Datapoint[]): SchemaContent[number]['children'][number] => ({
  category: 'multivalue',
  id,
  label: id,
  children: { category: 'tuple', id: `${id}_row`, label: id, children: columns },
});

/** Content of a schema with values: fields by id, rows of `items`, items of `tags`. */
function contentOf(
  schema: SchemaContent,
  values: Record<string, string> = {},
  rows: Record<string, string>[] = [],
  tags: string[] = [],
): ContentNode[] {
  let id = 0;
  const allocateId = () => ++id;
  let nodes = buildNodes(schema, null, allocateId);
  const idOf = (schemaId: string) => nodes.find((node) => node.schemaId === schemaId)?.id;
  const operations = [
    ...Object.entries(values).map(([key, value]) => ({ op: 'replace', id: idOf(key), value: { content: { value } } })),
    ...rows.map((row) => ({
      op: 'add',
      id: idOf('items'),
      value: Object.entries(row).map(([schema_id, value]) => ({ schema_id, content: { value } })),
    })),
    ...tags.map((value) => ({ op: 'add', id: idOf('tags'), value: { content: { value } } })),
  ];
  const result = applyOperations(schema, nodes, operations, { allocateId, source: 'user' });
  if (result.errors) throw new Error(JSON.stringify(result.errors));
  nodes = result.nodes;
  return nodes;
}
const migrate = (from: SchemaContent, to: SchemaContent, nodes: ContentNode[]) => {
  let id = 1000;
  return migrateContent(to, nodes, { from, allocateId: () => ++id });
};
const valuesOf = (nodes: ContentNode[], schemaId: string) =>
  nodes.filter((node) => node.schemaId === schemaId).map((node) => node.content?.value);

describe('migrateContent', () => {
  it('the grid of a table names the columns and rows that are left', () => {
    const from = section(table('items', field('x'), field('y')));
    const nodes = contentOf(from, {}, [{ x: '1' }]);
    const row = nodes.find(({ category }) => category === 'tuple')?.id;
    const partOf = (columns: (string | null)[], type: string | null) => ({
      page: 1,
      columns: columns.map((schema_id, i) => ({ left_position: i, schema_id, header_texts: [] })),
      rows: [
        { top_position: 1, tuple_id: row, type: 'data' },
        { top_position: 2, tuple_id: null, type },
      ],
      width: 9,
      height: 9,
    });
    const gridded = nodes.map((node) =>
      node.schemaId === 'items' ? { ...node, grid: { parts: [partOf(['x', 'y'], 'header')] } } : node,
    );
    const after = migrate(from, section(table('items', field('y'), field('z'))), gridded);
    expect(after.find(({ schemaId }) => schemaId === 'items')?.grid).toEqual({ parts: [partOf([null, 'y'], null)] });
  });

  it('changes nothing for the same schema', () => {
    const schema = section(field('a'), table('items', field('x'), field('y')), list('tags', field('tag')));
    const nodes = contentOf(schema, { a: '1' }, [{ x: 'x1' }, { y: 'y2' }], ['t']);
    const order = (all: ContentNode[]) => [...all].sort((one, other) => one.id - other.id);
    expect(order(migrate(schema, schema, nodes))).toEqual(order(nodes));
  });

  it('keeps value and node where the field moves, and drops what is gone', () => {
    const from = section(field('a'), field('b'));
    const to: SchemaContent = [
      { category: 'section', id: 'new', label: 'New', children: [field('b'), field('c', { default_value: 'd' })] },
    ];
    const nodes = contentOf(from, { a: '1', b: '2' });
    const after = migrate(from, to, nodes);
    expect(after.map(({ schemaId, content }) => [schemaId, content?.value])).toEqual([
      ['new', undefined],
      ['b', '2'],
      ['c', 'd'],
    ]);
    expect(after[1]?.id).toBe(nodes.find(({ schemaId }) => schemaId === 'b')?.id);
    expect(after[1]?.validationSources).toEqual(['human']);
  });

  it('takes a field out of a table from its first row, and into a table as its first row', () => {
    const flat = section(field('x'));
    const tabular = section(table('items', field('x'), field('y', { default_value: 'd' })));
    expect(valuesOf(migrate(tabular, flat, contentOf(tabular, {}, [{ x: '1' }, { x: '2' }])), 'x')).toEqual(['1']);
    const into = migrate(flat, tabular, contentOf(flat, { x: '1' }));
    expect([valuesOf(into, 'x'), valuesOf(into, 'y')]).toEqual([['1'], ['d']]);
    expect(valuesOf(migrate(flat, tabular, contentOf(flat)), 'x')).toEqual([]);
  });

  it('makes a list of a field and a field of a list', () => {
    const flat = section(field('tag'));
    const many = section(list('tags', field('tag')));
    expect(valuesOf(migrate(flat, many, contentOf(flat, { tag: 'a' })), 'tag')).toEqual(['a']);
    expect(valuesOf(migrate(many, flat, contentOf(many, {}, [], ['a', 'b'])), 'tag')).toEqual(['a']);
  });

  it('keeps rows, fills new columns and drops removed ones', () => {
    const from = section(table('items', field('x'), field('y')));
    const to = section(table('items', field('x'), field('z', { default_value: 'new' })));
    const after = migrate(from, to, contentOf(from, {}, [{ x: '1' }, { x: '2' }]));
    expect([valuesOf(after, 'x'), valuesOf(after, 'y'), valuesOf(after, 'z')]).toEqual([
      ['1', '2'],
      [],
      ['new', 'new'],
    ]);
  });

  it('fills a new column from the rows that the engine read, wherever they are now', () => {
    const description = field('x', { rir_field_names: ['table_column_description'] });
    const quantity = field('q', { rir_field_names: ['table_column_quantity'], default_value: 'd' });
    const read = (value: string, top: number) => ({
      ...{ value, rawText: value, page: 1, position: [0, top, 9, top + 9], confidence: 0.9 },
    });
    const rowOf = (text: string, count: string, top: number) => ({
      ...{ type: 'data', page: 1, position: null },
      cells: { table_column_description: read(text, top), table_column_quantity: read(count, top) },
    });
    const line_items = [rowOf('same', '1', 0), rowOf('same', '2', 10), rowOf('other', '3', 20)];
    const sources = { fields: {}, tables: { line_items }, values: {}, defaultScoreThreshold: 0.8 };
    const from = section(table('items', description));
    let id = 0;
    const allocateId = () => ++id;
    const nodes = buildNodes(from, sources, allocateId);
    const [first, second] = nodes.filter(({ category }) => category === 'tuple');
    const cell = nodes.find(({ parentId }) => parentId === second?.id);
    const operations = [
      { op: 'remove', id: first?.id },
      { op: 'replace', id: cell?.id, value: { content: { value: 'corrected' } } },
      { op: 'add', id: nodes.find(({ category }) => category === 'multivalue')?.id, value: [] },
    ];
    const changed = applyOperations(from, nodes, operations, { allocateId, source: 'user' });
    if (changed.errors) throw new Error(JSON.stringify(changed.errors));
    const to = section(table('items', description, quantity));
    const columnOf = (options: object) =>
      migrateContent(to, changed.nodes, { from, allocateId, ...options })
        .filter(({ schemaId }) => schemaId === 'q')
        .map(({ content, validationSources }) => [content?.value, validationSources]);
    expect(columnOf({ sources })).toEqual([
      ['2', ['score']],
      ['3', ['score']],
      ['d', []],
    ]);
    expect(columnOf({})).toEqual([
      ['d', []],
      ['d', []],
      ['d', []],
    ]);
  });

  it('writes numbers and dates in their new format, and reads values of another type anew', () => {
    const from = section(
      field('n', { type: 'number', format: '# ##0.#' }),
      field('d', { type: 'date', format: 'D.M.YYYY' }),
      field('t'),
    );
    const to = section(
      field('n', { type: 'number', format: '#.##0,#' }),
      field('d', { type: 'date', format: 'YYYY-MM-DD' }),
      field('t', { type: 'number', format: '# ##0.#' }),
    );
    const after = migrate(from, to, contentOf(from, { n: '1234.5', d: '3.2.2026', t: 'x' }));
    expect([...valuesOf(after, 'n'), ...valuesOf(after, 'd')]).toEqual(['1.234,5', '2026-02-03']);
    expect(after.find(({ schemaId }) => schemaId === 't')?.content).toMatchObject({
      value: 'x',
      normalizedValue: null,
    });
  });

  it('takes hidden from the new schema unless it was changed for the annotation', () => {
    const from = section(field('a'), field('b'));
    const to = section(field('a', { hidden: true }), field('b'));
    const nodes = contentOf(from).map((node) => (node.schemaId === 'b' ? { ...node, hidden: true } : node));
    const after = migrate(from, to, nodes);
    expect(after.filter(({ category }) => category === 'datapoint').map(({ hidden }) => hidden)).toEqual([true, true]);
  });
});
