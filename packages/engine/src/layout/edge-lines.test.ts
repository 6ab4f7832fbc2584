import type { Position } from '../recognition';
import type { RawWord } from '../text/characters';
import { layEdgesUnder } from './edge-lines';
import { orderWords } from './lines';

const page = { width: 1000, height: 1400 };
const word = (text: string, position: Position, turn: RawWord['turn'] = 0): RawWord => ({
  text,
  position,
  confidence: 1,
  turn,
});
const body = word('Invoice', [100, 100, 200, 120]);

test.each([
  ['upwards', 3, [20, 800, 32, 900], [20, 700, 32, 790]],
  ['downwards', 1, [20, 700, 32, 790], [20, 800, 32, 900]],
  ['upside down', 2, [300, 20, 400, 32], [200, 20, 290, 32]],
] as const)('text that reads %s is a line of the foot, and its places are found again', (_, turn, first, second) => {
  const { words, restore } = layEdgesUnder(
    [word('SAS', [...second], turn), word('Nova', [...first], turn), body],
    page,
  );
  const ordered = orderWords(words);
  expect(ordered.map(({ text, line }) => [text, line])).toEqual([
    ['Invoice', 0],
    ['Nova', 1],
    ['SAS', 1],
  ]);
  expect(ordered[1]!.position[1]).toBeGreaterThanOrEqual(page.height);
  expect(ordered.map(({ position }) => restore!(position).map(Math.round))).toEqual([body.position, first, second]);
});

test('each line of the edge is a line of its own', () => {
  const { words } = layEdgesUnder([word('one', [20, 800, 32, 900], 3), word('two', [40, 800, 52, 900], 3), body], page);
  expect(orderWords(words).map(({ text, line }) => [text, line])).toEqual([
    ['Invoice', 0],
    ['one', 1],
    ['two', 2],
  ]);
});

test('a page that reads left to right stays as it is', () => {
  expect(layEdgesUnder([body], page)).toEqual({ words: [body], restore: undefined });
});
