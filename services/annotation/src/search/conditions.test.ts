import type { ContentNode } from '@intake/schema';
import { toCondition } from './conditions';
import { indexContent } from './content-index';

const condition = (name: string, operator: string, value: unknown) => toCondition({ name, operator, value });

it('means fields of the annotation', () => {
  expect(condition('queue', '$in', [1, 2])).toEqual({ queueId: { $in: [1, 2] } });
  expect(condition('arrived_at', '$gte', '2026-01-02T00:00:00Z')).toEqual({
    arrivedAt: { $gte: new Date('2026-01-02T00:00:00Z') },
  });
  expect(condition('modifier', '$emptyOrMissing', true)).toEqual({ modifierId: { $in: [null] } });
  expect(condition('labels', '$emptyOrMissing', false)).toEqual({ $nor: [{ labelIds: { $in: [null, []] } }] });
});

it('means values of the content, in each row of a table', () => {
  expect(condition('field.amount_total.number', '$gt', 5)).toEqual({
    contentFields: { $elemMatch: { id: 'amount_total', number: { $gt: 5 } } },
  });
  expect(condition('field.a.b.string', '$ne', 'x')).toEqual({
    $nor: [{ contentFields: { $elemMatch: { id: 'a.b', text: 'x' } } }],
  });
  expect(condition('field.due.date', '$lt', '2026-01-02')).toEqual({
    contentFields: { $elemMatch: { id: 'due', date: { $lt: new Date('2026-01-02') } } },
  });
});

it('means one value by all that is asked of it at once', () => {
  const range = { $gte: '2026-01-02', $lt: '2026-02-01' };
  expect(condition('field.due.date', '$range', range)).toEqual({
    contentFields: {
      $elemMatch: { id: 'due', date: { $gte: new Date('2026-01-02'), $lt: new Date('2026-02-01') } },
    },
  });
  expect(condition('field.due.date', '$range', { $where: 1 })).toBeNull();
  const prefixesOf = (value: string) => {
    const found = condition('field.name.string', '$containsPrefixes', value) as {
      contentFields: { $elemMatch: { id: string; $and: unknown[] } };
    };
    return found.contentFields.$elemMatch.$and;
  };
  expect(prefixesOf('ac me')).toHaveLength(3);
  expect(prefixesOf(' ')).toEqual([{ text: { $exists: true } }]);
});

it('takes texts literally', () => {
  const pattern = (name: string, operator: string, value: string) => {
    const found = condition(name, operator, value) as Record<string, { $regex: string; $options: string }>;
    const [{ $regex, $options } = { $regex: '', $options: '' }] = Object.values(found);
    return new RegExp($regex, `${$options}u`.replace('u', 'u'));
  };
  const plain = (value: string) => new RegExp(`^${value}`, 'i');
  expect(plain('a').test('A')).toBe(true);
  expect(pattern('original_file_name', '$anyTokenStartsWith', 'quick').test('the QUICK fox')).toBe(true);
  expect(pattern('original_file_name', '$anyTokenStartsWith', 'uick').test('the QUICK fox')).toBe(false);
  expect(pattern('original_file_name', '$containsPrefixes', 'fo qui').test('the quick fox')).toBe(true);
  expect(pattern('original_file_name', '$containsPrefixes', 'fo x').test('the quick fox')).toBe(false);
});

it('knows neither other names nor other operators', () => {
  for (const name of ['nobody', '__proto__', 'constructor', 'field.a', 'field.a.bool', '$where']) {
    expect(condition(name, '$eq', 1)).toBeNull();
  }
  expect(condition('queue', '$where', 1)).toBeNull();
  expect(condition('field.a.string', '$regex', '.*')).toBeNull();
});

it('finds content by its words, numbers and days', () => {
  const node = (schemaId: string, value: string, normalizedValue: string | null) =>
    ({ category: 'datapoint', schemaId, content: { value, normalizedValue } }) as unknown as ContentNode;
  expect(
    indexContent([
      node('total', '1 234,50', '1234.50'),
      node('due', '2. 1. 2026', '2026-01-02'),
      node('name', 'ACME', 'ACME'),
      node('empty', '', null),
      { category: 'section', schemaId: 'head', content: null } as unknown as ContentNode,
    ]),
  ).toEqual({
    contentWords: ['1', '234,50', '234', '50', '2.', '2', '1.', '2026', 'acme'],
    contentFields: [
      { id: 'total', text: '1 234,50', number: 1234.5 },
      { id: 'due', text: '2. 1. 2026', date: new Date('2026-01-02') },
      { id: 'name', text: 'ACME' },
    ],
  });
});
