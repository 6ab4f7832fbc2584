import {
  type Api,
  backing,
  buildMail,
  buildPdf,
  idOf,
  invoiceLines,
  type Json,
  listObjects,
  sendMail,
  startSystem,
  type TestSystem,
  waitFor,
} from '@intake/testkit';

/** The life of annotations beyond the plain review. API: annotations.md, states.md, related-objects.md, pages.md. */

let system: TestSystem;
let api: Api;
let queue: string;
let second: Json;
let tabular: Json;

beforeAll(async () => {
  system = await startSystem({ env: { INTAKE_RETENTION_SWEEP_MS: '500', INTAKE_REVIEW_SWEEP_MS: '500' } });
  api = await system.login();
  queue = `${system.baseUrl}/v1/queues/${system.queueId}`;
  const { workspace, schema } = await api.get(queue);
  second = await api.post('/queues', { name: 'Second', workspace, schema });
  const other = await api.post('/schemas', {
    name: 'Other',
    content: [
      {
        category: 'section',
        id: 'only',
        label: 'Only',
        children: [
          {
            category: 'datapoint',
            id: 'document_id',
            label: 'Number',
            type: 'string',
            constraints: { required: false },
          },
          { category: 'datapoint', id: 'new_field', label: 'New', type: 'string', default_value: 'fresh' },
        ],
      },
    ],
  });
  tabular = await api.post('/queues', { name: 'Third', workspace, schema: other.url });
});
afterAll(() => system?.stop());

const send = async (method: string, path: string, options: Parameters<Api['request']>[2] = {}, as = api) => {
  const response = await as.request(method, path, options);
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : (JSON.parse(text) as Json) };
};
const flatten = (nodes: Json[]): Json[] => nodes.flatMap((node) => [node, ...flatten(node.children ?? [])]);
const valuesOf = async (annotation: string): Promise<Record<string, string>> =>
  Object.fromEntries(
    flatten((await api.get(`${annotation}/content`)).content)
      .filter(({ category }) => category === 'datapoint')
      .map((node) => [node.schema_id, node.content?.value]),
  );

let counter = 0;
const invoice = async () => {
  const number = `LIFE-${++counter}`;
  return { fileName: `${number}.pdf`, content: await buildPdf({ lines: invoiceLines(number) }) };
};
const settled = (url: string, status = 'to_review') =>
  waitFor(`${url} to be ${status}`, async () => ((await api.get(url)).status === status ? api.get(url) : null), {
    timeoutMs: 90_000,
  });
async function importAll(files: { fileName: string; content: Buffer }[]): Promise<string[]> {
  const task = await api.upload(system.queueId, files);
  const { annotationIds } = await waitFor('the upload', () => api.findUploaded(task), { timeoutMs: 90_000 });
  const urls = annotationIds.map((id) => `${system.baseUrl}/v1/annotations/${id}`);
  for (const url of urls) await settled(url);
  return urls;
}
const importOne = async () => (await importAll([await invoice()]))[0] as string;

it('a rejection keeps its words as a note', async () => {
  const annotation = await importOne();
  const rejected = await api.post(`${annotation}/reject`, { note_content: 'Wrong company.', note: 'dropped' });
  expect(rejected).toEqual({ status: 'rejected', note: expect.stringMatching(/\/notes\/\d+$/) });
  expect(await api.get(rejected.note)).toMatchObject({ type: 'rejection', content: 'Wrong company.', annotation });
  expect((await api.get(`/notes?annotation=${idOf(annotation)}`)).results).toHaveLength(1);
  expect((await api.patch(annotation, { status: 'to_review' })).rejected_at).not.toBeNull();
  expect(await api.post(`${annotation}/reject`)).toEqual({ status: 'rejected', note: null });
  const note = await api.post('/notes', { annotation, content: 'By hand' });
  expect(note).toMatchObject({ type: null, content: 'By hand' });
  expect((await api.patch(note.url, { content: 'Changed' })).content).toBe('Changed');
  const reason = await api.post('/notes', { annotation, content: 'No order', type: 'rejection' });
  expect(reason.type).toBe('rejection');
  expect((await api.patch(reason.url, { content: 'None' })).type).toBe('rejection');
  expect((await api.patch(reason.url, { type: null })).type).toBeNull();
  expect((await send('POST', '/notes', { body: { annotation, content: 'x', type: 'remark' } })).body).toEqual({
    type: ['"remark" is not a valid choice.'],
  });
  expect((await send('DELETE', note.url)).status).toBe(204);
  expect((await send('GET', note.url)).status).toBe(404);
});

