import { Api, buildPdf, idOf, invoiceLines, type Json, startSystem, type TestSystem, waitFor } from '@intake/testkit';

const SIDELOADS =
  'assignees automation_blockers confirmed_bys content creators deleted_bys documents emails exported_bys labels modifiers notes organizations pages purged_bys queues rejected_bys related_emails relations child_relations schemas suggested_edits workflow_runs workspaces';

let system: TestSystem;
let api: Api;
let colleague: Api;

beforeAll(async () => {
  system = await startSystem();
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

/** URLs of new annotations, ready for review. */
async function importInvoices(count: number): Promise<string[]> {
  const files = await Promise.all(
    Array.from({ length: count }, async (_, i) => ({
      fileName: `invoice-${i}.pdf`,
      content: await buildPdf({ lines: invoiceLines(`INV-${i}`) }),
    })),
  );
  const task = await api.upload(system.queueId, files);
  const { annotationIds } = await waitFor('the upload', () => api.findUploaded(task), { timeoutMs: 60_000 });
  const urls = annotationIds.map((id) => `${system.baseUrl}/v1/annotations/${id}`);
  for (const url of urls) {
    await waitFor('the extraction', async () => (await api.get(url)).status === 'to_review', { timeoutMs: 60_000 });
  }
  return urls;
}
const importOne = async () => (await importInvoices(1))[0] as string;

const send = async (as: Api, method: string, path: string, options: Parameters<Api['request']>[2] = {}) => {
  const response = await as.request(method, path, options);
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : (JSON.parse(text) as Json) };
};
const flatten = (nodes: Json[]): Json[] => nodes.flatMap((node) => [node, ...flatten(node.children ?? [])]);
const fieldOf = async (annotation: string, schemaId: string) =>
  flatten((await api.get(`${annotation}/content`)).content).find((node) => node.schema_id === schemaId);

it('an action takes no body, an empty one, {} and a form of {}', async () => {
  const annotation = await importOne();
  const bodies: [Buffer | undefined, Record<string, string>][] = [
    [undefined, {}],
    [Buffer.from(''), { 'content-type': 'application/json' }],
    [Buffer.from('{}'), { 'content-type': 'application/json' }],
    [Buffer.from('{}'), { 'content-type': 'application/x-www-form-urlencoded' }],
    [Buffer.from('{}'), {}],
  ];
  for (const [body, headers] of bodies) {
    expect(await send(api, 'POST', `${annotation}/start`, { body, headers })).toEqual({
      status: 200,
      body: { annotation, session_timeout: '01:00:00' },
    });
    expect((await send(api, 'POST', `${annotation}/cancel/`, { body, headers })).status).toBe(204);
  }
});

it('a review goes from start over an edit to the export', async () => {
  const annotation = await importOne();
  expect(await send(api, 'POST', `${annotation}/confirm`)).toMatchObject({
    status: 409,
    body: { code: 'conflict_status' },
  });
  await api.post(`${annotation}/start`);
  const user = await api.get('/auth/user');
  expect(await api.get(annotation)).toMatchObject({ status: 'reviewing', modifier: user.url, modified_by: user.url });

  const held = [
    await send(colleague, 'POST', `${annotation}/start`),
    await send(colleague, 'POST', `${annotation}/cancel`),
    await send(colleague, 'POST', `${annotation}/confirm`),
    await send(colleague, 'PATCH', annotation, { body: { status: 'exporting' } }),
    await send(colleague, 'PATCH', annotation, { body: { status: 'importing' } }),
    await send(colleague, 'POST', `${annotation}/content/operations`, { body: { operations: [] } }),
  ];
  expect(held.map(({ status }) => status)).toEqual(held.map(() => 409));
  for (const { body } of held) {
    expect(body).toEqual({ detail: 'Document is being annotated by other user.', code: 'conflict_user' });
  }

  const number = await fieldOf(annotation, 'document_id');
  expect(number).toMatchObject({ url: `${annotation}/content/${number.id}`, category: 'datapoint' });
  for (const key of ['value', 'normalized_value', 'page', 'position', 'rir_text', 'rir_confidence', 'ocr_text']) {
    expect(number.content).toHaveProperty(key);
  }
  const patched = await api.patch(number.url, { content: { value: 'NEW-1' }, validation_sources: ['human'], id: 5 });
  expect(patched).toMatchObject({ id: number.id, content: { value: 'NEW-1' }, validation_sources: ['human'] });
  expect(await api.get(number.url)).toEqual(patched);
  const tree = await api.post(`${annotation}/content/operations`, {
    operations: [{ op: 'replace', id: String(number.id), value: { content: { value: 'NEW-2' } } }],
  });
  expect(tree.results).toEqual(tree.content);
  expect(flatten(tree.content).find(({ id }) => id === number.id).content.value).toBe('NEW-2');
  expect(
    await send(api, 'POST', `${annotation}/content/operations`, {
      body: { operations: [{ op: 'remove', id: 999_999 }] },
    }),
  ).toEqual({ status: 400, body: { operations: [{ id: ['Datapoint 999999 not found.'] }] } });

  const validation = await api.post(`${annotation}/content/validate`, { actions: ['user_update'] });
  expect(validation).toMatchObject({
    messages: expect.any(Array),
    updated_datapoints: [],
    suggested_operations: [],
    matched_trigger_rules: [],
  });
  expect(await send(api, 'POST', `${annotation}/content/validate`, { body: { actions: ['started'] } })).toEqual({
    status: 400,
    body: { actions: ['Selected actions: [started] not allowed.'] },
  });

  expect((await send(api, 'POST', `${annotation}/confirm`, { headers: { 'idempotency-key': 'c' } })).status).toBe(204);
  expect((await send(api, 'POST', `${annotation}/confirm`, { headers: { 'idempotency-key': 'c' } })).status).toBe(204);
  const exported = await waitFor('the export', async () => {
    const found = await api.get(annotation);
    return found.status === 'exported' ? found : null;
  });
  expect(exported).toMatchObject({ confirmed_by: user.url, exported_at: expect.stringMatching(/\.\d{6}Z$/) });
});

it('an annotation has every field of the API, none of those null that clients need', async () => {
  const annotation = await api.get(await importOne());
  const keys =
    'id url status document queue schema relations pages creator created_at arrived_at modifier modified_by modified_at assigned_at confirmed_at exported_at export_failed_at rejected_at deleted_at purged_at confirmed_by exported_by rejected_by deleted_by purged_by rir_poll_id messages content suggested_edit time_spent metadata automated automatically_rejected related_emails email email_thread has_email_thread_with_replies has_email_thread_with_new_replies automation_blocker organization prediction assignees labels restricted_access training_enabled einvoice';
  expect(Object.keys(annotation).sort()).toEqual(keys.split(' ').sort());
  const needed =
    'url status schema content relations pages metadata automated related_emails assignees labels has_email_thread_with_replies has_email_thread_with_new_replies';
  for (const key of needed.split(' ')) expect([key, annotation[key]]).not.toEqual([key, null]);
});

it('a list takes every sideload, filters and orderings', async () => {
  const urls = [await importOne(), await importOne()]; // one after the other, so that their times differ
  const ids = urls.map(idOf);
  const list = await api.get(
    `/annotations?id=${ids.join(',')}&ordering=-id&sideload=${SIDELOADS.replaceAll(' ', ',')}&content.schema_id=document_id,line_items`,
  );
  expect(list.results.map(({ id }: Json) => id)).toEqual([...ids].reverse());
  for (const key of SIDELOADS.split(' ')) expect([key, Array.isArray(list[key])]).toEqual([key, true]);
  expect(list.documents.map(({ url }: Json) => url).sort()).toEqual(
    list.results.map(({ document }: Json) => document).sort(),
  );
  expect(list.pages.map(({ url }: Json) => url).sort()).toEqual(
    list.results.flatMap(({ pages }: Json) => pages).sort(),
  );
  expect(list.queues).toMatchObject([{ id: system.queueId }]);
  expect(list.schemas.map(({ url }: Json) => url)).toEqual([list.results[0].schema]);
  expect(list.creators).toMatchObject([{ username: system.admin.username }]);
  expect(list.organizations).toMatchObject([{ id: system.organizationId }]);
  expect(list.workspaces).toHaveLength(1);
  const content = list.content.map((node: Json) => [node.schema_id, node.url.replace(/\/\d+$/, '')]);
  for (const url of urls) {
    expect(content).toContainEqual(['document_id', `${url}/content`]);
    expect(content).toContainEqual(['line_items', `${url}/content`]);
  }
  expect(content).toHaveLength(4);

  const bare = await api.get(`/annotations?id=${ids.join(',')}&sideload=content&content.schema_id=&ordering=`);
  expect([bare.content, bare.results.length]).toEqual([[], 2]);
  const created = list.results[0].created_at as string;
  const total = async (query: string) => (await api.get(`/annotations?id=${ids.join(',')}&${query}`)).pagination.total;
  expect([
    await total('status=to_review,exported'),
    await total('status=exported'),
    await total(`queue=${system.queueId}&queue__workspace=9999`),
    await total(`created_at_after=${created}`),
    await total(`created_at_before=${created}`),
    await total('arrived_at_after=2020-01-01 00:00:00&automated=False'),
    await total('labels=1'),
    await total(`document=${idOf(list.results[0].document)}`),
  ]).toEqual([2, 0, 0, 1, 1, 2, 0, 1]);

  expect(
    await send(api, 'GET', '/annotations?status=odd&relations__type=odd&sideload=nothing&created_at_after=soon'),
  ).toEqual({
    status: 400,
    body: {
      status: ['Select a valid choice. odd is not one of the available choices.'],
      relations__type: ['Select a valid choice. odd is not one of the available choices.'],
      sideload: ['Select a valid choice. nothing is not one of the available choices.'],
      created_at_after: ['Enter a valid date/time.'],
    },
  });
});

it('PATCH changes what may be changed and drops the rest', async () => {
  const annotation = await importOne();
  const before = await api.get(annotation);
  const patched = await api.patch(annotation, {
    ...before,
    metadata: { a: { b: [1] } },
    time_spent: 2.5,
    messages: [{ id: 'all', type: 'warning', content: 'look' }],
    id: 1,
    automated: true,
    schema: 'x',
    pages: [],
  });
  expect(patched).toMatchObject({
    id: before.id,
    schema: before.schema,
    pages: before.pages,
    automated: false,
    metadata: { a: { b: [1] } },
    time_spent: 2.5,
    messages: [{ id: 'all', type: 'warning', content: 'look' }],
  });
  expect((await api.patch(annotation, { messages: [] })).messages).toEqual([]);
  expect((await api.patch(annotation, { status: 'postponed' })).status).toBe('postponed');
  expect((await api.patch(annotation, { status: 'to_review' })).status).toBe('to_review');
  expect(await send(api, 'PATCH', annotation, { body: { status: 'purged' } })).toMatchObject({
    status: 400,
    body: { status: [expect.any(String)] },
  });
  expect(await send(api, 'PUT', annotation, { body: { status: 'to_review' } })).toMatchObject({
    status: 400,
    body: { document: ['This field is required.'], queue: ['This field is required.'] },
  });
  const put = await api.request('PUT', annotation, {
    body: { status: 'to_review', queue: before.queue, document: before.document },
  });
  expect([put.status, (await put.json()) as Json]).toMatchObject([200, { metadata: { a: { b: [1] } }, time_spent: 0 }]);
});

it('postpone, reject and delete', async () => {
  const [one, two] = (await importInvoices(2)) as [string, string];
  expect((await send(api, 'POST', `${one}/postpone`)).status).toBe(204);
  expect((await api.get(one)).status).toBe('postponed');
  expect(await send(api, 'POST', `${one}/reject`, { body: { note: 'dropped' } })).toEqual({
    status: 200,
    body: { status: 'rejected', note: null },
  });
  expect((await send(api, 'POST', `${two}/delete`)).status).toBe(204);
  expect((await send(api, 'POST', `${two}/delete`)).status).toBe(204);
  expect(await api.get(two)).toMatchObject({ status: 'deleted', deleted_by: (await api.get('/auth/user')).url });
  const { counts } = await api.get(`/queues/${system.queueId}`);
  expect(counts).toMatchObject({ rejected: 1, deleted: 1 });
});

it('an export refuses what it cannot do, in JSON', async () => {
  const path = `/queues/${system.queueId}/export`;
  expect(await send(api, 'GET', `${path}?format=pdf&status=odd`)).toEqual({
    status: 400,
    body: {
      format: ['"pdf" is not a valid choice.'],
      status: ['Select a valid choice. odd is not one of the available choices.'],
    },
  });
  expect(await send(api, 'GET', `${path}?format=csv&page=99`)).toMatchObject({
    status: 404,
    body: { detail: 'Invalid page.' },
  });
  expect(await send(api, 'GET', `${path}?format=csv&columns=nothing`)).toMatchObject({
    status: 400,
    body: { columns: [expect.any(String)] },
  });
  expect(await send(api, 'GET', `${path}?to_status=exported`)).toEqual({
    status: 400,
    body: { to_status: ['Only allowed with POST.'] },
  });
  expect(
    (
      await send(api, 'POST', `${path}?format=json`, {
        body: Buffer.from('ignored'),
        headers: { 'content-type': 'text/odd' },
      })
    ).status,
  ).toBe(200);
});

describe('a review in a page of others', () => {
  const ENDS = { return_url: 'https://erp.example.com/done?a=1', cancel_url: 'https://erp.example.com/back' };
  let annotator: Api;
  let annotation: string;
  let other: string;

  beforeAll(async () => {
    const login = { username: 'embedder@example.com', password: 'correct horse battery' };
    await api.post('/users', {
      ...login,
      organization: `${system.baseUrl}/v1/organizations/${system.organizationId}`,
      groups: [`${system.baseUrl}/v1/groups/2`],
      queues: [`${system.baseUrl}/v1/queues/${system.queueId}`],
    });
    annotator = await system.login(login);
    [annotation, other] = (await importInvoices(2)) as [string, string];
  });
  const withToken = (token: string) => Object.assign(new Api(system.baseUrl), { token });
  const tokenIn = (url: string) => new URLSearchParams(new URL(url).hash.slice(1)).get('authToken') as string;

  it('starts, and its address has a token for this document alone', async () => {
    const { url } = await annotator.post(`${annotation}/start_embedded`, ENDS);
    const id = idOf(annotation);
    expect(url.split('#')[0]).toBe(`${system.baseUrl.replace(/\/api$/, '')}/embedded/document/${id}`);
    const given = new URLSearchParams(new URL(url).hash.slice(1));
    expect(given.get('return_url')).toBe(ENDS.return_url);
    expect(given.get('cancel_url')).toBe(ENDS.cancel_url);
    expect((await api.get(annotation)).status).toBe('reviewing');

    const embedded = withToken(tokenIn(url));
    const own = await embedded.get(annotation);
    const [page] = own.pages;
    const [field] = flatten((await embedded.get(`${annotation}/content`)).content).filter(({ content }) => content);
    const pages = `/pages?annotation=${id}`;
    for (const path of [own.document, own.queue, own.schema, page, pages, '/auth/user']) await embedded.get(path);
    expect((await embedded.request('GET', `${page}/preview`)).status).toBe(200);
    expect((await embedded.request('GET', `${own.document}/content`)).status).toBe(200);
    await embedded.patch(field?.url, { content: { value: 'typed elsewhere' } });

    const strange = await api.get(other);
    const refused: [string, string, object?][] = [
      ['GET', other],
      ['GET', `${other}/content`],
      ['POST', `${other}/start`, {}],
      ['GET', strange.pages[0]],
      ['GET', `${strange.pages[0]}/content`],
      ['GET', strange.document],
      ['GET', `/pages?annotation=${idOf(other)}`],
      ['GET', `/pages?annotation=${id}&annotation=${idOf(other)}`],
      ['GET', `/pages?annotation=${idOf(other)}&annotation=${id}`],
      ['GET', `/pages?annotation=${id},${idOf(other)}`],
      ['PATCH', annotation, { status: 'postponed' }],
      ['POST', `${annotation}/rotate`, { rotation_deg: 90 }],
      ['GET', '/pages'],
      ['GET', '/annotations'],
      ['POST', '/annotations/search', { query_string: { string: 'INV' } }],
      ['GET', `/queues/${system.queueId}/export?format=json`],
      ['POST', `/queues/${system.queueId}/next`, {}],
      ['GET', '/queues'],
      ['GET', '/users'],
      ['POST', `${annotation}/copy`, { target_queue: own.queue }],
      ['POST', `${annotation}/start_embedded`, {}],
      ['GET', '/organizations'],
    ];
    for (const [method, path, body] of refused) {
      expect([method, path, (await send(embedded, method, path, { body })).status]).toEqual([method, path, 403]);
    }
    await embedded.request('POST', `${annotation}/confirm`);
    expect(['exported', 'exporting', 'confirmed']).toContain((await api.get(annotation)).status);
  });

  it('is shown in any state without a change, and the token ends when it is to', async () => {
    const { url, status } = await annotator.post(`${other}/create_embedded_url`, { max_token_lifetime_s: 600 });
    expect(status).toBe('to_review');
    expect((await api.get(other)).status).toBe('to_review');
    expect((await withToken(tokenIn(url)).get(other)).status).toBe('to_review');
    const exchange = await fetch(`${system.baseUrl}/v1/auth/token`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${tokenIn(url)}`, 'Content-Type': 'application/json' },
      body: '{}',
    });
    expect(exchange.status).toBe(403);
    const short = await annotator.post(`${other}/create_embedded_url`, { max_token_lifetime_s: 1 });
    const isOver = async () => (await send(withToken(tokenIn(short.url)), 'GET', other)).status === 401;
    await waitFor('the end of the token', isOver);
  });

  it('refuses administrators, addresses that are none, lifetimes that are none, and what is not there', async () => {
    expect((await send(api, 'POST', `${other}/start_embedded`)).status).toBe(403);
    for (const wrong of ['javascript:alert(1)', 'nowhere', 'ftp://example.com/']) {
      const { status, body } = await send(annotator, 'POST', `${other}/start_embedded`, {
        body: { return_url: wrong },
      });
      expect([status, body]).toEqual([400, { return_url: ['Enter a valid URL.'] }]);
    }
    const endless = await send(annotator, 'POST', `${other}/start_embedded`, { body: { max_token_lifetime_s: -1 } });
    expect([endless.status, Object.keys(endless.body ?? {})]).toEqual([400, ['max_token_lifetime_s']]);
    expect((await send(annotator, 'POST', '/annotations/999999/start_embedded')).status).toBe(404);
    expect((await api.get(other)).status).toBe('to_review');
  });
});
