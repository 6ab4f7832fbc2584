import { runsBetween } from './parts';

it.each([
  [6, [2, 5], [[1], [3, 4], [6]]],
  [3, [1], [[2, 3]]],
  [3, [3], [[1, 2]]],
  [4, [2, 3], [[1], [4]]],
  [3, [], []],
  [2, [1, 2], []],
])('%i pages with separators %j are the runs %j', (pageCount, separators, runs) => {
  expect(runsBetween(pageCount, new Set(separators))).toEqual(runs);
});