it('a copy has the data, a life of its own, and is made once for a key', async () => {
  const annotation = await importOne();
  const number = flatten((await api.get(`${annotation}/content`)).content).find((n) => n.schema_id === 'document_id');
  await api.patch(number.url, { content: { value: 'COPIED' } });
  const headers = { 'idempotency-key': 'copy-1' };
  const body = { target_queue: second.url };
  const first = await send('POST', `${annotation}/copy`, { body, headers });
  expect(await send('POST', `${annotation}/copy`, { body, headers })).toEqual(first);
  expect(first.status).toBe(200);
  const copy = await api.get(first.body.annotation);
  const original = await api.get(annotation);
  expect(copy).toMatchObject({ queue: second.url, status: 'to_review', document: original.document });
  expect(copy.pages).toHaveLength(original.pages.length);
  expect(copy.pages).not.toEqual(original.pages);
  expect(await valuesOf(copy.url)).toEqual(await valuesOf(annotation));
  await api.patch(number.url, { content: { value: 'CHANGED' } });
  expect((await valuesOf(copy.url)).document_id).toBe('COPIED');
  expect((await api.get(copy.document)).annotations.sort()).toEqual([annotation, copy.url].sort());

  const conflict = { body: { target_queue: tabular.url }, headers };
  expect((await send('POST', `${annotation}/copy`, conflict)).status).toBe(409);
  expect(
    (await send('POST', `${annotation}/copy`, { body: { ...body, target_status: 'confirmed' } })).body,
  ).toHaveProperty('target_status');
  const migrated = await api.post(`${annotation}/copy`, { target_queue: tabular.url, target_status: 'postponed' });
  expect([(await api.get(migrated.annotation)).status, await valuesOf(migrated.annotation)]).toEqual([
    'postponed',
    { document_id: 'CHANGED', new_field: 'fresh' },
  ]);
  const again = await api.post(`${annotation}/copy?reimport=true`, body);
  await settled(again.annotation);
  expect((await valuesOf(again.annotation)).document_id).toMatch(/^LIFE-/);
});

it('what was never read is not reviewed', async () => {
  const { document } = await api.get(await importOne());
  const { url } = await send('POST', '/annotations', { body: { status: 'created', document, queue } }).then(
    (r) => r.body,
  );
  const conflict = { status: 409, body: { code: 'conflict_status', detail: expect.stringMatching(/not read/) } };
  const copyAs = (target_status?: string) =>
    send('POST', `${url}/copy`, { body: { target_queue: second.url, target_status } });
  for (const status of ['to_review', 'postponed', 'exported']) expect(await copyAs(status)).toMatchObject(conflict);
  expect((await copyAs('deleted')).status).toBe(200);
  await api.post(`${url}/delete`);
  for (const status of ['to_review', 'postponed']) {
    expect(await send('PATCH', url, { body: { status } })).toMatchObject(conflict);
  }
  await api.patch(url, { status: 'importing' });
  await settled(url);
});

it('a value stands on a page of its document', async () => {
  const annotation = await importOne();
  const [{ children }] = (await api.get(`${annotation}/content`)).content;
  expect(await send('PATCH', children[0].url, { body: { content: { page: 2, position: [1, 2, 3, 4] } } })).toEqual({
    status: 400,
    body: { content: { page: ['The document has no page 2, its last one is 1.'] } },
  });
});

it('messages about a datapoint go along with it, and those about none are about the document', async () => {
  const annotation = await importOne();
  const nodeIn = async (of: string, schemaId: string) =>
    flatten((await api.get(`${of}/content`)).content).find((node) => node.schema_id === schemaId)?.id;
  const message = (id: unknown, content: string) => ({ id: String(id), type: 'info', content });
  const messages = [
    message(await nodeIn(annotation, 'document_id'), 'number'),
    message(await nodeIn(annotation, 'amount_total'), 'total'),
    message('all', 'document'),
  ];
  await api.patch(annotation, { messages });
  const { annotation: copy } = await api.post(`${annotation}/copy`, { target_queue: tabular.url });
  const left = [message('all', 'total'), message('all', 'document')];
  expect((await api.get(copy)).messages).toEqual([message(await nodeIn(copy, 'document_id'), 'number'), ...left]);
  expect((await api.patch(annotation, { queue: tabular.url })).messages).toEqual([messages[0], ...left]);
});

it('an annotation that moves takes the schema of the other queue', async () => {
  const annotation = await importOne();
  const before = await valuesOf(annotation);
  for (const [status, refused] of [
    ['reviewing', 400],
    ['exported', 409],
    ['confirmed', 400],
  ]) {
    expect((await send('PATCH', annotation, { body: { queue: tabular.url, status } })).status).toBe(refused);
    expect((await api.get(annotation)).queue).toBe(queue);
  }
  const strict = await api.post('/schemas', {
    name: 'Strict',
    content: [
      {
        category: 'section',
        id: 's',
        label: 'S',
        children: [{ category: 'datapoint', id: 'must', label: 'Must', type: 'string' }],
      },
    ],
  });
  const { workspace } = await api.get(queue);
  const checked = await api.post('/queues', {
    name: 'Strict',
    workspace,
    schema: strict.url,
    use_confirmed_state: true,
  });
  const invalid = await send('PATCH', annotation, { body: { queue: checked.url, status: 'confirmed' } });
  expect(invalid).toMatchObject({ status: 400, body: { messages: [{ type: 'error', content: 'required' }] } });
  expect((await api.get(annotation)).queue).toBe(queue);
  const moved = await api.patch(annotation, { queue: tabular.url });
  expect(moved).toMatchObject({ queue: tabular.url, schema: tabular.schema, status: 'to_review' });
  expect(await valuesOf(annotation)).toEqual({ document_id: before.document_id, new_field: 'fresh' });
  await api.post(`${annotation}/start`);
  expect(await send('PATCH', annotation, { body: { queue: queue } })).toMatchObject({
    status: 409,
    body: { code: 'conflict_status' },
  });
});

