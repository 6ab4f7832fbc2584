import { buildNodes, type SchemaContent } from '@intake/schema';
import { applyGiven } from './given-content';

const datapoint = (id: string, type = 'string') => ({ category: 'datapoint', id, label: id, type });
const SCHEMA = [
  {
    category: 'section',
    id: 'head',
    label: 'Head',
    children: [
      datapoint('number'),
      { ...datapoint('total', 'number'), format: '# ##0.#' },
      {
        category: 'multivalue',
        id: 'items',
        label: 'Items',
        children: { category: 'tuple', id: 'item', label: 'Item', children: [datapoint('code'), datapoint('what')] },
      },
      { category: 'multivalue', id: 'notes', label: 'Notes', children: datapoint('note') },
    ],
  },
] as unknown as SchemaContent;

const apply = (given: unknown) => {
  let count = 0;
  const nodes = buildNodes(SCHEMA, null, () => ++count);
  return applyGiven(SCHEMA, nodes, given, () => ++count);
};
const valuesOf = (given: unknown) =>
  apply(given).flatMap(({ schemaId, content }) => (content?.value ? [[schemaId, content.value]] : []));
const value = (schema_id: string, text: unknown) => ({ category: 'datapoint', schema_id, content: { value: text } });

it('fills fields, tables and lists', () => {
  const rows = [
    { category: 'tuple', schema_id: 'item', children: [value('code', 'A'), value('what', 'Apple')] },
    { category: 'tuple', schema_id: 'item', children: [value('what', 'Pear')] },
  ];
  expect(
    valuesOf([
      { category: 'section', schema_id: 'head', children: [value('number', 'N-1')] },
      value('total', '1234.5'),
      { category: 'multivalue', schema_id: 'items', children: rows },
      { category: 'multivalue', schema_id: 'notes', children: [value('note', 'first'), value('note', 'second')] },
    ]),
  ).toEqual([
    ['number', 'N-1'],
    ['total', '1 234.5'],
    ['code', 'A'],
    ['what', 'Apple'],
    ['what', 'Pear'],
    ['note', 'first'],
    ['note', 'second'],
  ]);
  expect(valuesOf([])).toEqual([]);
});

it.each([
  'x',
  [1],
  [{ category: 'datapoint', schema_id: 'nobody' }],
  [{ category: 'multivalue', schema_id: 'number', children: [] }],
  [value('number', { a: 1 })],
  [value('number', 'x'.repeat(1501))],
  [{ category: 'multivalue', schema_id: 'items', children: [value('code', 'A')] }],
  [{ category: 'section', children: 5 }],
])('refuses %j', (given) => {
  expect(() => apply(given)).toThrow(expect.objectContaining({ reason: 'INVALID' }));
});
