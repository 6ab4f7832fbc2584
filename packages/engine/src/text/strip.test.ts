import sharp from 'sharp';
import { findDensestStrips } from './strip';

const WIDTH = 1200;
const HEIGHT = 1600;

async function draw(content: string) {
  const svg = `<svg width="${WIDTH}" height="${HEIGHT}"><rect width="100%" height="100%" fill="#fff"/>${content}</svg>`;
  const data = await sharp(Buffer.from(svg)).grayscale().raw().toBuffer();
  return { data, width: WIDTH, height: HEIGHT };
}

const line = (text: string, y: number) => `<text x="60" y="${y}" font-size="30">${text}</text>`;
const numbers = (from: number) => Array.from({ length: 8 }, (_, at) => line('4.711,00', from + at * 60)).join('');

test('the strips are where letters stand most closely, above and below, and hold only a part of them', async () => {
  const picture = '<rect x="60" y="20" width="900" height="100" fill="#246"/>';
  const upper = line('Zahlbar innerhalb von dreißig Tagen ohne Abzug', 200);
  const lower = line('Geliefert wurde am Tag der Bestellung, wie gewünscht', 1500);
  const page = await draw(picture + upper + numbers(300) + numbers(900) + lower);
  const strips = findDensestStrips(page)!;
  expect(strips.width).toBe(WIDTH);
  expect(strips.data).toHaveLength(strips.width * strips.height);
  expect(strips.height).toBeLessThan(250);
  // Rows of both sentences, in their order.
  const first = strips.data.indexOf(page.data.subarray(185 * WIDTH, 190 * WIDTH)) / WIDTH;
  const last = strips.data.indexOf(page.data.subarray(1485 * WIDTH, 1490 * WIDTH)) / WIDTH;
  expect(first).toBeGreaterThan(0);
  expect(last).toBeGreaterThan(first + 30);
});

test('an empty page has none', async () => {
  expect(findDensestStrips(await draw(''))).toBeUndefined();
});
