import { z } from 'zod';
import { boolean, integer, metadata, name, number, readShape, reference, string } from './shapes';

const fieldsOf = (shape: z.ZodType, body: unknown) => {
  try {
    readShape(shape, body);
  } catch (error) {
    return (error as { fields?: unknown }).fields;
  }
  throw new Error('the body was taken');
};

const INTEGER = 'A valid integer is required.';
const shape = z.object({
  name: name(),
  note: string(3).optional(),
  count: number.optional(),
  pages: z.array(integer(1)).optional(),
  on: boolean.optional(),
  kind: z.enum(['a', 'b']).optional(),
  queue: reference('queues').optional(),
  users: z.array(reference('users')).optional(),
  kinds: z.array(z.enum(['a', 'b'])).optional(),
  pair: z.array(number).length(2).optional(),
  rows: z.array(z.object({ id: string(5) })).optional(),
  inner: z.object({ deep: number }).optional(),
  metadata: metadata.optional(),
});

it('gives what it knows and drops the rest', () => {
  expect(
    readShape(shape, { name: 'n', id: 9, url: 'x', queue: 'https://other/api/v1/queues/7/', count: '1.5', on: 'true' }),
  ).toEqual({ name: 'n', queue: 7, count: 1.5, on: true });
});

it.each([
  [{}, { name: ['This field is required.'] }],
  [{ name: null }, { name: ['This field may not be null.'] }],
  [{ name: ' ' }, { name: ['This field may not be blank.'] }],
  [{ name: 5 }, { name: ['Not a valid string.'] }],
  [{ name: 'x'.repeat(256) }, { name: ['Ensure this field has no more than 255 characters.'] }],
  [{ name: 'n', note: 'long' }, { note: ['Ensure this field has no more than 3 characters.'] }],
  [{ name: 'n', count: 'x' }, { count: ['A valid number is required.'] }],
  [{ name: 'n', pages: ['1', 2.5, 'x', 0] }, { pages: { 1: [INTEGER], 2: [INTEGER], 3: [expect.any(String)] } }],
  [{ name: 'n', on: 'perhaps' }, { on: ['Must be a valid boolean.'] }],
  [{ name: 'n', kind: 'c' }, { kind: ['"c" is not a valid choice.'] }],
  [{ name: 'n', queue: 7 }, { queue: ['Incorrect type. Expected URL string, received int.'] }],
  [{ name: 'n', queue: 'http://h/v1/users/7' }, { queue: ['Invalid hyperlink - No URL match.'] }],
  [{ name: 'n', queue: null }, { queue: ['This field may not be null.'] }],
  [{ name: 'n', users: 'u' }, { users: ['Expected a list of items but got type "str".'] }],
  [{ name: 'n', users: ['http://h/v1/users/7', 'x'] }, { users: ['Invalid hyperlink - No URL match.'] }],
  [{ name: 'n', pair: 'x' }, { pair: ['Expected a list of items but got type "str".'] }],
  [{ name: 'n', kinds: ['a', 'c'] }, { kinds: { 1: ['"c" is not a valid choice.'] } }],
  [
    { name: 'n', rows: [{ id: 'a' }, {}, { id: 1 }] },
    { rows: [{}, { id: ['This field is required.'] }, { id: ['Not a valid string.'] }] },
  ],
  [{ name: 'n', inner: {} }, { inner: { deep: ['This field is required.'] } }],
  [{ name: 'n', metadata: [] }, { metadata: ['Expected a dictionary of items but got type "list".'] }],
  [[], { non_field_errors: ['Invalid data. Expected a dictionary, but got list.'] }],
])('answers %j with the errors of its fields', (body, fields) => {
  expect(fieldsOf(shape, body)).toEqual(fields);
});

it('names all wrong fields at once', () => {
  expect(Object.keys(fieldsOf(shape, { count: 'x', kind: 'c' }) as object).sort()).toEqual(['count', 'kind', 'name']);
});

it('takes 4,096 bytes of metadata and no more', () => {
  const of = (bytes: number) => ({ name: 'n', metadata: { k: 'é'.repeat((bytes - 8) / 2) } });
  expect(Buffer.byteLength(JSON.stringify(of(4096).metadata))).toBe(4096);
  expect(readShape(shape, of(4096))).toEqual(of(4096));
  expect(fieldsOf(shape, of(4098))).toEqual({ metadata: ['Metadata may not be larger than 4 kB.'] });
});

it('names what is wrong in a list of which only some items are objects', () => {
  const shape = z.object({ items: z.array(z.object({ a: z.string() })) });
  expect(fieldsOf(shape, { items: ['x', { a: 1 }, { a: 'right' }] })).toEqual({
    items: [{ non_field_errors: [expect.stringContaining('dictionary')] }, { a: ['Not a valid string.'] }, {}],
  });
});
