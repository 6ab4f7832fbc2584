import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PDFDocument, StandardFonts } from 'pdf-lib';
import { repairPdf } from './repair';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'intake-test-repair-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function makePdf(): Promise<Buffer> {
  const pdf = await PDFDocument.create();
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  pdf.addPage([300, 300]).drawText('Invoice 4711', { x: 20, y: 200, size: 12, font });
  return Buffer.from(await pdf.save({ useObjectStreams: false }));
}

const pagesOf = async (bytes: Buffer) => (await PDFDocument.load(bytes)).getPageCount();

it.each([
  ['its table of objects', (pdf: Buffer) => pdf.subarray(0, pdf.indexOf('xref'))],
  ['its trailer', (pdf: Buffer) => pdf.subarray(0, pdf.indexOf('trailer'))],
  ['its last line', (pdf: Buffer) => pdf.subarray(0, pdf.indexOf('startxref'))],
])('a PDF without %s is whole again', async (_, cut) => {
  expect(await pagesOf(await repairPdf(cut(await makePdf()), folder, 'qpdf'))).toBe(1);
});

it('a PDF of which an object was cut off stays refused: a part of the document is missing', async () => {
  const pdf = await makePdf();
  const cut = pdf.subarray(0, pdf.lastIndexOf('endobj') - 1);
  await expect(repairPdf(cut, folder, 'qpdf')).rejects.toMatchObject({ reason: 'corrupt' });
});

it('a file without a catalog is refused', async () => {
  const bytes = Buffer.from('%PDF-1.4\n1 0 obj\n<< /Type /Page >>\nendobj\n');
  await expect(repairPdf(bytes, folder, 'qpdf')).rejects.toMatchObject({ reason: 'corrupt' });
});

it('says what is missing where qpdf is not installed', async () => {
  await expect(repairPdf(await makePdf(), folder, '/nowhere/qpdf')).rejects.toMatchObject({ reason: 'needs_program' });
  await expect(readFile(path.join(folder, 'repaired.pdf'))).rejects.toThrow('ENOENT');
});
