import { fromUnits, guessDecimalMark, parseNumber, toUnits } from './numbers';

test.each<[string, ',' | '.', string | undefined]>([
  ['1.234,56', ',', '1234.56'],
  ['1,234.56', '.', '1234.56'],
  // Two kinds of separators speak for themselves, whatever the rest of the document does.
  ['1.234,56', '.', '1234.56'],
  ["1'234.50", '.', '1234.50'],
  ['1’234.50', '.', '1234.50'],
  ['12 345,67', ',', '12345.67'],
  ['12\u00a0345,67', ',', '12345.67'],
  ['1.234', ',', '1234'],
  ['1.234', '.', '1.234'],
  ['1,234', '.', '1234'],
  ['0,125', '.', '0.125'],
  ['1.234.567', ',', '1234567'],
  ['12,5', '.', '12.5'],
  ['3,3333', '.', '3.3333'],
  ['007', '.', '7'],
  ['-5,00', ',', '-5.00'],
  ['−5,00', ',', '-5.00'],
  ['5,00-', ',', '-5.00'],
  ['(5.00)', '.', '-5.00'],
  ['-0.00', '.', '0.00'],
  ['1.23.456', ',', undefined],
  ['12a', '.', undefined],
  ['', '.', undefined],
])('%s with decimal %s is %s', (text, mark, expected) => {
  expect(parseNumber(text, mark)).toBe(expected);
});

test('the decimal mark is learnt from numbers that leave no doubt', () => {
  expect(guessDecimalMark(['Summe 1.234,50', '12,00', 'am 12.05.2024'])).toBe(',');
  expect(guessDecimalMark(['Total 1,234.50', '3.20'])).toBe('.');
  expect(guessDecimalMark(['nothing'])).toBe('.');
});

test('units are exact', () => {
  expect(toUnits('0.1') + toUnits('0.2')).toBe(toUnits('0.3'));
  expect(fromUnits(toUnits('1234.50'))).toBe('1234.50');
  expect(fromUnits(toUnits('-0.075'))).toBe('-0.07');
});

test('lakhs and crores', () => {
  expect(parseNumber('1,47,750.00', '.')).toBe('147750.00');
  expect(parseNumber('2,27,96,400', '.')).toBe('22796400');
});

test('without decimals, a point before three digits parts thousands when it does so often', () => {
  expect(guessDecimalMark(['$ 62.900', '$ 276.500', '$ 329.035'])).toBe(',');
  expect(guessDecimalMark(['1.500 kg', '2.250 kg', '1.125 kg'])).toBe('.');
  expect(guessDecimalMark(['$126,000', '$29,400', '1.500', '1.250', '2.000'])).toBe('.');
});
