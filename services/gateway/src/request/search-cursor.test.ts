import { makeCursor, readCursor } from './search-cursor';

const search = { body: { query: { $and: [] } }, ordering: ['-id'] };
const MINUTE_MS = 60_000;

it('names a page of one search, for a while', () => {
  const cursor = makeCursor(search, 3, 0);
  expect(readCursor(cursor, search, 10 * MINUTE_MS)).toBe(3);
  expect(() => readCursor(cursor, search, 16 * MINUTE_MS)).toThrow(expect.objectContaining({ reason: 'GONE' }));
  for (const other of [
    { ...search, ordering: ['id'] },
    { ...search, body: {} },
  ]) {
    expect(() => readCursor(cursor, other, 0)).toThrow(expect.objectContaining({ reason: 'INVALID' }));
  }
});

it.each(['', 'x', '2', Buffer.from('[1,0,"a",1]').toString('base64url'), Buffer.from('{"a":1}').toString('base64url')])(
  'refuses %j',
  (cursor) => {
    expect(() => readCursor(cursor, search)).toThrow(expect.objectContaining({ reason: 'INVALID' }));
  },
);
