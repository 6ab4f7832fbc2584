import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Api, idOf, type Json, startSystem, type TestSystem, waitFor } from '@intake/testkit';

const SAMPLES = join(__dirname, '../samples');
/** What is hard to carry in one format or another. */
const NUMBER = 'INV "1", <ž> & =2';
const ROWS = [
  { item_description: 'Seal; two\nlines', item_quantity: '6', item_total_base: '195.00' },
  { item_description: '=HYPERLINK("http://x","Müller")', item_quantity: '-1.5', item_total_base: '' },
];
const COLUMNS = ['document_id', 'date_issue', 'amount_total', 'item_description', 'item_quantity', 'item_total_base'];

let system: TestSystem;
let api: Api;
let folder: string;
/** Edited and confirmed. */
let invoice: string;
/** As it was extracted. */
let other: string;

const exportPath = (query: string) => `/queues/${system.queueId}/export?${query}`;

beforeAll(async () => {
  system = await startSystem();
  api = await system.login();
  folder = mkdtempSync(join(tmpdir(), 'intake-export-'));
  [invoice, other] = (await Promise.all(['invoice-en.pdf', 'credit-note-en.pdf'].map(importSample))) as [
    string,
    string,
  ];
  await api.post(`${invoice}/start`);
  await fillIn(invoice);
  await api.post(`${invoice}/confirm`);
  await waitFor('the confirmed invoice to be exported', async () => (await api.get(invoice)).status === 'exported');
});

