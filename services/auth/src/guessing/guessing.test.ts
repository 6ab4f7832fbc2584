import { pauseOf } from './guessing';

it('lets the answers to wrong passwords wait twice as long each time, two seconds at most', () => {
  expect([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1000].map((wrong) => pauseOf(wrong, 3))).toEqual([
    0, 0, 0, 100, 200, 400, 800, 1600, 2000, 2000, 2000,
  ]);
});
