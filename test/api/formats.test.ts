import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Api, type Json, startSystem, type TestSystem, toForm, waitFor } from '@intake/testkit';
import ExcelJS from 'exceljs';
import JSZip from 'jszip';

jest.setTimeout(180_000);

/** Files that are not read as they are: office documents and damaged PDFs. */

const SAMPLES = join(__dirname, '../samples');
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const LINES = [
  'Harbour & Finch Ltd',
  'Invoice number: HF-2024-0117',
  'Invoice date: 15 March 2024',
  'Total amount: GBP 1570.50',
];

let system: TestSystem;
let api: Api;

/** A system for the tests of one group. */
const withSystem = (env: Record<string, string> = {}) => {
  beforeAll(async () => {
    system = await startSystem({ env });
    api = await system.login();
  });
  afterAll(() => system?.stop());
};

async function importFile(fileName: string, content: Buffer): Promise<Json> {
  const body = toForm([{ fileName, content }]);
  const response = await api.request('POST', `/uploads?queue=${system.queueId}`, { body });
  expect(response.status).toBe(202);
  const { url } = await response.json();
  const { annotationIds } = await waitFor('the upload', () => api.findUploaded(url), { timeoutMs: 60_000 });
  return waitFor(
    'the end of the import',
    async () => {
      const annotation = await api.get(`/annotations/${annotationIds[0]}`);
      return annotation.status === 'importing' ? null : annotation;
    },
    { timeoutMs: 90_000 },
  );
}

async function valuesOf(annotation: Json): Promise<Record<string, string>> {
  const { content } = await api.get(annotation.content);
  const nodes = (content as Json[]).flatMap(({ children }) => children as Json[]);
  return Object.fromEntries(
    nodes.filter((node) => node.content).map((node) => [node.schema_id, node.content.normalized_value]),
  );
}

async function buildSheet(): Promise<Buffer> {
  const book = new ExcelJS.Workbook();
  const sheet = book.addWorksheet('Invoice');
  // As narrow as people leave them: what does not fit would be drawn as ###.
  sheet.columns = [{ width: 16 }, { width: 9 }];
  for (const line of LINES) sheet.addRow(line.split(': '));
  sheet.addRow(['Amount due', 1570.5]).getCell(2).numFmt = '#,##0.00 "GBP"';
  return Buffer.from(await book.xlsx.writeBuffer());
}

/** The least that is a text document. */
async function buildText(): Promise<Buffer> {
  const zip = new JSZip();
  const part = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';
  const relations = 'http://schemas.openxmlformats.org/package/2006/relationships';
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const text = (line: string) => line.replaceAll('&', '&amp;');
  zip.file(
    '[Content_Types].xml',
    `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="${part}"/></Types>`,
  );
  zip.file(
    '_rels/.rels',
    `<?xml version="1.0"?><Relationships xmlns="${relations}"><Relationship Id="r1" Type="${office}/officeDocument" Target="word/document.xml"/></Relationships>`,
  );
  zip.file(
    'word/document.xml',
    `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${LINES.map((line) => `<w:p><w:r><w:t>${text(line)}</w:t></w:r></w:p>`).join('')}</w:body></w:document>`,
  );
  return zip.generateAsync({ type: 'nodebuffer' });
}

/** Its objects have no end; readers give up, but everything is there. */
const damagedPdf = () =>
  Buffer.from(
    readFileSync(join(SAMPLES, 'invoice-en.pdf'))
      .toString('latin1')
      .replace(/endobj/g, ''),
    'latin1',
  );

describe('with LibreOffice and qpdf', () => {
  withSystem();

  it.each([
    ['invoice.xlsx', XLSX, buildSheet],
    ['invoice.docx', DOCX, buildText],
  ])('%s is read, has a page to look at, and can be fetched as it was', async (fileName, mimeType, build) => {
    const bytes = await build();
    const annotation = await importFile(fileName, bytes);
    expect(annotation.status).toBe('to_review');
    expect(await valuesOf(annotation)).toMatchObject({
      document_id: 'HF-2024-0117',
      date_issue: '2024-03-15',
      amount_total: '1570.50',
    });

    const document = await api.get(annotation.document);
    expect(document).toMatchObject({ mime_type: mimeType, original_file_name: fileName });
    const original = await api.request('GET', document.content);
    expect(original.headers.get('content-type')).toBe(mimeType);
    expect(Buffer.from(await original.arrayBuffer()).equals(bytes)).toBe(true);

    expect(annotation.pages).toHaveLength(1);
    const image = await api.request('GET', `${annotation.pages[0]}/content`);
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png']);
  });

  it('a damaged office document ends in failed_import with a reason', async () => {
    const annotation = await importFile('broken.docx', (await buildText()).subarray(0, 700));
    expect(annotation.status).toBe('failed_import');
    expect(annotation.messages).toEqual([
      expect.objectContaining({ type: 'error', content: expect.stringMatching(/damaged/i) }),
    ]);
  });
  it('a damaged PDF is repaired, read and drawn', async () => {
    const annotation = await importFile('damaged.pdf', damagedPdf());
    expect(annotation.status).toBe('to_review');
    expect(await valuesOf(annotation)).toMatchObject({ document_id: 'HF-2024-0117', amount_total: '1570.50' });
    const image = await api.request('GET', `${annotation.pages[0]}/content`);
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png']);
  });

  it('a PDF beyond repair ends in failed_import with a reason', async () => {
    const bytes = readFileSync(join(SAMPLES, 'invoice-en.pdf'));
    const annotation = await importFile('half.pdf', bytes.subarray(0, bytes.length / 2));
    expect(annotation.status).toBe('failed_import');
    expect(annotation.messages[0].content).toBe('The PDF is damaged and cannot be repaired.');
  });
});

describe('without them', () => {
  withSystem({ INTAKE_SOFFICE: '/nowhere/soffice', INTAKE_QPDF: '/nowhere/qpdf' });

  it.each([
    ['invoice.xlsx', buildSheet, '/nowhere/soffice'],
    ['damaged.pdf', async () => damagedPdf(), '/nowhere/qpdf'],
  ])('%s ends in failed_import, and the message names the program', async (fileName, build, program) => {
    const annotation = await importFile(fileName, await build());
    expect(annotation.status).toBe('failed_import');
    expect(annotation.messages[0].content).toContain(program);
  });
});
