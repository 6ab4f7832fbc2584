import { boxBetween, placeOfName, unturn, wordAt } from './geometry';

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

it('the name of a frame hides no other value where there is room', () => {
  const size = [40, 12] as const;
  const page = { width: 120, values: [], words: [] };
  const place = (...values: (readonly [number, number, number, number])[]) =>
    placeOfName([50, 50, 70, 60], size, { ...page, values });
  expect(place()).toBe('above-left');
  // A value above on the right: the name ends where the frame does.
  expect(place([80, 40, 100, 48])).toBe('above-right');
  expect(place([40, 40, 80, 48])).toBe('below-left');
  // A line of a list.
  expect(place([40, 40, 80, 48], [40, 62, 80, 70])).toBe('right');
  expect(place([40, 40, 80, 48], [40, 62, 80, 70], [72, 50, 90, 60])).toBe('left');
  // Nowhere is room: where least is hidden.
  expect(place([0, 0, 120, 49], [0, 61, 120, 120], [72, 50, 90, 52], [0, 50, 48, 60])).toBe('right');
  // At the edges of the page.
  expect(placeOfName([0, 2, 20, 10], size, page)).toBe('below-left');
  expect(placeOfName([100, 50, 120, 60], size, page)).toBe('above-right');
  // Rather over a word than over a value.
  const [values, words] = [
    [[40, 40, 100, 42]],
    [
      [0, 0, 120, 40],
      [0, 62, 120, 120],
      [72, 50, 120, 60],
      [0, 50, 40, 60],
    ],
  ] as const;
  expect(placeOfName([50, 50, 70, 60], size, { width: 120, values, words })).toBe('left');
});