it('parallel reviewers of one queue never get the same annotation', async () => {
  const { workspace, schema } = await api.get(queue);
  const own = await api.post('/queues', { name: 'Next', workspace, schema });
  const source = await importOne();
  const copies: string[] = [];
  for (let i = 0; i < 50; i++) {
    copies.push((await api.post(`${source}/copy`, { target_queue: own.url })).annotation);
  }
  const given = await Promise.all(
    Array.from({ length: 50 }, () => send('POST', `${own.url}/next`, { timeoutMs: 60_000 })),
  );
  expect(given.map(({ status }) => status)).toEqual(Array(50).fill(200));
  expect(new Set(given.map(({ body }) => body.annotation))).toEqual(new Set(copies));
  expect(given[0]?.body.session_timeout).toBe('01:00:00');
  const mine = await api.post(`${own.url}/next`);
  expect(copies).toContain(mine.annotation);
  const empty = await api.post('/queues', { name: 'Empty', workspace, schema });
  expect(await api.post(`${empty.url}/next`)).toEqual({ annotation: null });
  for (const path of [`${empty.url}/next`, `${source}/start`])
    expect(await send('POST', path, { body: { statuses: ['reviewed'] } })).toMatchObject({
      status: 400,
      body: { statuses: expect.anything() },
    });
});

it('the same bytes come twice are a relation, and nothing is dropped', async () => {
  const file = await invoice();
  const [one] = await importAll([file]);
  const [two] = await importAll([{ ...file, fileName: 'again.pdf' }]);
  const { relations } = await api.get(two as string);
  expect(relations).toHaveLength(1);
  expect((await api.get(one as string)).relations).toEqual(relations);
  const relation = await api.get(relations[0]);
  expect(relation).toMatchObject({ type: 'duplicate', parent: null, key: expect.stringMatching(/^[0-9a-f]{32}$/) });
  expect(relation.annotations.sort()).toEqual([one, two].sort());
  const list = await api.get(`/annotations?id=${idOf(two as string)}&sideload=relations`);
  expect(list.relations).toEqual([relation]);

  const facts = await importAll([
    {
      fileName: 'facts.pdf',
      content: await buildPdf({ lines: invoiceLines(`LIFE-${counter}`), marker: 'other bytes' }),
    },
  ]);
  const others = await Promise.all((await api.get(facts[0] as string)).relations.map((url: string) => api.get(url)));
  expect(others.map(({ type, annotations }) => [type, annotations.length])).toEqual([['duplicate', 3]]);
});

it('a relation of duplicates is over when one of two is purged or gone', async () => {
  const files = await Promise.all([1, 2, 3].map(async (n) => ({ ...(await invoice()), fileName: `${n}.pdf` })));
  const same = files.map(({ fileName }) => ({ fileName, content: files[0]?.content as Buffer }));
  const [purged, gone, last] = (await importAll(same)) as [string, string, string];
  const [relation] = (await api.get(last)).relations;
  expect((await api.get(relation)).annotations).toHaveLength(3);
  await api.post(`${purged}/delete`);
  await api.post('/annotations/purge_deleted', { annotations: [purged] });
  await settled(purged, 'purged');
  expect((await api.get(relation)).annotations.sort()).toEqual([gone, last].sort());
  await api.delete(gone);
  expect((await send('GET', relation)).status).toBe(404);
  expect((await api.get(last)).relations).toEqual([]);

  const [again] = (await importAll([{ fileName: 'again.pdf', content: files[0]?.content as Buffer }])) as [string];
  const [second] = (await api.get(again)).relations;
  expect((await api.get(second)).annotations.sort()).toEqual([last, again].sort());
  await api.post(`${again}/delete`);
  await api.post('/annotations/purge_deleted', { annotations: [again] });
  await settled(again, 'purged');
  expect((await send('GET', second)).status).toBe(404);
  expect([(await api.get(last)).relations, (await api.get(again)).relations]).toEqual([[], []]);
});

it('nobody learns from relations of annotations that he does not see', async () => {
  const [mine, hidden] = (await importAll([await invoice(), await invoice()])) as [string, string];
  const reader = { username: 'reader@example.com', password: 'a-password-of-some-length' };
  const roles = (await api.get('/groups?name=annotator')).results.map(({ url }: Json) => url);
  const organization = `${system.baseUrl}/v1/organizations/${system.organizationId}`;
  const copy = (await api.post(`${mine}/copy`, { target_queue: second.url })).annotation;
  await api.post('/users', { ...reader, organization, groups: roles, queues: [second.url] });
  const member = await api.post('/relations', { type: 'attachment', annotations: [copy, hidden] });
  const child = await api.post('/relations', { type: 'attachment', parent: hidden, annotations: [copy] });
  const as = await system.login(reader);
  const found = async (by: Api, query: string) => (await by.get(`/${query}`)).results.map(({ id }: Json) => id);
  const searched = async (by: Api) =>
    (await by.post('/annotations/search', { query: { $and: [{ relations__parent: { $eq: hidden } }] } })).results
      .length;
  expect(await found(as, `relations?annotation=${idOf(copy)},${idOf(hidden)}`)).toEqual([member.id, child.id]);
  expect(await found(api, `relations?annotation=${idOf(hidden)}`)).toEqual([member.id]);
  expect(await found(as, `relations?annotation=${idOf(hidden)}`)).toEqual([]);
  expect(await found(api, `relations?parent=${idOf(hidden)}`)).toEqual([child.id]);
  expect(await found(as, `relations?parent=${idOf(hidden)}`)).toEqual([]);
  expect([await searched(api), await searched(as)]).toEqual([1, 0]);
});

