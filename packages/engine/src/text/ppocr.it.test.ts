import { readFileSync } from 'node:fs';
import path from 'node:path';
import sharp from 'sharp';
import { recognize } from '../recognize';
import { isDoubtful } from './ocr';
import { drawPdfPage } from './pdf';
import { findPpocrProblem, readWithPpocr } from './ppocr';

const invoice = readFileSync(path.join(__dirname, '../../../../test/samples/invoice-en.pdf'));

/** Path of the Python with PP-OCR that `npm test` prepares. */
function findPpocr(): string {
  const python = process.env.INTAKE_TEST_PPOCR_PYTHON;
  if (!python) throw new Error(process.env.INTAKE_TEST_PPOCR_PYTHON_PROBLEM ?? 'Run these tests with "npm test".');
  return python;
}

/** The sample as a bad copy: small, pale and with coarse grain, always the same. */
async function makeBadScan(): Promise<Buffer> {
  const { data, width, height } = await drawPdfPage(invoice, 0, 1240);
  const image = sharp(data, { raw: { width, height, channels: 3 } });
  const gray = await image.grayscale().blur(0.6).raw().toBuffer();
  let state = 1;
  for (let i = 0; i < gray.length; i++) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    gray[i] = Math.max(0, Math.min(255, gray[i]! * 0.55 + 70 + (state / 2_147_483_648 - 0.5) * 90));
  }
  return sharp(gray, { raw: { width, height, channels: 1 } })
    .png()
    .toBuffer();
}

const white = { data: Buffer.alloc(200 * 300, 255), width: 200, height: 300 };

test('what Tesseract reads badly is read again', async () => {
  const scan = await makeBadScan();
  const alone = await recognize(scan, { mimeType: 'image/png' });
  expect(alone.fields.iban).toBeUndefined();
  const ocr = { ppocr: findPpocr(), timeoutMs: 90_000, budgetMs: 100_000 };
  const { fields, pages, ocrProblem } = await recognize(scan, { mimeType: 'image/png', ocr });
  expect(ocrProblem).toBeUndefined();
  expect(fields.iban?.[0]?.value).toBe('GB30NWBK60161331926801');
  // Each word has a box of its own, in its place: the IBAN stands in the lower half.
  const words = pages[0]?.words ?? [];
  expect(words.length).toBeGreaterThan(80);
  const [left = 0, top = 0, right = 0, bottom = 0] = words.find(({ text }) => text.startsWith('GB30'))?.position ?? [];
  expect(right - left).toBeLessThan(24 * (bottom - top));
  expect(top).toBeGreaterThan((pages[0]?.height ?? 0) / 2);
}, 120_000);

test('a large picture is read with the memory that it may take', async () => {
  const { data, width, height } = await drawPdfPage(invoice, 0, 2480);
  const square = await sharp(data, { raw: { width, height, channels: 3 } })
    .grayscale()
    .extend({ right: height - width, background: 'white' })
    .raw()
    .toBuffer();
  const picture = { data: square, width: height, height };
  const { words, problem } = await readWithPpocr(findPpocr(), picture, { x: 1, y: 1 }, 110_000);
  expect(problem).toBeUndefined();
  expect(words.map(({ text }) => text).join('')).toContain('GB30NWBK60161331926801');
}, 120_000);

test('a page that is read well, or is white, is not read again', () => {
  const word = { text: 'Invoice', position: [0, 0, 70, 10], confidence: 0.95, turn: 0 } as const;
  expect(isDoubtful([{ ...word, position: [0, 0, 70, 10] }], white)).toBe(false);
  expect(isDoubtful([{ ...word, position: [0, 0, 70, 10], confidence: 0.6 }], white)).toBe(true);
  expect(isDoubtful([], white)).toBe(false);
  expect(isDoubtful([], { ...white, data: Buffer.alloc(200 * 300, 255).fill(40, 0, 600) })).toBe(true);
});

test('without it a document is read as Tesseract does, and the reason can be asked for', async () => {
  expect(await findPpocrProblem(findPpocr())).toBeUndefined();
  expect(await findPpocrProblem('/nowhere/python')).toMatch(/ENOENT/);
  expect(await readWithPpocr('/nowhere/python', white, { x: 1, y: 1 }, 1000)).toEqual({
    words: [],
    problem: expect.stringMatching(/ENOENT/),
  });
}, 60_000);

test('a document says why a page was not read again', async () => {
  const scan = await makeBadScan();
  const { ocrProblem, pages } = await recognize(scan, { mimeType: 'image/png', ocr: { ppocr: '/nowhere/python' } });
  expect(ocrProblem).toMatch(/ENOENT/);
  expect(pages).toHaveLength(1);
  // This Python starts, and has not what it needs.
  const answer = await readWithPpocr('/bin/false', white, { x: 1, y: 1 }, 10_000);
  expect(answer.problem).toBe('/bin/false ended with 1:');
  const chatty = await readWithPpocr('/bin/echo', white, { x: 1, y: 1 }, 10_000);
  expect(chatty).toEqual({ words: [], problem: 'the answer of PP-OCR cannot be read' });
}, 60_000);
