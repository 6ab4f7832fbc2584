import { pageOf } from '../page-of-text';
import { layOutPage } from './page-layout';
import { cutLine, findBorders } from './tables';

test('borders run where the rows leave room, not through long descriptions', () => {
  const page = layOutPage(
    pageOf(`
      Item      Description                        Qty     Price
      A-1       A rather long text of an item        2      1.50
      A-2       Short                             1000     12.00
    `),
  );
  const [head, ...rows] = page.lines;
  const boxes = head!.segments.map((segment) => segment.box);
  const borders = findBorders(boxes, rows);
  const edges = [0, ...borders, page.width];
  const columns = ['a', 'b', 'c', 'd'].map((meaning, at) => ({
    meaning,
    left: edges[at]!,
    right: edges[at + 1]!,
    header: boxes[at]!,
  }));
  const cells = rows.map((row) =>
    [...cutLine(row, columns).values()].map((tokens) => tokens.map((token) => token.text).join(' ')),
  );
  expect(cells).toEqual([
    ['A-1', 'A rather long text of an item', '2', '1.50'],
    ['A-2', 'Short', '1000', '12.00'],
  ]);
});

test('an amount and the rate behind it are two cells, however close they stand', () => {
  const typed = pageOf(`
      Popis              Cena   DPH   Celkem
      Stůl           1 146,00 21% 1 386,66
      Židle            890,00 21% 1 076,90
  `);
  const words = typed.words.map((word) => {
    const [left, top, right, bottom] = word.position;
    return { ...word, position: [left, top, right + 7, bottom] as const };
  });
  const [head, ...rows] = layOutPage({ ...typed, words }).lines;
  const boxes = head!.segments.map((segment) => segment.box);
  const [, second = 0, third = 0] = findBorders(boxes, rows);
  const texts = rows.map(({ tokens }) => ({
    price: tokens.filter(({ box }) => (box[0] + box[2]) / 2 < second).map(({ text }) => text),
    rate: tokens.filter(({ box: [left, , right] }) => (left + right) / 2 > second && (left + right) / 2 < third),
  }));
  expect(texts.map(({ price, rate }) => [price.at(-1), rate.map(({ text }) => text).join(' ')])).toEqual([
    ['146,00', '21%'],
    ['890,00', '21%'],
  ]);
});
