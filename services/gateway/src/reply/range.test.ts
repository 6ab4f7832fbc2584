import { matchesEtag, readRange } from './range';

it.each([
  ['bytes=0-9', { offset: 0, length: 10 }],
  ['bytes=10-', { offset: 10, length: 90 }],
  ['bytes=-10', { offset: 90, length: 10 }],
  ['bytes=-1000', { offset: 0, length: 100 }],
  ['bytes=90-1000', { offset: 90, length: 10 }],
  ['bytes=99-99', { offset: 99, length: 1 }],
  ['bytes=0-1,5-6', null],
  ['bytes=5-4', null],
  ['bytes=-', null],
  ['items=0-1', null],
  ['', null],
  [undefined, null],
])('reads %j of 100 bytes', (header, range) => {
  expect(readRange(header, 100)).toEqual(range);
});

it.each(['bytes=100-', 'bytes=100-200', 'bytes=-0'])('cannot give %s of 100 bytes', (header) => {
  expect(() => readRange(header, 100)).toThrow(expect.objectContaining({ reason: 'RANGE_NOT_SATISFIABLE' }));
});

it('knows the version that a client has', () => {
  expect(['"a"', 'W/"a"', '"x", "a"', '*'].map((header) => matchesEtag(header, '"a"'))).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(['"b"', 'a', '', undefined].map((header) => matchesEtag(header, '"a"'))).toEqual([false, false, false, false]);
});
