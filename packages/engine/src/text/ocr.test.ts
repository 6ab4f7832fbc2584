import { parseTsv } from './ocr';

const HEAD = 'level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext';
const word = (text: string, confidence: number) => `5\t1\t1\t1\t1\t1\t100\t200\t50\t40\t${confidence}\t${text}`;

test("tesseract's words come with boxes in pixels of the page image", () => {
  const tsv = [HEAD, '1\t1\t0\t0\t0\t0\t0\t0\t2480\t3508\t-1\t', word('Invoice', 96.5), ''].join('\n');
  expect(parseTsv(tsv, { x: 0.5, y: 0.25 })).toEqual([
    { text: 'Invoice', position: [50, 50, 75, 60], confidence: 0.965, turn: 0 },
  ]);
});

test('empty words and strokes are left out', () => {
  const tsv = [HEAD, word(' ', 95), word('|', 40), word('—', 30), word('-', 90)].join('\n');
  expect(parseTsv(tsv, { x: 1, y: 1 }).map((one) => one.text)).toEqual(['-']);
});
