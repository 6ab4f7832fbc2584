import { readFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
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
import JSZip from 'jszip';

const SAMPLES = join(__dirname, '../samples');
const readSample = (name: string) => readFileSync(join(SAMPLES, name));
const MB = 1024 * 1024;

let system: TestSystem;
let api: Api;
let invoice: Buffer;

beforeAll(async () => {
  system = await startSystem();
  api = await system.login();
  invoice = await buildPdf({ lines: invoiceLines('INV-1') });
});
afterAll(() => system?.stop());

const post = async (path: string, body: Buffer | FormData, headers: Record<string, string> = {}) => {
  const response = await api.request('POST', path, { body, headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: JSON.parse(text) as Json };
};
const uploads = (query = '') => `/uploads?queue=${system.queueId}${query}`;
const uploaded = (task: string) => waitFor('the upload', () => api.findUploaded(task), { timeoutMs: 60_000 });
const settled = (annotation: string) =>
  waitFor(
    'the end of the import',
    async () => {
      const found = await api.get(annotation);
      return found.status === 'importing' ? null : found;
    },
    { timeoutMs: 60_000 },
  );
const pdf = (fileName: string, content = invoice) => ({ fileName, content });
const annotationTotal = async () => (await api.get('/annotations')).pagination.total;

describe('an upload', () => {
  it('answers a task that leads to the upload, its document and its annotation', async () => {
    const { status, headers, body } = await post(uploads(), toForm([pdf('invoice é.pdf')]));
    expect(status).toBe(202);
    expect(body).toEqual({ url: expect.stringMatching(/\/v1\/tasks\/\d+$/) });
    expect(headers.get('location')).toBe(body.url);

    const { uploadId, annotationIds, documentIds } = await uploaded(body.url);
    const redirect = await api.request('GET', body.url);
    expect([redirect.status, redirect.headers.get('location')]).toEqual([
      303,
      `${system.baseUrl}/v1/uploads/${uploadId}`,
    ]);
    const task = await api.get(`${body.url}?no_redirect=True`);
    expect(task).toMatchObject({
      type: 'upload_created',
      status: 'succeeded',
      result_url: redirect.headers.get('location'),
    });
    expect(task.expires_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);

    const user = await api.get('/auth/user');
    expect(await api.get(`/uploads/${uploadId}`)).toMatchObject({
      queue: `${system.baseUrl}/v1/queues/${system.queueId}`,
      organization: user.organization,
      creator: user.url,
      email: null,
      additional_documents: [],
    });
    expect(await api.get(`/documents/${documentIds[0]}`)).toMatchObject({
      original_file_name: 'invoice é.pdf',
      mime_type: 'application/pdf',
      s3_name: expect.stringMatching(/^[0-9a-f]{32}$/),
      creator: user.url,
      parent: null,
      annotations: [`${system.baseUrl}/v1/annotations/${annotationIds[0]}`],
      content: `${system.baseUrl}/v1/documents/${documentIds[0]}/content`,
    });
  });

  it('answers clients other than fetch with the task in the place of an annotation too', async () => {
    const { hostname, port } = new URL(system.baseUrl);
    const answer = await new Promise<Json>((resolve, reject) => {
      const request = http.request({
        hostname,
        port,
        method: 'POST',
        path: `/api/v1/uploads/plain.pdf?queue=${system.queueId}`,
        headers: { authorization: `Bearer ${api.token}`, 'content-type': 'application/pdf' },
      });
      request.on('error', reject);
      request.on('response', (response) => json(response).then(resolve, reject));
      request.end(invoice);
    });
    expect(answer).toEqual({
      url: expect.stringMatching(/\/v1\/tasks\/\d+$/),
      results: [{ annotation: answer.url, document: null }],
    });
  });

  it('takes values and metadata, as fields and as files without a name', async () => {
    const form = toForm([pdf('a.pdf')]);
    form.append('values', new Blob(['{"upload:unit": "Sales"}'], { type: 'application/json' }), '');
    form.append('metadata', '{"project": ["A1", 2]}');
    const { status, body } = await post(`/queues/${system.queueId}/upload/`, form);
    expect(status).toBe(201);
    expect(body).toEqual({
      results: [{ annotation: body.annotation, document: body.document }],
      annotation: expect.stringMatching(/\/annotations\/\d+$/),
      document: expect.stringMatching(/\/documents\/\d+$/),
    });
    expect((await api.get(body.annotation)).metadata).toEqual({ project: ['A1', 2] });
  });

  it('takes a raw body with its name in the header or in the path', async () => {
    const headers = {
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename="raw.pdf"',
    };
    const byHeader = await post(uploads(), invoice, headers);
    const byPath = await post(`/uploads/from%20path.pdf?queue=${system.queueId}`, invoice);
    const legacy = await post(`/queues/${system.queueId}/upload/legacy.pdf`, invoice);
    expect([byHeader.status, byPath.status, legacy.status]).toEqual([202, 202, 201]);
    const names = await Promise.all(
      [
        (await uploaded(byHeader.body.url)).documentIds[0],
        (await uploaded(byPath.body.url)).documentIds[0],
        idOf(legacy.body.document),
      ].map(async (id) => (await api.get(`/documents/${id}`)).original_file_name),
    );
    expect(names).toEqual(['raw.pdf', 'from path.pdf', 'legacy.pdf']);
    const nameless = await post(uploads(), invoice, { 'content-type': 'application/pdf' });
    expect(nameless).toMatchObject({
      status: 400,
      body: { code: 'parse_error', detail: expect.stringContaining('Missing filename') },
    });
  });

  it('gives an entry for each of several files, in their order', async () => {
    const { body } = await post(
      `/queues/${system.queueId}/upload`,
      toForm(['1.pdf', '2.pdf', '3.pdf'].map((name) => pdf(name))),
    );
    const names = await Promise.all(
      body.results.map(async ({ document }: Json) => (await api.get(document)).original_file_name),
    );
    expect(names).toEqual(['1.pdf', '2.pdf', '3.pdf']);
  });

  it('refuses what is wrong and leaves nothing behind', async () => {
    const before = await annotationTotal();
    const withField = (name: string, value: string) => {
      const form = toForm([pdf('a.pdf')]);
      form.append(name, value);
      return form;
    };
    const noFile = new FormData();
    noFile.append('x', '1');
    const rows: [string, Buffer | FormData, number, Json][] = [
      ['/uploads', toForm([pdf('a.pdf')]), 400, { queue: ['This field is required.'] }],
      ['/uploads?queue=99999', toForm([pdf('a.pdf')]), 404, { detail: 'Not found.', code: 'not_found' }],
      ['/uploads?queue=1,2', toForm([pdf('a.pdf')]), 400, { queue: ['Exactly one queue is required.'] }],
      ['/uploads?queue=x', toForm([pdf('a.pdf')]), 400, { queue: ['Enter a valid value.'] }],
      [uploads(), noFile, 400, { content: ['No file was submitted.'] }],
      [
        uploads(),
        toForm([pdf('empty.pdf', readSample('empty.pdf'))]),
        400,
        { content: ['The submitted file is empty.'] },
      ],
      [
        uploads(),
        toForm([pdf('note.txt', readSample('not-a-pdf.pdf'))]),
        400,
        { content: ['MIME type text/plain is not allowed for this queue.'] },
      ],
      [uploads(), withField('values', 'nope'), 400, { values: ['Value must be valid JSON.'] }],
      [
        uploads(),
        withField('metadata', '[1]'),
        400,
        { metadata: ['Expected a dictionary of items but got type "list".'] },
      ],
    ];
    for (const [path, form, status, body] of rows) expect(await post(path, form)).toMatchObject({ status, body });
    expect(await annotationTotal()).toBe(before);
  });

  it('of a document that cannot be read ends in failed_import with a reason', async () => {
    const { status, body } = await post(
      `/queues/${system.queueId}/upload`,
      toForm([pdf('encrypted.pdf', readSample('encrypted.pdf'))]),
    );
    expect(status).toBe(201);
    const annotation = await settled(body.annotation);
    expect(annotation.status).toBe('failed_import');
    expect(annotation.messages).toEqual([
      expect.objectContaining({ type: 'error', content: expect.stringMatching(/password/i) }),
    ]);
    expect((await api.get(`${body.annotation}/content`)).content).toEqual(expect.any(Array));
  });

  it('of a file that is not what its name says ends in failed_import with a reason', async () => {
    const { status, body } = await post(
      `/queues/${system.queueId}/upload`,
      toForm([pdf('not-a-pdf.pdf', readSample('not-a-pdf.pdf'))]),
    );
    expect(status).toBe(201);
    expect((await api.get(body.document)).mime_type).toBe('application/pdf');
    const annotation = await settled(body.annotation);
    expect(annotation.status).toBe('failed_import');
    expect(annotation.messages).toEqual([
      expect.objectContaining({ type: 'error', content: expect.stringMatching(/PDF/) }),
    ]);
  });

  it('takes 40 MB and refuses one byte more, over all files', async () => {
    const large = Buffer.concat([invoice, Buffer.alloc(40 * MB - invoice.length)]);
    const refused = [
      await post(uploads(), toForm([pdf('a.pdf', Buffer.concat([large, Buffer.from('x')]))])),
      await post(uploads(), toForm([pdf('a.pdf', large), pdf('b.pdf')])),
      await post(`/uploads/a.pdf?queue=${system.queueId}`, Buffer.concat([large, Buffer.from('x')])),
    ];
    for (const answer of refused) expect(answer).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
    expect((await post(uploads(), toForm([pdf('large.pdf', large)]))).status).toBe(202);
  });

  it('is refused with 413 long before the client has sent everything', async () => {
    const { hostname, port } = new URL(system.baseUrl);
    let sent = 0;
    const status = await new Promise<number>((resolve, reject) => {
      const request = http.request({
        hostname,
        port,
        method: 'POST',
        path: `/api/v1/uploads/endless.pdf?queue=${system.queueId}`,
        headers: { authorization: `Bearer ${api.token}`, 'content-type': 'application/pdf' },
      });
      const sendMore = () => {
        if (request.destroyed) return;
        sent += MB;
        request.write(Buffer.alloc(MB, 'a'), sendMore);
      };
      sendMore();
      request.on('error', reject);
      request.on('response', (response) => {
        request.destroy();
        resolve(response.statusCode ?? 0);
      });
    });
    expect(status).toBe(413);
    expect(sent).toBeLessThan(200 * MB);
  });

  it('with an Idempotency-Key happens once', async () => {
    const headers = { 'idempotency-key': 'once' };
    const first = await post(uploads(), toForm([pdf('key.pdf')]), headers);
    const again = await post(uploads(), toForm([pdf('key.pdf')]), headers);
    expect([again.status, again.body]).toEqual([202, first.body]);
    const other = await post(uploads(), toForm([pdf('key.pdf', readSample('invoice-de.pdf'))]), headers);
    expect(other).toMatchObject({ status: 409, body: { code: 'conflict' } });
    const tooLong = await post(uploads(), toForm([pdf('key.pdf')]), { 'idempotency-key': 'x'.repeat(256) });
    expect(tooLong.status).toBe(400);
  });

  it('is taken beside sixty others, and all of them arrive', async () => {
    const invoices = await Promise.all(
      Array.from({ length: 60 }, (_, i) => buildPdf({ lines: invoiceLines(`INV-6${i}`) })),
    );
    const tasks = await Promise.all(
      invoices.map((content, i) => api.upload(system.queueId, [pdf(`${i}.pdf`, content)])),
    );
    const annotations = (await Promise.all(tasks.map(uploaded))).flatMap(({ annotationIds }) => annotationIds);
    expect(new Set(annotations).size).toBe(60);
    const ends = await Promise.all(annotations.map((id) => settled(`/annotations/${id}`)));
    expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['to_review']));
  });

  it('can be refused when the same file is there', async () => {
    const file = pdf('identical.pdf', readSample('invoice-fr.pdf'));
    expect((await post(uploads('&reject_identical=true'), toForm([file]))).status).toBe(202);
    expect(await post(uploads('&reject_identical=true'), toForm([file]))).toMatchObject({
      status: 409,
      body: { detail: 'Identical document already exists.', code: 'conflict' },
    });
    expect((await post(uploads('&reject_identical=true'), toForm([file, pdf('b.pdf')]))).status).toBe(400);
  });
});

