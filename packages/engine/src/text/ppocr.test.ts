import type { RawWord } from './characters';
import { partWords } from './ppocr';

const word = (text: string, left: number, right: number, top = 0): RawWord => ({
  text,
  position: [left, top, right, top + 20],
  confidence: 0.9,
  turn: 0,
});

test('words that were joined are parted where another reading of the same letters has them apart', () => {
  const parted = partWords(
    [word('PetalingJaya,', 0, 130), word('47800', 140, 190)],
    [word('Petaling', 0, 80), word('Jaya,', 85, 130), word('47800', 140, 190)],
  );
  expect(parted.map(({ text, position }) => [text, position[0]])).toEqual([
    ['Petaling', 0],
    ['Jaya,', 85],
    ['47800', 140],
  ]);
});

test('the letters stay those of the better reading', () => {
  const parted = partWords([word('BLK1O', 0, 50)], [word('BLK', 0, 28), word('l0', 32, 50)]);
  expect(parted.map(({ text }) => text)).toEqual(['BLK', '1O']);
});

test('another line, or other letters, part nothing', () => {
  const joined = [word('SDNBHD', 0, 60)];
  expect(partWords(joined, [word('SDN', 0, 28, 40), word('BHD', 32, 60, 40)])).toEqual(joined);
  expect(partWords(joined, [word('SON', 0, 28), word('8HD', 32, 60)])).toEqual(joined);
});
