import { degrees, PDFBool, PDFDocument, PDFName, StandardFonts } from 'pdf-lib';
import sharp from 'sharp';
import { readPages, recognize, renderPage } from '../index';

type Draw = (pdf: PDFDocument) => Promise<void>;

async function makePdf(draw: Draw): Promise<Uint8Array> {
  const pdf = await PDFDocument.create();
  await draw(pdf);
  return pdf.save({ updateFieldAppearances: false });
}

/** A page with a word near each corner, so that any mistake in the geometry shows. */
const corners =
  (change: (page: ReturnType<PDFDocument['addPage']>) => void): Draw =>
  async (pdf) => {
    const font = await pdf.embedFont(StandardFonts.Helvetica);
    const page = pdf.addPage([400, 600]);
    for (const [text, x, y] of [
      ['Invoice', 60, 520],
      ['Quantity', 250, 500],
      ['Payment', 70, 90],
      ['Total', 280, 110],
    ] as const) {
      page.drawText(text, { x, y, size: 14, font });
    }
    change(page);
  };

/** Checks that each word's box holds ink and that there is none outside the boxes. */
async function expectWordsOnInk(bytes: Uint8Array): Promise<string[]> {
  const { pages } = await recognize(bytes, { mimeType: 'application/pdf' });
  const image = await renderPage(bytes, 'application/pdf', 1);
  const [page] = pages;
  expect([page!.width, page!.height]).toEqual([image.width, image.height]);
  const { data, info } = await sharp(image.png).grayscale().raw().toBuffer({ resolveWithObject: true });
  const ink = new Map<string, number>();
  for (let y = 0; y < info.height; y++) {
    for (let x = 0; x < info.width; x++) {
      if (data[(y * info.width + x) * info.channels]! > 128) continue;
      const word = page!.words.find(
        ({ position: [l, t, r, b] }) => x >= l - 2 && x <= r + 2 && y >= t - 2 && y <= b + 2,
      );
      const name = word?.text ?? 'outside';
      ink.set(name, (ink.get(name) ?? 0) + 1);
    }
  }
  expect(ink.get('outside') ?? 0).toBe(0);
  for (const word of page!.words) expect(ink.get(word.text) ?? 0).toBeGreaterThan(20);
  return page!.words.map((word) => word.text);
}

test.each([0, 90, 180, 270])('a page turned by %i degrees', async (angle) => {
  const bytes = await makePdf(corners((page) => page.setRotation(degrees(angle))));
  expect(new Set(await expectWordsOnInk(bytes))).toEqual(new Set(['Invoice', 'Quantity', 'Payment', 'Total']));
  const [size] = await readPages(bytes, 'application/pdf');
  expect(size!.rotation).toBe(angle);
  expect(size!.width < size!.height).toBe(angle % 180 === 0);
});

test.each([90, 180, 270])(
  'words along the edge that are turned by %i degrees stand on their ink, and are read',
  async (angle) => {
    const bytes = await makePdf(async (pdf) => {
      const font = await pdf.embedFont(StandardFonts.Helvetica);
      const page = pdf.addPage([400, 600]);
      page.drawText('Facture 2024-118 du 12/11/2024', { x: 60, y: 520, size: 14, font });
      const [x, y] = angle === 90 ? [20, 100] : angle === 180 ? [380, 20] : [380, 560];
      page.drawText('SWIFT: AGRIFRPP', { x, y, size: 10, font, rotate: degrees(angle) });
    });
    expect(await expectWordsOnInk(bytes)).toEqual(['Facture', '2024-118', 'du', '12/11/2024', 'SWIFT:', 'AGRIFRPP']);
    const { fields } = await recognize(bytes, { mimeType: 'application/pdf' });
    expect(fields.bic?.[0]).toMatchObject({ value: 'AGRIFRPP' });
  },
);

test.each([0, 90])('a cropped page turned by %i degrees shows its part', async (angle) => {
  const bytes = await makePdf(
    corners((page) => {
      page.setCropBox(40, 60, 330, 500);
      page.setRotation(degrees(angle));
    }),
  );
  expect(await expectWordsOnInk(bytes)).toHaveLength(4);
});