describe('a download', () => {
  let document: Json;
  let page: Json;
  beforeAll(async () => {
    const { body } = await post(`/queues/${system.queueId}/upload`, toForm([pdf('"čí\u202e; \\x.pdf')]));
    document = await api.get(body.document);
    page = await api.get((await settled(body.annotation)).pages[0]);
  });
  const get = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const response = await api.request(method, path, { headers });
    return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
  };

  it('gives the very bytes, under headers that a hostile name cannot break', async () => {
    for (const path of [document.content, `/original/${document.s3_name}`]) {
      const { status, headers, bytes } = await get(path);
      expect([status, bytes.equals(invoice), headers.get('content-type')]).toEqual([200, true, 'application/pdf']);
      expect(headers.get('content-length')).toBe(String(invoice.length));
      expect(headers.get('content-disposition')).toMatch(
        /^attachment; filename="[^"\\]*"; filename\*=utf-8''[^"\\ ;]+$/,
      );
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain('sandbox');
    }
  });

  it('gives a part, or nothing new', async () => {
    const part = await get(document.content, { range: 'bytes=10-19' });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 10-19/${invoice.length}`]);
    expect(part.bytes.equals(invoice.subarray(10, 20))).toBe(true);
    expect((await get(document.content, { range: 'bytes=-5' })).bytes.equals(invoice.subarray(-5))).toBe(true);
    const beyond = await get(document.content, { range: `bytes=${invoice.length}-` });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${invoice.length}`]);
    const etag = part.headers.get('etag') as string;
    expect((await get(document.content, { 'if-none-match': etag })).status).toBe(304);
    const changed = await get(document.content, { range: 'bytes=0-1', 'if-range': '"other"' });
    expect([changed.status, changed.bytes.length]).toEqual([200, invoice.length]);
    const head = await get(document.content, {}, 'HEAD');
    expect([head.status, head.bytes.length, head.headers.get('content-length')]).toEqual([
      200,
      0,
      String(invoice.length),
    ]);
  });

  it('draws pages', async () => {
    expect(page).toMatchObject({ number: 1, rotation_deg: 0, mime_type: 'image/png', metadata: {} });
    const image = await get(page.content);
    const preview = await get(`${page.url}/preview`);
    for (const { status, headers, bytes } of [image, preview]) {
      expect([status, headers.get('content-type')]).toEqual([200, 'image/png']);
      expect(bytes.subarray(1, 4).toString()).toBe('PNG');
      expect(headers.get('cache-control')).toBe('private, max-age=3600');
    }
    const widthOf = (png: Buffer) => [png.readUInt32BE(16), png.readUInt32BE(20)];
    expect(widthOf(image.bytes)).toEqual([page.width, page.height]);
    expect(Math.max(...widthOf(preview.bytes))).toBe(512);
    expect((await get(page.content, { 'if-none-match': image.headers.get('etag') as string })).status).toBe(304);
    expect((await api.get(`/pages?annotation=${idOf(page.annotation)}`)).results).toEqual([page]);
    expect((await api.request('POST', '/pages', { body: {} })).status).toBe(405);
  });

  it('is found by its filters', async () => {
    const name = encodeURIComponent(document.original_file_name);
    expect((await api.get(`/documents?original_file_name=${name}`)).results).toEqual([document]);
    expect((await api.get(`/documents?id=${document.id}&created_at_before=${document.created_at}`)).results).toEqual(
      [],
    );
    expect((await api.get(`/documents?id=${document.id}&arrived_at_after=2020-01-01`)).results).toEqual([document]);
  });
});

