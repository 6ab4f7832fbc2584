import fc from 'fast-check';
import type { SchemaContent } from '../schema-content';
import { aggregateContent } from './aggregations';
import { buildNodes } from './build-nodes';

const schema = (aggregations: object | null): SchemaContent => [
  {
    category: 'section',
    id: 'section',
    label: 'Section',
    children: [
      {
        category: 'multivalue',
        id: 'items',
        label: 'Items',
        children: {
          category: 'tuple',
          id: 'item',
          label: 'Item',
          children: [
            {
              category: 'datapoint',
              id: 'price',
              label: 'Price',
              type: 'number',
              rir_field_names: ['price'],
              aggregations,
            },
            { category: 'datapoint', id: 'other', label: 'Other', type: 'number', rir_field_names: ['price'] },
          ],
        },
      },
    ],
  },
];

const aggregate = (prices: string[], aggregations: object | null = { sum: {} }) => {
  let lastId = 0;
  const rows = prices.map((value) => ({
    type: 'data',
    cells: { price: { value, rawText: null, page: null, position: null, confidence: 1 } },
    page: 1,
    position: null,
  }));
  const content = schema(aggregations);
  const sources = { fields: {}, tables: { line_items: rows }, values: {}, defaultScoreThreshold: 0 };
  return aggregateContent(
    content,
    buildNodes(content, sources, () => ++lastId),
  );
};

describe('aggregateContent', () => {
  it('answers one message per column that asks for it', () => {
    expect(aggregate(['0.1', '0.2'], { sum: { label: 'Together' } })).toEqual([
      { id: '2', type: 'aggregation', content: '0.3', aggregationType: 'sum', schemaId: 'price', label: 'Together' },
    ]);
    expect(aggregate(['1'])[0]?.label).toBe('Sum');
    expect(aggregate(['1'], null)).toEqual([]);
    expect(aggregate(['1'], {})).toEqual([]);
  });

  it.each([
    [[], '0'],
    [['1.50', '2.50'], '4.00'],
    [['1', '2.345'], '3.345'],
    [['-5', '5'], '0'],
    [['1', 'about 2', '3'], '4'],
    [['12345678901234567890123456789.01', '0.02'], '12345678901234567890123456789.03'],
  ])('sums %j to %s', (prices, expected) => {
    expect(aggregate(prices)[0]?.content).toBe(expected);
  });

  it('is exact', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n })), (cents) => {
        const asText = (amount: bigint) => {
          const digits = (amount < 0n ? -amount : amount).toString().padStart(3, '0');
          return `${amount < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
        };
        const total = cents.reduce((sum, amount) => sum + amount, 0n);
        expect(aggregate(cents.map(asText))[0]?.content).toBe(cents.length === 0 ? '0' : asText(total));
      }),
    );
  });
});
