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
import { PDFDocument } from 'pdf-lib';
import sharp from 'sharp';

/** Splitting documents and editing their pages. API: annotations.md section 8, pages.md. */

let system: TestSystem;
let api: Api;
let colleague: Api;
let counter = 0;

beforeAll(async () => {
  system = await startSystem({ env: { INTAKE_UNCLAIMED_MS: '1000' } });
  api = await system.login();
  const login = { username: 'colleague@example.com', password: 'correct horse battery' };
  await api.post('/users', {
    ...login,
    organization: `${system.baseUrl}/v1/organizations/${system.organizationId}`,
    groups: [`${system.baseUrl}/v1/groups/3`],
  });
  colleague = await system.login(login);
});
afterAll(() => system?.stop());

/** Three invoices in one file, one on each page. */
async function buildScan(): Promise<Buffer> {
  const whole = await PDFDocument.create();
  for (const number of [1, 2, 3]) {
    const one = await PDFDocument.load(await buildPdf({ lines: invoiceLines(`PAGE-${counter}-${number}`) }));
    for (const page of await whole.copyPages(one, [0])) whole.addPage(page);
  }
  return Buffer.from(await whole.save());
}

const statusIs = (url: string, status: string) =>
  waitFor(
    `${url} to be ${status}`,
    async () => {
      const annotation = await api.get(url);
      return annotation.status === status && annotation;
    },
    { timeoutMs: 60_000 },
  );

/** An annotation of three pages, ready for review. */
async function importScan(queue?: string, status = 'to_review'): Promise<Json> {
  counter += 1;
  const task = await api.upload(queue ? idOf(queue) : system.queueId, [
    { fileName: `scan-${counter}.pdf`, content: await buildScan() },
  ]);
  const { annotationIds } = await waitFor('the upload', () => api.findUploaded(task), { timeoutMs: 60_000 });
  return statusIs(`${system.baseUrl}/v1/annotations/${annotationIds[0]}`, status);
}

const send = async (as: Api, path: string, body: unknown, method = 'POST') => {
  const response = await as.request(method, path, { body });
  const text = await response.text();
  return { status: response.status, body: (text ? JSON.parse(text) : null) as Json };
};
const textOf = async (annotation: string) => {
  const { results } = await api.get(`${annotation}/page_data?granularity=texts`);
  return results.map(({ items }: Json) => items[0].text.match(/PAGE-\d+-(\d)/)?.[1]).join('');
};
const idsOfFields = (nodes: Json[]): Json[] => nodes.flatMap((node) => [node, ...idsOfFields(node.children ?? [])]);
const numberOf = async (annotation: string) =>
  idsOfFields((await api.get(`${annotation}/content`)).content).find(({ schema_id }) => schema_id === 'document_id')
    ?.content.value;

it('a file that seems to hold several documents gets a suggested edit, where the queue wants one', async () => {
  const { workspace, schema } = await api.get(`/queues/${system.queueId}`);
  const makeQueue = async (settings: Json) =>
    (
      await api.post('/queues', {
        ...{ name: 'Several', workspace, schema, settings },
        ...{ automation_enabled: true, automation_level: 'always' },
      })
    ).url;
  const suggesting = await makeQueue({ suggested_edit: 'suggest' });
  const { url, pages, suggested_edit: suggested, automation_blocker: blocker } = await importScan(suggesting);
  expect(await api.get(suggested)).toEqual({
    id: idOf(suggested),
    url: suggested,
    annotation: url,
    documents: pages.map((page: string) => ({
      pages: [{ page, rotation: 0, deleted: false }],
      target_queue: suggesting,
      values: {},
    })),
  });
  expect((await api.get(blocker)).content).toContainEqual({ level: 'annotation', type: 'suggested_edit_present' });

  const { suggested_edit: none } = await importScan(await makeQueue({ suggested_edit: 'disable' }), 'exported');
  expect(none).toBeNull();
});

