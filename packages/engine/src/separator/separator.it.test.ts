import { readFileSync } from 'node:fs';
import path from 'node:path';
import { degrees, PDFDocument } from 'pdf-lib';
import sharp from 'sharp';
import { drawPdfPage } from '../text/pdf';
import { readText } from '../text/read';
import { cutPdf } from './cut-pdf';
import { runsBetween, SEPARATOR_TEXT } from './parts';
import { findPageCodes } from './qr-codes';
import { buildSeparatorPage } from './separator-page';

const invoice = readFileSync(path.join(__dirname, '../../../../test/samples/invoice-en.pdf'));
const PDF = 'application/pdf';
const A4 = { width: 595.28, height: 841.89 };

/** A page as a scanner sends it: gray, a little noise, turned by `angle` degrees, at `dpi`. */
async function scan(pdf: Buffer, dpi: number, angle = 0): Promise<Buffer> {
  const { data, width, height } = await drawPdfPage(pdf, 0, Math.round((A4.height / 72) * dpi));
  return sharp(data, { raw: { width, height, channels: 3 } })
    .rotate(angle, { background: '#f4f4f4' })
    .grayscale()
    .blur(0.8)
    .linear(0.8, 25)
    .jpeg({ quality: 60 })
    .toBuffer();
}

async function bind(images: readonly Buffer[]): Promise<Buffer> {
  const pdf = await PDFDocument.create();
  const embedded = new Map<Buffer, Awaited<ReturnType<typeof pdf.embedJpg>>>();
  for (const image of images) {
    const jpg = embedded.get(image) ?? (await pdf.embedJpg(image));
    embedded.set(image, jpg);
    pdf.addPage([A4.width, A4.height]).drawImage(jpg, { x: 0, y: 0, ...A4 });
  }
  return Buffer.from(await pdf.save());
}

describe.each([150, 200, 300])('a separator page scanned at %i dpi', (dpi) => {
  it.each([0, 3, 90, 180, 270])('is found when it is turned by %i degrees', async (angle) => {
    const separator = await scan(await buildSeparatorPage(), dpi, angle);
    const { codes } = await findPageCodes(await bind([await scan(invoice, 150), separator]), PDF);
    expect(codes).toEqual([{ pageNumber: 2, text: SEPARATOR_TEXT }]);
  });
});

it('is found as it was printed, also on a page that is shown turned', async () => {
  const pdf = await PDFDocument.load(invoice);
  const [page] = await pdf.copyPages(await PDFDocument.load(await buildSeparatorPage('OURS')), [0]);
  pdf.addPage(page).setRotation(degrees(90));
  const { codes, pageCount } = await findPageCodes(await pdf.save(), PDF);
  expect({ codes, pageCount }).toEqual({ codes: [{ pageNumber: 2, text: 'OURS' }], pageCount: 2 });
});

it('is found in a fax of several pages', async () => {
  const pages = await Promise.all([scan(invoice, 150), scan(await buildSeparatorPage(), 150, 2), scan(invoice, 150)]);
  const sheets = await Promise.all(pages.map((page) => sharp(page).resize(1240, 1754).png().toBuffer()));
  const fax = await sharp(sheets, { join: { animated: true } })
    .extractChannel(0)
    .threshold(140)
    .tiff({ compression: 'ccittfax4', bitdepth: 1 })
    .toBuffer();
  expect(await findPageCodes(fax, 'image/tiff')).toEqual({
    pageCount: 3,
    codes: [{ pageNumber: 2, text: SEPARATOR_TEXT }],
  });
});

it('is found in a scan of 200 pages, which is cut at it', async () => {
  const [sheet, separator] = [await scan(invoice, 150), await scan(await buildSeparatorPage(), 150)];
  const at = new Set([8, 51, 52, 199]);
  const whole = await bind(Array.from({ length: 200 }, (_, i) => (at.has(i + 1) ? separator : sheet)));
  const { codes, pageCount } = await findPageCodes(whole, PDF);
  expect(codes.map(({ pageNumber }) => pageNumber)).toEqual([...at]);
  const parts = await cutPdf(whole, runsBetween(pageCount, at));
  const counts = await Promise.all(parts.map(async (part) => (await PDFDocument.load(part)).getPageCount()));
  expect(counts).toEqual([7, 42, 146, 1]);
});

it('the parts read as the pages did', async () => {
  const pdf = await PDFDocument.load(invoice);
  const [page] = await pdf.copyPages(pdf, [0]);
  pdf.addPage(page);
  const whole = await pdf.save();
  const text = async (bytes: Uint8Array, index: number) =>
    (await readText(bytes, 'application/pdf', 32, {})).pages[index]?.words.map((word) => word.text);
  const parts = await cutPdf(whole, [[2], [1]]);
  expect(parts).toHaveLength(2);
  for (const part of parts) expect(await text(part, 0)).toEqual(await text(whole, 0));
});

it('a protected or damaged PDF is not cut', async () => {
  const encrypted = readFileSync(path.join(__dirname, '../../../../test/samples/encrypted.pdf'));
  await expect(cutPdf(encrypted, [[1]])).rejects.toMatchObject({ reason: 'encrypted' });
  await expect(cutPdf(Buffer.from('%PDF-1.7 nothing'), [[1]])).rejects.toMatchObject({ reason: 'corrupt' });
});
