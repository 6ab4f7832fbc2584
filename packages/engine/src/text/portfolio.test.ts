import { deflateSync } from 'node:zlib';
import { PDFArray, PDFDict, PDFDocument, PDFName, PDFRawStream } from 'pdf-lib';
import { openPortfolio } from './portfolio';

const MB = 1024 * 1024;

async function build(names: readonly string[], change: (pdf: PDFDocument) => void = () => undefined): Promise<Buffer> {
  const pdf = await PDFDocument.create();
  pdf.addPage();
  for (const name of names) await pdf.attach(Buffer.from(`content of ${name}`), name);
  pdf.catalog.set(PDFName.of('Collection'), pdf.context.obj({ Type: 'Collection' }));
  await pdf.flush();
  change(pdf);
  return Buffer.from(await pdf.save());
}

const tree = (pdf: PDFDocument) =>
  pdf.catalog.lookup(PDFName.of('Names'), PDFDict).lookup(PDFName.of('EmbeddedFiles'), PDFDict);

/** Puts other bytes in the place of an embedded file. */
const replace = (content: Buffer) => (pdf: PDFDocument) => {
  const file = tree(pdf).lookup(PDFName.of('Names'), PDFArray).lookup(1, PDFDict);
  const stream = PDFRawStream.of(
    pdf.context.obj({ Filter: 'FlateDecode', Length: content.length }) as PDFDict,
    content,
  );
  const ref = pdf.context.register(stream);
  file.set(PDFName.of('EF'), pdf.context.obj({ F: ref, UF: ref }));
};

it('gives the files of a portfolio by their names', async () => {
  const opened = await openPortfolio(await build(['Größe.pdf', 'b.txt']));
  expect(opened?.files.map(({ fileName, bytes }) => [fileName, bytes.toString()])).toEqual([
    ['Größe.pdf', 'content of Größe.pdf'],
    ['b.txt', 'content of b.txt'],
  ]);
  expect(opened?.skipped).toEqual([]);
});

it('leaves other PDFs alone, and what is no PDF', async () => {
  expect(await openPortfolio(await build(['a.pdf'], (pdf) => pdf.catalog.delete(PDFName.of('Collection'))))).toBeNull();
  expect(await openPortfolio(Buffer.from('%PDF-1.7 /Collection'))).toBeNull();
  expect(await openPortfolio((await build(['a.pdf'])).subarray(0, 300))).toBeNull();
});

it('opens 40 MB and refuses a byte more', async () => {
  const opened = await openPortfolio(await build(['a.pdf'], replace(deflateSync(Buffer.alloc(40 * MB)))));
  expect(opened?.files[0]?.bytes.length).toBe(40 * MB);
  for (const size of [40 * MB + 1, 300 * MB]) {
    const refused = openPortfolio(await build(['a.pdf'], replace(deflateSync(Buffer.alloc(size)))));
    await expect(refused).rejects.toMatchObject({
      reason: 'failed_to_extract',
      message: expect.stringMatching(/40 MB/),
    });
  }
});

it('opens 99 files and refuses 100', async () => {
  const names = Array.from({ length: 100 }, (_, i) => `${i}.pdf`);
  expect((await openPortfolio(await build(names.slice(1))))?.files).toHaveLength(99);
  await expect(openPortfolio(await build(names))).rejects.toMatchObject({
    message: expect.stringMatching(/100 files/),
  });
});

it('names what is damaged, and does not walk in circles', async () => {
  const damaged = await openPortfolio(await build(['a.pdf', 'b.pdf'], replace(Buffer.from('no stream'))));
  expect(damaged?.files.map(({ fileName }) => fileName)).toEqual(['b.pdf']);
  expect(damaged?.skipped).toEqual([{ path: 'a.pdf', why: 'it is damaged' }]);
  const circle = await build(['a.pdf'], (pdf) => {
    const root = tree(pdf);
    const ref = pdf.context.register(root);
    pdf.catalog.lookup(PDFName.of('Names'), PDFDict).set(PDFName.of('EmbeddedFiles'), ref);
    root.set(PDFName.of('Kids'), pdf.context.obj([ref, ref]));
  });
  expect((await openPortfolio(circle))?.files).toHaveLength(1);
});