it('a suggested edit is made, shown, changed and deleted', async () => {
  const { url, pages, queue } = await importScan();
  const [one, two, three] = pages as [string, string, string];
  const documents = [{ pages: [{ page: one }], target_queue: queue }];
  const { status, body: edit } = await send(api, '/suggested_edits', { annotation: url, documents });
  expect([status, edit]).toEqual([
    201,
    {
      id: idOf(edit.url),
      url: expect.stringMatching(/\/v1\/suggested_edits\/\d+$/),
      annotation: url,
      documents: [{ pages: [{ page: one, rotation: 0, deleted: false }], target_queue: queue, values: {} }],
    },
  ]);
  expect((await api.get(url)).suggested_edit).toBe(edit.url);
  const list = await api.get(`/annotations?id=${idOf(url)}&sideload=suggested_edits`);
  expect(list.suggested_edits).toEqual([edit]);
  expect((await api.get(`/suggested_edits?annotation=${idOf(url)}&ordering=-annotation`)).results).toEqual([edit]);

  const better = [
    { pages: [{ page: three, rotation: 90, deleted: true }], target_queue: queue, values: { 'edit:kind': 'x' } },
    { pages: [{ page: two, rotation: 0, deleted: false }], target_queue: queue, values: {} },
  ];
  expect(await api.patch(edit.url, { documents: better })).toEqual({ ...edit, documents: better });
  expect((await send(api, edit.url, { documents: [] }, 'PUT')).body).toEqual({ ...edit, documents: [] });

  const other = await importScan();
  for (const [wrong, key] of [
    [{ documents }, 'annotation'],
    [{ annotation: other.url }, 'documents'],
    [{ annotation: url, documents }, 'annotation'],
    [{ annotation: other.url, documents }, 'documents'],
    [
      { annotation: other.url, documents: [{ pages: [{ page: other.pages[0], rotation: 45 }], target_queue: queue }] },
      'documents',
    ],
    [{ annotation: other.url, documents: [{ pages: [], target_queue: queue }] }, 'documents'],
  ] as const) {
    expect(await send(api, '/suggested_edits', wrong)).toEqual({
      status: 400,
      body: expect.objectContaining({ [key]: expect.anything() }),
    });
  }
  expect((await send(api, edit.url, undefined, 'DELETE')).status).toBe(204);
  expect((await api.get(url)).suggested_edit).toBeNull();
  expect((await send(api, edit.url, undefined, 'GET')).status).toBe(404);

  // It goes with the pages it names.
  const again = await api.post('/suggested_edits', { annotation: url, documents });
  await api.post(`${url}/edit_pages/in_place`, { parent_pages: [{ page: two }] });
  expect((await api.get(url)).suggested_edit).toBeNull();
  expect((await send(api, again.url, undefined, 'GET')).status).toBe(404);
});

it('pages of a postponed document are split, but not edited', async () => {
  const { url, pages } = await importScan();
  await api.post(`${url}/postpone`);
  const edit = [{ parent_pages: [{ page: pages[0] }] }];
  expect(await send(api, `${url}/edit_pages`, { edit })).toMatchObject({
    status: 409,
    body: { code: 'conflict_status' },
  });
  expect((await send(api, `${url}/edit_pages/start`, {})).status).toBe(409);
  expect((await send(api, `${url}/split`, { documents: [{ pages: [{ page: pages[0] }] }] })).status).toBe(200);
});

