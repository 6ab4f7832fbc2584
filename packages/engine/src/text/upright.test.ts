import type { Recognition } from '../recognition';
import type { RawWord } from './characters';
import { restorePositions, turnBack, turnUpright } from './upright';

const page = { width: 1000, height: 1400 };
const word = (text: string, position: RawWord['position'], turn: RawWord['turn']): RawWord => ({
  text,
  position,
  confidence: 1,
  turn,
});

test.each([
  [1, [600, 100, 620, 200], [100, 380, 200, 400], { angle: 270, width: 1400, height: 1000 }],
  [2, [600, 100, 700, 120], [300, 1280, 400, 1300], { angle: 180, width: 1000, height: 1400 }],
  [3, [600, 100, 620, 200], [1200, 600, 1300, 620], { angle: 90, width: 1400, height: 1000 }],
] as const)('text turned by %p quarters is put upright and back', (turn, box, upright, turned) => {
  const words = Array.from({ length: 12 }, () => word('Invoice', box, turn));
  const result = turnUpright([...words, word('margin', [0, 0, 50, 20], 0)], page);
  expect(result.upright).toEqual(turned);
  expect(result.words[0]!.position.map(Math.round)).toEqual(upright);
  expect(result.words[0]!.turn).toBe(0);
  expect(result.words.at(-1)!.turn).toBe((4 - turn) % 4);
  const candidate = { value: 'x', rawText: 'x', page: 1, position: upright, confidence: 1 };
  const recognition: Recognition = {
    pages: [
      {
        number: 1,
        ...turned,
        rotation: 0,
        words: [{ text: 'x', position: upright, line: 0, confidence: 1 }],
        source: 'text',
      },
    ],
    pageCount: 1,
    fields: { document_id: [candidate, { ...candidate, position: null }] },
    tables: { line_items: [{ type: 'data', page: 1, position: upright, cells: { a: candidate } }] },
    language: null,
    engineVersion: '',
  };
  const restored = restorePositions(
    recognition,
    new Map([[1, { size: page, restore: (position) => turnBack(position, turned, page) }]]),
  );
  expect(restored.pages[0]).toMatchObject({ ...page, words: [{ position: box }] });
  expect(restored.fields.document_id!.map((one) => one.position)).toEqual([box, null]);
  expect(restored.tables.line_items![0]).toMatchObject({ position: box, cells: { a: { position: box } } });
});

test('a stamp at the side turns nothing', () => {
  const words = [word('A page of text that reads from left to right, as usual', [0, 0, 500, 20], 0)];
  expect(turnUpright([...words, word('PAID', [0, 0, 20, 60], 3)], page)).toEqual({
    words: [...words, word('PAID', [0, 0, 20, 60], 3)],
    upright: undefined,
  });
});
