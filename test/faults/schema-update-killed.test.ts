import {
  type Api,
  buildPdf,
  countStored,
  findStored,
  insertManyStored,
  invoiceLines,
  type Json,
  startSystem,
  type TestSystem,
  waitFor,
} from '@intake/testkit';

jest.setTimeout(600_000);

/** Annotations that follow their schema: each is a transaction of its own, so that more take a quiet machine. */
const COUNT = Number(process.env.INTAKE_TEST_MIGRATED ?? 300);
const FIRST_COPY = 1_000_000_000;
const NODES_EACH = 10;

let system: TestSystem;
let api: Api;
beforeAll(async () => {
  system = await startSystem({ processes: true });
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
const section = (...children: object[]) => [{ category: 'section', id: 'head', label: 'Head', children }];
const NUMBER = datapoint('document_id', { rir_field_names: ['document_id'] });

const at = (collection: string) =>
  [system.env.INTAKE_MONGODB_URL as string, `${system.env.INTAKE_MONGODB_PREFIX}_annotation`, collection] as const;
const importOne = async (queueId: number, name: string): Promise<Json> => {
  const content = await buildPdf({ lines: invoiceLines(name) });
  const task = await api.upload(queueId, [{ fileName: 'invoice.pdf', content }]);
  const { annotationIds } = await waitFor('the upload', () => api.findUploaded(task), { timeoutMs: 60_000 });
  return waitFor(
    'the end of the import',
    async () => {
      const found = await api.get(`/annotations/${annotationIds[0]}`);
      return found.status === 'to_review' && found;
    },
    { timeoutMs: 60_000 },
  );
};
/** Writes copies of an annotation with its content beside it. */
const copyMany = async (id: number, count: number) => {
  const [annotation] = await findStored(...at('annotations'), { _id: id });
  const nodes = await findStored(...at('nodes'), { annotationId: id });
  const [reading] = await findStored(...at('readings'), { _id: id });
  const places = new Map(nodes.map((node, i) => [node._id, i]));
  const copies = Array.from({ length: count }, (_, i) => FIRST_COPY + i);
  await insertManyStored(
    ...at('annotations'),
    copies.map((_id) => ({ ...annotation, _id, uploadId: null })),
  );
  await insertManyStored(
    ...at('readings'),
    copies.map((_id) => ({ ...reading, _id })),
  );
  await insertManyStored(
    ...at('nodes'),
    copies.flatMap((annotationId, copy) => {
      const idOf = (own: unknown) => FIRST_COPY + copy * NODES_EACH + (places.get(own as number) ?? 0);
      return nodes.map((node) => ({
        ...node,
        _id: idOf(node._id),
        annotationId,
        parentId: node.parentId === null ? null : idOf(node.parentId),
      }));
    }),
  );
};

it(`${COUNT} annotations follow their schema in the background, and go on where they were when everything is killed`, async () => {
  const { workspace } = await api.get(`/queues/${system.queueId}`);
  const schema = await api.post('/schemas', { name: 'S', content: section(NUMBER) });
  const queue = await api.post('/queues', { name: 'Q', workspace, schema: schema.url });
  const first = await importOne(queue.id, 'INV-1');
  await copyMany(first.id, COUNT - 1);
  expect((await api.get(`/annotations?queue=${queue.id}&page_size=1`)).pagination.total).toBe(COUNT);

  const added = { schemaId: 'added' };
  const done = () => countStored(...at('nodes'), added);
  const began = Date.now();
  await api.patch(schema.url, { content: section(NUMBER, datapoint('added', { default_value: 'new' })) });
  expect(Date.now() - began).toBeLessThan(10_000);
  expect(await done()).toBeLessThan(COUNT);

  // Nothing waits for it: neither readers nor new documents.
  const later = await importOne(queue.id, 'INV-2');
  expect((await api.get(`/annotations?queue=${queue.id}&ordering=-created_at&page_size=1`)).results[0].id).toBe(
    later.id,
  );
  await waitFor('some to have followed', async () => (await done()) > COUNT / 20 && true, { timeoutMs: 120_000 });
  await system.kill('annotation');
  expect(await done()).toBeLessThan(COUNT);
  await system.restart('annotation');

  await waitFor('all to have followed', async () => (await done()) === COUNT + 1 && true, { timeoutMs: 480_000 });
  // Each of them once.
  const migrations = await findStored(...at('history'), { trigger: 'migrate' });
  const ids = migrations.map(({ annotationId }) => annotationId).filter((id) => id !== later.id);
  expect([ids.length, new Set(ids).size]).toEqual([COUNT, COUNT]);
  const { content } = await api.get(`/annotations/${FIRST_COPY + COUNT - 2}/content`);
  expect(content[0].children.map((node: Json) => [node.schema_id, node.content.value])).toEqual([
    ['document_id', 'INV-1'],
    ['added', 'new'],
  ]);
});
