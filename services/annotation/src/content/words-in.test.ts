import { type StoredWord, wordsIn } from './words-in';

const words: StoredWord[] = [
  ['Total', 10, 10, 60, 20, 0],
  ['121.00', 70, 10, 120, 20, 0],
  ['EUR', 70, 30, 100, 40, 1],
];

it('takes the words that lie in the frame for more than half, line by line', () => {
  expect(wordsIn(words, [65, 5, 130, 45])).toEqual({ text: '121.00\nEUR', box: [65, 5, 130, 45] });
  expect(wordsIn(words, [0, 0, 90, 22]).text).toBe('Total');
});

it('takes the word under a click, and its box', () => {
  expect(wordsIn(words, [80, 15, 81, 16])).toEqual({ text: '121.00', box: [70, 10, 120, 20] });
});

it('takes nothing where nothing is', () => {
  expect(wordsIn(words, [200, 200, 300, 300])).toEqual({ text: '', box: [200, 200, 300, 300] });
});
