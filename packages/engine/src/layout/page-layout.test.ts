import { pageOf } from '../page-of-text';
import { layOutPage } from './page-layout';

/** A page with one line of text in letters of 20 x 20 pixels, at these places. */
const textOf = (...words: [text: string, left: number][]) => {
  const page = {
    number: 1,
    width: 1240,
    height: 1754,
    rotation: 0,
    source: 'text' as const,
    words: words.map(([text, left]) => ({
      text,
      position: [left, 100, left + 20 * text.length, 120] as const,
      line: 0,
      confidence: 1,
    })),
  };
  return layOutPage(page).segments.map(({ text }) => text);
};

/** Each letter `gap` pixels behind the one before; a space is ten more. */
const spaced = (text: string, gap: number): [string, number][] => {
  let left = 100;
  return [...text].flatMap((letter): [string, number][] => {
    const at = left;
    left += letter === ' ' ? 10 : 20 + gap;
    return letter === ' ' ? [] : [[letter, at]];
  });
};

test('letters that are set apart are put together to their words', () => {
  expect(textOf(...spaced('MALERMEISTER JUNG', 5))).toEqual(['MALERMEISTER JUNG']);
});

test('initials and short words stay apart', () => {
  expect(textOf(['A', 100], ['B', 125], ['C', 150], ['GmbH', 175])).toEqual(['A B C GmbH']);
  expect(textOf(['do', 100], ['A', 145], ['na', 170], ['B', 215], ['za', 240])).toEqual(['do A na B za']);
});

test('codes in columns beside each other stay apart', () => {
  expect(textOf(['A', 100], ['B', 200], ['C', 300], ['D', 400], ['E', 500], ['F', 600])).toHaveLength(6);
});

test('zeros with a stroke, which OCR takes for "@"', () => {
  const lines = (text: string) =>
    layOutPage(pageOf(text, { source: 'ocr' })).lines.map((line) => line.segments[0]!.text);
  expect(lines('15OOO IPOH\n1O.50')).toEqual(['15000 IPOH', '10.50']);
  expect(lines('11:@6\nIV16-@08\n714 382@ 95\nSA@288114-D')).toEqual([
    '11:06',
    'IV16-008',
    '714 3820 95',
    'SA0288114-D',
  ]);
  expect(lines('2@6.49\nshop24@example.com')).toEqual(['2@6.49', 'shop24@example.com']);
});

test('a line of which OCR is sure of no word is none', () => {
  const page = pageOf('ee ee eee\nTOTAL 12.50', { source: 'ocr' });
  const unsure = page.words.map((word) => (word.line === 0 ? { ...word, confidence: 0.2 } : word));
  expect(layOutPage({ ...page, words: unsure }).lines).toHaveLength(1);
});

test.each([
  ['Gesamtbetrag-223,96', 'Gesamtbetrag -223,96'],
  ['27/05/20188:07', '27/05/2018 8:07'],
  ['#SM-2210', '# SM-2210'],
  ['#02-17', '#02-17'],
])('words that are set tight: %s', (word, text) => {
  expect(layOutPage(pageOf(word)).segments[0]!.text).toBe(text);
});
