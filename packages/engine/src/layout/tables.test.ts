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
