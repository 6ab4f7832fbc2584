import { MinuteCounts } from './minute-counts';

let now = 0;
let counts: MinuteCounts;
beforeEach(() => {
  now = 1_000_300;
  counts = new MinuteCounts(() => now);
});

it('counts by key what happened in the last minute', () => {
  counts.add('a');
  now += 30_000;
  counts.add('a', 2);
  counts.add('b');
  expect([counts.total('a'), counts.total('b'), counts.total('c')]).toEqual([3, 1, 0]);
  now += 29_000;
  expect(counts.total('a')).toBe(3);
  now += 1000;
  expect(counts.total('a')).toBe(2);
  now += 30_000;
  expect([counts.total('a'), counts.total('b')]).toEqual([0, 0]);
  now += 1_000_000;
  counts.add('a');
  expect(counts.total('a')).toBe(1);
});

it('takes what happened some seconds ago, and nothing older than a minute', () => {
  counts.add('a', 5, 59);
  counts.add('a', 7, 60);
  counts.add('a', 1, 10);
  expect(counts.total('a')).toBe(6);
  now += 1000;
  expect(counts.total('a')).toBe(1);
});

it.each([
  [4, 20],
  [3, 30],
  [2, 40],
  [1, 50],
])('tells how long to wait until less than %d are left', (limit, seconds) => {
  for (let i = 0; i < 4; i++) {
    counts.add('a');
    now += 10_000;
  }
  // At 0.3, 10.3, 20.3 and 30.3 s; it is 40.3 s now.
  expect(counts.secondsUntilBelow('a', limit)).toBe(seconds);
  now += seconds * 1000 - 1000;
  expect(counts.total('a')).toBe(limit);
  now += 1000;
  expect(counts.total('a')).toBe(limit - 1);
});

it('lists what it remembers, so that another one can begin with it', () => {
  counts.add('a', 2);
  now += 3000;
  counts.add('a');
  counts.add('b', 4);
  expect([...counts.entries()]).toEqual([
    ['a', 0, 1],
    ['a', 3, 2],
    ['b', 0, 4],
  ]);
});

it('stays small whatever the keys, and keeps the youngest', () => {
  for (let i = 0; i < 50_000; i++) counts.add(`key ${i}`);
  expect([...counts.entries()].length).toBeLessThanOrEqual(20_000);
  expect(counts.total('key 49999')).toBe(1);
});