it('what was deleted and purged has no data and no bytes any more', async () => {
  const annotation = await importOne();
  const { document, pages, metadata } = await api.get(annotation);
  await api.download(`${pages[0]}/content`);
  const kept = await api.post(`${annotation}/copy`, { target_queue: second.url });
  const purge = async (url: string) => {
    await api.post(`${url}/delete`);
    expect(await send('POST', '/annotations/purge_deleted', { body: { annotations: [url] } })).toEqual({
      status: 202,
      body: {},
    });
    return settled(url, 'purged');
  };
  const { url: purged_by } = await api.get('/auth/user');
  expect(await purge(annotation)).toMatchObject({ pages: [], metadata, purged_at: expect.any(String), purged_by });
  expect(await api.get(`${annotation}/content`)).toEqual({ content: [], results: [] });
  await waitFor('the pages to go', async () => (await send('GET', pages[0])).status === 404);
  // The copy still needs the document.
  expect((await api.download(`${document}/content`)).subarray(0, 4).toString()).toBe('%PDF');
  await purge(kept.annotation);
  await waitFor('the bytes to go', async () => (await send('GET', `${document}/content`)).status === 404);
  await waitFor('the name to go', async () => (await api.get(document)).original_file_name === '');
  expect(await api.get(document)).toMatchObject({ s3_name: '' });
  const label = await api.post('/labels', { name: 'Too late' });
  const labels = { operations: { add: [label.url] }, objects: { annotations: [annotation] } };
  for (const refused of [
    send('PATCH', annotation, { body: { metadata: { a: 1 } } }),
    send('POST', '/notes', { body: { annotation, content: 'Too late' } }),
    send('POST', '/labels/apply', { body: labels }),
  ]) {
    expect(await refused).toMatchObject({ status: 409, body: { code: 'conflict_status' } });
  }
  expect((await api.get(`${annotation}/history`)).results.at(-1)).toMatchObject({
    ...{ trigger: 'purge', status: 'purged', actor: 'user', user: purged_by },
  });
  expect((await send('POST', '/annotations/purge_deleted', { body: {} })).body).toHaveProperty('non_field_errors');
});

it('purging takes the body and attachments of the e-mail along that brought the document', async () => {
  const { fileName, content } = await invoice();
  const raw = await buildMail({
    to: system.inboxEmail,
    subject: 'To be forgotten',
    text: 'A secret.',
    attachments: [{ filename: fileName, content }],
  });
  const stored = () => listObjects(backing().s3, system.env.INTAKE_S3_BUCKET ?? '');
  const before = await stored();
  await sendMail(system.smtp, { raw, to: system.inboxEmail });
  const email: Json = await waitFor('the e-mail', async () =>
    (await api.get('/emails')).results.find(
      ({ subject, documents }: Json) => subject === 'To be forgotten' && documents.length > 0,
    ),
  );
  const [annotation] = await waitFor('the annotation', async () => {
    const { annotations } = await api.get(email.documents[0]);
    return annotations.length > 0 && (annotations as string[]);
  });
  await settled(annotation as string);
  expect(email.body_text_plain).toContain('A secret.');
  await api.post(`${annotation}/delete`);
  await api.post('/annotations/purge_deleted', { annotations: [annotation] });
  await settled(annotation as string, 'purged');
  await waitFor('the body to go', async () => (await api.get(email.url)).body_text_plain === '');
  expect(await api.get(email.url)).toMatchObject({ subject: 'To be forgotten', from: email.from });
  await waitFor('the bytes to go', async () => (await stored()).every((key) => before.includes(key)));
});

it('what is older than the document_lifetime of its queue is purged, whatever its state', async () => {
  const { workspace, schema } = await api.get(queue);
  const short = await api.post('/queues', { name: 'Short', workspace, schema });
  const urls: string[] = [];
  const original = await importOne();
  for (const target_status of ['to_review', 'rejected', 'deleted', 'exported', 'to_review']) {
    const { annotation } = await api.post(`${original}/copy`, { target_queue: short.url, target_status });
    urls.push(annotation);
  }
  const reviewed = urls.at(-1) as string;
  await api.post(`${reviewed}/start`);
  const longer = await api.patch(short.url, { document_lifetime: '90 00:00:00' });
  expect(longer.document_lifetime).toBe('90 00:00:00');
  expect((await api.get(reviewed)).status).toBe('reviewing');
  await api.patch(short.url, { document_lifetime: '00:00:01' });
  for (const url of urls) await settled(url, 'purged');
  const { results } = await api.get(`${reviewed}/history`);
  expect(results.slice(-2).map(({ trigger, status }: Json) => [trigger, status])).toEqual([
    ['expire', 'deleted'],
    ['purge', 'purged'],
  ]);
});

it('a review ends when its holder has done nothing for the session_timeout of the queue, and not before', async () => {
  const { workspace, schema } = await api.get(queue);
  const quick = await api.post('/queues', { name: 'Quick', workspace, schema, session_timeout: '00:00:04' });
  const original = await importOne();
  const { annotation } = await api.post(`${original}/copy`, { target_queue: quick.url, target_status: 'to_review' });
  expect((await api.post(`${annotation}/start`)).session_timeout).toBe('00:00:04');
  const started = Date.now();
  await waitFor('more than the time-out to pass', async () => {
    await api.post(`${annotation}/content/validate`, { actions: ['user_update'] });
    return Date.now() - started > 6000;
  });
  expect((await api.get(annotation)).status).toBe('reviewing');
  await settled(annotation, 'to_review');
  const { results } = await api.get(`${annotation}/history`);
  expect(results.at(-1)).toMatchObject({ trigger: 'time_out', user: null, previous_status: 'reviewing' });
  const late = await send('POST', `${annotation}/content/validate`, { body: { actions: ['user_update'] } });
  expect(late.status).toBe(409);
  await api.post(`${annotation}/start`);
});