afterAll(async () => {
  await system?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

async function importSample(fileName: string): Promise<string> {
  const content = readFileSync(join(SAMPLES, fileName));
  const task = await api.upload(system.queueId, [{ fileName, content }]);
  const { annotationIds } = await waitFor('the upload', () => api.findUploaded(task), { timeoutMs: 60_000 });
  const url = `${api.base}/v1/annotations/${annotationIds[0]}`;
  await waitFor(`${fileName} to be extracted`, async () => (await api.get(url)).status === 'to_review', {
    timeoutMs: 60_000,
  });
  return url;
}

/** Sets the three fields and exactly the rows of the line items. */
async function fillIn(url: string): Promise<void> {
  const nodes = flatten((await api.get(`${url}/content`)).content);
  const find = (schemaId: string) => nodes.find((node) => node.schema_id === schemaId);
  const replace = (schemaId: string, value: string) => ({
    op: 'replace',
    id: find(schemaId).id,
    value: { content: { value } },
  });
  const table = find('line_items');
  await api.post(`${url}/content/operations`, {
    operations: [
      replace('document_id', NUMBER),
      replace('date_issue', '2024-03-15'),
      replace('amount_total', '1570.50'),
      ...table.children.map(({ id }: Json) => ({ op: 'remove', id })),
      ...ROWS.map((row) => ({
        op: 'add',
        id: table.id,
        value: Object.entries(row).map(([schema_id, value]) => ({ schema_id, content: { value } })),
      })),
    ],
  });
}

function flatten(nodes: Json[]): Json[] {
  return nodes.flatMap((node) => [node, ...flatten(node.children ?? [])]);
}

/** A multivalue of a schema has its only child outside of a list. */
function withListedChildren(node: Json): Json {
  return { ...node, children: [node.children ?? []].flat().map(withListedChildren) };
}

describe('JSON', () => {
  it('has the keys, in their order, and the normalized values', async () => {
    const { pagination, results } = await api.get(exportPath(`format=json&id=${idOf(invoice)}`));
    expect(pagination).toEqual({ total: 1, total_pages: 1, next: null, previous: null });
    const [item] = results;
    expect(Object.keys(item)).toEqual([
      'url',
      'status',
      'arrived_at',
      'exported_at',
      'document',
      'modifier',
      'schema',
      'metadata',
      'content',
      'automated',
      'modified_at',
      'assigned_at',
    ]);
    const annotation = await api.get(invoice);
    const document = await api.get(annotation.document);
    expect(item).toMatchObject({
      url: invoice,
      status: 'exported',
      arrived_at: annotation.arrived_at,
      exported_at: annotation.exported_at,
      document: { url: annotation.document, file_name: 'invoice-en.pdf', file: document.content },
      modifier: { url: annotation.modifier, username: system.admin.username },
      schema: { url: annotation.schema },
      automated: false,
      assigned_at: annotation.assigned_at,
    });
    const values = flatten(item.content);
    expect(values.find((node) => node.schema_id === 'document_id')).toEqual({
      category: 'datapoint',
      schema_id: 'document_id',
      rir_confidence: expect.anything(),
      value: NUMBER,
      type: 'string',
    });
    expect(values.find((node) => node.schema_id === 'amount_total')).toMatchObject({
      value: '1570.50',
      type: 'number',
    });
    expect(values.filter((node) => node.category === 'tuple' && node.schema_id === 'line_item')).toHaveLength(
      ROWS.length,
    );
  });

  it('is walked by next, page by page', async () => {
    const seen: string[] = [];
    for (let url: string | null = exportPath('page_size=1&ordering=-id&status=exported,to_review'); url; ) {
      const page: Json = await api.get(url);
      expect(page.pagination).toMatchObject({ total: 2, total_pages: 2 });
      seen.push(...page.results.map((item: Json) => item.url));
      url = page.pagination.next;
    }
    expect(seen).toEqual([invoice, other].sort((a, b) => idOf(b) - idOf(a)));
    const response = await api.request('GET', exportPath('page_size=1&page=3'));
    expect([response.status, await response.json()]).toEqual([404, { detail: 'Invalid page.', code: 'not_found' }]);
  });

  it('lists both without a filter, and none for ids of elsewhere', async () => {
    expect((await api.get(exportPath(''))).pagination.total).toBe(2);
    expect(await api.get(exportPath('id=999999'))).toEqual({
      pagination: { total: 0, total_pages: 1, next: null, previous: null },
      results: [],
    });
  });
});

describe('files', () => {
  it.each([
    ['csv', 'text/csv; charset=utf-8', 'attachment; filename="export.csv"'],
    ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'attachment; filename="export.xlsx"'],
    ['xml', 'application/xml; charset=utf-8', null],
    ['json', 'application/json; charset=utf-8', null],
  ])('%s says what it is, also with POST', async (format, type, disposition) => {
    for (const method of ['GET', 'POST']) {
      const response = await api.request(method, exportPath(`format=${format}`));
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe(type);
      expect(response.headers.get('content-disposition')).toBe(disposition);
      await response.arrayBuffer();
    }
  });

  it('is CSV of RFC 4180 by default', async () => {
    const text = (
      await api.download(exportPath(`format=csv&id=${idOf(invoice)}&columns=meta_file_name,document_id`))
    ).toString();
    const [header, row, end] = text.split('\r\n');
    expect(header).toMatch(/^meta_file_name,/);
    expect(row).toBe('invoice-en.pdf,"INV ""1"", <ž> & =2"');
    expect(end).toBe('');
  });

  it('has the fields of the schema as columns, over all queues as over one', async () => {
    const headerOf = async (path: string) => (await api.download(path)).toString().split('\r\n', 1)[0];
    const header = await headerOf(exportPath('format=csv'));
    const schema = await api.get((await api.get(invoice)).schema);
    const labels = flatten(schema.content.map(withListedChildren)).filter(({ category }) => category === 'datapoint');
    expect(labels.length).toBeGreaterThan(COLUMNS.length);
    expect(header).toBe(labels.map(({ label }) => label).join(','));
    expect(await headerOf('/annotations/export?format=csv&page_size=1')).toBe(header);
    expect(await headerOf('/annotations?format=csv&page_size=1')).toBe(header);
  });

  it('comes by POST to the annotations too, unless JSON asks for something else', async () => {
    const csv = await api.download(`/annotations/export?format=csv&id=${idOf(invoice)}`);
    const authorization = `Token ${api.token}`;
    const post = (query: string, init: RequestInit = {}) =>
      fetch(`${system.baseUrl}/v1/annotations?id=${idOf(invoice)}${query}`, {
        method: 'POST',
        ...init,
        headers: { authorization, ...init.headers },
      });
    const asJson = { 'content-type': 'application/json' };
    for (const init of [{}, { headers: asJson }, { body: '{', headers: { 'content-type': 'text/odd' } }]) {
      const response = await post('&format=csv', init);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
      expect(Buffer.from(await response.arrayBuffer()).equals(csv)).toBe(true);
    }
    expect((await post('&format=csv&to_status=odd')).status).toBe(400);
    for (const response of [
      await post('&format=csv', { body: '{}', headers: asJson }),
      await post(''),
      await post('&format=xml'),
    ]) {
      const required = ['This field is required.'];
      expect([response.status, await response.json()]).toEqual([
        400,
        { status: required, document: required, queue: required },
      ]);
    }
  });

  it('refuses columns and dialects that cannot be', async () => {
    const refused = async (query: string) => {
      const response = await api.request('GET', exportPath(`format=csv&${query}`));
      return [response.status, Object.keys((await response.json()) as Json)];
    };
    expect(await refused('columns=document_id,nothing')).toEqual([400, ['columns']]);
    expect(await refused('append_columns=nothing')).toEqual([400, ['append_columns']]);
    expect(await refused('quoting=quote_none')).toEqual([400, ['escape_char']]);
    expect(await refused('delimiter=ab')).toEqual([400, ['delimiter']]);
  });

  it('is given to HTTP Basic', async () => {
    const { username, password } = system.admin;
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    const url = `${system.baseUrl}/v1${exportPath('format=csv')}`;
    expect((await fetch(url, { headers: { authorization } })).status).toBe(200);
    expect((await fetch(url)).status).toBe(403);
  });

  it('does not exist for another organization', async () => {
    const foreign = await system.login((await system.createOrganization('Elsewhere')).admin);
    expect((await foreign.request('GET', exportPath('format=csv'))).status).toBe(404);
    expect((await foreign.get(`/annotations/export?id=${idOf(invoice)}`)).results).toEqual([]);
  });
});

it('is opened by LibreOffice as it was written: numbers as numbers, and what looks like a formula as text', async () => {
  const query = `format=xlsx&id=${idOf(invoice)}&columns=${COLUMNS.join(',')}`;
  const file = join(folder, 'opened.xlsx');
  writeFileSync(file, await api.download(exportPath(query)));
  const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`;
  const format = 'csv:Text - txt - csv (StarCalc):44,34,76';
  execFileSync('soffice', [profile, '--headless', '--convert-to', format, '--outdir', folder, file], { stdio: 'pipe' });
  const [, ...lines] = readFileSync(join(folder, 'opened.csv'), 'utf8').trimEnd().split('\n');
  const header = '"INV ""1"", <ž> & =2",2024-03-15,1570.5';
  expect(lines).toEqual([
    `${header},"Seal; two`,
    'lines",6,195',
    `${header},"=HYPERLINK(""http://x"",""Müller"")",-1.5,`,
  ]);
}, 120_000);

