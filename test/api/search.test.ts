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

jest.setTimeout(240_000);

let system: TestSystem;
let api: Api;
/** Queue of the documents, and their annotations in the order of their ids. */
let queue: Json;
let found: Json[];
let reviewer: Json;

const datapoint = (id: string, type: string, more: object = {}) => ({
  ...{ category: 'datapoint', id, label: id, type, constraints: { required: false } },
  ...more,
});
const SCHEMA = [
  {
    category: 'section',
    id: 'head',
    label: 'Head',
    children: [
      datapoint('number', 'string', { rir_field_names: ['document_id'] }),
      datapoint('total', 'number', { format: '# ##0.#' }),
      datapoint('due', 'date', { format: 'D. M. YYYY' }),
      {
        category: 'multivalue',
        id: 'items',
        label: 'Items',
        children: { category: 'tuple', id: 'item', label: 'Item', children: [datapoint('code', 'string')] },
      },
    ],
  },
];

beforeAll(async () => {
  system = await startSystem();
  api = await system.login();
  const { workspace } = await api.get(`/queues/${system.queueId}`);
  const schema = await api.post('/schemas', { name: 'S', content: SCHEMA });
  queue = await api.post('/queues', { name: 'Q', workspace, schema: schema.url });
  for (const name of ['Alpha-2024.pdf', 'beta.pdf', 'gamma.pdf']) {
    const content = await buildPdf({ lines: invoiceLines(name.toUpperCase()) });
    const task = await api.upload(queue.id, [{ fileName: name, content }]);
    await waitFor('the upload', () => api.findUploaded(task), { timeoutMs: 60_000 });
  }
  found = await waitFor(
    'the end of the imports',
    async () => {
      const { results } = await api.get(`/annotations?queue=${queue.id}&status=to_review`);
      return results.length === 3 && results;
    },
    { timeoutMs: 60_000 },
  );
  reviewer = await api.post('/users', {
    username: 'zoe.reviewer',
    email: 'zoe@reviewers.example.com',
    password: 'k3a9zQ7x1b',
    organization: `${system.baseUrl}/v1/organizations/${system.organizationId}`,
    groups: [`${system.baseUrl}/v1/groups/3`],
    queues: [queue.url],
  });
  const zoe = await system.login({ username: 'zoe.reviewer', password: 'k3a9zQ7x1b' });
  await write(api, found[0], { number: 'INV-1', total: '1 234.5', due: '1. 2. 2026' });
  await write(zoe, found[1], { number: 'INV-2', total: '20', due: '3. 2. 2026' });
  await write(api, found[2], { number: 'Žluťoučký kůň' });
});
afterAll(() => system?.stop());

const nodesOf = (node: Json): Json[] =>
  Array.isArray(node) ? node.flatMap(nodesOf) : [node, ...nodesOf(node.children ?? [])];
const write = async (by: Api, { id }: Json, values: Record<string, string>) => {
  const nodes = nodesOf((await by.get(`/annotations/${id}/content`)).content);
  const idOfField = (field: string) => nodes.find(({ schema_id }) => schema_id === field).id;
  const operations = Object.entries(values).map(([field, value]) => ({
    op: 'replace',
    id: idOfField(field),
    value: { content: { value } },
  }));
  await by.post(`/annotations/${id}/content/operations`, { operations });
};
const send = async (method: string, path: string, body?: unknown) => {
  const response = await api.request(method, path, { body });
  return { status: response.status, body: (await response.json()) as Json };
};
/** Positions in `found`. */
const positions = ({ results }: Json) => results.map(({ id }: Json) => found.findIndex((one) => one.id === id));
const list = async (query: string) => positions(await api.get(`/annotations?queue=${queue.id}&${query}`));
const search = async (...conditions: object[]) =>
  positions(
    await api.post('/annotations/search?ordering=id', {
      query: { $and: [{ queue: { $eq: queue.url }, status: { $eq: 'to_review' } }, ...conditions] },
    }),
  );