it('splits a document into new ones, in the order and with the turns that are asked for', async () => {
  const original = await importScan();
  const [first, second, third] = original.pages as string[];
  const { results } = await api.post(`${original.url}/split`, {
    documents: [
      { pages: [{ page: second }] },
      {
        pages: [{ page: third, rotation_deg: 180 }, { page: first }],
        metadata: { document: { box: 7 }, annotation: { by: 'hand' } },
      },
    ],
  });
  expect(results).toHaveLength(2);
  expect((await api.get(original.url)).status).toBe('split');
  const parts = [
    await statusIs(results[0].annotation, 'to_review'),
    await statusIs(results[1].annotation, 'to_review'),
  ];
  expect(parts.map(({ queue, pages }) => [queue, pages.length])).toEqual([
    [original.queue, 1],
    [original.queue, 2],
  ]);
  expect(parts.map(({ document }) => document)).toEqual(results.map(({ document }: Json) => document));
  expect(parts.map(({ metadata }) => metadata)).toEqual([{}, { by: 'hand' }]);
  expect(await textOf(parts[0].url)).toBe('2');
  expect(await textOf(parts[1].url)).toBe('31');
  expect(await numberOf(parts[0].url)).toBe(`PAGE-${counter}-2`);

  const documents = await Promise.all(results.map(({ document }: Json) => api.get(document)));
  expect(documents.map((one) => one.original_file_name)).toEqual([`scan-${counter}_1.pdf`, `scan-${counter}_2.pdf`]);
  expect(documents.map((one) => [one.parent, one.metadata, one.annotations])).toEqual([
    [original.document, {}, [parts[0].url]],
    [original.document, { box: 7 }, [parts[1].url]],
  ]);
  const pdf = await PDFDocument.load(await api.download(documents[1].content));
  expect(pdf.getPages().map((page) => page.getRotation().angle)).toEqual([180, 0]);

  const [relation] = (await api.get(`/relations?type=edit&parent=${original.id}`)).results;
  expect(relation).toMatchObject({ type: 'edit', parent: original.url, annotations: parts.map(({ url }) => url) });
  expect(parts[0].relations).toEqual([relation.url]);
  const history = (await api.get(`${original.url}/history`)).results;
  expect(history.at(-1)).toMatchObject({ trigger: 'split', previous_status: 'to_review', status: 'split' });

  // Once more: the same page may be used again.
  const again = await api.post(`${original.url}/split`, { documents: [{ pages: [{ page: second }] }] });
  await statusIs(again.results[0].annotation, 'to_review');
  expect((await api.get(relation.url)).annotations).toHaveLength(3);
});

it('a part with the data of its original is no duplicate of it, but of another document', async () => {
  const number = `ONCE-${++counter}`;
  const build = async (backside: string) => {
    const whole = await PDFDocument.create();
    for (const lines of [invoiceLines(number), [backside]]) {
      const one = await PDFDocument.load(await buildPdf({ lines }));
      for (const page of await whole.copyPages(one, [0])) whole.addPage(page);
    }
    return { fileName: `${backside}.pdf`, content: Buffer.from(await whole.save()) };
  };
  const importFile = async (backside: string) => {
    const task = await api.upload(system.queueId, [await build(backside)]);
    const { annotationIds } = await waitFor('the upload', () => api.findUploaded(task), { timeoutMs: 60_000 });
    return statusIs(`${system.baseUrl}/v1/annotations/${annotationIds[0]}`, 'to_review');
  };
  const original = await importFile('Terms');
  const { results } = await api.post(`${original.url}/split`, {
    documents: original.pages.map((page: string) => ({ pages: [{ page }] })),
  });
  const part = await statusIs(results[0].annotation, 'to_review');
  expect(await numberOf(part.url)).toBe(number);
  const duplicatesOf = async (annotation: string) =>
    (await api.get(`/relations?type=duplicate&annotation=${idOf(annotation)}`)).results;
  expect(await duplicatesOf(part.url)).toEqual([]);
  const other = await importFile('Conditions');
  expect((await duplicatesOf(other.url)).map(({ annotations }: Json) => annotations)).toEqual([[part.url, other.url]]);
});