it('the audit trail names every value with where it came from and what it was', async () => {
  const annotation = await importOne();
  const number = flatten((await api.get(`${annotation}/content`)).content).find((n) => n.schema_id === 'document_id');
  await api.patch(number.url, { content: { value: 'BY-HAND' } });
  const { results } = await api.get(`${annotation}/history`);
  expect(results.map(({ version }: Json) => version)).toEqual(results.map((_: Json, i: number) => i + 1));
  const user = await api.get('/auth/user');
  const changes = results.flatMap(({ values }: Json) => values).filter(({ url }: Json) => url === number.url);
  expect(changes).toEqual([
    expect.objectContaining({ previous_value: null, value: number.content.value, origin: 'engine' }),
    expect.objectContaining({ previous_value: number.content.value, value: 'BY-HAND', origin: 'person' }),
  ]);
  expect(results.at(-1)).toMatchObject({ trigger: 'content', actor: 'user', user: user.url });
});

it('the audit trail is paged, and tells values of formulas from those of people', async () => {
  const { workspace } = await api.get(queue);
  const computed = await api.post('/schemas', {
    name: 'Computed',
    content: [
      {
        category: 'section',
        id: 'only',
        label: 'Only',
        children: [
          { category: 'datapoint', id: 'base', label: 'Base', type: 'number', constraints: { required: false } },
          {
            category: 'datapoint',
            id: 'double',
            label: 'Double',
            type: 'number',
            formula: 'default_to(field.base, 0) * 2',
            constraints: { required: false },
            ui_configuration: { type: 'formula', edit: 'enabled' },
          },
        ],
      },
    ],
  });
  const own = await api.post('/queues', { name: 'Computed', workspace, schema: computed.url });
  const { annotation } = await api.post(`${await importOne()}/copy`, { target_queue: own.url });
  const nodes = flatten((await api.get(`${annotation}/content`)).content);
  const [base, double] = ['base', 'double'].map((id) => nodes.find((node) => node.schema_id === id)) as [Json, Json];
  expect([double.no_recalculation, 'no_recalculation' in base]).toEqual([false, false]);
  await api.patch(base.url, { content: { value: '4' } });
  const first = await api.get(`${annotation}/history?page_size=1`);
  const { total, next } = first.pagination;
  expect([first.results.map(({ version }: Json) => version), total >= 2, typeof next]).toEqual([[1], true, 'string']);
  const last = await api.get(`${annotation}/history?page_size=1&page=${total}`);
  expect(last.results).toMatchObject([
    {
      version: total,
      values: [
        { schema_id: 'base', value: '4', origin: 'person' },
        { schema_id: 'double', value: '8', origin: 'formula' },
      ],
    },
  ]);
  expect((await send('GET', `${annotation}/history?page=0`)).status).toBe(404);
});

it('DELETE removes an annotation with its pages and relations, and leaves the document', async () => {
  const [annotation, other] = (await importAll([await invoice(), await invoice()])) as [string, string];
  const { document, pages } = await api.get(annotation);
  const asParent = await api.post('/relations', { type: 'attachment', parent: annotation, annotations: [other] });
  const asMember = await api.post('/relations', { type: 'attachment', parent: other, annotations: [annotation] });
  expect(await send('DELETE', annotation)).toEqual({ status: 204, body: null });
  expect((await send('GET', annotation)).status).toBe(404);
  expect((await send('DELETE', annotation)).status).toBe(404);
  expect((await send('GET', `${annotation}/content`)).status).toBe(404);
  expect((await send('GET', asParent.url)).status).toBe(404);
  expect([(await api.get(asMember.url)).annotations, (await api.get(other)).relations]).toEqual([[], []]);
  await waitFor('the pages to go', async () => (await send('GET', pages[0])).status === 404);
  await waitFor('the document to forget it', async () => (await api.get(document)).annotations.length === 0);
  expect((await api.download(`${document}/content`)).subarray(0, 4).toString()).toBe('%PDF');
});

it('a key belongs to one relation of duplicates; without one there may be several', async () => {
  const duplicate = (key: string | null) =>
    send('POST', '/relations', { body: { type: 'duplicate', key, annotations: [] } });
  const made = [await duplicate(null), await duplicate(null), await duplicate('the same')];
  expect(made.map(({ status }) => status)).toEqual([201, 201, 201]);
  const refused = { status: 400, body: { key: ['There is a relation of duplicates with this key.'] } };
  expect(await duplicate('the same')).toEqual(refused);
  const [one] = made.map(({ body }) => (body as Json).url as string);
  expect(await send('PATCH', one as string, { body: { key: 'the same' } })).toEqual(refused);
});