describe('the filter `search`', () => {
  it.each([
    ['inv-1', [0]],
    ['INV', [0, 1]],
    ['nv', []],
    ['alpha', [0]],
    ['2024 inv', [0]],
    ['2024 beta', []],
    ['žluť KŮŇ', [2]],
    ['zoe@rev', [1]],
    ['reviewers', [1]],
    ['.*', []],
    ['(', []],
    ['inv\0', []],
  ])('finds beginnings of words of %j in %j', async (text, expected) => {
    expect(await list(`ordering=id&search=${encodeURIComponent(text)}`)).toEqual(expected);
  });

  it('is for texts of at most 256 characters', async () => {
    expect(await list(`search=${'x'.repeat(256)}`)).toEqual([]);
    expect(await send('GET', `/annotations?search=${'x'.repeat(257)}`)).toEqual({
      status: 400,
      body: { search: ['Ensure this field has no more than 256 characters.'] },
    });
  });

  it('follows messages and changes of the content', async () => {
    await api.patch(found[2].url, { messages: [{ type: 'info', content: 'Ask the Warehouse' }] });
    expect(await list('search=wareh')).toEqual([2]);
    await write(api, found[2], { number: 'Other' });
    expect([await list('search=oth'), await list('search=žluť')]).toEqual([[2], []]);
    await write(api, found[2], { number: 'Žluťoučký kůň' });
  });

  it('counts for exports too', async () => {
    const csv = (await api.download(`/queues/${queue.id}/export?format=csv&search=inv-2&columns=number`)).toString();
    expect(csv.trim().split(/\r?\n/)).toHaveLength(2);
    const listed = (await api.download(`/annotations?format=csv&page_size=1000&search=inv&columns=number`)).toString();
    expect(listed.trim().split(/\r?\n/)).toHaveLength(3);
  });
});

describe('the order of the list', () => {
  it('knows names of users, and puts what is empty last in both directions', async () => {
    const copy = idOf((await api.post(`${found[0].url}/copy`, { target_queue: queue.url })).annotation);
    const admin = (await api.get('/auth/user')).username;
    expect(admin < 'zoe.reviewer').toBe(true);
    const ordered = async (ordering: string) =>
      (await api.get(`/annotations?queue=${queue.id}&ordering=${ordering}`)).results.map(({ id }: Json) => id);
    const [first, second, third] = found.map(({ id }) => id);
    expect(await ordered('modifier__username,id')).toEqual([first, third, second, copy]);
    expect(await ordered('-modified_by__username,id')).toEqual([second, first, third, copy]);
    expect((await ordered('modifier')).at(-1)).toBe(copy);
    expect((await ordered('-modifier')).at(-1)).toBe(copy);
    expect(await ordered('-created_at')).toEqual([copy, third, second, first]);
    await api.post(`/annotations/${copy}/delete`);
  });
});