it('splits the pages of a TIFF into PDFs', async () => {
  const { pages: sheets } = await importScan();
  const pictures = await Promise.all(sheets.map((page: string) => api.download(`${page}/content`)));
  const content = await sharp(pictures, { join: { animated: true } })
    .tiff({ compression: 'deflate' })
    .toBuffer();
  const task = await api.upload(system.queueId, [{ fileName: 'fax.tif', content }]);
  const { annotationIds } = await waitFor('the upload', () => api.findUploaded(task), { timeoutMs: 60_000 });
  const original = await statusIs(`${system.baseUrl}/v1/annotations/${annotationIds[0]}`, 'to_review');
  const [first, second, third] = original.pages as string[];
  const { results } = await api.post(`${original.url}/split`, {
    documents: [{ pages: [{ page: third, rotation_deg: 180 }, { page: first }] }, { pages: [{ page: second }] }],
  });
  const parts = await Promise.all(results.map(({ annotation }: Json) => statusIs(annotation, 'to_review')));
  expect(await Promise.all(parts.map(({ url }) => textOf(url)))).toEqual(['31', '2']);
  const documents = await Promise.all(results.map(({ document }: Json) => api.get(document)));
  expect(documents.map((one) => [one.original_file_name, one.mime_type, one.parent])).toEqual([
    ['fax_1.pdf', 'application/pdf', original.document],
    ['fax_2.pdf', 'application/pdf', original.document],
  ]);
  const [before, after] = await Promise.all([`${first}`, `${parts[0].pages[1]}`].map((page) => api.get(page)));
  expect(after.width / after.height).toBeCloseTo(before.width / before.height, 2);
});

