import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Api,
  attachFiles,
  buildPdf,
  invoiceLines,
  type Json,
  startSystem,
  type TestSystem,
  toForm,
  waitFor,
} from '@intake/testkit';
import ExcelJS from 'exceljs';
import JSZip from 'jszip';
import sharp from 'sharp';

/** Files of all kinds: archives, pictures, office documents and damaged PDFs. */

const SAMPLES = join(__dirname, '../samples');
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const EXCEL = 'application/vnd.ms-excel';
const WORD = 'application/msword';
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

async function importFile(fileName: string, content: Buffer, queueId = system.queueId): Promise<Json> {
  const body = toForm([{ fileName, content }]);
  const response = await api.request('POST', `/uploads?queue=${queueId}`, { body });
  expect(response.status).toBe(202);
  const { url } = await response.json();
  const { annotationIds } = await waitFor('the upload', () => api.findUploaded(url), { timeoutMs: 60_000 });
  return settled(`/annotations/${annotationIds[0]}`);
}

const settled = (url: string) =>
  waitFor(
    'the end of the import',
    async () => {
      const annotation = await api.get(url);
      return annotation.status === 'importing' ? null : annotation;
    },
    { timeoutMs: 90_000 },
  );

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

const PAGE_BREAK = '<w:p><w:r><w:br w:type="page"/></w:r></w:p>';

