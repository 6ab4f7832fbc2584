import { rowsAndGaps } from './use-row-window';

const seen = (...args: Parameters<typeof rowsAndGaps>) =>
  rowsAndGaps(...args).map((one) => ('row' in one ? one.row : `${one.gap} px`));

it('draws what is seen, and leaves the height of the rest', () => {
  expect(seen(10, { first: 3, last: 5 }, 30)).toEqual(['90 px', 3, 4, 5, '120 px']);
  expect(seen(3, { first: 0, last: 2 }, 30)).toEqual([0, 1, 2]);
  expect(seen(0, { first: 0, last: -1 }, 30)).toEqual([]);
});

it('keeps the row that has the focus, wherever it is scrolled to', () => {
  expect(seen(10, { first: 4, last: 5, focused: 1 }, 10)).toEqual(['10 px', 1, '20 px', 4, 5, '40 px']);
  expect(seen(10, { first: 0, last: 1, focused: 9 }, 10)).toEqual([0, 1, '70 px', 9]);
  expect(seen(5, { first: 0, last: 1, focused: 7 }, 10)).toEqual([0, 1, '30 px']);
});
