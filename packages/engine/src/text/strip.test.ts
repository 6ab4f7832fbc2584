import sharp from 'sharp';
import { findDensestStrip } from './strip';

const WIDTH = 1200;
const HEIGHT = 1600;

async function draw(content: string) {
  const svg = `<svg width="${WIDTH}" height="${HEIGHT}"><rect width="100%" height="100%" fill="#fff"/>${content}</svg>`;
  const data = await sharp(Buffer.from(svg)).grayscale().raw().toBuffer();
  return { data, width: WIDTH, height: HEIGHT };
}

const line = (text: string, y: number) => `<text x="60" y="${y}" font-size="30">${text}</text>`;
const numbers = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => line('4.711,00', from + at * 60)).join('');

test('the strip is made of the lines where letters stand most closely, wherever they are, without pictures', async () => {
  // Stripes of two pixels: more edges than any line of text.
  const stripes = Array.from({ length: 240 }, (_, at) => `<rect x="${60 + at * 4}" y="20" width="2" height="100"/>`);
  const upper = line('Zahlbar innerhalb von dreißig Tagen ohne Abzug', 500);
  const lower = line('Geliefert wurde am Tag der Bestellung, und wie gewünscht an die genannte Anschrift', 1500);
  const middle = line('Wir bitten um Angabe der Nummer bei der Zahlung, vielen Dank', 760);
  const page = await draw(stripes.join('') + numbers(200, 4) + upper + middle + numbers(900, 9) + lower);
  const strip = findDensestStrip(page)!;
  expect(strip.width).toBe(WIDTH);
  expect(strip.data).toHaveLength(strip.width * strip.height);
  expect(strip.height).toBeLessThan(240);
  const holds = (y: number) => strip.data.includes(page.data.subarray(y * WIDTH, (y + 5) * WIDTH));
  expect([485, 745, 1485, 70, 245, 945].map(holds)).toEqual([true, true, true, false, false, false]);
});

test('of a page with a single line nothing else is in it', async () => {
  const strip = findDensestStrip(await draw(line('Zahlbar innerhalb von dreißig Tagen ohne Abzug', 800)))!;
  expect(strip.height).toBeLessThan(80);
});

test('an empty page has none', async () => {
  expect(findDensestStrip(await draw(''))).toBeUndefined();
});