describe('a document of its own', () => {
  const make = (fields: Record<string, string> = {}, content = invoice, fileName = 'own.pdf') => {
    const form = toForm([pdf(fileName, content)]);
    // As one SDK sends them: parts with an empty file name.
    for (const [name, value] of Object.entries(fields)) form.append(name, new Blob([value]), '');
    return post('/documents', form);
  };

  it('is made without an annotation, and knows its parent', async () => {
    const parent = await make({ metadata: '{"from": "ERP"}' });
    expect(parent).toMatchObject({
      status: 201,
      body: {
        url: expect.stringMatching(/\/v1\/documents\/\d+$/),
        original_file_name: 'own.pdf',
        mime_type: 'application/pdf',
        annotations: [],
        parent: null,
        creator: (await api.get('/auth/user')).url,
        metadata: { from: 'ERP' },
      },
    });
    const child = await make({ parent: parent.body.url });
    expect(child.body).toMatchObject({ parent: parent.body.url, metadata: {} });
    expect(await api.get(child.body.url)).toEqual(child.body);
    const raw = await post('/documents', invoice, { 'content-disposition': 'attachment; filename=raw.pdf' });
    expect([raw.status, raw.body.original_file_name]).toEqual([201, 'raw.pdf']);
    const bytes = await (await api.request('GET', child.body.content)).arrayBuffer();
    expect(Buffer.from(bytes).equals(invoice)).toBe(true);
  });

  it('is refused with the errors of its fields', async () => {
    const unknown = 'Invalid hyperlink - Object does not exist.';
    expect(await make({ parent: `${system.baseUrl}/v1/documents/999999` })).toMatchObject({
      status: 400,
      body: { parent: [unknown] },
    });
    expect(await make({ parent: 'x' })).toMatchObject({ status: 400, body: { parent: [expect.any(String)] } });
    expect(await make({ metadata: 'x' })).toMatchObject({ status: 400, body: { metadata: [expect.any(String)] } });
    const two = await post('/documents', toForm([pdf('a.pdf'), pdf('b.pdf')]));
    expect(two).toMatchObject({ status: 400, body: { content: ['Exactly one file is allowed.'] } });
    expect(await make({}, Buffer.alloc(0))).toMatchObject({ status: 400, body: { content: [expect.any(String)] } });
  });

  it('changes its metadata and nothing else', async () => {
    const { body } = await make();
    const patch = (document: Json) => api.request('PATCH', body.url, { body: document });
    const changed = await patch({ metadata: { a: [1] }, mime_type: 'text/html', original_file_name: 'x' });
    expect([changed.status, await changed.json()]).toEqual([200, { ...body, metadata: { a: [1] } }]);
    expect(await (await patch({})).json()).toEqual({ ...body, metadata: { a: [1] } });
    expect((await patch({ metadata: { a: 'x'.repeat(5000) } })).status).toBe(400);
    expect((await api.request('PUT', body.url, { body: {} })).status).toBe(405);
  });

  it('is deleted with its annotations, as long as they have no datapoints', async () => {
    const { body: alone } = await make();
    expect((await api.request('DELETE', alone.url)).status).toBe(204);
    for (const url of [alone.url, alone.content, `/original/${alone.s3_name}`])
      expect((await api.request('GET', url)).status).toBe(404);
    expect((await api.request('DELETE', alone.url)).status).toBe(404);

    const read = await post(`/queues/${system.queueId}/upload`, toForm([pdf('read.pdf')]));
    await settled(read.body.annotation);
    const refused = await api.request('DELETE', read.body.document);
    expect([refused.status, await refused.json()]).toEqual([
      409,
      expect.objectContaining({
        detail: 'Document cannot be deleted due to existing datapoint references.',
        code: 'conflict',
      }),
    ]);

    const failed = await post(`/queues/${system.queueId}/upload`, toForm([pdf('x.pdf', readSample('encrypted.pdf'))]));
    await settled(failed.body.annotation);
    expect((await api.request('DELETE', failed.body.document)).status).toBe(204);
    for (const url of [failed.body.document, failed.body.annotation])
      expect((await api.request('GET', url)).status).toBe(404);
  });

  it('is named by its upload no more once it is deleted, nor is its annotation', async () => {
    const task = await api.upload(system.queueId, [pdf('stays.pdf'), pdf('goes.pdf', readSample('encrypted.pdf'))]);
    const { annotationIds } = await waitFor('the upload', () => api.findUploaded(task));
    const [stays, goes] = annotationIds.map((id: number) => `${system.baseUrl}/v1/annotations/${id}`) as [
      string,
      string,
    ];
    await settled(goes);
    const [{ document: kept }, { document: gone }] = await Promise.all([api.get(stays), api.get(goes)]);
    const { result_url: upload } = await api.get(`${task}?no_redirect=true`);
    expect(await api.get(upload)).toMatchObject({ documents: [kept, gone], annotations: [stays, goes] });
    expect((await api.request('DELETE', gone)).status).toBe(204);
    expect(await api.get(upload)).toMatchObject({ documents: [kept], annotations: [stays] });
  });
});

