import { type Api, buildPdf, invoiceLines, type Json, startSystem, type TestSystem, waitFor } from '@intake/testkit';

/** A table of 5,000 rows and 60,000 datapoints. API: annotation-content.md, limits.md. */

jest.setTimeout(180_000);

const COLUMNS = 12;
let system: TestSystem;
let api: Api;
let annotation: string;
let table: Json;

beforeAll(async () => {
  system = await startSystem();
  api = await system.login();
  const { workspace } = await api.get(`/queues/${system.queueId}`);
  const column = (i: number) => ({
    category: 'datapoint',
    id: `column_${i}`,
    label: `Column ${i}`,
    type: i === 0 ? 'number' : 'string',
    constraints: { required: false },
    ...(i === 0 && { aggregations: { sum: {} } }),
  });
  const schema = await api.post('/schemas', {
    name: 'Large',
    content: [
      {
        category: 'section',
        id: 'lines_section',
        label: 'Lines',
        children: [
          {
            category: 'multivalue',
            id: 'lines',
            label: 'Lines',
            children: {
              category: 'tuple',
              id: 'line',
              label: 'Line',
              children: Array.from({ length: COLUMNS }, (_, i) => column(i)),
            },
          },
        ],
      },
    ],
  });
  const queue = await api.post('/queues', { name: 'Large', workspace, schema: schema.url });
  const task = await api.upload(queue.id, [
    { fileName: 'a.pdf', content: await buildPdf({ lines: invoiceLines('L-1') }) },
  ]);
  const { annotationIds } = await waitFor('the upload', () => api.findUploaded(task), { timeoutMs: 60_000 });
  annotation = `${system.baseUrl}/v1/annotations/${annotationIds[0]}`;
  await waitFor('to_review', async () => (await api.get(annotation)).status === 'to_review', { timeoutMs: 60_000 });
  const { content } = await api.get(`${annotation}/content`);
  table = content[0].children[0];
});
afterAll(() => system?.stop());

/** Operations that add rows, numbered from `from`. */
const rows = (from: number, count: number) =>
  Array.from({ length: count }, (_, row) => ({
    op: 'add',
    id: table.id,
    value: Array.from({ length: COLUMNS }, (_, i) => ({
      schema_id: `column_${i}`,
      content: { value: i === 0 ? `${from + row}` : `v ${from + row} ${i}` },
    })),
  }));
const operate = async (operations: object[]) => {
  const path = `${annotation}/content/operations`;
  const response = await api.request('POST', path, { body: { operations }, timeoutMs: 60_000 });
  return { status: response.status, body: (await response.json()) as Json };
};
const linesOf = (body: Json): Json[] => body.content[0].children[0].children;

it('is filled by bulk operations and read as a whole', async () => {
  expect((await operate(rows(0, 4750))).status).toBe(200);
  expect(linesOf((await operate(rows(4750, 250))).body)).toHaveLength(5000);
  const lines = linesOf(await api.get(`${annotation}/content`));
  expect(lines.map(({ children }) => children[0].content.normalized_value)).toEqual(
    Array.from({ length: 5000 }, (_, i) => String(i)),
  );
  expect(new Set(lines.flatMap(({ children }) => children.map(({ url }: Json) => url))).size).toBe(60_000);
});

it('takes one value well within a second, and all else stays', async () => {
  const [line] = linesOf(await api.get(`${annotation}/content`)).slice(4321);
  const cell = line.children[3];
  const times: number[] = [];
  for (let i = 0; i < 5; i++) {
    const started = performance.now();
    await api.patch(cell.url, { content: { value: `patched ${i}` } });
    times.push(performance.now() - started);
  }
  expect(Math.min(...times)).toBeLessThan(500);
  expect((await api.get(line.url)).children.map(({ content }: Json) => content.value)).toEqual(
    line.children.map(({ id, content }: Json) => (id === cell.id ? 'patched 4' : content.value)),
  );
  expect((await operate([{ op: 'remove', id: line.id }])).status).toBe(200);
  expect((await api.request('GET', cell.url)).status).toBe(404);
});

it('has a limit, which is told in words, and nothing is written beyond it', async () => {
  const { status, body } = await operate(rows(5000, 2700));
  expect([status, body]).toEqual([
    400,
    { detail: expect.stringMatching(/100089 nodes.* at most 100000/), code: 'bad_request' },
  ]);
  expect((await api.get(annotation)).status).toBe('to_review');
});

it('is validated, confirmed and exported', async () => {
  await api.post(`${annotation}/start`);
  const { messages } = await api.post(`${annotation}/content/validate`);
  const sum = (4999 * 5000) / 2 - 4321;
  expect(messages).toEqual([expect.objectContaining({ type: 'aggregation', content: String(sum) })]);
  await api.post(`${annotation}/confirm`);
  const { queue } = await api.get(annotation);
  const csv = (await api.download(`${queue}/export?format=csv&columns=column_0`)).toString();
  expect(csv.trim().split('\n')).toHaveLength(1 + 4999);
  const exported = JSON.parse((await api.download(`${queue}/export?format=json`)).toString());
  expect(linesOf(exported.results[0])).toHaveLength(4999);
});
