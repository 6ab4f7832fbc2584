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

test('the strip is where letters stand most closely in the upper half, and holds only a part of them', async () => {
  const picture = '<rect x="60" y="20" width="900" height="100" fill="#246"/>';
  const upper = line('Zahlbar innerhalb von dreißig Tagen ohne Abzug', 500);
  const lower = line('Geliefert wurde am Tag der Bestellung, und wie gewünscht an die genannte Anschrift', 1500);
  const page = await draw(picture + numbers(200, 4) + upper + numbers(800, 10) + lower);
  const strip = findDensestStrip(page)!;
  expect(strip.width).toBe(WIDTH);
  expect(strip.data).toHaveLength(strip.width * strip.height);
  expect(strip.height).toBeLessThan(120);
  expect(strip.data.includes(page.data.subarray(485 * WIDTH, 490 * WIDTH))).toBe(true);
});

test('an empty page has none', async () => {
  expect(findDensestStrip(await draw(''))).toBeUndefined();
});