test('text that is turned back upright by the page reads from left to right', async () => {
  const bytes = await makePdf(async (pdf) => {
    const font = await pdf.embedFont(StandardFonts.Helvetica);
    const page = pdf.addPage([400, 600]);
    page.setRotation(degrees(90));
    page.drawText('Invoice number 4711', { x: 200, y: 100, size: 14, font, rotate: degrees(90) });
  });
  expect(await expectWordsOnInk(bytes)).toEqual(['Invoice', 'number', '4711']);
});

/** A page with the words "Invoice number" and a field of a form beside them that holds 4711-A. */
async function makeForm(pdf: PDFDocument) {
  const page = pdf.addPage([400, 600]);
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  page.drawText('Invoice number', { x: 50, y: 505, size: 12, font });
  const field = pdf.getForm().createTextField('number');
  field.setText('4711-A');
  field.addToPage(page, { x: 150, y: 500, width: 100, height: 20, borderWidth: 0 });
  return field.acroField;
}

test('what was typed into a form is part of the page', async () => {
  const bytes = await makePdf(async (pdf) => void (await makeForm(pdf)));
  const { fields } = await recognize(bytes, { mimeType: 'application/pdf' });
  expect(fields.document_id?.[0]?.value).toBe('4711-A');
});

test('what a program filled into a form without drawing it is part of the page', async () => {
  const bytes = await makePdf(async (pdf) => {
    const field = await makeForm(pdf);
    for (const { dict } of field.getWidgets()) dict.delete(PDFName.of('AP'));
    pdf.getForm().acroForm.dict.set(PDFName.of('NeedAppearances'), PDFBool.True);
  });
  expect(await expectWordsOnInk(bytes)).toEqual(['Invoice', 'number', '4711-A']);
});

test('a form whose pages only Adobe Reader makes is refused, and says so; one that has its pages is read', async () => {
  const makeXfa = (needsRendering: boolean) =>
    makePdf(async (pdf) => {
      pdf.addPage().drawText('Please wait...', { x: 50, y: 700, size: 12 });
      const template = pdf.context.register(
        pdf.context.stream('<template xmlns="http://www.xfa.org/schema/xfa-template/3.3/"/>'),
      );
      pdf.catalog.set(PDFName.of('AcroForm'), pdf.context.obj({ Fields: [], XFA: ['template', template] }));
      pdf.catalog.set(PDFName.of('NeedsRendering'), needsRendering ? PDFBool.True : PDFBool.False);
    });
  await expect(recognize(await makeXfa(true), { mimeType: 'application/pdf' })).rejects.toMatchObject({
    reason: 'unsupported',
    message: 'The PDF is a form (XFA) that only Adobe Reader shows; print it into a PDF there and send that.',
  });
  expect((await recognize(await makeXfa(false), { mimeType: 'application/pdf' })).pageCount).toBe(1);
});

test('only the first pages are read, all are counted', async () => {
  const bytes = await makePdf(async (pdf) => {
    const font = await pdf.embedFont(StandardFonts.Helvetica);
    for (let at = 1; at <= 5; at++)
      pdf.addPage([300, 300]).drawText(`This is page number ${at}`, { x: 20, y: 200, size: 12, font });
  });
  const { pages, pageCount } = await recognize(bytes, { mimeType: 'application/pdf', maxPages: 2 });
  expect([pages.length, pageCount]).toEqual([2, 5]);
});

test('an empty page needs no OCR', async () => {
  const bytes = await makePdf(async (pdf) => void pdf.addPage([300, 300]));
  const { pages } = await recognize(bytes, { mimeType: 'application/pdf', ocr: { tesseract: '/nowhere/tesseract' } });
  expect(pages).toMatchObject([{ source: 'text', words: [] }]);
});

test('more than 500 pages are refused', async () => {
  const bytes = await makePdf(async (pdf) => {
    for (let at = 0; at < 501; at++) pdf.addPage([100, 100]);
  });
  await expect(recognize(bytes, { mimeType: 'application/pdf' })).rejects.toMatchObject({ reason: 'too_many_pages' });
  await expect(readPages(bytes, 'application/pdf')).rejects.toMatchObject({ reason: 'too_many_pages' });
});

