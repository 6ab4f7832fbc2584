import sharp from 'sharp';
import { evenPaper } from './even-paper';

const draw = async (body: string) => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="800" height="600">${body}</svg>`;
  return { data: await sharp(Buffer.from(svg)).grayscale().raw().toBuffer(), width: 800, height: 600 };
};
const at = ({ data }: { data: Uint8Array }, x: number, y: number) => data[y * 800 + x]!;

test('a paper on a dark table becomes white up to the edge, and pale ink stands out', async () => {
  const photo = await draw(`
    <rect width="800" height="600" fill="#403020"/>
    <rect x="100" y="80" width="600" height="440" fill="#c8c8c8"/>
    <rect x="300" y="300" width="60" height="20" fill="#989898"/>`);
  const even = evenPaper(photo);
  expect([at(even, 5, 300), at(even, 400, 590), at(even, 200, 200)]).toEqual([255, 255, 255]);
  expect(255 - at(even, 330, 310)).toBeGreaterThan(200 - at(photo, 330, 310));
});

test('a page with a dark band at its head stays as it is', async () => {
  const page = await draw(`
    <rect width="800" height="600" fill="#fff"/>
    <rect width="800" height="180" fill="#203060"/>`);
  expect(evenPaper(page)).toBe(page);
});

test('white letters on black stay as they are', async () => {
  const page = await draw(`
    <rect width="800" height="600" fill="#000"/>
    <rect x="200" y="300" width="400" height="40" fill="#fff"/>`);
  expect(evenPaper(page)).toBe(page);
});
