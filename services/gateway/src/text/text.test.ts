import { readWords, toItems } from './page-text';
import { findPhrase } from './search';

const words = readWords(
  JSON.stringify([
    ['Invoice', 10, 10, 80, 20, 0],
    ['No:', 90, 10, 110, 20, 0],
    ['A-17', 120, 10, 160, 20, 0],
    ['Total', 10, 30, 50, 40, 1],
    ['amount', 60, 30, 100, 40, 1],
  ]),
);

it('gives words, lines, characters and the whole text', () => {
  expect(toItems(words, 'words')[0]).toEqual({ position: [10, 10, 80, 20], text: 'Invoice' });
  expect(toItems(words, 'lines')).toEqual([
    { position: [10, 10, 160, 20], text: 'Invoice No: A-17' },
    { position: [10, 30, 100, 40], text: 'Total amount' },
  ]);
  expect(toItems(words, 'chars').slice(0, 2)).toEqual([
    { position: [10, 10, 20, 20], text: 'I' },
    { position: [20, 10, 30, 20], text: 'n' },
  ]);
  expect(toItems(words, 'texts')).toEqual([{ text: 'Invoice No: A-17\nTotal amount' }]);
  expect(toItems([], 'texts')).toEqual([{ text: '' }]);
});

it.each([
  ['invoice', [[10, 10, 80, 20]]],
  ['voic', [[10, 10, 80, 20]]],
  ['no: a-17', [[90, 10, 160, 20]]],
  ['a-17 TOTAL', [[10, 10, 160, 40]]],
  ['absent', []],
  [' ', []],
])('finds %j', (phrase, expected) => {
  expect(findPhrase(words, phrase, 0)).toEqual(expected);
});

it('finds what was misread only within the tolerance', () => {
  expect(findPhrase(words, 'lnvoice', 0)).toEqual([]);
  expect(findPhrase(words, 'lnvoice', 1)).toEqual([[10, 10, 80, 20]]);
});

describe('of two columns', () => {
  const columns = readWords(
    JSON.stringify([
      ['Ship', 10, 10, 40, 20, 0],
      ['to', 45, 10, 55, 20, 0],
      ['Bill', 100, 10, 125, 20, 0],
      ['to', 130, 10, 140, 20, 0],
      ['Acme', 10, 25, 45, 35, 1],
      ['Contoso', 100, 25, 150, 35, 1],
    ]),
  );

  it.each([
    ['ship to', [[10, 10, 55, 20]]],
    ['to bill', []],
    ['acme contoso', []],
    ['to acme', [[10, 10, 55, 35]]],
    ['to contoso', [[100, 10, 150, 35]]],
  ])('finds %j within one of them', (phrase, expected) => {
    expect(findPhrase(columns, phrase, 0)).toEqual(expected);
  });
});