test('a PDF cut off in the middle is read as far as it goes or refused, and the next one is read', async () => {
  const whole = await makePdf(corners(() => {}));
  for (const share of [0.1, 0.5, 0.9]) {
    const cut = whole.subarray(0, Math.floor(whole.length * share));
    const result = await recognize(cut, { mimeType: 'application/pdf' }).catch((error: Error) => error.name);
    expect(typeof result === 'string' ? result : 'read').toMatch(/^(UnreadableDocument|read)$/);
  }
  expect(await expectWordsOnInk(whole)).toHaveLength(4);
});

test('a page with next to no text is read by OCR only when something else is on it', async () => {
  const bytes = await makePdf(async (pdf) => {
    const font = await pdf.embedFont(StandardFonts.Helvetica);
    for (const framed of [false, true]) {
      const page = pdf.addPage([400, 600]);
      page.drawText('Page 2', { x: 60, y: 520, size: 14, font });
      if (framed) page.drawRectangle({ x: 40, y: 40, width: 300, height: 300, borderWidth: 2 });
    }
  });
  const { pages } = await recognize(bytes, { mimeType: 'application/pdf' });
  expect(pages.map(({ source, words }) => [source, words.map(({ text }) => text)])).toEqual([
    ['text', ['Page', '2']],
    ['ocr', ['Page', '2']],
  ]);
});

test('a scan in strips and a text drawn as lines are read by OCR, whatever is stamped over them', async () => {
  const lines = ['Invoice number 4711', 'Date 03.04.2024', 'Total amount 123.45', 'Thank you very much'];
  const text = lines.map((line, at) => `<text x="60" y="${120 + at * 260}" font-size="44">${line}</text>`).join('');
  const picture = sharp(
    Buffer.from(`<svg width="800" height="1100"><rect width="800" height="1100" fill="#fff"/>${text}</svg>`),
  );
  const strips = await Promise.all(
    [0, 1, 2, 3].map((at) =>
      picture
        .clone()
        .extract({ left: 0, top: at * 275, width: 800, height: 275 })
        .png()
        .toBuffer(),
    ),
  );
  // A glyph of eight strokes, 12 points high, over and over.
  const glyph = 'M0 0 L2 0 L2 5 L6 5 L6 0 L8 0 L8 12 L6 12 L6 7 L2 7 L2 12 L0 12 Z';
  const bytes = await makePdf(async (pdf) => {
    const font = await pdf.embedFont(StandardFonts.Helvetica);
    const stamp = (page: ReturnType<PDFDocument['addPage']>) =>
      page.drawText('Received 05.04.2024 by the archive, copy', { x: 40, y: 10, size: 8, font });
    const scan = pdf.addPage([400, 550]);
    for (const [at, strip] of strips.entries()) {
      const image = await pdf.embedPng(strip);
      scan.drawImage(image, { x: 0, y: 550 - (at + 1) * 137.5, width: 400, height: 137.5 });
    }
    stamp(scan);
    const drawn = pdf.addPage([400, 550]);
    for (let at = 0; at < 80; at++)
      drawn.drawSvgPath(glyph, { x: 40 + (at % 20) * 12, y: 500 - Math.floor(at / 20) * 100 });
    stamp(drawn);
    const framed = pdf.addPage([400, 550]);
    for (let at = 0; at < 40; at++)
      framed.drawRectangle({ x: 40, y: 40 + at * 12, width: 300, height: 12, borderWidth: 1 });
    framed.drawSvgPath(glyph, { x: 40, y: 540 });
    stamp(framed);
  });
  const { pages } = await recognize(bytes, { mimeType: 'application/pdf' });
  expect(pages.map(({ source }) => source)).toEqual(['ocr', 'ocr', 'text']);
  expect(pages[0]!.words.map(({ text }) => text)).toEqual(expect.arrayContaining(['Invoice', '4711', '123.45']));
});