it('an assignment is dated, and a label that is deleted is on no annotation any more', async () => {
  const annotation = await importOne();
  const user = await api.get('/auth/user');
  expect((await api.get(annotation)).assigned_at).toBeNull();
  await api.post('/annotations/assign', { annotations: [annotation], assignees: [user.url] });
  expect(await api.get(annotation)).toMatchObject({ assignees: [user.url], assigned_at: expect.any(String) });
  const organization = `${system.baseUrl}/v1/organizations/${system.organizationId}`;
  const login = { username: 'gone@example.com', password: 'correct horse battery' };
  const gone = await api.post('/users', { ...login, organization });
  await send('DELETE', gone.url);
  expect(
    await send('POST', '/annotations/assign', { body: { annotations: [annotation], assignees: [gone.url] } }),
  ).toEqual({ status: 400, body: { assignees: ['Invalid hyperlink - Object does not exist.'] } });
  const label = await api.post('/labels', { name: 'Soon gone', organization });
  await api.post('/labels/apply', { operations: { add: [label.url] }, objects: { annotations: [annotation] } });
  expect((await api.get(annotation)).labels).toEqual([label.url]);
  expect((await send('DELETE', label.url)).status).toBe(204);
  await waitFor('the label to go', async () => (await api.get(annotation)).labels.length === 0);
});

it('words of the pages are found, clicked and searched, also after a turn', async () => {
  const annotation = await importOne();
  const words = await api.get(`${annotation}/page_data?granularity=words`);
  const word = words.results[0].items.find(({ text }: Json) => text.startsWith('LIFE-'));
  expect(words.results[0]).toMatchObject({ page_number: 1, granularity: 'words' });
  expect((await send('GET', `${annotation}/page_data`)).status).toBe(400);
  expect((await api.get(`${annotation}/page_data?granularity=barcodes`)).results).toEqual([
    { page_number: 1, granularity: 'barcodes', items: [] },
  ]);
  expect((await send('GET', `${annotation}/page_data?granularity=codes`)).status).toBe(400);
  const found = await api.get(`${annotation}/search?phrase=${encodeURIComponent(word.text.toLowerCase())}`);
  expect(found).toEqual({ results: [{ rectangle: word.position, page: 1 }], status: 'ok' });
  expect((await send('GET', `${annotation}/search?phrase=L`)).body).toEqual({
    phrase: ['Ensure this field has at least 2 characters.'],
  });

  const { pages } = await api.get(annotation);
  const field = flatten((await api.get(`${annotation}/content`)).content).find((n) => n.schema_id === 'order_id');
  const [left, top] = word.position;
  const body = { rectangle: [left + 3, top + 3, left + 4, top + 4], page: pages[0] };
  const selected = await api.post(`${field.url}/select`, body);
  expect(selected).toMatchObject({
    content: { value: word.text, ocr_text: word.text, page: 1, position: word.position },
    validation_sources: ['human'],
  });
  const total = flatten((await api.get(`${annotation}/content`)).content).find((n) => n.schema_id === 'amount_total');
  const at = words.results[0].items.findIndex(({ text }: Json) => text === '1200.00');
  const [amount, currency] = words.results[0].items.slice(at, at + 2).map(({ position }: Json) => position);
  const both = { rectangle: [...amount.slice(0, 2), ...currency.slice(2)], page: pages[0] };
  expect((await api.post(`${total.url}/select`, both)).content).toMatchObject({
    ...{ value: '1 200.00', normalized_value: '1200.00' },
    ...{ ocr_text: '1 200.00', ocr_raw_text: '1200.00 EUR' },
  });

  expect((await send('POST', `${annotation}/rotate`, { body: { rotation_deg: 45 } })).status).toBe(400);
  expect((await send('POST', `${annotation}/rotate`, { body: { rotation_deg: 90 } })).status).toBe(204);
  await settled(annotation);
  const turned = await api.get(`${annotation}/page_data?granularity=words`);
  const [x, y, right, bottom] = turned.results[0].items.find(({ text }: Json) => text === word.text).position;
  expect(bottom - y).toBeCloseTo(word.position[2] - left, 0);
  expect(right - x).toBeCloseTo(word.position[3] - top, 0);
  const page = await api.get((await api.get(annotation)).pages[0]);
  expect(page.rotation_deg).toBe(90);
  const image = await api.download(page.content);
  expect([image.readUInt32BE(16), image.readUInt32BE(20)]).toEqual([page.height, page.width]);
});

it('a long document has all its pages, and is read as far as its queue says', async () => {
  const lines = invoiceLines('LONG-1');
  const [long] = await importAll([
    { fileName: 'long.pdf', content: await buildPdf({ lines, pages: Array(33).fill(['More']) }) },
  ]);
  const { pages, document } = await api.get(long as string);
  expect(pages).toHaveLength(34);
  expect(await api.get(pages[33])).toMatchObject({ number: 34, width: 1240, height: 1754 });
  expect((await api.download(`${pages[33]}/content`)).subarray(1, 4).toString()).toBe('PNG');
  const wordsOf = (page: number) => send('GET', `${long}/page_data?granularity=words&page_numbers=${page}`);
  expect([(await wordsOf(32)).status, (await wordsOf(33)).status]).toEqual([200, 404]);
  const [split] = (await api.post(`${long}/split`, { documents: [{ pages: [{ page: pages[33] }] }] })).results;
  expect((await settled(split.annotation)).pages).toHaveLength(1);
  expect((await api.get(split.document)).parent).toBe(document);

  const { workspace, schema } = await api.get(queue);
  const own = { name: 'Short', workspace, schema, rir_params: 'effective_page_count=1&tables=false' };
  const { id } = await api.post('/queues', own);
  const task = await api.upload(id, [{ fileName: 'two.pdf', content: await buildPdf({ lines, pages: [lines] }) }]);
  const { annotationIds } = await waitFor('the upload', () => api.findUploaded(task), { timeoutMs: 90_000 });
  const short = `${system.baseUrl}/v1/annotations/${annotationIds[0]}`;
  expect((await settled(short)).pages).toHaveLength(2);
  const nodes = flatten((await api.get(`${short}/content`)).content);
  expect(nodes.find((node) => node.schema_id === 'document_id').content.value).toBe('LONG-1');
  expect(nodes.filter(({ category }) => category === 'tuple')).toEqual([]);
  expect((await api.get(`${short}/search?phrase=LONG-1`)).results).toHaveLength(1);
});

