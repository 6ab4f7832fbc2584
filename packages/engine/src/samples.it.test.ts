import { readFileSync } from 'node:fs';
import path from 'node:path';
import { degrees as degreesOf, PDFDocument, type PDFFont, type PDFPage, StandardFonts } from 'pdf-lib';
import sharp from 'sharp';
import { type Recognition, readPages, recognize, renderPage, UnreadableDocument } from './index';
import { normalize } from './layout/page-layout';
import { openTesseract, TESSERACT_LIBRARY } from './text/tesseract';

/** The project's own sample documents; those that need OCR run only where tesseract is installed. */
const samples = path.join(__dirname, '..', '..', '..', 'test', 'samples');
const read = (name: string) => readFileSync(path.join(samples, name));

interface Truth {
  fields: Record<string, string>;
  tables: { line_items: Record<string, string>[]; tax_details: Record<string, string>[] };
}
const truth: Record<string, Truth> = JSON.parse(read('truth.json').toString());

const mimeType = (name: string) => (name.endsWith('.png') ? 'image/png' : 'application/pdf');

function isRight(field: string, value: string | undefined, wanted: string): boolean {
  if (value === undefined) return false;
  if (/^amount/.test(field) || /rate|base|tax|total|quantity/.test(field)) return Number(value) === Number(wanted);
  if (!/name|address|terms|description/.test(field)) return value === wanted;
  const [a, b] = [new Set(normalize(value)), new Set(normalize(wanted))];
  const shared = [...a].filter((part) => b.has(part)).length;
  return (2 * shared) / (a.size + b.size) >= 0.8;
}

function missed(recognition: Recognition, wanted: Truth): string[] {
  return Object.entries(wanted.fields)
    .filter(([field, value]) => !isRight(field, recognition.fields[field]?.[0]?.value, value))
    .map(([field, value]) => `${field}: ${recognition.fields[field]?.[0]?.value} instead of ${value}`);
}

const digital = Object.keys(truth).filter((name) => name.endsWith('.pdf'));

test.each(digital)('every field and cell of %s', async (name) => {
  const recognition = await recognize(read(name), { mimeType: mimeType(name) });
  expect(missed(recognition, truth[name]!)).toEqual([]);
  for (const table of ['line_items', 'tax_details'] as const) {
    const wanted = truth[name]!.tables[table];
    const rows = recognition.tables[table] ?? [];
    expect(rows).toHaveLength(wanted.length);
    const cells = rows.map((row) =>
      Object.fromEntries(Object.entries(row.cells).map(([key, cell]) => [key, cell.value])),
    );
    for (const row of wanted) {
      const found = cells.some((one) =>
        Object.entries(row).every(([column, value]) => isRight(column, one[column], value)),
      );
      expect([row, found]).toEqual([row, true]);
    }
  }
});

test.each(digital)('positions and confidences of %s', async (name) => {
  const { pages, fields, tables } = await recognize(read(name), { mimeType: mimeType(name) });
  const [page] = pages;
  expect([page!.width, page!.height, page!.source]).toEqual([1240, 1754, 'text']);
  const cells = Object.values(tables).flatMap((rows) => rows!.flatMap((row) => Object.values(row.cells)));
  for (const candidate of [...Object.values(fields).flat(), ...cells]) {
    expect(candidate.confidence).toBeGreaterThan(0);
    expect(candidate.confidence).toBeLessThan(1);
    if (!candidate.position) continue;
    const [left, top, right, bottom] = candidate.position;
    expect(
      left >= 0 && top >= 0 && right <= page!.width && bottom <= page!.height && left < right && top < bottom,
    ).toBe(true);
    const inside = page!.words.filter(({ position: [l, t, r, b] }) => {
      const [x, y] = [(l + r) / 2, (t + b) / 2];
      return x > left - 1 && x < right + 1 && y > top - 1 && y < bottom + 1;
    });
    const shown = inside
      .map((word) => word.text)
      .join('')
      .replace(/\s/g, '');
    const raw = candidate.rawText.split(' ')[0]!.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
    expect(shown).toContain(raw);
  }
});

test('the image of a page shows the words where they were found', async () => {
  const { pages } = await recognize(read('invoice-cs.pdf'), { mimeType: 'application/pdf' });
  const image = await renderPage(read('invoice-cs.pdf'), 'application/pdf', 1);
  const [size] = await readPages(read('invoice-cs.pdf'), 'application/pdf');
  expect(size).toEqual({ number: 1, width: 1240, height: 1754, rotation: 0 });
  expect([image.width, image.height]).toEqual([1240, 1754]);
  const sharp = (await import('sharp')).default;
  const { data, info } = await sharp(image.png).grayscale().raw().toBuffer({ resolveWithObject: true });
  const darkest = ([l, t, r, b]: readonly number[]) => {
    let least = 255;
    for (let y = Math.floor(t!); y < b!; y++) {
      for (let x = Math.floor(l!); x < r!; x++) least = Math.min(least, data[(y * info.width + x) * info.channels]!);
    }
    return least;
  };
  for (const word of pages[0]!.words) expect(darkest(word.position)).toBeLessThan(150);
  expect(darkest([600, 1500, 1200, 1600])).toBe(255);
});

test('a smaller image keeps its shape', async () => {
  const { png, width, height } = await renderPage(read('invoice-en.pdf'), 'application/pdf', 1, { longestSide: 512 });
  expect([width, height]).toEqual([362, 512]);
  expect(png.subarray(1, 4).toString()).toBe('PNG');
});

test('a picture is its own page image', async () => {
  const { width, height } = await renderPage(read('scan-en.png'), 'image/png', 1);
  const [size] = await readPages(read('scan-en.png'), 'image/png');
  expect([width, height]).toEqual([size!.width, size!.height]);
  expect(Math.max(width, height)).toBeLessThanOrEqual(2000);
});

