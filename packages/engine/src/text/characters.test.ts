import { type Character, joinCharacters } from './characters';

const SIZE = 20;

/** Characters of 10 x 20 pixels set one behind the other; a number is a gap in pixels before the next one. */
function set(left: number, top: number, ...parts: (string | number)[]): Character[] {
  let x = left;
  return parts.flatMap((part) => {
    if (typeof part === 'number') {
      x += part;
      return [];
    }
    return [...part].map((text) => {
      const character: Character = { text, box: [x, top, x + 10, top + SIZE], space: text === ' ', turn: 0 };
      x += 10;
      return character;
    });
  });
}

const words = (characters: Character[]) => joinCharacters(characters).map((word) => word.text);

test('a gap ends a word, kerning does not', () => {
  expect(words(set(0, 0, 'To', -2, 'tal', 1, 's', 6, 'due'))).toEqual(['Totals', 'due']);
});

test('a space of smaller type ends a word whose letters touch, not one that is spaced', () => {
  expect(words(set(0, 0, 'Faktura', 2.4, '2025'))).toEqual(['Faktura', '2025']);
  expect(words(set(0, 0, 'F', 2.4, 'A', 2.4, 'K', 2.4, 'T', 2.4, 'U', 2.4, 'R', 2.4, 'A'))).toEqual(['FAKTURA']);
});

test('spaces in the file end a word even when set tight', () => {
  expect(words(set(0, 0, 'a b'))).toEqual(['a', 'b']);
});

test('a new line ends a word', () => {
  expect(words([...set(0, 0, 'end'), ...set(30, 40, 'begin')])).toEqual(['end', 'begin']);
  expect(words([...set(100, 0, 'right'), ...set(0, 0, 'left')])).toEqual(['right', 'left']);
});

test('both letters of a ligature stay in their word', () => {
  const [o, f, i, c] = [set(0, 0, 'o'), set(10, 0, 'f'), set(10, 0, 'i'), set(20, 0, 'c')];
  expect(words([...o, ...f, ...i, ...c])).toEqual(['ofic']);
  expect(words([...o, ...f, ...f, ...i, ...c])).toEqual(['offic']);
});

test('letters of a ligature may have widths of their own', () => {
  const glyph = [...'ffi'].map((text) => ({
    ...set(10, 0, text)[0]!,
    box: [10, 0, text === 'i' ? 14 : 18, SIZE] as const,
  }));
  expect(words([...set(0, 0, 'O'), ...glyph, ...set(26, 0, 'ce'), ...set(60, 0, 'x')])).toEqual(['Office', 'x']);
});

test('what is printed twice is read once', () => {
  const bold = set(0, 0, 'a').flatMap((one) => [one, { ...one, box: [1, 0, 11, 20] as const }]);
  expect(words([...bold, ...set(10, 0, 'b')])).toEqual(['ab']);
  expect(words([...set(0, 0, 'Total'), ...set(0.5, 0, 'Total')])).toEqual(['Total']);
});

test('the box of a word holds all its characters', () => {
  expect(joinCharacters(set(5, 7, 'abc'))[0]!.position).toEqual([5, 7, 35, 27]);
});

test('text that runs up the page is read along its direction', () => {
  const up: Character[] = [...'abc'].map((text, at) => ({
    text,
    box: [0, 90 - at * 10, 20, 100 - at * 10],
    space: false,
    turn: 3,
  }));
  expect(words(up)).toEqual(['abc']);
});