const python = process.env.INTAKE_TEST_READERS_PYTHON;
if (!python) console.warn(`exports are not read by Python: ${process.env.INTAKE_TEST_READERS_PYTHON_PROBLEM}`);
(python ? describe : describe.skip)('read by Python', () => {
  it('holds the same values in every format', async () => {
    const query = `id=${idOf(invoice)}&columns=${COLUMNS.join(',')}`;
    for (const format of ['csv', 'xml', 'xlsx'])
      writeFileSync(join(folder, `export.${format}`), await api.download(exportPath(`format=${format}&${query}`)));
    const script = join(__dirname, 'read_exports.py');
    const read = JSON.parse(execFileSync(python ?? '', [script, folder], { encoding: 'utf8' }));

    const rows = ROWS.map((row) => [
      NUMBER,
      '2024-03-15',
      '1570.50',
      row.item_description,
      row.item_quantity,
      row.item_total_base,
    ]);
    expect(read.csv.slice(1)).toEqual(rows);

    expect(read.xml).toMatchObject({
      total: '1',
      annotations: [
        {
          url: invoice,
          status: 'exported',
          file_name: 'invoice-en.pdf',
          values: { document_id: NUMBER, date_issue: '2024-03-15', amount_total: '1570.50' },
          rows: ROWS,
        },
      ],
    });

    expect(read.xlsx.sheets).toEqual(['export']);
    expect(read.xlsx.rows[0]).toEqual(read.csv[0]);
    expect(read.xlsx.rows.slice(1)).toEqual([
      [NUMBER, '2024-03-15', 1570.5, ROWS[0]?.item_description, 6, 195],
      [NUMBER, '2024-03-15', 1570.5, ROWS[1]?.item_description, -1.5],
    ]);
  });
});

