import { PDFDocument, PDFName, StandardFonts } from 'pdf-lib';

/** What the PDF shows: pages of lines of text (Latin-1). */
export interface PdfContent {
  /** Lines of the first page; a tab begins the next column. */
  readonly lines?: readonly string[];
  /** Further pages, or all pages when `lines` is not given. */
  readonly pages?: readonly (readonly string[])[];
  /** Makes two PDFs of the same text different files. */
  readonly marker?: string;
}

/** From tab to tab, in points. */
const TAB = 120;

/** A digital A4 PDF with a text layer. */
export async function buildPdf({ lines, pages = [], marker }: PdfContent): Promise<Buffer> {
  const pdf = await PDFDocument.create();
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  for (const page of [...(lines ? [lines] : []), ...pages]) {
    const sheet = pdf.addPage([595, 842]);
    page.forEach((line, i) => {
      line.split('\t').forEach((text, column) => {
        sheet.drawText(text, { x: 60 + column * TAB, y: 780 - i * 20, size: 11, font });
      });
    });
  }
  if (marker) pdf.setSubject(marker);
  return Buffer.from(await pdf.save());
}

/** Lines of an ordinary invoice whose number is `number`. */
export function invoiceLines(number: string): string[] {
  return [
    'Northwind Traders Ltd.',
    '12 Harbour Street, London EC1A 1BB',
    'VAT ID: GB999999973',
    '',
    'INVOICE',
    `Invoice number: ${number}`,
    'Invoice date: 2024-03-15',
    'Due date: 2024-04-14',
    '',
    'Bill to: Contoso GmbH, Hauptstrasse 5, 10115 Berlin',
    '',
    'Description            Quantity   Unit price   Amount',
    'Consulting services    10         100.00       1000.00',
    '',
    'Subtotal: 1000.00 EUR',
    'VAT 20%: 200.00 EUR',
    'Total amount due: 1200.00 EUR',
    'IBAN: GB29 NWBK 6016 1331 9268 19',
  ];
}

/** A PDF with files within it; as a portfolio it is no more than their cover. */
export async function attachFiles(
  cover: Buffer,
  files: Readonly<Record<string, Buffer>>,
  { isPortfolio = false, useObjectStreams = true } = {},
): Promise<Buffer> {
  const pdf = await PDFDocument.load(cover);
  for (const [name, content] of Object.entries(files)) await pdf.attach(content, name);
  if (isPortfolio) pdf.catalog.set(PDFName.of('Collection'), pdf.context.obj({ Type: 'Collection', View: 'T' }));
  return Buffer.from(await pdf.save({ useObjectStreams }));
}