describe('a document relation', () => {
  const send = async (method: string, path: string, body?: Json) => {
    const response = await api.request(method, path, { body });
    const text = await response.text();
    return { status: response.status, body: text ? (JSON.parse(text) as Json) : null };
  };
  let annotation: string;
  let document: string;
  beforeAll(async () => {
    const { body } = await post(`/queues/${system.queueId}/upload`, toForm([pdf('related.pdf')]));
    annotation = body.annotation;
    document = (await post('/documents', toForm([pdf('export.pdf')]))).body.url;
  });

  it('is made, found, changed, replaced and, once it is empty, deleted', async () => {
    const made = await send('POST', '/document_relations', { annotation, key: 'erp', documents: [document] });
    expect(made).toEqual({
      status: 201,
      body: {
        id: expect.any(Number),
        url: `${system.baseUrl}/v1/document_relations/${made.body?.id}`,
        ...{ type: 'export', key: 'erp', annotation, documents: [document] },
      },
    });
    const url = made.body?.url;
    expect(await send('GET', url)).toEqual({ status: 200, body: made.body });
    for (const query of [`documents=${idOf(document)}`, `annotation=${idOf(annotation)}&key=erp,x&type=export`])
      expect((await api.get(`/document_relations?${query}`)).results).toEqual([made.body]);
    expect((await api.get('/document_relations?type=einvoice')).results).toEqual([]);
    expect((await send('DELETE', url)).status).toBe(409);
    expect(await send('PATCH', url, { documents: [] })).toMatchObject({
      status: 200,
      body: { key: 'erp', documents: [] },
    });
    const replaced = await send('PUT', url, { annotation, type: 'einvoice' });
    expect(replaced).toMatchObject({ status: 200, body: { type: 'einvoice', key: null } });
    expect((await send('DELETE', url)).status).toBe(204);
    expect((await send('GET', url)).status).toBe(404);
  });

  it('loses a document that is deleted, and keeps the others', async () => {
    const { body } = await post('/documents', toForm([pdf('gone.pdf')]));
    const documents = [document, body.url];
    const { body: made } = await send('POST', '/document_relations', { annotation, key: 'gone', documents });
    expect((await send('DELETE', body.url)).status).toBe(204);
    expect((await send('GET', made?.url)).body).toEqual({ ...made, documents: [document] });
  });

  it('is refused with the errors of its fields, and once for each type and key', async () => {
    const refusals: [Json, Json][] = [
      [{}, { annotation: ['This field is required.'] }],
      [{ annotation, type: 'other' }, { type: [expect.any(String)] }],
      [
        { annotation: `${system.baseUrl}/v1/annotations/999999` },
        { annotation: [expect.stringContaining('not exist')] },
      ],
      [{ annotation, documents: [`${document}9999`] }, { documents: [expect.stringContaining('not exist')] }],
    ];
    for (const [body, errors] of refusals)
      expect(await send('POST', '/document_relations', body)).toMatchObject({ status: 400, body: errors });
    expect((await send('POST', '/document_relations', { annotation, key: 'twice' })).status).toBe(201);
    expect(await send('POST', '/document_relations', { annotation, key: 'twice' })).toMatchObject({
      status: 400,
      body: { non_field_errors: ['The fields type, key, annotation must make a unique set.'] },
    });
  });
});