/** The least that is a text document. @param pages the lines of each */
async function buildText(pages: readonly (readonly string[])[] = [LINES]): Promise<Buffer> {
  const zip = new JSZip();
  const part = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';
  const relations = 'http://schemas.openxmlformats.org/package/2006/relationships';
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const text = (line: string) => `<w:p><w:r><w:t>${line.replaceAll('&', '&amp;')}</w:t></w:r></w:p>`;
  const body = pages.map((lines) => lines.map(text).join('')).join(PAGE_BREAK);
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
    `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`,
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

const PAGE = '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>';

/** What web shops and banks give out as an Excel file, and word processors of the web as a Word file. */
function buildHtml(): Buffer {
  const rows = [...LINES.map((line) => line.split(': ')), ['Amount due', '1,570.50 GBP']];
  const cells = rows.map((row) => `<tr>${row.map((text) => `<td>${text}</td>`).join('')}</tr>`);
  return Buffer.from(`<html xmlns:x="urn:schemas-microsoft-com:office:excel"><table>${cells.join('')}</table></html>`);
}

const buildMhtml = () =>
  Buffer.from(
    `MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="b"\r\n\r\n--b\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${buildHtml().toString('base64')}\r\n--b--\r\n`,
  );

const buildTabs = () => Buffer.from(LINES.map((line) => line.replace(': ', '\t')).join('\r\n'));

/** "XML Spreadsheet 2003". */
function buildExcelXml(): Buffer {
  const cell = (text: string) => `<Cell><Data ss:Type="String">${text.replace('&', '&amp;')}</Data></Cell>`;
  const cells = LINES.map((line) => line.split(': ').map(cell));
  return Buffer.from(
    `<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet"><Worksheet ss:Name="S"><Table>${cells.map((row) => `<Row>${row.join('')}</Row>`).join('')}</Table></Worksheet></Workbook>`,
  );
}

/** A PDF of the objects from the page tree on. */
function pdfOf(...objects: readonly string[]): Buffer {
  const all = ['<</Type/Catalog/Pages 2 0 R>>', ...objects].map((text, i) => `${i + 1} 0 obj\n${text}\nendobj\n`);
  const offsets = all.map((_, i) => 9 + all.slice(0, i).join('').length);
  const rows = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  const size = all.length + 1;
  const body = `%PDF-1.7\n${all.join('')}`;
  return Buffer.from(
    `${body}xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<</Size ${size}/Root 1 0 R>>\nstartxref\n${body.length}\n%%EOF`,
    'latin1',
  );
}

describe('with LibreOffice and qpdf', () => {
  withSystem();

  it.each([
    ['invoice.xlsx', XLSX, buildSheet],
    ['invoice.xls', EXCEL, buildHtml],
    ['unicode.xls', EXCEL, () => Buffer.from(`\ufeff${buildHtml()}`, 'utf16le')],
    ['columns.xls', EXCEL, buildTabs],
    ['workbook.xls', EXCEL, buildExcelXml],
    ['page.doc', WORD, buildHtml],
    ['export.doc', WORD, buildMhtml],
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

  it('an office document that seems to hold several documents gets a suggested edit, where the queue wants one', async () => {
    const { workspace, schema } = await api.get(`/queues/${system.queueId}`);
    const queue = await api.post('/queues', {
      ...{ name: 'Several', workspace, schema, settings: { suggested_edit: 'suggest' } },
    });
    const other = LINES.map((line) => line.replace('HF-2024-0117', 'HF-2024-0118'));
    const annotation = await importFile('two.docx', await buildText([LINES, other]), queue.id);
    const { documents } = await api.get(annotation.suggested_edit);
    expect(documents.map(({ pages }: Json) => pages.map(({ page }: Json) => page))).toEqual(
      annotation.pages.map((page: string) => [page]),
    );
    expect(documents).toHaveLength(2);
    const { results } = await api.post(`${annotation.url}/split`, { documents });
    const parts = await Promise.all(results.map(({ annotation: part }: Json) => settled(part)));
    expect(await Promise.all(parts.map(async (part) => (await valuesOf(part)).document_id))).toEqual([
      'HF-2024-0117',
      'HF-2024-0118',
    ]);
  });

  it('a damaged office document ends in failed_import with a reason', async () => {
    const annotation = await importFile('broken.docx', (await buildText()).subarray(0, 700));
    expect(annotation.status).toBe('failed_import');
    expect(annotation.messages).toEqual([
      expect.objectContaining({ type: 'error', content: expect.stringMatching(/damaged/i) }),
    ]);
  });
  it.each<[string, Buffer, string]>([
    ['garbage.doc', Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), randomBytes(9000)]), 'office document'],
    ['garbage.xls', Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), randomBytes(9000)]), 'office document'],
    ['random.pdf', Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(9000)]), 'damaged'],
    ['no-pages.pdf', pdfOf('<</Type/Pages/Kids[]/Count 0>>'), 'no pages'],
    ['501-pages.pdf', pdfOf(`<</Type/Pages/Kids[${'3 0 R '.repeat(501)}]/Count 501>>`, PAGE), '501 pages'],
    ['deep.docx', Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), randomBytes(3000)]), 'damaged'],
    ['a-png.pdf', readFileSync(join(SAMPLES, 'scan-en.png')).subarray(0, 5000), 'picture is damaged'],
  ])('%s ends in failed_import with a reason', async (fileName, content, reason) => {
    const response = await api.request('POST', `/queues/${system.queueId}/upload`, {
      body: toForm([{ fileName, content }]),
    });
    const annotation = await settled(((await response.json()) as Json).annotation);
    expect(annotation.status).toBe('failed_import');
    expect(annotation.messages[0]).toMatchObject({ type: 'error', content: expect.stringContaining(reason) });
  });

  it.each<[string, Buffer]>([
    ['an enormous page', pdfOf('<</Type/Pages/Kids[3 0 R]/Count 1>>', PAGE.replace('595 842', '14400 1000000000'))],
    ['a page of no size', pdfOf('<</Type/Pages/Kids[3 0 R]/Count 1>>', PAGE.replace('595 842', '0 0'))],
    ['a million pages that are not there', pdfOf('<</Type/Pages/Kids[3 0 R]/Count 1000000>>', PAGE)],
    ['a name of another kind', readFileSync(join(SAMPLES, 'invoice-en.pdf'))],
  ])('a file with %s comes to its end', async (_, content) => {
    const annotation = await importFile('strange.jpg', content);
    expect(['to_review', 'failed_import']).toContain(annotation.status);
    if (annotation.status === 'failed_import') expect(annotation.messages[0].content).toMatch(/PDF|document/);
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

describe('a zip archive', () => {
  withSystem();

  const ZIP = 'application/zip';
  /** As `zip -P` writes it. */
  const PROTECTED_ZIP =
    'UEsDBAoACQAAAHBxdV0N5vZDFAAAAAgAAAAFAAAAYS5wZGaIcRtsyXUkQa1IS8BGMYueq0txUFBLBwgN5vZDFAAAAAgAAABQSwECHgMKAAkAAABwcXVdDeb2QxQAAAAIAAAABQAAAAAAAAABAAAApIEAAAAAYS5wZGZQSwUGAAAAAAEAAQAzAAAARwAAAAAA';
  const invoice = (number: string) => buildPdf({ lines: invoiceLines(number) });
  const pack = async (members: Record<string, Buffer | string>): Promise<Buffer> => {
    const zip = new JSZip();
    for (const [name, content] of Object.entries(members)) zip.file(name, content);
    return zip.generateAsync({ type: 'nodebuffer', compression: 'DEFLATE' });
  };
  /** Sends files to the legacy endpoint; answers the upload and what came of it. */
  const send = async (...files: (readonly [string, Buffer])[]) => {
    const body = toForm(files.map(([fileName, content]) => ({ fileName, content })));
    const response = await api.request('POST', `/queues/${system.queueId}/upload`, { body });
    expect(response.status).toBe(201);
    const { results } = (await response.json()) as Json;
    return Promise.all(
      (results as Json[]).map(async ({ annotation, document }) => ({
        annotation: await settled(annotation),
        document: await api.get(document),
      })),
    );
  };
  const outcomes = (results: Awaited<ReturnType<typeof send>>) =>
    results.map(({ annotation, document }) => [document.original_file_name, annotation.status]);

  it.each([true, false])('that is a PDF portfolio gives its files (packed: %s)', async (useObjectStreams) => {
    const make = async (files: Record<string, Buffer>, isPortfolio: boolean): Promise<Buffer> =>
      attachFiles(await invoice('COVER-1'), files, { isPortfolio, useObjectStreams });
    const files = { 'one.pdf': await invoice('P-1'), 'two.pdf': await invoice('P-2'), 'note.txt': Buffer.from('note') };
    const results = await send(['portfolio.pdf', await make(files, true)]);
    expect(outcomes(results)).toEqual([
      ['one.pdf', 'to_review'],
      ['two.pdf', 'to_review'],
    ]);
    const parent = await api.get(results[0]!.document.parent);
    expect(parent).toMatchObject({
      original_file_name: 'portfolio.pdf',
      attachment_status: 'extracted_archive',
      annotations: [],
      messages: [{ content: 'Left out: "note.txt" (the queue takes no text/plain).' }],
    });

    expect(outcomes(await send(['attached.pdf', await make(files, false)]))).toEqual([['attached.pdf', 'to_review']]);
    const cover = await send(['cover.pdf', await make({ 'note.txt': Buffer.from('note') }, true)]);
    expect(outcomes(cover)).toEqual([['cover.pdf', 'to_review']]);
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`${i}.pdf`, Buffer.from('%PDF-1.4')]));
    const [refused] = await send(['many.pdf', await make(many, true)]);
    expect(refused?.annotation).toMatchObject({ status: 'failed_import' });
    expect(refused?.document).toMatchObject({ attachment_status: 'failed_to_extract' });
  });

  it('that is an ISDOC package becomes one document: the PDF is shown, the e-invoice is read', async () => {
    const isdoc =
      '<Invoice xmlns="http://isdoc.cz/namespace/2013" version="6.0.1"><ID>ISDOC-77</ID><IssueDate>2024-02-01</IssueDate></Invoice>';
    const zip = await pack({
      'manifest.xml':
        '<manifest xmlns="http://isdoc.cz/namespace/2013/manifest"><maindocument filename="faktura.isdoc"/></manifest>',
      'faktura.isdoc': isdoc,
      'faktura.pdf': await invoice('PRINTED-1'),
    });
    const results = await send(['faktura.isdocx', zip]);
    expect(outcomes(results)).toEqual([['faktura.pdf', 'to_review']]);
    expect(await valuesOf(results[0]!.annotation)).toMatchObject({ document_id: 'ISDOC-77' });
  });

  it('is opened: each file becomes a document with an annotation, in the place of the archive', async () => {
    const taken = await invoice('ZIP-B');
    const zip = await pack({
      'in/b.pdf': taken,
      'in/a.png': readFileSync(join(SAMPLES, 'scan-en.png')),
      'in/inner.zip': await pack({ 'x.pdf': 'x' }),
      'in/readme.txt': 'Hello.',
      'in/deep/c.pdf': 'not taken',
      '__MACOSX/in/._b.pdf': 'x',
    });
    const results = await send(
      ['first.pdf', await invoice('ZIP-1')],
      ['all.zip', zip],
      ['last.pdf', await invoice('ZIP-2')],
    );
    expect(outcomes(results)).toEqual([
      ['first.pdf', 'to_review'],
      ['b.pdf', 'to_review'],
      ['a.png', 'to_review'],
      ['last.pdf', 'to_review'],
    ]);
    const member = results[1]?.document as Json;
    const archive = await api.get(member.parent);
    expect(archive).toMatchObject({
      mime_type: ZIP,
      original_file_name: 'all.zip',
      attachment_status: 'extracted_archive',
      annotations: [],
      messages: [{ type: 'warning', content: expect.stringMatching(/deep\/c\.pdf.*inner\.zip.*readme\.txt/) }],
    });
    const { results: members } = await api.get(`/documents?parent=${archive.id}&ordering=id`);
    expect((members as Json[]).map((one) => [one.original_file_name, one.attachment_status])).toEqual([
      ['b.pdf', null],
      ['a.png', null],
      ['inner.zip', null],
      ['readme.txt', 'filtered_by_queue_mime_type'],
    ]);
    const bytes = await (await api.request('GET', member.content)).arrayBuffer();
    expect(Buffer.from(bytes).equals(taken)).toBe(true);
  });

  it('names its members in the upload, and takes values and metadata for each', async () => {
    const body = toForm([
      { fileName: 'two.zip', content: await pack({ '1.pdf': await invoice('1'), '2.pdf': await invoice('2') }) },
    ]);
    body.append('metadata', '{"batch": 3}');
    const response = await api.request('POST', `/uploads?queue=${system.queueId}`, { body });
    const { url } = await response.json();
    const { uploadId, annotationIds, documentIds } = await waitFor('the upload', () => api.findUploaded(url));
    const upload = await api.get(`/uploads/${uploadId}`);
    expect([documentIds.length, upload.additional_documents.length, annotationIds.length]).toEqual([1, 2, 2]);
    for (const id of annotationIds) expect((await api.get(`/annotations/${id}`)).metadata).toEqual({ batch: 3 });
  });

  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`${i}.pdf`, 'x']));
  it.each<[string, () => Promise<Buffer>, string, RegExp]>([
    ['of 100 files', () => pack(many(100)), 'failed_to_extract', /100 files/],
    ['of more than 40 MB', () => pack({ 'a.pdf': Buffer.alloc(41 * 1024 * 1024) }), 'failed_to_extract', /40 MB/],
    ['that is broken', async () => (await pack({ 'a.pdf': 'x' })).subarray(0, 40), 'failed_to_extract', /damaged/],
    ['with a password', async () => Buffer.from(PROTECTED_ZIP, 'base64'), 'password_protected_archive', /password/],
    ['with nothing to import', () => pack({ 'a.txt': 'x' }), 'extracted_archive', /no file.*a\.txt/],
    ['with nothing at all', () => pack({}), 'extracted_archive', /no file/],
  ])('%s ends in failed_import with a reason', async (_, build, status, reason) => {
    const [only, ...more] = await send(['some.zip', await build()]);
    expect(more).toEqual([]);
    expect(only?.document).toMatchObject({ mime_type: ZIP, attachment_status: status });
    expect(only?.annotation).toMatchObject({
      status: 'failed_import',
      messages: [{ type: 'error', content: expect.stringMatching(reason) }],
    });
  });

  it('that cannot be opened fails the task of the upload, when nothing else was sent', async () => {
    const broken = (await pack({ 'a.pdf': 'x' })).subarray(0, 40);
    const body = toForm([{ fileName: 'broken.zip', content: broken }]);
    const response = await api.request('POST', `/uploads?queue=${system.queueId}`, { body });
    expect(response.status).toBe(202);
    const { url } = await response.json();
    const task = await waitFor('the task', async () => {
      const found = await api.get(url);
      return found.status === 'running' ? null : found;
    });
    expect(task).toMatchObject({ status: 'failed', detail: expect.stringMatching(/damaged.*error/) });
    // It ends when the annotation is there.
    const [annotation] = (await api.get('/annotations?ordering=-id&page_size=1&sideload=documents')).results;
    expect(annotation).toMatchObject({ status: 'failed_import' });
    expect((await api.get(annotation.document)).original_file_name).toBe('broken.zip');
  });
});

