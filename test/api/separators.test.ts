import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type Api,
  buildPdf,
  idOf,
  invoiceLines,
  type Json,
  startSystem,
  type TestSystem,
  toForm,
  waitFor,
} from '@intake/testkit';
import { degrees, PDFDocument } from 'pdf-lib';
import sharp from 'sharp';

jest.setTimeout(240_000);

/** Separator pages: a PDF that carries them becomes several documents. */

let system: TestSystem;
let api: Api;

beforeAll(async () => {
  system = await startSystem();
  api = await system.login();
});
afterAll(() => system?.stop());

/** A separator page as the command writes it, which needs no services. */
async function printSeparator(text?: string): Promise<Buffer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'intake-separator-'));
  try {
    const file = path.join(folder, 'separator.pdf');
    const cli = path.join(__dirname, '../../packages/cli/dist/index.js');
    const args = [cli, 'separator-page', '--file', file, ...(text === undefined ? [] : ['--text', text])];
    const child = spawn(process.execPath, args, { env: { PATH: process.env.PATH }, stdio: 'ignore' });
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0);
    return await readFile(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** One PDF of all pages of the others. */
async function bind(...parts: readonly Buffer[]): Promise<Buffer> {
  const whole = await PDFDocument.create();
  for (const part of parts) {
    const source = await PDFDocument.load(part);
    for (const page of await whole.copyPages(source, source.getPageIndices())) whole.addPage(page);
  }
  return Buffer.from(await whole.save());
}

const invoice = (number: string, pages = 1) =>
  buildPdf({ pages: [invoiceLines(number), ...Array.from({ length: pages - 1 }, () => [`Page of ${number}`])] });

async function importFile(fileName: string, content: Buffer, queueId = system.queueId): Promise<Json> {
  const body = toForm([{ fileName, content }]);
  body.append('metadata', JSON.stringify({ batch: 7 }));
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
    { timeoutMs: 120_000 },
  );

/** What became of the parts of a document, in their order. */
async function partsOf(original: Json, count: number): Promise<Json[]> {
  const found = await waitFor(
    'the parts',
    async () => {
      const { results } = await api.get(`/documents?parent=${idOf(original.document)}&ordering=id`);
      const opened = (results as Json[]).filter((document) => document.annotations.length === 1);
      return opened.length === count ? (results as Json[]) : null;
    },
    { timeoutMs: 60_000 },
  );
  return Promise.all(found.map(async (document) => ({ document, annotation: await settled(document.annotations[0]) })));
}

async function numberOf(annotation: Json): Promise<string> {
  const { content } = await api.get(annotation.content);
  const nodes = (content as Json[]).flatMap(({ children }) => children as Json[]);
  return nodes.find((node) => node.schema_id === 'document_id')?.content.value;
}

it('barcodes are read from the pages, with their place', async () => {
  const printed = await printSeparator('HELLO 42');
  const annotation = await importFile('code.pdf', await bind(await invoice('CODE-1'), printed));
  const read = (query: string) => api.get(`${annotation.url}/page_data?granularity=barcodes${query}`);
  const first = await read('');
  expect(first.results).toEqual([
    { page_number: 1, granularity: 'barcodes', items: [] },
    {
      page_number: 2,
      granularity: 'barcodes',
      items: [
        { type: 'QRCODE', text: 'HELLO 42', position: [expect.any(Number), ...Array(3).fill(expect.any(Number))] },
      ],
    },
  ]);
  const [left, top, right, bottom] = first.results[1].items[0].position;
  const { width, height } = await api.get(annotation.pages[1]);
  expect(0 < left && left < right && right < width && 0 < top && top < bottom && bottom < height).toBe(true);
  expect((await read('&page_numbers=2')).results).toEqual([first.results[1]]);
  expect((await api.request('GET', `${annotation.url}/page_data?granularity=barcodes&page_numbers=9`)).status).toBe(
    404,
  );
});

it('cuts a PDF into documents of their own, which are read by themselves', async () => {
  const separator = await printSeparator();
  const turned = await PDFDocument.load(separator);
  turned.getPage(0).setRotation(degrees(180));
  const whole = await bind(
    ...[await invoice('SEP-1', 2), separator, await invoice('SEP-2')],
    ...[Buffer.from(await turned.save()), await invoice('SEP-3')],
  );
  const original = await importFile('scan.pdf', whole);
  expect(original).toMatchObject({ status: 'split', metadata: { batch: 7 } });
  expect(original.pages).toHaveLength(6);

  const parts = await partsOf(original, 3);
  expect(await Promise.all(parts.map(({ annotation }) => numberOf(annotation)))).toEqual(['SEP-1', 'SEP-2', 'SEP-3']);
  expect(parts.map(({ annotation }) => [annotation.status, annotation.pages.length])).toEqual([
    ['to_review', 2],
    ['to_review', 1],
    ['to_review', 1],
  ]);
  for (const [i, { document, annotation }] of parts.entries()) {
    expect(annotation.metadata).toEqual({ batch: 7 });
    expect(document).toMatchObject({
      parent: original.document,
      original_file_name: `scan-${i + 1}.pdf`,
      mime_type: 'application/pdf',
    });
  }
  // The original stays as it was sent.
  const bytes = await (await api.request('GET', `${original.document}/content`)).arrayBuffer();
  expect(Buffer.from(bytes).equals(whole)).toBe(true);

  const { results } = await api.get('/annotations?status=split');
  expect((results as Json[]).map(({ id }) => id)).toEqual([original.id]);

  const { annotation } = await api.post(`${original.url}/copy`, { target_queue: original.queue });
  const copy = await api.get(annotation);
  expect(copy.status).toBe('to_review');
  expect(copy.pages).toHaveLength(6);
});

it('does not cut at codes that mean something else, nor a separator that stands alone', async () => {
  const payment = await printSeparator('BCD\n002\n1\nSCT\n\nNorthwind\nGB29NWBK60161331926819\nEUR1200.00');
  const paid = await importFile('paid.pdf', await bind(await invoice('PAY-1'), payment, await invoice('PAY-2')));
  expect(paid).toMatchObject({ status: 'to_review' });
  expect(paid.pages).toHaveLength(3);
  const separator = await printSeparator();
  const only = await importFile('only.pdf', await bind(separator, separator));
  expect(only.status).toBe('to_review');
});

it('a queue has separator pages of its own, or none', async () => {
  const { workspace, schema } = await api.get(`/queues/${system.queueId}`);
  const make = async (name: string, settings: Json) => {
    const response = await api.request('POST', '/queues', { body: { name, workspace, schema, settings } });
    return { status: response.status, queue: (await response.json()) as Json };
  };
  expect(await make('Wrong', { separator_qr_codes: ['', 7] })).toMatchObject({
    status: 400,
    queue: { settings: [expect.stringContaining('separator_qr_codes')] },
  });
  const { queue: own } = await make('Own separators', { separator_qr_codes: ['OURS'] });
  const { queue: none } = await make('No separators', { separator_qr_codes: [] });
  const separators = [await printSeparator('OURS'), await printSeparator()] as const;
  const whole = await bind(await invoice('Q-1'), separators[0], await invoice('Q-2'), separators[1]);
  const cut = await importFile('own.pdf', whole, own.id);
  expect(cut.status).toBe('split');
  const parts = await partsOf(cut, 2);
  expect(parts.map(({ annotation }) => annotation.pages.length)).toEqual([1, 2]);
  const uncut = await importFile('none.pdf', whole, none.id);
  expect(uncut.status).toBe('to_review');

  // The same pages as a fax.
  const sheets = await Promise.all(uncut.pages.map((page: string) => api.download(`${page}/content`)));
  const fax = await sharp(sheets, { join: { animated: true } })
    .extractChannel(0)
    .threshold(140)
    .tiff({ compression: 'ccittfax4', bitdepth: 1 })
    .toBuffer();
  const cutFax = await importFile('fax.tif', fax, own.id);
  expect(cutFax.status).toBe('split');
  const sent = await partsOf(cutFax, 2);
  expect(sent.map(({ document, annotation }) => [document.original_file_name, annotation.pages.length])).toEqual([
    ['fax-1.pdf', 1],
    ['fax-2.pdf', 2],
  ]);
  expect(await numberOf(sent[1]?.annotation)).toBe('Q-2');
});