it('the rows of a table are read from the page by its grid', async () => {
  const annotation = await importOne();
  const words: Json[] = (await api.get(`${annotation}/page_data?granularity=words`)).results[0].items;
  const placeOf = (text: string) => words.find((word) => word.text === text)?.position as number[];
  const [left = 0, top = 0, , bottom = 0] = placeOf('Consulting');
  const leftOf = (text: string) => (placeOf(text)[0] as number) - 2;
  const column = (left_position: number, schema_id: string | null) => ({ left_position, schema_id, header_texts: [] });
  const grid = {
    page: 1,
    columns: [
      column(left - 2, 'item_description'),
      column(leftOf('Quantity'), 'item_quantity'),
      column(leftOf('Unit'), null),
    ],
    rows: [{ top_position: top - 2, tuple_id: null, type: 'data' }],
    width: 1000,
    height: bottom - top + 4,
  };
  const tableOf = async () =>
    flatten((await api.get(`${annotation}/content`)).content).find((n) => n.schema_id === 'line_items') as Json;
  const valuesOfRow = (row: Json) =>
    Object.fromEntries(row.children.map(({ schema_id: id, content }: Json) => [id, content.normalized_value]));
  const before = await tableOf();
  expect(before.grid).toBeNull();
  await api.post(`${annotation}/content/operations`, {
    operations: before.children.map(({ id }: Json) => ({ op: 'remove', id })),
  });

  const made = await api.post(`${before.url}/grid_operations`, { operations: [{ op: 'create', grid }] });
  expect(made.children).toHaveLength(1);
  expect(valuesOfRow(made.children[0])).toMatchObject({ item_description: 'Consulting services', item_quantity: '10' });
  expect(made.grid.parts).toEqual([{ ...grid, rows: [{ ...grid.rows[0], tuple_id: made.children[0].id }] }]);
  expect(await tableOf()).toEqual(made);

  const body = {
    grid_index: 0,
    grid: made.grid.parts[0],
    operations: { columns: [{ op: 'delete', schema_id: 'item_quantity' }] },
  };
  const emptied = await api.post(`${before.url}/grid_parts_operations?full_response=true`, body);
  expect(valuesOfRow(emptied.children[0])).toMatchObject({
    item_description: 'Consulting services',
    item_quantity: null,
  });
  const anew = await api.post(`${before.url}/transform_grid_to_datapoints`);
  expect(anew.content).toHaveLength(1);
  expect(valuesOfRow(anew.content[0])).toMatchObject({ item_quantity: '10' });
  expect(anew.content[0].id).not.toBe(made.children[0].id);

  const { annotation: copy } = await api.post(`${annotation}/copy`, { target_queue: second.url });
  const copied = flatten((await api.get(`${copy}/content`)).content).find((n) => n.schema_id === 'line_items') as Json;
  expect(copied.grid.parts[0].rows).toEqual([{ ...grid.rows[0], tuple_id: copied.children[0].id }]);
  await api.post(`${copy}/content/operations`, { operations: [{ op: 'remove', id: copied.children[0].id }] });
  expect((await api.get(copied.url)).grid.parts[0].rows).toEqual(grid.rows);

  const mixed = [
    { op: 'create', grid },
    { op: 'delete', grid_index: 0 },
  ];
  expect(await send('POST', `${before.url}/grid_operations`, { body: { operations: mixed } })).toEqual({
    status: 400,
    body: { operations: [expect.stringMatching(/one kind/)] },
  });
  const field = flatten((await api.get(`${annotation}/content`)).content).find((n) => n.schema_id === 'document_id');
  expect(await send('POST', `${field?.url}/grid_operations`, { body: { operations: [] } })).toEqual({
    status: 400,
    body: { id: ['Only a table has a grid.'] },
  });
  expect(
    (await send('POST', `${annotation}/content/999999/grid_operations`, { body: { operations: [] } })).status,
  ).toBe(404);
});

it('says why a document was not automated', async () => {
  const annotation = await importOne();
  const { automation_blocker: url, automated } = await api.get(annotation);
  expect(automated).toBe(false);
  expect(await api.get(url)).toMatchObject({
    annotation,
    content: [{ level: 'annotation', type: 'automation_disabled' }],
  });
  const list = await api.get(`/annotations?id=${idOf(annotation)}&sideload=automation_blockers`);
  expect(list.automation_blockers).toMatchObject([{ url }]);
});

it('labels are put on annotations and taken off', async () => {
  const annotation = await importOne();
  const label = await api.post('/labels', { name: 'urgent' });
  const apply = (operations: object, annotations = [annotation]) =>
    send('POST', '/labels/apply', { body: { operations, objects: { annotations } } });
  expect((await apply({ add: [label.url] })).status).toBe(204);
  expect((await apply({ add: [label.url] })).status).toBe(204);
  expect((await api.get(annotation)).labels).toEqual([label.url]);
  const list = await api.get(`/annotations?labels=${label.id}&sideload=labels`);
  expect([list.results.map(({ url }: Json) => url), list.labels]).toEqual([[annotation], [label]]);
  expect(await apply({ add: [label.url], remove: [`${label.url}9999`] })).toEqual({
    status: 400,
    body: { operations: { remove: ['Invalid hyperlink - Object does not exist.'] } },
  });
  expect((await apply({ add: [label.id] })).status).toBe(400);
  expect((await apply({ add: [label.url] }, [`${annotation}9999`])).status).toBe(400);
  await apply({ remove: [label.url] });
  expect((await api.get(annotation)).labels).toEqual([]);
});

