import sharp from 'sharp';
import { findCrowded, findUnread, placeOnPage } from './unread';

const WIDTH = 1200;
const HEIGHT = 900;

/** A page of words, some of them between rules, on paper that is darker on the right. */
async function makePage(words: { text: string; x: number; y: number }[], shade = 255) {
  const drawn = words.map(({ text, x, y }) => `<text x="${x}" y="${y}" font-size="40">${text}</text>`).join('');
  const svg = `<svg width="${WIDTH}" height="${HEIGHT}"><defs><linearGradient id="paper"><stop offset="0" stop-color="#fff"/><stop offset="1" stop-color="rgb(${shade},${shade},${shade})"/></linearGradient></defs><rect width="100%" height="100%" fill="url(#paper)"/><path d="M700 20V880M900 20V880M700 20H900" stroke="#000" stroke-width="3"/>${drawn}</svg>`;
  const { data } = await sharp(Buffer.from(svg)).grayscale().raw().toBuffer({ resolveWithObject: true });
  return { data, width: WIDTH, height: HEIGHT };
}

const lines = Array.from({ length: 12 }, (_, at) => ({ text: 'Description of goods', x: 60, y: 80 + at * 65 }));
const read = lines.map(({ x, y }) => [x - 4, y - 30, x + 420, y + 10] as const);
const number = { text: '4.711,00', x: 730, y: 275 };

test.each([255, 130])('a number between rules that was not read, on paper of shade %p', async (shade) => {
  const found = findUnread(await makePage([...lines, number], shade), read);
  expect(found!.pieces).toHaveLength(1);
  const [left, top, right, bottom] = found!.pieces[0]!;
  expect(left).toBeGreaterThan(700);
  expect(right).toBeLessThan(900);
  expect(top).toBeGreaterThan(230);
  expect(bottom).toBeLessThan(300);
  // Nothing else is left on the picture, neither rules nor what was read, and little white.
  const { picture, left: from, rows } = found!;
  expect(picture.width).toBeLessThan(WIDTH / 2);
  expect(picture.height).toBeLessThan(HEIGHT / 4);
  const dark = [...picture.data.keys()].filter((at) => picture.data[at]! < 128);
  expect(dark.length).toBeGreaterThan(500);
  for (const at of dark) {
    const [x, y] = [from + (at % picture.width), rows[Math.floor(at / picture.width)]!];
    expect(x >= left - 20 && x < right + 20 && y >= top - 20 && y < bottom + 20).toBe(true);
  }
});

test('rows between pieces that stand far apart are left out', async () => {
  const far = { ...number, y: 795 };
  const { picture, rows, pieces } = findUnread(await makePage([...lines, number, far]), read)!;
  expect(pieces).toHaveLength(2);
  expect(rows).toHaveLength(picture.height);
  expect(picture.height).toBeLessThan(HEIGHT / 3);
  const inked = rows.filter((_, row) =>
    picture.data.subarray(row * picture.width, (row + 1) * picture.width).some((gray) => gray < 128),
  );
  expect(inked[0]).toBeGreaterThan(235);
  expect(inked.filter((y) => y > 300 && y < 755)).toEqual([]);
  expect(inked.at(-1)).toBeLessThan(805);
});

test('what is read on the cut-out stands on the page where its rows were', () => {
  const cutOut = { left: 30, rows: [5, 6, 7, 100, 101, 102] };
  expect(placeOnPage(cutOut, [2, 1, 8, 3])).toEqual([32, 6, 38, 8]);
  expect(placeOnPage(cutOut, [2, 4, 8, 6])).toEqual([32, 101, 38, 103]);
});

test('a sign alone is not worth another reading', async () => {
  expect(findUnread(await makePage([...lines, { text: '7', x: 800, y: 275 }]), read)).toBeUndefined();
});

test('where everything was read, nothing is read again', async () => {
  expect(findUnread(await makePage(lines), read)).toBeUndefined();
});

test('a page with next to no words is left as it is', async () => {
  expect(findUnread(await makePage([number]), [])).toBeUndefined();
});

test('two lines of small type that were read as one, beside letters that are large', () => {
  const word = (text: string, left: number, width: number, height: number, confidence: number) => ({
    ...{ text, position: [left, 0, left + width, height] as const, confidence, turn: 0 as const },
  });
  const usual = Array.from({ length: 12 }, (_, at) => word('usual', at * 60, 50, 11, 0.95));
  const large = word('HEADING', 0, 220, 38, 0.93);
  const narrow = word('Deinze', 960, 38, 38, 0.84);
  const doubtful = word('a', 976, 133, 30, 0.34);
  expect(findCrowded([...usual, large, narrow, doubtful])).toEqual([narrow, doubtful]);
});