const unreadable = async (bytes: Uint8Array, type: string, options = {}) =>
  recognize(bytes, { mimeType: type, ...options }).catch((error: unknown) => error);

test('what cannot be read is refused with a reason for people', async () => {
  const refuse = async (name: string, type = 'application/pdf') => unreadable(read(name), type);
  expect(await refuse('encrypted.pdf')).toMatchObject({
    reason: 'encrypted',
    message: 'The PDF is protected by a password; remove the password and send it again.',
  });
  expect(await refuse('not-a-pdf.pdf')).toMatchObject({ reason: 'corrupt' });
  expect(await refuse('empty.pdf')).toMatchObject({ reason: 'empty' });
  expect(await refuse('invoice-en.pdf', 'application/zip')).toMatchObject({ reason: 'unsupported' });
  expect(await unreadable(read('scan-en.png').subarray(0, 9000), 'image/png')).toBeInstanceOf(UnreadableDocument);
  const missing = await unreadable(read('scan-en.png'), 'image/png', { ocr: { tesseract: '/nowhere/tesseract' } });
  expect(missing).toMatchObject({ reason: 'needs_program' });
  expect((missing as Error).message).toContain('/nowhere/tesseract');
});

test('when the time for OCR is used up, pages are left without words', async () => {
  const { pages } = await recognize(read('scan-en.png'), { mimeType: 'image/png', ocr: { budgetMs: -1 } });
  expect(pages).toMatchObject([{ words: [], source: 'ocr' }]);
});

test('a page that does not exist is refused', async () => {
  await expect(renderPage(read('invoice-en.pdf'), 'application/pdf', 2)).rejects.toBeInstanceOf(UnreadableDocument);
  await expect(renderPage(read('invoice-en.pdf'), 'application/pdf', 0)).rejects.toBeInstanceOf(UnreadableDocument);
});

const whereOcr = openTesseract(TESSERACT_LIBRARY) ? test : test.skip;

whereOcr(
  'a scan is read by OCR',
  async () => {
    const recognition = await recognize(read('scan-en.png'), { mimeType: 'image/png' });
    expect(recognition.pages[0]!.source).toBe('ocr');
    const wrong = missed(recognition, truth['scan-en.png']!);
    // OCR may get a letter wrong; nearly everything must be there.
    expect(wrong.length).toBeLessThanOrEqual(3);
    expect(recognition.fields.document_id?.[0]?.value).toBe('70425');
    expect(recognition.fields.amount_total?.[0]?.value).toBe('1346.40');
    expect(recognition.tables.line_items).toHaveLength(2);
  },
  60_000,
);

whereOcr.each([93, 178])(
  'a scan that lies at %p degrees is put upright, and positions are those of the page image',
  async (degrees) => {
    const png = await sharp(read('scan-en.png')).rotate(degrees, { background: '#ffffff' }).png().toBuffer();
    const { pages, fields, tables } = await recognize(png, { mimeType: 'image/png' });
    const [size] = await readPages(png, 'image/png');
    expect(pages[0]).toMatchObject({ width: size!.width, height: size!.height });
    expect(fields.document_id?.[0]?.value).toBe('70425');
    expect(fields.amount_total?.[0]?.value).toBe('1346.40');
    expect(tables.line_items).toHaveLength(2);
    // The total stands at the right of the upright page, below its middle.
    const [left, top, right, bottom] = fields.amount_total![0]!.position!;
    const isRight = degrees === 93 ? top > 0.5 * size!.height : left < 0.5 * size!.width;
    const isBelow = degrees === 93 ? right < 0.75 * size!.width : bottom < 0.75 * size!.height;
    expect([isRight, isBelow]).toEqual([true, true]);
  },
  120_000,
);

/** Lines of text as a PDF, drawn by `draw`. */
async function makePdf(lines: string[], draw: (page: PDFPage, text: string, at: number, font: PDFFont) => void) {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  const page = document.addPage([595, 842]);
  lines.forEach((text, at) => {
    draw(page, text, at, font);
  });
  return { document, page, bytes: () => document.save() };
}

test('a text layer that runs up the page is put upright', async () => {
  const lines = ['Invoice number: 2024-77', 'Invoice date: 31 January 2024', 'Total amount due: 120.00 EUR'];
  const { bytes } = await makePdf(lines, (page, text, at, font) => {
    page.drawText(text, { x: 100 + at * 30, y: 100, size: 11, font, rotate: degreesOf(90) });
  });
  const { pages, fields } = await recognize(await bytes(), { mimeType: 'application/pdf' });
  expect(pages[0]).toMatchObject({ width: 1240, height: 1754, source: 'text' });
  expect(fields.document_id?.[0]?.value).toBe('2024-77');
  const [left, top, right, bottom] = fields.document_id![0]!.position!;
  expect(bottom - top).toBeGreaterThan(2 * (right - left));
  expect(right).toBeLessThan(240);
});

whereOcr(
  'a scan with a stamp of real text over it is read by OCR',
  async () => {
    const { document, page, bytes } = await makePdf(['Received by mail on 12 May 2024'], (one, text, _, font) => {
      one.drawText(text, { x: 20, y: 10, size: 8, font });
    });
    const image = await document.embedPng(read('scan-en.png'));
    page.drawImage(image, { x: 0, y: 0, width: 595, height: 842 });
    const { pages, fields } = await recognize(await bytes(), { mimeType: 'application/pdf' });
    expect(pages[0]!.source).toBe('ocr');
    expect(fields.document_id?.[0]?.value).toBe('70425');
  },
  120_000,
);