describe('a search by a query', () => {
  it('finds values of the content by what they mean', async () => {
    expect(await search({ 'field.number.string': { $eq: 'INV-1' } })).toEqual([0]);
    expect(await search({ 'field.number.string': { $startsWith: 'inv' } })).toEqual([0, 1]);
    expect(await search({ 'field.number.string': { $containsPrefixes: 'kůň žl' } })).toEqual([2]);
    expect(await search({ 'field.number.string': { $ne: 'INV-1' } })).toEqual([1, 2]);
    expect(await search({ 'field.total.number': { $gt: 20 } })).toEqual([0]);
    expect(await search({ 'field.total.number': { $gte: 20, $lt: 1234.5 } })).toEqual([1]);
    expect(await search({ 'field.due.date': { $gte: '2026-02-02' } })).toEqual([1]);
    expect(await search({ 'field.due.date': { $emptyOrMissing: true } })).toEqual([2]);
  });

  it('asks one row of a table for all of a range, and for all of several words', async () => {
    const nodes = nodesOf((await api.get(`/annotations/${found[2].id}/content`)).content);
    const { id } = nodes.find(({ schema_id }) => schema_id === 'items');
    const addRow = (value: string) => ({ op: 'add', id, value: [{ schema_id: 'code', content: { value } }] });
    await api.post(`/annotations/${found[2].id}/content/operations`, { operations: ['b one', 'x two'].map(addRow) });
    const code = (condition: object) => search({ 'field.code.string': condition });
    expect(await code({ $gte: 'b', $lt: 'c' })).toEqual([2]);
    expect(await code({ $gte: 'c', $lt: 'd' })).toEqual([]);
    expect(await code({ $containsPrefixes: 'one b' })).toEqual([2]);
    expect(await code({ $containsPrefixes: 'one x' })).toEqual([]);
    expect(await code({ $containsPrefixes: ' ' })).toEqual([2]);
  });

  it('finds what holds a null character, and fails at none', async () => {
    await write(api, found[2], { number: 'a\0b' });
    for (const operator of ['$eq', '$startsWith', '$anyTokenStartsWith', '$containsPrefixes']) {
      expect(await search({ 'field.number.string': { [operator]: 'a\0b' } })).toEqual([2]);
    }
    await write(api, found[2], { number: 'Žluťoučký kůň' });
  });

  it('finds what annotations are', async () => {
    expect(await search({ annotation: { $in: [found[1].url, found[2].url] } })).toEqual([1, 2]);
    expect(await search({ modifier__username: { $startsWith: 'zoe' } })).toEqual([1]);
    expect(await search({ modifier: { $eq: reviewer.url } })).toEqual([1]);
    expect(
      await search({ original_file_name: { $anyTokenStartsWith: '2024' } }, { status: { $ne: 'deleted' } }),
    ).toEqual([0]);
    expect(await search({ workspace: { $nin: [queue.workspace] } })).toEqual([]);
    expect(await search({ restricted_access: { $eq: true } })).toEqual([]);
    const { results } = await api.post('/annotations/search', { query_string: { string: 'inv zoe' } });
    expect(positions({ results })).toEqual([1]);
  });

  it('is ordered by values of the content, and walked by cursors and by pages', async () => {
    const body = { query: { $and: [{ queue: { $eq: queue.url } }, { status: { $eq: 'to_review' } }] } };
    const all = await api.post(
      '/annotations/search?ordering=-field.total.number&page_size=500&include_total=true',
      body,
    );
    expect(positions(all)).toEqual([0, 1, 2]);
    expect(all.pagination).toEqual({ total: 3, total_pages: 1, next: null, previous: null });

    const first = await api.post('/annotations/search?ordering=field.total.number&page_size=2&fields=id', body);
    expect(positions(first)).toEqual([1, 0]);
    expect(first.results[0]).toEqual({ id: found[1].id });
    expect(first.pagination.next).toContain('search_after=');
    const second = await api.post(first.pagination.next, body);
    expect(positions(second)).toEqual([2]);
    expect(second.pagination.next).toBeNull();
    const byPage = await api.post('/annotations/search?ordering=field.total.number&page_size=2&page=2', body);
    expect(positions(byPage)).toEqual([2]);
    expect((await send('POST', first.pagination.next, { query: { $and: [] } })).body).toHaveProperty('search_after');
    expect((await send('POST', '/annotations/search?search_after=x', body)).status).toBe(400);
  });

  it('is ordered by workspaces and relations; what has none is last, and unknown keys count nothing', async () => {
    const { organization } = await api.get(queue.workspace);
    const workspace = await api.post('/workspaces', { name: 'Later', organization });
    const elsewhere = await api.post('/queues', { name: 'E', workspace: workspace.url, schema: queue.schema });
    const [first, second, third] = found.map(({ url }) => url);
    const body = { status: 'created', document: found[0].document, queue: elsewhere.url };
    const { url: fourth } = await api.post('/annotations', body);
    const relate = (parent: string, annotation: string) =>
      api.post('/relations', { type: 'attachment', parent, annotations: [annotation] });
    await relate(third, first);
    await relate(first, third);
    const ordered = async (ordering: string) => {
      const query = { $and: [{ annotation: { $in: [first, second, third, fourth] } }] };
      const { results } = await api.post(`/annotations/search?ordering=${ordering}`, { query });
      return results.map(({ url }: Json) => [first, second, third, fourth].indexOf(url) + 1);
    };
    expect(await ordered('workspace,-id')).toEqual([3, 2, 1, 4]);
    expect(await ordered('-workspace')).toEqual([4, 3, 2, 1]);
    expect(await ordered('relations__parent,id')).toEqual([3, 1, 2, 4]);
    expect(await ordered('-relations__parent,id')).toEqual([1, 3, 2, 4]);
    expect(await ordered('relations__type')).toEqual([1, 3, 2, 4]);
    expect(await ordered('-relations__key,id')).toEqual([1, 2, 3, 4]);
    expect(await ordered('nobody,-relations__nobody')).toEqual([1, 2, 3, 4]);
  });

  it('gives sideloads', async () => {
    const body = { query: { $and: [{ annotation: { $eq: found[0].url } }] } };
    const answer = await api.post('/annotations/search?sideload=documents,content&content.schema_id=number', body);
    expect(answer.documents).toMatchObject([{ original_file_name: 'Alpha-2024.pdf' }]);
    expect(answer.content).toMatchObject([{ schema_id: 'number', content: { value: 'INV-1' } }]);
  });

  it.each([
    [{}, 'non_field_errors'],
    [{ query: { $or: [] } }, 'query'],
    [{ query: { $and: [{ nobody: { $eq: 1 } }] } }, 'query'],
    [{ query: { $and: [{ queue: { $regex: '.*' } }] } }, 'query'],
    [{ query_string: { string: 'x' } }, 'query_string'],
    [{ query_string: { string: 'x'.repeat(257) } }, 'query_string'],
  ])('refuses %j', async (body, field) => {
    const { status, body: errors } = await send('POST', '/annotations/search', body);
    expect([status, Object.keys(errors)]).toEqual([400, [field]]);
  });

  it('shows nobody what is not theirs', async () => {
    const neighbour = await system.createOrganization('Neighbour');
    const theirs = await system.login(neighbour.admin);
    expect((await theirs.post('/annotations/search', { query: { $and: [] } })).results).toEqual([]);
    const { results } = await theirs.post('/annotations/search', { query_string: { string: 'inv' } });
    expect(results).toEqual([]);
    const byUrl = { query: { $and: [{ annotation: { $eq: found[0].url } }] } };
    expect((await theirs.post('/annotations/search', byUrl)).results).toEqual([]);
  });
});

