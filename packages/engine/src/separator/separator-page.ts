import { readFileSync } from 'node:fs';
import { PDFDocument, rgb, StandardFonts } from 'pdf-lib';
import { prepareZXingModule, writeBarcode } from 'zxing-wasm/writer';
import { SEPARATOR_TEXT } from './parts';

/** A4, in points. */
const [WIDTH, HEIGHT] = [595.28, 841.89];
/** Side of the QR code: 9 cm. */
const SIDE = 255;

/**
 * A separator page to print, as PDF: put between documents in the feeder of a scanner.
 *
 * @param text what its QR code says; at most 200 characters
 */
export async function buildSeparatorPage(text = SEPARATOR_TEXT): Promise<Buffer> {
  const wasmBinary = readFileSync(require.resolve('zxing-wasm/writer/zxing_writer.wasm'));
  prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(wasmBinary).buffer } });
  // The highest level of correction: it is read with a third of it missing.
  const { symbol, error } = await writeBarcode(text, {
    format: 'QRCode',
    ecLevel: 'H',
    scale: 1,
    withQuietZones: false,
  });
  if (!symbol) throw new Error(`There is no QR code for this text. ${error}`);

  const pdf = await PDFDocument.create();
  const page = pdf.addPage([WIDTH, HEIGHT]);
  const module = SIDE / symbol.width;
  symbol.data.forEach((shade, i) => {
    if (shade !== 0) return;
    const x = (WIDTH - SIDE) / 2 + (i % symbol.width) * module;
    const y = (HEIGHT + SIDE) / 2 - (Math.floor(i / symbol.width) + 1) * module;
    // A little over the edge, so that no gaps show between modules.
    page.drawRectangle({ x, y, width: module + 0.1, height: module + 0.1, color: rgb(0, 0, 0) });
  });
  const font = await pdf.embedFont(StandardFonts.HelveticaBold);
  const small = await pdf.embedFont(StandardFonts.Helvetica);
  const write = (line: string, y: number, size: number, with_ = small) =>
    page.drawText(line, { x: (WIDTH - with_.widthOfTextAtSize(line, size)) / 2, y, size, font: with_ });
  write('Document separator', HEIGHT - 150, 28, font);
  write('Put this page between documents before you scan them together.', 170, 12);
  write('Each document is imported on its own; this page is left out.', 152, 12);
  return Buffer.from(await pdf.save());
}