describe('pictures', () => {
  withSystem();

  const scan = () => sharp(readFileSync(join(SAMPLES, 'scan-en.png')));
  /** The scan as phones store it. */
  const photographed = () => {
    const folder = mkdtempSync(join(tmpdir(), 'intake-test-heif-'));
    const file = join(folder, 'photo.heic');
    try {
      execFileSync('heif-enc', ['-q', '80', '-o', file, join(SAMPLES, 'scan-en.png')], { stdio: 'pipe' });
      return readFileSync(file);
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
  const blank = () => sharp({ create: { width: 200, height: 300, channels: 3, background: '#fff' } });

  it('of every kind are read, all pages of a TIFF, and turned as the camera says', async () => {
    const pages = [await scan().png().toBuffer(), await blank().resize(1653, 2339).png().toBuffer()];
    const tiff = await sharp(pages, { join: { animated: true } })
      .tiff({ compression: 'deflate' })
      .toBuffer();
    const [read, webp, turned, heic, avif] = await Promise.all([
      importFile('scan.tif', tiff),
      importFile('scan.webp', await scan().webp({ lossless: true }).toBuffer()),
      importFile('photo.jpg', await blank().withMetadata({ orientation: 6 }).jpeg().toBuffer()),
      importFile('photo.heic', photographed()),
      importFile('photo.avif', await scan().avif({ quality: 80 }).toBuffer()),
    ]);
    const number = (await valuesOf(webp as Json)).document_id;
    expect([read?.status, read?.pages.length, (await valuesOf(read as Json)).document_id]).toEqual([
      'to_review',
      2,
      number,
    ]);
    expect(number).toMatch(/\d/);
    expect(await valuesOf(heic as Json)).toMatchObject({ document_id: number });
    expect(heic?.pages).toHaveLength(1);
    expect(await api.get(heic?.document)).toMatchObject({ mime_type: 'image/heic', original_file_name: 'photo.heic' });
    const image = await api.request('GET', `${heic?.pages[0]}/content`);
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(await valuesOf(avif as Json)).toMatchObject({ document_id: number });
    expect(await api.get(turned?.pages[0])).toMatchObject({ width: 300, height: 200 });
  });

  it('that cannot be read end in failed_import with a reason', async () => {
    const heic = Buffer.concat([
      Buffer.from([0, 0, 0, 24]),
      Buffer.from('ftypheic\0\0\0\0mif1heic'),
      Buffer.alloc(100),
    ]);
    const half = await scan().jpeg().toBuffer();
    const huge = await sharp({ create: { width: 16_000, height: 16_000, channels: 3, background: '#fff' } })
      .png()
      .toBuffer();
    const rows = [
      ['photo.heic', heic, /picture is damaged/],
      ['half.jpg', half.subarray(0, half.length / 2), /damaged/],
      ['huge.png', huge, /too many pixels/],
    ] as const;
    for (const [name, bytes, reason] of rows) {
      const annotation = await importFile(name, bytes);
      expect([name, annotation.status]).toEqual([name, 'failed_import']);
      expect(annotation.messages).toEqual([expect.objectContaining({ content: expect.stringMatching(reason) })]);
    }
  });

  it('become one PDF with join=true, other files stay as they are', async () => {
    const post = async (files: { fileName: string; content: Buffer }[]) => {
      const path = `/queues/${system.queueId}/upload?join=true`;
      const response = await api.request('POST', path, { body: toForm(files) });
      return { status: response.status, body: (await response.json()) as Json };
    };
    const photo = { fileName: 'photo.1.png', content: await scan().png().toBuffer() };
    const second = { fileName: 'photo.2.jpg', content: await blank().jpeg().toBuffer() };
    const third = { fileName: 'photo.3.heic', content: photographed() };
    const other = { fileName: 'other.pdf', content: await buildPdf({ lines: invoiceLines('JOIN-1') }) };
    const { status, body } = await post([photo, other, second, third]);
    expect([status, body.results.length]).toEqual([201, 2]);
    const [joined, left] = await Promise.all((body.results as Json[]).map(({ document }) => api.get(document)));
    expect([joined?.original_file_name, joined?.mime_type]).toEqual(['photo.1.pdf', 'application/pdf']);
    expect(left?.original_file_name).toBe('other.pdf');
    const annotation = await settled(body.annotation);
    expect([annotation.status, annotation.pages.length]).toEqual(['to_review', 3]);

    const broken = { fileName: 'broken.jpg', content: second.content.subarray(0, 50) };
    expect(await post([photo, broken])).toMatchObject({
      status: 400,
      body: { content: [expect.stringMatching(/^Picture 2: .*damaged/)] },
    });
  });
});

describe('without them', () => {
  withSystem({
    ...{ INTAKE_SOFFICE: '/nowhere/soffice', INTAKE_QPDF: '/nowhere/qpdf' },
    INTAKE_HEIF_CONVERT: '/nowhere/heif-convert',
  });

  it.each([
    ['invoice.xlsx', buildSheet, '/nowhere/soffice'],
    ['damaged.pdf', async () => damagedPdf(), '/nowhere/qpdf'],
    ['photo.heic', async () => Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic'), '/nowhere/heif-convert'],
  ])('%s ends in failed_import, and the message names the program', async (fileName, build, program) => {
    const annotation = await importFile(fileName, await build());
    expect(annotation.status).toBe('failed_import');
    expect(annotation.messages[0].content).toContain(program);
  });
});
