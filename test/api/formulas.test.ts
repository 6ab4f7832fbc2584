import {
  type Api,
  buildPdf,
  idOf,
  invoiceLines,
  type Json,
  startSystem,
  type TestSystem,
  waitFor,
} from '@intake/testkit';

/** Formula fields through the API. API: schemas.md section 8. */

let system: TestSystem;
let api: Api;
let schema: Json;
let queue: Json;

const formula = (id: string, code: string, more: object = {}) => ({
  category: 'datapoint',
  type: 'string',
  id,
  label: id,
  formula: code,
  constraints: { required: false },
  ui_configuration: { type: 'formula' },
  ...more,
});
const sectionOf = (children: Json[]) => ({ category: 'section', id: 'formulas', label: 'Formulas', children });

beforeAll(async () => {
  system = await startSystem();
  api = await system.login();
  const first = await api.get(`/queues/${system.queueId}`);
  const { content } = await api.get(first.schema);
  const number = { type: 'number', format: '# ##0.#' };
  schema = await api.post('/schemas', {
    name: 'Formulas',
    content: [
      ...content,
      sectionOf([
        formula('tenth', 'field.amount_total / 10', number),
        formula(
          'note',
          'if field.tenth and field.tenth > 1000:\n  show_warning("large", field.amount_total)\nf"{field.document_id}!"',
        ),
        formula('broken', '1 / 0'),
      ]),
    ],
  });
  queue = await api.post('/queues', { name: 'Formulas', workspace: first.workspace, schema: schema.url });
});
afterAll(() => system?.stop());

const flatten = (nodes: Json[]): Json[] => nodes.flatMap((node) => [node, ...flatten(node.children ?? [])]);
const find = (nodes: Json[], id: string): Json => flatten(nodes).find((node) => node.schema_id === id);

it('are computed when a document has been read, and whenever what they read changes', async () => {
  const content = await buildPdf({ lines: invoiceLines('FORMULA-1') });
  const task = await api.upload(queue.id, [{ fileName: 'invoice.pdf', content }]);
  const { annotationIds } = await waitFor('the upload', () => api.findUploaded(task), { timeoutMs: 60_000 });
  const path = `/annotations/${annotationIds[0]}`;
  await waitFor('the review', async () => (await api.get(path)).status === 'to_review', { timeoutMs: 60_000 });
  const read = async (id: string) => find((await api.get(`${path}/content`)).content, id);
  const total = await read('amount_total');
  expect((await read('note')).content.value).toBe(`${(await read('document_id')).content.value}!`);
  expect(Number((await read('tenth')).content.normalized_value)).toBeCloseTo(
    Number(total.content.normalized_value) / 10,
    5,
  );

  await api.post(`${path}/start`);
  await api.patch(`${path}/content/${total.id}`, { content: { value: '50000' } });
  expect((await read('tenth')).content).toMatchObject({ value: '5 000', normalized_value: '5000' });

  const broken = await read('broken');
  const note = await read('note');
  const validated = await api.post(`${path}/content/validate`, {
    operations: [{ op: 'replace', id: total.id, value: { content: { value: '60000' } } }],
  });
  expect(find(validated.updated_datapoints, 'tenth').content.value).toBe('6 000');
  expect(validated.messages).toEqual(
    expect.arrayContaining([
      {
        id: String(broken.id),
        type: 'error',
        content: 'ZeroDivisionError: division by zero',
        detail: {
          hook_id: null,
          hook_name: null,
          request_id: null,
          timestamp: null,
          is_exception: true,
          traceback_line_number: 1,
          source_id: broken.id,
          source_schema_id: 'broken',
        },
      },
      expect.objectContaining({
        id: String(total.id),
        type: 'warning',
        content: 'large',
        detail: expect.objectContaining({ source_id: note.id, is_exception: false }),
      }),
    ]),
  );
  const before = await api.get(path);
  expect((await api.post(`${path}/content/validate`, {})).updated_datapoints).toEqual([]);
  expect((await api.get(path)).modified_at).toBe(before.modified_at);
});

it('are refused with the schema when they cannot be evaluated', async () => {
  const response = await api.request('POST', '/schemas', {
    body: { name: 'Refused', content: [sectionOf([formula('fine', '1'), formula('bad', 'import os')])] },
  });
  expect([response.status, await response.json()]).toEqual([
    400,
    { content: [{ children: [{}, { formula: ['Only datetime, re, math can be imported, not os.'] }] }] },
  ]);
});

it('that never end cost their time and no more, while others are served', async () => {
  const endless = await api.post('/schemas', {
    name: 'Endless',
    content: [sectionOf([...Array(20).keys()].map((i) => formula(`endless_${i}`, 'while True: pass')))],
  });
  const { workspace } = queue;
  const slow = await api.post('/queues', { name: 'Endless', workspace, schema: endless.url });
  const content = await buildPdf({ lines: invoiceLines('ENDLESS-1') });
  const task = await api.upload(slow.id, [{ fileName: 'invoice.pdf', content }]);
  const { annotationIds } = await waitFor('the upload', () => api.findUploaded(task), { timeoutMs: 60_000 });
  const annotation: Json = await waitFor(
    'the review',
    async () => {
      const found = await api.get(`/annotations/${annotationIds[0]}`);
      return found.status === 'to_review' && found;
    },
    { timeoutMs: 60_000 },
  );
  expect(idOf(annotation.queue)).toBe(slow.id);
  const nodes = (await api.get(`${annotation.url}/content`)).content;
  expect(find(nodes, 'endless_0').content.value).toBe('');
});
