import { type Api, buildPdf, invoiceLines, type Json, startSystem, type TestSystem, waitFor } from '@intake/testkit';

jest.setTimeout(240_000);

let system: TestSystem;
let api: Api;
beforeAll(async () => {
  system = await startSystem();
  api = await system.login();
});
afterAll(() => system?.stop());

const datapoint = (id: string, more: object = {}) => ({
  category: 'datapoint',
  id,
  label: id,
  type: 'string',
  ...more,
});
const read = (id: string, more: object = {}) =>
  datapoint(id, { rir_field_names: [id], constraints: { required: false }, ...more });
const section = (id: string, children: object[]) => ({ category: 'section', id, label: id, children });

const BEFORE = [
  section('head', [
    read('document_id'),
    read('amount_total', { type: 'number', format: '# ##0.#' }),
    read('currency'),
    datapoint('gone', { default_value: 'goes' }),
  ]),
];
/** One moved, one in another format, one gone, one the engine has read, one it has not. */
const AFTER = [
  section('head', [read('amount_total', { type: 'number', format: '#.##0,#' }), read('currency')]),
  section('more', [read('document_id'), read('sender_name'), datapoint('added', { default_value: 'new' })]),
];

const makeQueue = async (content: unknown) => {
  const { workspace } = await api.get(`/queues/${system.queueId}`);
  const schema = await api.post('/schemas', { name: 'S', content });
  return { schema, queue: await api.post('/queues', { name: 'Q', workspace, schema: schema.url }) };
};
const importOne = async (queueId: number, document: string) => {
  const content = await buildPdf({ lines: invoiceLines(document) });
  const task = await api.upload(queueId, [{ fileName: 'invoice.pdf', content }]);
  const { annotationIds } = await waitFor('the upload', () => api.findUploaded(task), { timeoutMs: 60_000 });
  return waitFor(
    'the end of the import',
    async () => {
      const found = await api.get(`/annotations/${annotationIds[0]}`);
      return found.status === 'to_review' && found;
    },
    { timeoutMs: 60_000 },
  ) as Promise<Json>;
};
const datapointsOf = (node: Json): Json[] =>
  Array.isArray(node)
    ? node.flatMap(datapointsOf)
    : node.category === 'datapoint'
      ? [node]
      : datapointsOf(node.children);
const readFields = async (annotation: Json) => {
  const found = datapointsOf((await api.get(`/annotations/${annotation.id}/content`)).content);
  return Object.fromEntries(found.map((node) => [node.schema_id, node])) as Record<string, Json>;
};
const valuesOf = async (annotation: Json) =>
  Object.fromEntries(Object.entries(await readFields(annotation)).map(([id, node]) => [id, node.content.value]));
const waitForShape = (annotation: Json, ids: string[]) =>
  waitFor(
    'the content to follow',
    async () => Object.keys(await readFields(annotation)).join() === ids.join() && true,
    {
      timeoutMs: 30_000,
    },
  );
const IDS = ['amount_total', 'currency', 'document_id', 'sender_name', 'added'];

