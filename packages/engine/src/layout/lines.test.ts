import type { RawWord } from '../text/characters';
import { orderWords } from './lines';

const word = (text: string, left: number, top: number): RawWord => ({
  text,
  position: [left, top, left + 10 * text.length, top + 20],
  confidence: 1,
  turn: 0,
});

const lines = (words: RawWord[]) => {
  const found: string[][] = [];
  for (const one of orderWords(words)) {
    found[one.line] ??= [];
    found[one.line]!.push(one.text);
  }
  return found;
};

test('lines from the top, words from the left, whatever the order in the file', () => {
  expect(lines([word('due', 60, 30), word('b', 50, 0), word('a', 0, 1), word('Total', 0, 30)])).toEqual([
    ['a', 'b'],
    ['Total', 'due'],
  ]);
});

test('a line that rises slowly in a scan is one line', () => {
  const rising = Array.from({ length: 12 }, (_, at) => word('word', at * 80, 100 - at * 3));
  const next = Array.from({ length: 12 }, (_, at) => word('next', at * 80, 130 - at * 3));
  expect(lines([...next, ...rising]).map((line) => new Set(line))).toEqual([new Set(['word']), new Set(['next'])]);
});
