import { prefixPattern, termsOf, wordsOf } from './words';

it('takes words as they stand, and their parts', () => {
  expect(wordsOf(['Faktura INV-2024/7', 'Žluťoučký  kůň', ''])).toEqual([
    'faktura',
    'inv-2024/7',
    'inv',
    '2024',
    '7',
    'žluťoučký',
    'kůň',
  ]);
  expect(wordsOf(['jan.novak@example.com'])).toEqual(['jan.novak@example.com', 'jan', 'novak', 'example', 'com']);
});

it('keeps within limits', () => {
  expect(wordsOf(Array.from({ length: 5000 }, (_, i) => `w${i}`))).toHaveLength(3000);
  const [long] = wordsOf(['x'.repeat(1500)]);
  expect(termsOf('X'.repeat(100))).toEqual([long]);
});

it('reads terms, in any case and each once', () => {
  expect(termsOf('  ACME acme\tInv-20 ')).toEqual(['acme', 'inv-20']);
});

it('takes nothing in a term as a pattern', () => {
  for (const text of ['.*', 'a|b', '(x', '[a-z]', 'a\\b', '$1', '/x/', 'a-b']) {
    expect(new RegExp(prefixPattern(text)).test(text)).toBe(true);
    expect(new RegExp(prefixPattern(text)).test('zzz')).toBe(false);
  }
});