describe('what follows an export', () => {
  it('is counted by the usage report', async () => {
    const body = { group_by: ['queue'] };
    const { totals, series } = await waitFor('the figures', async () => {
      const report = await api.post('/annotations/usage_report', body);
      return report.totals.imported_count === 2 && report.totals.exported_count === 1 ? report : undefined;
    });
    expect(totals).toMatchObject({ confirmed_count: 1, deleted_count: 0, rejected_count: 0 });
    expect(series).toHaveLength(1);
    expect(series[0]).toMatchObject({
      queue: `${api.base}/v1/queues/${system.queueId}`,
      values: { exported_count: 1 },
    });
  });

  describe('the usage report', () => {
    const path = '/annotations/usage_report';
    const HEADER =
      'Username,Workspace name,Queue name,User url,Queue url,Workspace url,Imported,Confirmed,Rejected,Rejected automatically,Rejected manually,Deleted,Exported,Net time';

    it('is a CSV file with a line for each user and queue', async () => {
      const queue = await api.get(`/queues/${system.queueId}`);
      const workspace = await api.get(queue.workspace);
      const { modifier, time_spent: netTime } = await api.get(invoice);
      const isComplete = (text: string) => text.split('\r\n').length === 4;
      const text = await waitFor('the figures', async () => {
        const file = (await api.download(`${path}?format=csv`)).toString();
        return isComplete(file) ? file : undefined;
      });
      const [header, imports, work] = text.split('\r\n');
      expect(header).toBe(HEADER);
      expect(imports).toBe(`,${workspace.name},${queue.name},,${queue.url},${workspace.url},2,0,0,0,0,0,0,0`);
      expect(work).toBe(
        `${system.admin.username},${workspace.name},${queue.name},${modifier},${queue.url},${workspace.url},0,1,0,0,0,0,1,${netTime}`,
      );
      const posted = await api.request('POST', `${path}?format=csv`, { body: { group_by: ['month'] } });
      expect(posted.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(posted.headers.get('content-disposition')).toBe('attachment; filename="usage_report.csv"');
      expect(await posted.text()).toBe(text);
      expect((await api.download(`${path}?format=csv&to=2020-01-01`)).toString()).toBe(`${HEADER}\r\n`);
    });

    it('takes days whole and moments as not included', async () => {
      const { arrived_at: arrivedAt } = await api.get(invoice);
      const day = arrivedAt.slice(0, 10);
      const countIn = async (filter: Json) => (await api.post(path, { filter })).totals.imported_count;
      expect(await countIn({ begin_date: day, end_date: day })).toBeGreaterThan(0);
      expect((await api.get(`${path}?from=${day}&to=${day}`)).totals.imported_count).toBeGreaterThan(0);
      const { arrived_at: otherArrivedAt } = await api.get(other);
      const [first, last] = [arrivedAt, otherArrivedAt].sort();
      expect(await countIn({ begin_date: last })).toBe(0);
      expect(await countIn({ end_date: first })).toBe(0);
    });

    it('refuses what it does not understand', async () => {
      const refusal = async (body: Json) => {
        const response = await api.request('POST', path, { body });
        return [response.status, await response.json()];
      };
      const message = [expect.any(String)];
      expect(await refusal({ filter: { begin_date: 'yesterday' } })).toEqual([
        400,
        { filter: { begin_date: message } },
      ]);
      for (const [begin_date, end_date] of [
        ['2025-02-02', '2025-01-01'],
        ['2025-01-02', '2025-01-01'],
        ['2025-01-02T00:00:00Z', '2025-01-01'],
        ['2025-01-02', '2025-01-01T23:59:59Z'],
      ]) {
        expect(await refusal({ filter: { begin_date, end_date } })).toEqual([400, { non_field_errors: message }]);
      }
      expect((await api.request('GET', `${path}?from=2025-01-02&to=2025-01-01`)).status).toBe(400);
      expect((await refusal({ filter: { begin_date: '2025-01-01T12:00:00Z', end_date: '2025-01-01' } }))[0]).toBe(200);
      expect(await refusal({ filter: { queues: [`${api.base}/v1/queues/999999`] } })).toEqual([
        400,
        { filter: { queues: message } },
      ]);
      expect(await refusal({ group_by: ['month', 'day'] })).toEqual([400, { group_by: message }]);
      expect(await refusal({ group_by: ['year'] })).toEqual([400, { group_by: { 0: message } }]);
    });
  });

  it('is another one, through the export leg, when it is asked for', async () => {
    const { exported_at: before } = await api.get(invoice);
    await api.patch(invoice, { status: 'exporting' });
    const after = await waitFor('the second export', async () => {
      const annotation = await api.get(invoice);
      return annotation.status === 'exported' && annotation.exported_at !== before ? annotation : undefined;
    });
    expect(after.exported_at > before).toBe(true);
  });
});

describe('POST with to_status', () => {
  const post = (query: string) =>
    fetch(`${api.base}/v1${exportPath(query)}`, { method: 'POST', headers: { authorization: `Bearer ${api.token}` } });
  const nodesOf = async () => flatten((await api.get(`${other}/content`)).content);
  const setTotal = async (value: string) => {
    const { id } = (await nodesOf()).find((node) => node.schema_id === 'amount_total');
    await api.patch(`${other}/content/${id}`, { content: { value } });
  };

  it('changes nothing when something is wrong with the request', async () => {
    for (const query of ['to_status=odd', 'to_status=to_review', 'to_status=exported&format=csv&columns=nothing']) {
      expect((await post(`id=${idOf(other)}&${query}`)).status).toBe(400);
    }
    expect((await post(`id=${idOf(other)}&to_status=exported&page=2`)).status).toBe(404);
    expect((await api.get(other)).status).toBe('to_review');
  });

  it('leaves an annotation as it is whose content cannot be exported', async () => {
    await setTotal('a lot');
    const response = await post(`id=${idOf(other)}&to_status=exported`);
    expect([response.status, (await response.json()).results[0].status]).toEqual([200, 'to_review']);
    await setTotal('142.50');
  });

  it('exports what matched before, and answers it as it is then', async () => {
    const response = await post('status=to_review&to_status=exported&page_size=1&page=1');
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      pagination: { total: 1, total_pages: 1 },
      results: [{ url: other, status: 'exported', exported_at: expect.any(String) }],
    });
    const none = await post('status=to_review&to_status=exporting');
    expect(await none.json()).toMatchObject({ pagination: { total: 0 }, results: [] });
  });

  it('does not touch what is exported already', async () => {
    const { exported_at } = await api.get(invoice);
    const response = await post(`id=${idOf(invoice)}&to_status=exported`);
    expect((await response.json()).results).toMatchObject([{ status: 'exported', exported_at }]);
  });
});