it('of two who edit at the same moment one is told so, and the document that was cut for it does not stay', async () => {
  const original = await importScan();
  const [first, second] = original.pages as string[];
  const documents = [{ pages: [{ page: second }, { page: first }] }];
  const answers = await Promise.all([api, colleague].map((as) => send(as, `${original.url}/edit`, { documents })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  const done = answers.find(({ status }) => status === 200)?.body.results[0];
  await waitFor('only the document with an annotation to be there', async () => {
    const { results } = await api.get(`/documents?parent=${idOf(original.document)}`);
    return results.length === 1 && results[0].url === done.document;
  });
  await statusIs(original.url, 'to_review');
  expect((await api.download(`${done.document}/content`)).subarray(0, 5).toString()).toBe('%PDF-');
});

it('edits the original in place when one document is made of it', async () => {
  const original = await importScan();
  const [first, , third] = original.pages as string[];
  await api.post(`${original.url}/start`);
  const { results } = await api.post(`${original.url}/edit`, {
    documents: [{ pages: [{ page: third }, { page: first }] }],
  });
  expect(results.map(({ annotation }: Json) => annotation)).toEqual([original.url]);
  const after = await statusIs(original.url, 'to_review');
  expect(after.document).toBe(results[0].document);
  expect(await textOf(original.url)).toBe('31');
  expect(await numberOf(original.url)).toBe(`PAGE-${counter}-3`);
  expect((await api.get(`/pages?annotation=${original.id}`)).results.map(({ url }: Json) => url)).toEqual(after.pages);
  expect((await api.download(`${after.pages[0]}/content`)).subarray(1, 4).toString()).toBe('PNG');
  expect((await api.get(after.document)).parent).toBe(original.document);

  // Purging leaves neither the new bytes nor those of the file that was sent.
  await api.post(`${original.url}/delete`);
  await api.post('/annotations/purge_deleted', { annotations: [original.url] });
  await statusIs(original.url, 'purged');
  for (const document of [after.document, original.document]) {
    await waitFor('the document to be purged', async () => (await api.get(document)).original_file_name === '');
    expect((await api.request('GET', `${document}/content`)).status).toBe(404);
  }
});

it('a document that is edited in place is no duplicate of the file that it was', async () => {
  counter += 1;
  const content = await buildScan();
  const task = await api.upload(system.queueId, [
    { fileName: 'once.pdf', content },
    { fileName: 'twice.pdf', content },
  ]);
  const { annotationIds } = await waitFor('the upload', () => api.findUploaded(task), { timeoutMs: 60_000 });
  const [one, two] = annotationIds.map((id) => `${system.baseUrl}/v1/annotations/${id}`) as [string, string];
  await statusIs(one, 'to_review');
  const { pages, relations } = await statusIs(two, 'to_review');
  expect(relations).toHaveLength(1);
  await api.post(`${two}/edit`, { documents: [{ pages: [{ page: pages[2] }] }] });
  expect([(await statusIs(two, 'to_review')).relations, (await api.get(one)).relations]).toEqual([[], []]);
});

it('edits parts: makes, changes, moves and deletes them', async () => {
  const original = await importScan();
  const [first, second, third] = original.pages as string[];
  const started = await api.post(`${original.url}/edit_pages/start`);
  expect(started).toEqual({ parent_annotation: original.url, children: [], session_timeout: '01:00:00' });
  expect((await api.get(original.url)).status).toBe('reviewing');
  expect(await send(colleague, `${original.url}/edit_pages/start`, {})).toMatchObject({
    status: 409,
    body: { code: 'conflict_user' },
  });
  expect(
    await send(colleague, `${original.url}/edit_pages`, { edit: [{ parent_pages: [{ page: first }] }] }),
  ).toMatchObject({
    status: 409,
    body: { code: 'conflict_user' },
  });

  const { workspace, schema } = await api.get(original.queue);
  const elsewhere = await api.post('/queues', { name: 'Elsewhere', workspace, schema });
  const moved = await colleague.request('PATCH', original.url, { body: { queue: elsewhere.url } });
  expect([moved.status, await moved.json()]).toEqual([409, expect.objectContaining({ code: 'conflict_user' })]);
  const { results } = await api.post(`${original.url}/edit_pages`, {
    edit: [
      {
        parent_pages: [{ page: first }, { page: second, deleted: true }],
        document_name: 'one.pdf',
        values: { 'edit:kind': 'a' },
      },
      { parent_pages: [{ page: second }], target_queue: elsewhere.url, metadata: { kind: 'b' } },
    ],
    edit_data_source: 'manual',
  });
  const [one, two] = results.map(({ annotation }: Json) => annotation) as [string, string];
  const made = [await statusIs(one, 'to_review'), await statusIs(two, 'to_review')];
  expect(made.map(({ queue, metadata }) => [queue, metadata])).toEqual([
    [original.queue, {}],
    [elsewhere.url, { kind: 'b' }],
  ]);
  expect((await api.get(made[0].document)).original_file_name).toBe('one.pdf');
  expect((await api.get(original.url)).status).toBe('split');

  const again = await api.post(`${original.url}/edit_pages/start`);
  expect(again.children).toEqual([
    {
      ...{ url: one, queue: original.queue, status: 'reviewing', started: true, original_file_name: 'one.pdf' },
      parent_pages: [
        { page: first, rotation_deg: 0, deleted: false },
        { page: second, rotation_deg: 0, deleted: true },
      ],
      values: { 'edit:kind': 'a' },
    },
    expect.objectContaining({ url: two, queue: elsewhere.url, started: true, values: {} }),
  ]);
  expect((await send(api, `${original.url}/edit_pages/cancel`, { annotations: [two] })).status).toBe(204);
  expect((await api.get(two)).status).toBe('to_review');
  expect((await api.get(one)).status).toBe('reviewing');

  await api.post(`${original.url}/edit_pages`, {
    edit: [{ annotation: one, parent_pages: [{ page: third, rotation_deg: 90 }] }],
    move: [{ annotation: two, target_queue: original.queue }],
  });
  await statusIs(one, 'to_review');
  expect(await textOf(one)).toBe('3');
  expect((await api.get(two)).queue).toBe(original.queue);
  await api.post(`${original.url}/edit_pages/start`);
  const lost = `${system.baseUrl}/v1/queues/9999`;
  expect(
    await send(api, `${original.url}/edit_pages`, { delete: [one], move: [{ annotation: two, target_queue: lost }] }),
  ).toMatchObject({ status: 400, body: { edit: ['Invalid hyperlink - Object does not exist.'] } });
  expect([(await api.get(one)).status, (await api.get(two)).status]).toEqual(['reviewing', 'reviewing']);
  await api.post(`${original.url}/edit_pages`, {
    move: [{ annotation: two, target_queue: elsewhere.url }],
    stop_reviewing: [one],
  });
  expect(await api.get(two)).toMatchObject({ queue: elsewhere.url, status: 'to_review' });
  expect((await api.get(one)).status).toBe('to_review');
  const deleted = await api.post(`${original.url}/edit_pages`, { delete: [two] });
  expect(deleted).toEqual({ results: [] });
  expect((await api.get(two)).status).toBe('deleted');

  await api.post(`${one}/edit_pages/in_place`, {
    parent_pages: [{ page: (await api.get(one)).pages[0] }],
    target_queue: elsewhere.url,
  });
  expect((await statusIs(one, 'to_review')).queue).toBe(elsewhere.url);
});

it('refuses what is no edit, and changes nothing then', async () => {
  const original = await importScan();
  const other = await importScan();
  const [page] = original.pages as string[];
  const refused = async (path: string, body: unknown) => {
    const answer = await send(api, `${original.url}/${path}`, body);
    return [answer.status, Object.keys(answer.body)];
  };
  expect(await refused('split', {})).toEqual([400, ['documents']]);
  expect(await refused('split', { documents: [] })).toEqual([400, ['documents']]);
  expect(await refused('split', { documents: [{ pages: [] }] })).toEqual([400, ['documents']]);
  expect(await refused('split', { documents: [{ pages: [{ page, rotation_deg: 45 }] }] })).toEqual([
    400,
    ['documents'],
  ]);
  expect(await refused('split', { documents: [{ pages: [{ page: other.pages[0] }] }] })).toEqual([400, ['documents']]);
  expect(await refused('split', { documents: [{ pages: [{ page: 7 }] }] })).toEqual([400, ['documents']]);
  expect(await refused('edit_pages', { edit: [{ parent_pages: [{ page, deleted: true }] }] })).toEqual([400, ['edit']]);
  expect(await refused('edit_pages', { edit: [{ annotation: other.url, parent_pages: [{ page }] }] })).toEqual([
    400,
    ['edit'],
  ]);
  expect(await refused('edit_pages', { delete: [other.url] })).toEqual([400, ['edit']]);
  expect(await refused('edit_pages/cancel', { annotations: [other.url] })).toEqual([400, ['annotations']]);
  expect((await api.get(original.url)).status).toBe('to_review');

  await api.post(`${original.url}/postpone`);
  expect((await send(api, `${original.url}/edit_pages/start`, {})).status).toBe(409);
  await api.post(`${original.url}/delete`);
  const documents = [{ pages: [{ page }] }];
  for (const path of ['split', 'edit']) {
    expect(await send(api, `${original.url}/${path}`, { documents })).toMatchObject({
      status: 409,
      body: { code: 'conflict_status' },
    });
  }
  await colleague.post(`${other.url}/start`);
  expect(await send(api, `${other.url}/split`, { documents: [{ pages: [{ page: other.pages[0] }] }] })).toMatchObject({
    status: 409,
    body: { code: 'conflict_user' },
  });
});

it('keeps metadata of a page', async () => {
  const { pages } = await importScan();
  const changed = await send(api, pages[0], { metadata: { stamp: 'red' }, number: 9 }, 'PATCH');
  expect(changed).toMatchObject({ status: 200, body: { url: pages[0], number: 1, metadata: { stamp: 'red' } } });
  expect((await api.get(pages[0])).metadata).toEqual({ stamp: 'red' });
  expect((await send(api, pages[0], { metadata: { text: 'x'.repeat(4096) } }, 'PATCH')).body).toHaveProperty(
    'metadata',
  );
  expect((await send(api, pages[0], {}, 'DELETE')).status).toBe(405);
  expect(idOf(pages[0])).toBeGreaterThan(0);
});
