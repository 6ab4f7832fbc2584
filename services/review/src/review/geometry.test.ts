import { boxBetween, unturn, wordAt } from './geometry';

it('a turned view shows the corners of the page where they belong', () => {
  // Turned clockwise by 90 degrees, the upper left corner of the page is seen at the upper right.
  expect(unturn({ x: 1, y: 0 }, 90)).toEqual({ x: 0, y: 0 });
  expect(unturn({ x: 1, y: 1 }, 180)).toEqual({ x: 0, y: 0 });
  expect(unturn({ x: 0, y: 1 }, 270)).toEqual({ x: 0, y: 0 });
  expect(unturn({ x: 0.2, y: 0.3 }, 0)).toEqual({ x: 0.2, y: 0.3 });
});

it('a frame is the same from whichever corner it is drawn', () => {
  const [a, b] = [
    { x: 0.1, y: 0.5 },
    { x: 0.5, y: 0.25 },
  ];
  expect(boxBetween(a, b, 100, 200)).toEqual([10, 50, 50, 100]);
  expect(boxBetween(b, a, 100, 200)).toEqual([10, 50, 50, 100]);
});

it('finds the word under the pointer', () => {
  const words = [
    { text: 'INV-1', position: [10, 10, 50, 20] },
    { text: 'Total', position: [60, 10, 90, 20] },
  ] as const;
  expect(wordAt(words, { x: 0.3, y: 0.075 }, 100, 200)?.text).toBe('INV-1');
  expect(wordAt(words, { x: 0.3, y: 0.5 }, 100, 200)).toBeUndefined();
});
