import path from 'node:path';
import sharp from 'sharp';
import { findUnknownLanguages, parseTsv } from './ocr';
import type { Gray } from './skew';
import { LAYOUTS, openTesseract, TESSERACT_LIBRARY, type Tesseract } from './tesseract';

const tesseract = openTesseract(TESSERACT_LIBRARY) as Tesseract;
const whereOcr = tesseract ? describe : describe.skip;
const LONG_MS = 60_000;

async function drawSample(degrees = 0): Promise<Gray> {
  const file = path.join(__dirname, '..', '..', '..', '..', 'test', 'samples', 'scan-en.png');
  const { data, info } = await sharp(file).rotate(degrees).grayscale().raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

const wordsOf = (table: string) => parseTsv(table, { x: 1, y: 1 }).map(({ text }) => text);

test('a library that is not there is not installed', () => {
  expect(openTesseract('/nowhere/libtesseract.so')).toBeUndefined();
  expect(findUnknownLanguages('/nowhere/libtesseract.so', ['eng'])).toEqual([]);
});

whereOcr('Tesseract', () => {
  test('knows what it has data for', () => {
    expect(tesseract.languages).toContain('eng');
    expect(findUnknownLanguages(TESSERACT_LIBRARY, ['eng', 'xxx', 'osd'])).toEqual(['xxx', 'osd']);
  });

  test(
    'reads pictures that are shown at the same time one after the other',
    async () => {
      const page = await drawSample();
      const read = () => tesseract.readTable(page, 'eng', LAYOUTS.automatic, LONG_MS);
      const alone = await read();
      expect(wordsOf(alone)).toContain('Invoice');
      expect(await Promise.all([read(), read()])).toEqual([alone, alone]);
    },
    LONG_MS,
  );

  test(
    'gives a page up when its time is over, and reads the next',
    async () => {
      const page = await drawSample();
      await expect(tesseract.readTable(page, 'eng', LAYOUTS.automatic, 1)).rejects.toThrow('more than 1 ms');
      expect(wordsOf(await tesseract.readTable(page, 'eng', LAYOUTS.automatic, LONG_MS))).toContain('Invoice');
    },
    LONG_MS,
  );

  test('refuses a language that it has no data for', async () => {
    await expect(tesseract.readTable(await drawSample(), 'xxx', LAYOUTS.automatic, LONG_MS)).rejects.toThrow('xxx');
  });

  test('reads nothing on a white page', async () => {
    const white = { data: Buffer.alloc(600 * 400, 255), width: 600, height: 400 };
    expect(wordsOf(await tesseract.readTable(white, 'eng', LAYOUTS.automatic, LONG_MS))).toEqual([]);
    expect(await tesseract.findTurn(white)).toBeUndefined();
  });

  test.each([0, 90, 180, 270])(
    'finds that a page was turned by %i degrees',
    async (degrees) => {
      expect(await tesseract.findTurn(await drawSample(degrees))).toBe((360 - degrees) % 360);
    },
    LONG_MS,
  );

  test(
    'reads in more languages than it keeps ready',
    async () => {
      const page = await drawSample();
      const read = (language: string) => tesseract.readTable(page, language, LAYOUTS.automatic, LONG_MS);
      const first = await read('eng');
      for (const language of tesseract.languages.filter((one) => one !== 'osd').slice(0, 5)) await read(language);
      expect(await read('eng')).toBe(first);
    },
    LONG_MS,
  );
});