describe('other content of a schema', () => {
  it('is followed by existing annotations: values stay with their ids, new fields are filled in documents under review', async () => {
    const { queue, schema } = await makeQueue(BEFORE);
    const [open, done] = [await importOne(queue.id, 'INV-1'), await importOne(queue.id, 'INV-2')];
    await api.post(`/annotations/${done.id}/start`);
    await api.post(`/annotations/${done.id}/confirm`);
    const [before, exported] = [await readFields(open), await api.get(`/annotations/${done.id}`)];
    expect(exported.status).toBe('exported');
    expect(before.gone.content.value).toBe('goes');
    const amount = before.amount_total.content;
    expect(amount.normalized_value).toMatch(/^\d+(\.\d+)?$/);
    const message = (id: unknown, content: string) => ({ id: String(id), type: 'info', content });
    const messages = [message(before.document_id.id, 'stays'), message(before.gone.id, 'goes')];
    await api.patch(`/annotations/${open.id}`, { messages });

    expect((await api.patch(schema.url, { content: AFTER })).content).toEqual(AFTER);
    await waitForShape(open, IDS);
    await waitForShape(done, IDS);

    const after = await readFields(open);
    expect((await api.get(`/annotations/${open.id}`)).messages).toEqual([messages[0], message('all', 'goes')]);
    expect([after.document_id.id, after.document_id.url, after.document_id.content]).toEqual([
      before.document_id.id,
      before.document_id.url,
      before.document_id.content,
    ]);
    expect(after.amount_total.content).toMatchObject({
      normalized_value: amount.normalized_value,
      value: amount.value.replace('.', ',').replace(' ', '.'),
    });
    expect(after.currency.content).toEqual(before.currency.content);
    expect(after.sender_name.content.value).not.toBe('');
    expect(after.sender_name.content.rir_confidence).toEqual(expect.any(Number));
    expect((await valuesOf(done)).sender_name).toBe('');
    expect((await valuesOf(open)).added).toBe('new');
    expect((await valuesOf(done)).document_id).toBe('INV-2');
    expect((await api.get(`/annotations/${done.id}`)).modified_at).toBe(exported.modified_at);

    // The way back: what was taken away is empty again, nothing else is lost.
    await api.patch(schema.url, { content: BEFORE });
    await waitForShape(open, ['document_id', 'amount_total', 'currency', 'gone']);
    expect((await readFields(open)).amount_total.content).toEqual(amount);
  });

  it('fills documents that were read while the schema was not set up, or was emptied, and their copies and moves', async () => {
    const { queue, schema } = await makeQueue([]);
    const other = await makeQueue(AFTER);
    const [early, moved] = [await importOne(queue.id, 'INV-5'), await importOne(queue.id, 'INV-6')];
    expect(await valuesOf(early)).toEqual({});
    await api.patch(moved.url, { queue: other.queue.url });
    const copy = await api.post(`${early.url}/copy`, { target_queue: other.queue.url });
    const read = { currency: 'EUR', sender_name: expect.stringMatching(/./), added: 'new' };
    expect(await valuesOf(moved)).toMatchObject({ ...read, document_id: 'INV-6' });
    expect(await valuesOf(await api.get(copy.annotation))).toMatchObject({ ...read, document_id: 'INV-5' });

    await api.patch(schema.url, { content: AFTER });
    await waitForShape(early, IDS);
    expect(await valuesOf(early)).toMatchObject({ ...read, document_id: 'INV-5' });
    const full = await readFields(early);
    await api.patch(schema.url, { content: [] });
    await waitForShape(early, []);
    await api.patch(schema.url, { content: AFTER });
    await waitForShape(early, IDS);
    expect((await readFields(early)).document_id.content).toEqual(full.document_id.content);
  });

  it('in a schema of its own counts for documents imported later only', async () => {
    const { queue, schema } = await makeQueue(BEFORE);
    const old = await importOne(queue.id, 'INV-3');
    const next = await api.post('/schemas', { name: 'Next', content: AFTER });
    await api.patch(queue.url, { schema: next.url });
    const later = await importOne(queue.id, 'INV-4');
    expect([old.schema, later.schema]).toEqual([schema.url, next.url]);
    expect(Object.keys(await readFields(later))).toEqual(IDS);
    expect(Object.keys(await readFields(old))).toEqual(['document_id', 'amount_total', 'currency', 'gone']);
    // The schema that an annotation was made with stays.
    const response = await api.request('DELETE', schema.url);
    expect([response.status, await response.json()]).toEqual([409, expect.objectContaining({ code: 'conflict' })]);
  });

  it('reaches everything also when everything dies on the way', async () => {
    const { queue, schema } = await makeQueue(BEFORE);
    const annotations = await Promise.all(Array.from({ length: 6 }, (_, i) => importOne(queue.id, `INV-1${i}`)));
    await api.patch(schema.url, { content: AFTER });
    await system.kill('annotation');
    const restart = () =>
      system.restart('annotation').then(
        () => true,
        () => false,
      );
    await waitFor('the restart', restart, { timeoutMs: 120_000 });
    for (const annotation of annotations) await waitForShape(annotation, IDS);
    const values = await Promise.all(annotations.map(valuesOf));
    expect(values.map(({ document_id }) => document_id)).toEqual(annotations.map((_, i) => `INV-1${i}`));
  });
});