it('a queue that is set up so lets a sure document pass by itself', async () => {
  const { workspace } = await api.get(queue);
  const schema = await api.post('/schemas', {
    name: 'Sure',
    content: [
      {
        category: 'section',
        id: 'only',
        label: 'Only',
        children: [
          { category: 'datapoint', id: 'number', label: 'Number', type: 'string', rir_field_names: ['document_id'] },
        ],
      },
    ],
  });
  const own = await api.post('/queues', { name: 'Sure', workspace, schema: schema.url, default_score_threshold: 0.3 });
  await api.patch(own.url, { automation_enabled: true, automation_level: 'confident' });
  const send = async () => {
    const task = await api.upload(own.id, [await invoice()]);
    const { annotationIds } = await waitFor('the upload', () => api.findUploaded(task), { timeoutMs: 90_000 });
    return `${system.baseUrl}/v1/annotations/${annotationIds[0]}`;
  };
  expect(await settled(await send(), 'exported')).toMatchObject({
    automated: true,
    automation_blocker: null,
    confirmed_by: null,
    confirmed_at: expect.any(String),
    exported_at: expect.any(String),
  });
  await api.patch(own.url, { use_confirmed_state: true });
  expect((await settled(await send(), 'confirmed')).automated).toBe(true);
  await api.patch(own.url, { default_score_threshold: 1 });
  const low = await settled(await send());
  expect((await api.get(low.automation_blocker)).content).toMatchObject([
    { level: 'datapoint', type: 'low_score', schema_id: 'number', samples: [{ details: { threshold: 1 } }] },
  ]);
});

it('what people confirmed before validates what is the same now, where a queue wants that', async () => {
  const { workspace } = await api.get(queue);
  const names = ['currency', 'amount_total'];
  const fields = names.map((name) => ({
    ...{ category: 'datapoint', id: `my_${name}`, label: name, type: 'string', rir_field_names: [name] },
  }));
  const content = [{ category: 'section', id: 'only', label: 'Only', children: fields }];
  const schema = await api.post('/schemas', { name: 'Known', content });
  const own = await api.post('/queues', {
    ...{ name: 'Known', workspace, schema: schema.url, default_score_threshold: 1 },
    ...{ automation_enabled: true, automation_level: 'confident' },
    settings: {
      autopilot: {
        enabled: true,
        search_history: { rir_field_names: ['currency'], matching_fields_threshold: 1 },
        automate_fields: { rir_field_names: names, field_repeated_min: 1 },
      },
    },
  });
  const importNext = async () => {
    const task = await api.upload(own.id, [await invoice()]);
    const { annotationIds } = await waitFor('the upload', () => api.findUploaded(task), { timeoutMs: 90_000 });
    return `${system.baseUrl}/v1/annotations/${annotationIds[0]}`;
  };
  const sourcesOf = async (annotation: string) =>
    flatten((await api.get(`${annotation}/content`)).content)
      .filter(({ category }) => category === 'datapoint')
      .map(({ validation_sources }) => validation_sources);

  const first = await importNext();
  await settled(first);
  expect((await sourcesOf(first)).flat()).not.toContain('history');
  await api.post(`${first}/start`);
  await api.post(`${first}/confirm`);
  await settled(first, 'exported');
  const next = await importNext();
  expect((await settled(next, 'exported')).automated).toBe(true);
  for (const sources of await sourcesOf(next)) expect(sources).toContain('history');

  const wrong = { enabled: 'yes', search_history: { matching_fields_threshold: 0 } };
  expect(await send('PATCH', own.url, { body: { settings: { autopilot: wrong } } })).toMatchObject({ status: 400 });
});

it('fields and tables keep the time that was spent on them, and enums their own options until they are taken off', async () => {
  const annotation = await importOne();
  const nodes = flatten((await api.get(`${annotation}/content`)).content);
  const table = nodes.find(({ category }) => category === 'multivalue') as Json;
  const times = { time_spent: 1, time_spent_overall: 2, time_spent_grid: 3, time_spent_grid_overall: 4 };
  expect(await api.patch(table.url, times)).toMatchObject(times);
  const { url } = nodes.find(({ schema_id }) => schema_id === 'currency') as Json;
  const options = [{ value: 'xyz', label: 'XYZ' }];
  expect((await api.patch(url, { options })).options).toEqual(options);
  expect(await api.patch(url, { options: null })).not.toHaveProperty('options');
});

it('time that was spent is added up', async () => {
  const annotation = await importOne();
  await api.post(`${annotation}/postpone`, { processing_duration: { time_spent_overall: 2.5, time_spent_edit: 1 } });
  await api.post(`${annotation}/delete`, { processing_duration: { time_spent_overall: 1 } });
  expect(await api.get(`${annotation}/processing_duration`)).toMatchObject({
    annotation,
    time_spent_overall: 3.5,
    time_spent_edit: 1,
    time_spent_active: 0,
  });
  expect((await api.get(annotation)).time_spent).toBe(3.5);
});