describe('documents together', () => {
  const own = async (fileName: string, content: Buffer, parent?: string) => {
    const form = toForm([pdf(fileName, content)]);
    if (parent) form.append('parent', parent);
    return (await post('/documents', form)).body.url as string;
  };
  /** Asks for a download and follows its task. */
  const download = async (body: Json) => {
    const response = await api.request('POST', '/documents/downloads', { body });
    expect(response.status).toBe(202);
    const { url } = await response.json();
    expect(response.headers.get('location')).toBe(url);
    const task = await api.get(`${url}?no_redirect=true`);
    const found = await api.get(task.result_url);
    const content = await api.request('GET', found.content);
    return { task, found, content, bytes: Buffer.from(await content.arrayBuffer()) };
  };

  it('are one archive, in which each has a name of its own', async () => {
    const contents = ['one', 'two', 'three'].map((text) => Buffer.from(`%PDF-1.4 ${text}`));
    const documents = await Promise.all(['a.pdf', 'a.pdf', 'b.pdf'].map((name, i) => own(name, contents[i] as Buffer)));
    const { task, found, content, bytes } = await download({ documents, file_name: 'my files.zip' });
    expect(task).toMatchObject({
      type: 'documents_download',
      status: 'succeeded',
      content: { file_name: 'my files.zip' },
      result_url: found.url,
    });
    expect(found).toEqual({
      id: idOf(found.url),
      url: `${system.baseUrl}/v1/documents/downloads/${found.id}`,
      file_name: 'my files.zip',
      expires_at: expect.stringMatching(/^\d{4}-/),
      content: `${found.url}/content`,
    });
    const life = new Date(found.expires_at).getTime() - Date.now();
    expect(life / 3_600_000).toBeCloseTo(2, 1);
    expect([content.status, content.headers.get('content-type')]).toEqual([200, 'application/zip']);
    const zip = await JSZip.loadAsync(bytes, { checkCRC32: true });
    const members = Object.entries(zip.files).map(async ([name, file]) => [name, await file.async('string')]);
    expect(await Promise.all(members)).toEqual([
      ['a.pdf', '%PDF-1.4 one'],
      ['a (1).pdf', '%PDF-1.4 two'],
      ['b.pdf', '%PDF-1.4 three'],
    ]);
  });

  it('are one document as it is, or what it was made of', async () => {
    const source = await own('source.pdf', Buffer.from('%PDF-1.4 source'));
    const child = await own('child.pdf', Buffer.from('%PDF-1.4 child'), await own('between.pdf', invoice, source));
    const plain = await download({ documents: [child], file_name: 'child.pdf', zip: false });
    expect([plain.content.headers.get('content-type'), plain.bytes.toString()]).toEqual([
      'application/pdf',
      '%PDF-1.4 child',
    ]);
    const { bytes } = await download({ documents: [child], type: 'source_document' });
    expect(Object.keys((await JSZip.loadAsync(bytes)).files)).toEqual(['source.pdf']);
  });

  it('are refused with the errors of the fields', async () => {
    const document = await own('c.pdf', invoice);
    const rows: [Json, string][] = [
      [{}, 'documents'],
      [{ documents: [] }, 'documents'],
      [{ documents: [`${document}9999`] }, 'documents'],
      [
        {
          documents: Array(501)
            .fill(0)
            .map((_, i) => `${system.baseUrl}/v1/documents/${i + 1}`),
        },
        'documents',
      ],
      [{ documents: [document], file_name: 'x.pdf' }, 'file_name'],
      [{ documents: [document], type: 'x' }, 'type'],
      [{ documents: [document, await own('d.pdf', invoice)], zip: false, file_name: 'd.pdf' }, 'zip'],
    ];
    for (const [body, field] of rows) {
      const response = await api.request('POST', '/documents/downloads', { body });
      expect([response.status, Object.keys(await response.json())]).toEqual([400, [field]]);
    }
    expect((await api.request('GET', '/documents/downloads/999999')).status).toBe(404);
  });
});