describe('an annotation that is made by POST', () => {
  it('stays as it is until it is imported, and keeps what was given', async () => {
    const content_data = [
      { category: 'datapoint', schema_id: 'number', content: { value: 'GIVEN-1' } },
      {
        category: 'multivalue',
        schema_id: 'items',
        children: [
          {
            category: 'tuple',
            schema_id: 'item',
            children: [{ category: 'datapoint', schema_id: 'code', content: { value: 'C-7' } }],
          },
        ],
      },
    ];
    const { status, body: made } = await send('POST', '/annotations', {
      status: 'created',
      document: found[0].document,
      queue: queue.url,
      schema: 'ignored',
      content_data,
      metadata: { from: 'test' },
    });
    expect(status).toBe(200);
    expect(made).toMatchObject({
      status: 'created',
      queue: queue.url,
      schema: queue.schema,
      metadata: { from: 'test' },
      automated: false,
    });
    expect((await api.get(found[0].document)).annotations).toContain(made.url);
    const valuesOf = async () => {
      const nodes = nodesOf((await api.get(`/annotations/${made.id}/content`)).content);
      return Object.fromEntries(
        nodes.filter(({ content }) => content?.value).map((node) => [node.schema_id, node.content.value]),
      );
    };
    expect(await valuesOf()).toEqual({ number: 'GIVEN-1', code: 'C-7' });
    expect(await list('search=given')).toHaveLength(1);

    await api.patch(made.url, { status: 'importing' });
    await waitFor('the import', async () => (await api.get(made.url)).status === 'to_review' && true, {
      timeoutMs: 60_000,
    });
    expect(await valuesOf()).toEqual({ number: 'GIVEN-1', code: 'C-7' });
  });

  it.each([
    [{ status: 'importing' }, 'status'],
    [{ document: undefined }, 'document'],
    [{ document: 'http://h/api/v1/documents/999999' }, 'document'],
    [{ queue: 'http://h/api/v1/queues/999999' }, 'queue'],
    [{ content_data: [{ category: 'datapoint', schema_id: 'nobody', content: { value: 'x' } }] }, 'content_data'],
    [{ content_data: 'x' }, 'content_data'],
    [{ metadata: [] }, 'metadata'],
    [{ values: { a: 1 } }, 'values'],
  ])('is refused with %j', async (more, field) => {
    const body = { status: 'created', document: found[0].document, queue: queue.url, ...more };
    const answer = await send('POST', '/annotations', body);
    expect([answer.status, Object.keys(answer.body)]).toEqual([400, [field]]);
  });
});
