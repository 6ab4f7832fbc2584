import { type Api, buildPdf, type Json, startSystem, type TestSystem, waitFor } from '@intake/testkit';

/** What reviewers put right is used for the next document of the same sender, can be seen, and can be forgotten. */

let system: TestSystem;
let api: Api;

beforeAll(async () => {
  system = await startSystem();
  api = await system.login();
});
afterAll(() => system?.stop());

/** A letter whose number has a label that says nothing. */
const letter = (reference: string) => [
  'Blechwerk Anders GmbH',
  'Lange Gasse 4, 90402 Nuernberg',
  'USt-IdNr. DE136695976',
  '',
  'Rechnung vom 03.05.2024',
  `Zeichen: ${reference}`,
  '',
  'Nettobetrag 100,00 EUR',
  'MwSt 19% 19,00 EUR',
  'Gesamtbetrag 119,00 EUR',
];

/** An invoice whose table has headings that say nothing; each row: text, price, quantity, amount. */
const table = (rows: string[][]) => [
  'Blechwerk Anders GmbH',
  'Lange Gasse 4, 90402 Nuernberg',
  'USt-IdNr. DE136695976',
  '',
  'Rechnung Nr. 4711 vom 03.05.2024',
  '',
  ['Gegenstand', 'Zu je', 'Haben wir', 'Ergibt'].join('\t'),
  ...rows.map((row) => row.join('\t')),
  '',
  'Gesamtbetrag 250,00 EUR',
];

const flatten = (nodes: Json[]): Json[] => nodes.flatMap((node) => [node, ...flatten(node.children ?? [])]);

async function importLines(lines: string[]): Promise<{ annotation: Json; tree: Json[] }> {
  const content = await buildPdf({ lines });
  const task = await api.upload(system.queueId, [{ fileName: 'letter.pdf', content }]);
  const { annotationIds } = await waitFor('the upload', () => api.findUploaded(task), { timeoutMs: 60_000 });
  const annotation = await waitFor(
    'the extraction',
    async () => {
      const found = await api.get(`/annotations/${annotationIds[0]}`);
      return found.status === 'to_review' && found;
    },
    { timeoutMs: 60_000 },
  );
  const { content: tree } = await api.get(`/annotations/${annotation.id}/content`);
  return { annotation, tree };
}

async function importLetter(reference: string): Promise<{ annotation: Json; number: Json }> {
  const { annotation, tree } = await importLines(letter(reference));
  return { annotation, number: flatten(tree).find(({ schema_id }) => schema_id === 'document_id')! };
}

async function confirm({ id }: Json, number: Json, value: string): Promise<void> {
  await api.post(`/annotations/${id}/start`, {});
  await api.patch(`/annotations/${id}/content/${number.id}`, { content: { value } });
  await api.post(`/annotations/${id}/confirm`, {});
}

const lessonsOf = async (query = '') => (await api.get(`/lessons${query}`)).results as Json[];

it('learns from a correction, shows what it learned, and forgets it when told to', async () => {
  const first = await importLetter('BA-77/2024');
  expect(first.number.content.value).not.toBe('BA-77/2024');
  await confirm(first.annotation, first.number, 'BA-77/2024');
  const lesson = await waitFor('the lesson', async () => (await lessonsOf())[0]);
  expect(lesson).toMatchObject({
    id: first.annotation.id,
    url: `${system.baseUrl}/v1/lessons/${first.annotation.id}`,
    annotation: first.annotation.url,
    queue: first.annotation.queue,
    senders: expect.arrayContaining(['vat:de136695976']),
    learned_at: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  expect(lesson!.fields).toContainEqual({
    name: 'document_id',
    value: 'BA-77/2024',
    corrected: true,
    left: 'zeichen',
    above: expect.any(String),
    page: 1,
  });

  const second = await importLetter('BA-91/2024');
  expect(second.number.content).toMatchObject({ value: 'BA-91/2024', page: 1, rir_confidence: 0.93 });

  expect((await lessonsOf('?sender=vat:de136695976')).length).toBe(1);
  expect(await lessonsOf('?sender=vat:de999999999')).toEqual([]);
  const neighbour = await system.login((await system.createOrganization('Neighbour')).admin);
  expect((await neighbour.get('/lessons')).results).toEqual([]);
  expect((await neighbour.request('GET', `/lessons/${lesson!.id}`)).status).toBe(404);
  expect((await neighbour.request('DELETE', `/lessons/${lesson!.id}`)).status).toBe(404);

  const forget = async (sender: string) => (await api.request('POST', '/lessons/forget', { body: { sender } })).status;
  expect(await forget('vat:de999999999')).toBe(404);
  expect(await forget('')).toBe(400);
  expect(await forget('vat:de136695976')).toBe(204);
  expect(await lessonsOf()).toEqual([]);
  const third = await importLetter('BA-95/2024');
  expect(third.number.content.value).not.toBe('BA-95/2024');
});

it('forgets what a purged annotation taught', async () => {
  const { annotation, number } = await importLetter('BA-12/2024');
  await confirm(annotation, number, 'BA-12/2024');
  await waitFor('the lesson', async () => (await lessonsOf(`?annotation=${annotation.id}`))[0]);
  await waitFor('the export', async () => (await api.get(annotation.url)).status === 'exported');
  await api.patch(`/annotations/${annotation.id}`, { status: 'deleted' });
  await api.post('/annotations/purge_deleted', { annotations: [annotation.url] });
  await waitFor('the lesson to go', async () => (await lessonsOf(`?annotation=${annotation.id}`)).length === 0);
});

it('reads a table as people put it right, in the next document of the sender', async () => {
  const items = (tree: Json[]) => flatten(tree).find(({ schema_id }) => schema_id === 'line_items')!;
  const rowsOf = (tree: Json[]) =>
    (items(tree).children as Json[]).map(({ children }) =>
      Object.fromEntries(
        (children as Json[]).flatMap(({ schema_id, content }) => (content.value ? [[schema_id, content.value]] : [])),
      ),
    );
  const paint = { item_description: 'Wandfarbe weiss', item_quantity: '3', item_amount_base: '20.00' };
  const brush = { item_description: 'Pinsel breit', item_quantity: '4', item_amount_base: '10.00' };
  const first = await importLines(
    table([
      ['Wandfarbe weiss', '20,00', '3', '60,00'],
      ['Pinsel breit', '10,00', '4', '40,00'],
    ]),
  );
  expect(rowsOf(first.tree)).toEqual([]);
  await api.post(`/annotations/${first.annotation.id}/start`, {});
  const rows = [
    { ...paint, item_total_base: '60.00' },
    { ...brush, item_total_base: '40.00' },
  ];
  const operations = rows.map((row) => ({
    ...{ op: 'add', id: items(first.tree).id },
    value: Object.entries(row).map(([schema_id, value]) => ({ schema_id, content: { value } })),
  }));
  await api.post(`/annotations/${first.annotation.id}/content/operations`, { operations });
  await api.post(`/annotations/${first.annotation.id}/confirm`, {});
  const lesson = await waitFor('the lesson', async () => (await lessonsOf(`?annotation=${first.annotation.id}`))[0]);
  expect(lesson!.line_items.head).toContain('gegenstand');

  const second = await importLines(
    table([
      ['Leiter aus Holz', '75,00', '2', '150,00'],
      ['Pinsel breit', '10,00', '4', '40,00'],
      ['Wandfarbe weiss', '20,00', '3', '60,00'],
    ]),
  );
  expect(rowsOf(second.tree)).toMatchObject([
    { item_description: 'Leiter aus Holz', item_quantity: '2' },
    brush,
    paint,
  ]);
});
