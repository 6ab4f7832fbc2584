import sharp from 'sharp';
import { measureDirection } from './skew';

/** A page of 30 lines of uneven strokes, turned clockwise. */
async function makePage(degrees: number) {
  let seed = 7;
  const random = (most: number) => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    return (seed / 2 ** 31) * most;
  };
  const words = Array.from({ length: 30 }, (_, line) => {
    let strokes = '';
    for (let x = 80; x < 900; x += 6 + random(9)) {
      strokes += `<rect x="${x}" y="${100 + line * 36}" width="${2 + random(5)}" height="${12 + random(5)}"/>`;
    }
    return strokes;
  }).join('');
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="1300"><rect width="1000" height="1300" fill="#fff"/>${words}</svg>`;
  const { data, info } = await sharp(Buffer.from(svg))
    .rotate(degrees, { background: '#ffffff' })
    .grayscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

test.each([0, 2.5, -4, 8])('lines that fall by %p degrees', async (degrees) => {
  const { skew, sideways } = await measureDirection(await makePage(degrees));
  expect(sideways).toBe(false);
  expect(Math.abs(skew - degrees)).toBeLessThanOrEqual(0.2);
});

test.each([90, 270, 93])('a page turned by %p degrees lies on its side', async (degrees) => {
  const { sidewaysSkew, sideways } = await measureDirection(await makePage(degrees));
  expect(sideways).toBe(true);
  expect(Math.abs(sidewaysSkew - (degrees % 90))).toBeLessThanOrEqual(0.2);
});

test('an empty page has no direction', async () => {
  const page = { data: Buffer.alloc(500 * 700, 255), width: 500, height: 700 };
  expect(await measureDirection(page)).toEqual({ skew: 0, sidewaysSkew: 0, sideways: false });
});
