import http from 'node:http';
import { type Api, buildPdf, invoiceLines, type Json, startSystem, type TestSystem, waitFor } from '@intake/testkit';

let system: TestSystem;
let api: Api;

beforeAll(async () => {
  system = await startSystem();
  api = await system.login();
});
afterAll(() => system?.stop());

const read = async (response: Response): Promise<{ status: number; headers: Headers; body: Json }> => {
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
};
const send = async (method: string, path: string, options: { body?: unknown; headers?: Record<string, string> } = {}) =>
  read(await api.request(method, path, options));
/** Without the token of the client. */
const sendBare = async (method: string, path: string, init: RequestInit = {}) =>
  read(await fetch(`${system.baseUrl}/v1${path}`, { method, redirect: 'manual', ...init }));
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

describe('the root listing', () => {
  it('names the eleven collections, for everybody', async () => {
    const { status, body } = await sendBare('GET', '');
    expect(status).toBe(200);
    const names =
      'organizations workspaces schemas connectors inboxes queues documents users groups annotations pages'.split(' ');
    expect(body).toEqual(Object.fromEntries(names.map((name) => [name, `${system.baseUrl}/v1/${name}`])));
  });
});

describe('logging in', () => {
  const { stringify } = JSON;
  const pair = () => ({ username: system.admin.username, password: system.admin.password });

  it('takes JSON, a form and multipart', async () => {
    const form = new FormData();
    for (const [name, value] of Object.entries(pair())) form.append(name, value);
    const answers = [
      await sendBare('POST', '/auth/login', {
        body: stringify({ ...pair(), max_token_lifetime_s: 60, origin: 'x' }),
        headers: { 'content-type': 'application/json' },
      }),
      await sendBare('POST', '/auth/login/', { body: new URLSearchParams(pair()) }),
      await sendBare('POST', '/auth/login', { body: form }),
      await sendBare('POST', '/auth/login', {
        body: stringify(pair()),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    for (const { body } of answers)
      expect(body).toEqual({ key: expect.stringMatching(/^[0-9a-f]{40,}$/), domain: null });
  });

  it('says which field is missing, and 401 with a wrong pair', async () => {
    expect(
      await sendBare('POST', '/auth/login', { body: new URLSearchParams({ max_token_lifetime_s: '0' }) }),
    ).toMatchObject({
      status: 400,
      body: {
        username: ['This field is required.'],
        password: ['This field is required.'],
        max_token_lifetime_s: ['Ensure this value is greater than 0.'],
      },
    });
    const wrong = await sendBare('POST', '/auth/login', {
      body: new URLSearchParams({ ...pair(), password: 'wrong' }),
    });
    expect(wrong).toMatchObject({
      status: 401,
      body: {
        detail: 'Unable to log in with provided credentials.',
        code: 'authentication_failed',
        non_field_errors: ['Unable to log in with provided credentials.'],
      },
    });
  });

  it('logging out ends this token at once, and no other', async () => {
    const [one, other] = [await system.login(), await system.login()];
    await one.get('/auth/user');
    expect(await read(await one.request('POST', '/auth/logout', { body: {} }))).toMatchObject({
      status: 200,
      body: { detail: 'Successfully logged out.' },
    });
    expect((await one.request('GET', '/auth/user')).status).toBe(401);
    expect((await other.request('GET', '/auth/user')).status).toBe(200);
  });

  it('takes Bearer and Token in any case, and a user name and password only where they are named', async () => {
    const as = (authorization: string, path = '/auth/user') => sendBare('GET', path, { headers: { authorization } });
    const basic = `Basic ${Buffer.from(`${system.admin.username}:${system.admin.password}`).toString('base64')}`;
    const token = api.token as string;
    expect((await as(`token ${token}`)).status).toBe(200);
    expect((await as(`BEARER ${token}`)).status).toBe(200);
    expect(await as(basic)).toMatchObject({ status: 401, body: { detail: 'Invalid token.' } });
    expect((await as(basic, `/queues/${system.queueId}/export`)).status).toBe(200);
    const wrong = await as(`Basic ${Buffer.from('a:b').toString('base64')}`, `/queues/${system.queueId}/export`);
    expect(wrong).toMatchObject({ status: 401, body: { detail: 'Invalid username/password.' } });
    expect(wrong.headers.get('www-authenticate')).toContain('Basic realm="api"');
  });
});

describe('paths and verbs', () => {
  it('take a trailing slash without a redirect, and print no URL with one', async () => {
    for (const path of ['/queues', `/queues/${system.queueId}`, '/groups/3', '']) {
      const [plain, slash] = [await send('GET', path), await send('GET', `${path}/`)];
      expect([slash.status, slash.body]).toEqual([200, plain.body]);
      expect(JSON.stringify(slash.body)).not.toMatch(/\/api\/v1[^"]*\/"/);
    }
  });

  it('know HEAD and OPTIONS, and refuse others with Allow', async () => {
    const head = await api.request('HEAD', '/queues');
    expect([head.status, await head.text()]).toEqual([200, '']);
    const options = await api.request('OPTIONS', '/queues');
    expect([options.status, options.headers.get('allow')?.split(', ').sort()]).toEqual([
      200,
      ['GET', 'HEAD', 'OPTIONS', 'POST'],
    ]);
    const refused = await send('DELETE', '/queues');
    expect(refused).toMatchObject({
      status: 405,
      body: { detail: 'Method "DELETE" not allowed.', code: 'method_not_allowed' },
    });
    expect(refused.headers.get('allow')).toContain('GET');
    expect((await send('PUT', '/groups/1', { body: {} })).status).toBe(405);
    expect((await send('POST', '/rules', { body: {} })).status).toBe(405);
    const logs = await api.request('DELETE', '/hooks/logs');
    expect([logs.status, logs.headers.get('allow')]).toEqual([405, expect.stringMatching(/^HEAD, GET, OPTIONS$/)]);
    expect((await send('GET', '/annotations/assign')).status).toBe(405);
    expect((await send('GET', '/annotations/nothing')).status).toBe(404);
  });

  it.each([
    '/nothing',
    '/queues/0',
    '/queues/x',
    '/queues/1.5',
    '/queues/-1',
    '/queues/99999999999999999999',
    '/hooks/1',
  ])('have nothing at %s', async (path) => {
    expect(await send('GET', path)).toMatchObject({ status: 404, body: { detail: 'Not found.', code: 'not_found' } });
  });

  it('carry a request id, another one each time', async () => {
    const ids = [await send('GET', '/groups'), await send('GET', '/nothing'), await sendBare('GET', '/queues')].map(
      ({ headers }) => headers.get('x-request-id'),
    );
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(ids).size).toBe(3);
  });

  it('let browsers call from everywhere, without credentials', async () => {
    const preflight = await sendBare('OPTIONS', `/annotations/1/start`, {
      headers: { origin: 'https://ui.example.com', 'access-control-request-method': 'POST' },
    });
    expect(preflight.status).toBe(200);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
    expect(preflight.headers.get('access-control-allow-headers')).toContain('idempotency-key');
    const refused = await sendBare('GET', '/queues', { headers: { origin: 'https://ui.example.com' } });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([403, '*']);
  });

  it('print URLs that begin with the host the client used, and refuse a host that is none', async () => {
    const withHost = (host: string) =>
      new Promise<{ status: number; body: string }>((resolve, reject) => {
        const { hostname, port } = new URL(system.baseUrl);
        const request = http.get({ hostname, port, path: '/api/v1', headers: { host } }, (response) => {
          let body = '';
          response.on('data', (chunk) => {
            body += chunk;
          });
          response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
        });
        request.on('error', reject);
      });
    expect(JSON.parse((await withHost('docs.example.com:81')).body).queues).toBe(
      'http://docs.example.com:81/api/v1/queues',
    );
    expect((await withHost('evil"/><script>')).status).toBe(400);
  });
});

describe('bodies', () => {
  const json = { 'content-type': 'application/json' };
  const post = (body: string, headers: Record<string, string> = json) =>
    send('POST', '/workspaces', { body: Buffer.from(body), headers });

  it.each<[string, string, Record<string, string>, number, object]>([
    [
      'broken JSON',
      '{"name":',
      json,
      400,
      { code: 'parse_error', detail: expect.stringMatching(/^JSON parse error - /) },
    ],
    ['a list', '[]', json, 400, { non_field_errors: ['Invalid data. Expected a dictionary, but got list.'] }],
    [
      'another type',
      '<a/>',
      { 'content-type': 'text/xml' },
      415,
      { code: 'unsupported_media_type', detail: 'Unsupported media type "text/xml" in request.' },
    ],
    ['33 levels', `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`, json, 400, { code: 'bad_request' }],
    ['11 MB', JSON.stringify({ name: 'x'.repeat(11 * 1024 * 1024) }), json, 413, { code: 'payload_too_large' }],
    ['nothing', '', json, 400, { name: ['This field is required.'], organization: ['This field is required.'] }],
    [
      'wrong types',
      '{"name": 5, "organization": 1, "metadata": []}',
      json,
      400,
      {
        name: ['Not a valid string.'],
        organization: ['Incorrect type. Expected URL string, received int.'],
        metadata: ['Expected a dictionary of items but got type "list".'],
      },
    ],
    [
      'too much metadata',
      JSON.stringify({ name: 'n', metadata: { a: 'x'.repeat(4096) } }),
      json,
      400,
      { metadata: [expect.any(String)] },
    ],
  ])('refuse %s', async (_, text, headers, status, body) => {
    expect(await post(text, headers)).toMatchObject({ status, body });
  });

  it('drop unknown and read-only fields, and do no harm by __proto__', async () => {
    const text = `{"name": "W", "organization": "http://else/api/v1/organizations/${system.organizationId}/",
      "id": 4711, "url": "x", "queues": ["x"], "unknown": 1, "__proto__": {"polluted": true}, "metadata": {"a": 1, "__proto__": {"b": 2}}}`;
    const { status, body } = await post(text);
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: 'W', queues: [], metadata: { a: 1 }, autopilot: false });
    expect(body.id).not.toBe(4711);
    expect(body.url).toBe(`${system.baseUrl}/v1/workspaces/${body.id}`);
    expect((await send('GET', `/workspaces/${body.id}`)).body).toEqual(body);
  });
});

describe('lists', () => {
  let workspace: string;
  beforeAll(async () => {
    workspace = (await api.get('/queues')).results[0].workspace;
    const { schema } = (await api.get('/queues')).results[0];
    for (let i = 0; i < 24; i++) await api.post('/queues', { name: `q${i % 5}`, workspace, schema });
  });

  it('have 20 items a page, and next carries every parameter', async () => {
    const first = await api.get('/queues?ordering=-name&unknown=1&include_total=true&sideload=&content.schema_id=');
    expect(first.pagination).toMatchObject({ total: 25, total_pages: 2, previous: null });
    expect(first.results).toHaveLength(20);
    const second = await api.get(first.pagination.next);
    expect(second.pagination).toMatchObject({ total: 25, total_pages: 2, next: null });
    expect(new URL(first.pagination.next).search).toContain('ordering=-name&unknown=1&include_total=true');
    const names = [...first.results, ...second.results].map(({ name }: Json) => name);
    expect(names).toEqual([...names].sort().reverse());
    expect(new Set([...first.results, ...second.results].map(({ id }: Json) => id)).size).toBe(25);
    expect((await api.get(second.pagination.previous)).results).toEqual(first.results);
  });

  it.each(['page=3', 'page=0', 'page=x', 'page=-1'])('have no %s', async (query) => {
    expect(await send('GET', `/queues?${query}`)).toMatchObject({
      status: 404,
      body: { detail: 'Invalid page.', code: 'not_found' },
    });
  });

  it('lower a page size that is too large', async () => {
    expect((await api.get('/queues?page_size=100000')).results).toHaveLength(25);
    expect((await api.get('/queues?page_size=3')).pagination).toMatchObject({ total: 25, total_pages: 9 });
  });

  it('filter by exact text, by ids, and by nothing when a value is empty', async () => {
    const ids = (await api.get('/queues?name=q1')).results.map(({ id }: Json) => id);
    expect(ids).toHaveLength(5);
    const chosen = await api.get(`/queues?id=${ids[0]},${ids[1]}&id=${ids[2]}&name=&workspace=`);
    expect(chosen.results.map(({ id }: Json) => id)).toEqual(ids.slice(0, 3));
    expect((await api.get('/queues?name=q1&locale=de_DE')).pagination).toMatchObject({ total: 0, total_pages: 1 });
    expect(await send('GET', '/queues?id=x&workspace=1,y')).toMatchObject({
      status: 400,
      body: { id: ['Enter a valid value.'], workspace: ['Enter a valid value.'] },
    });
  });

  it('give only the wanted attributes', async () => {
    const { results } = await api.get('/queues?fields=id,name&page_size=1');
    expect(Object.keys(results[0]).sort()).toEqual(['id', 'name']);
    const one = await api.get(`/queues/${system.queueId}?fields!=counts,settings`);
    expect([one.id, 'counts' in one, 'settings' in one, 'schema' in one]).toEqual([system.queueId, false, false, true]);
  });

  it.each(['rules', 'engines', 'hook_templates', 'workflows', 'surveys', 'hooks', 'connectors', 'labels', 'relations'])(
    'of %s are empty',
    async (collection) => {
      expect(await api.get(`/${collection}?page_size=100`)).toEqual({
        pagination: { total: 0, total_pages: 1, next: null, previous: null },
        results: [],
      });
    },
  );
});

describe('configuration', () => {
  it('is made and read back with every field that clients need', async () => {
    const { id: schemaId, url: schema } = await api.post('/schemas', { name: 'Empty', content: [] });
    const { workspace } = (await api.get(`/queues/${system.queueId}`)) as Json;
    const queue = await api.post('/queues', {
      name: 'New',
      workspace,
      schema,
      rir_url: 'x',
      rir_params: '',
      connector: null,
    });
    expect(queue).toMatchObject({
      name: 'New',
      workspace,
      schema,
      inbox: null,
      connector: null,
      hooks: [],
      webhooks: [],
      users: [],
      session_timeout: '01:00:00',
      automation_level: 'never',
      default_score_threshold: 0.8,
      locale: 'en_GB',
      status: 'active',
    });
    expect(Object.keys(queue.counts)).toHaveLength(15);
    const inbox = await api.post('/inboxes', {
      name: 'In',
      email_prefix: 'new',
      bounce_email_to: null,
      bounce_unprocessable_attachments: true,
      queues: [queue.url],
    });
    expect(inbox).toMatchObject({
      queues: [queue.url],
      email: expect.stringMatching(/^new-[0-9a-f]{6}@localhost$/),
      email_prefix: 'new',
      bounce_email_to: null,
      filters: { allowed_senders: [], document_rejection_conditions: { enabled: true } },
    });
    expect((await api.get(queue.url)).inbox).toBe(inbox.url);
    expect((await api.get(`/inboxes?queue=${queue.id}`)).results).toEqual([inbox]);
    expect((await api.get(`/schemas?queue=${queue.id}`)).results).toMatchObject([
      { id: schemaId, content: [], queues: [queue.url] },
    ]);
  });

  it('refers only to what is there', async () => {
    const body = {
      name: 'x',
      workspace: `${system.baseUrl}/v1/workspaces/9999`,
      schema: `${system.baseUrl}/v1/queues/1`,
    };
    expect(await send('POST', '/queues', { body })).toMatchObject({
      status: 400,
      body: { schema: ['Invalid hyperlink - No URL match.'] },
    });
    const { schema } = await api.get(`/queues/${system.queueId}`);
    expect(await send('POST', '/queues', { body: { ...body, schema } })).toMatchObject({
      status: 400,
      body: { workspace: ['Invalid hyperlink - Object does not exist.'] },
    });
  });

  it('knows the organization, its group and the fixed roles', async () => {
    const user = await api.get('/auth/user');
    const organization = await api.get(user.organization);
    expect(organization).toMatchObject({ id: system.organizationId, is_trial: false, users: [user.url] });
    expect(organization.workspaces.length).toBeGreaterThan(0);
    expect(await api.get(organization.organization_group)).toMatchObject({ is_trial: false, is_production: true });
    expect((await api.get('/groups?name=admin')).results).toEqual([
      { id: 3, name: 'admin', url: `${system.baseUrl}/v1/groups/3` },
    ]);
    expect(user.groups).toEqual([`${system.baseUrl}/v1/groups/3`]);
  });
});

describe('roles', () => {
  const login = async (username: string, group: number, queues: string[] = []) => {
    const password = 'correct horse battery';
    await api.post('/users', {
      username,
      email: username,
      password,
      organization: `${system.baseUrl}/v1/organizations/${system.organizationId}`,
      groups: [`${system.baseUrl}/v1/groups/${group}`],
      queues,
    });
    return system.login({ username, password });
  };
  const statusOf = async (as: Api, method: string, path: string) =>
    (await as.request(method, path, method === 'GET' ? {} : { body: {} })).status;

  it('see only their queues and may only what the matrix says', async () => {
    const mine = `${system.baseUrl}/v1/queues/${system.queueId}`;
    const viewer = await login('viewer@example.com', 1, [mine]);
    const annotator = await login('annotator@example.com', 2, [mine]);
    const elsewhere = await login('elsewhere@example.com', 2);
    const nobody = await login('embedded@example.com', 8, [mine]);

    expect((await viewer.get('/queues')).results.map(({ url }: Json) => url)).toEqual([mine]);
    expect((await elsewhere.get('/queues')).results).toEqual([]);
    expect(await statusOf(elsewhere, 'GET', `/queues/${system.queueId}`)).toBe(404);
    expect(await statusOf(elsewhere, 'GET', `/queues/${system.queueId}/export`)).toBe(404);
    expect(await statusOf(elsewhere, 'POST', `/uploads?queue=${system.queueId}`)).toBe(404);

    const rows: [Api, string, string, number][] = [
      [viewer, 'POST', `/uploads?queue=${system.queueId}`, 403],
      [viewer, 'POST', '/annotations/1/start', 403],
      [viewer, 'POST', '/workspaces', 403],
      [annotator, 'POST', '/workspaces', 403],
      [annotator, 'POST', '/users', 403],
      [annotator, 'GET', '/inboxes', 200],
      [annotator, 'POST', '/annotations/99999/start', 404],
      [nobody, 'GET', '/inboxes', 403],
      [nobody, 'GET', `/queues/${system.queueId}/export`, 403],
      [nobody, 'GET', '/annotations?format=csv', 403],
      [nobody, 'POST', '/annotations/99999/postpone', 403],
      [viewer, 'POST', '/annotations/usage_report', 403],
      [annotator, 'GET', '/annotations/usage_report', 403],
    ];
    for (const [as, method, path, status] of rows) {
      expect([method, path, await statusOf(as, method, path)]).toEqual([method, path, status]);
    }
    const queue = await api.get(`/queues/${system.queueId}`);
    expect(queue.users).toHaveLength(3);
    const { id } = await viewer.get('/auth/user');
    expect((await api.get(`/queues?users=${id}`)).results.map(({ url }: Json) => url)).toEqual([mine]);
    expect('oidc_id' in (await viewer.get('/auth/user'))).toBe(false);
  });

  it('a taken name is a field error', async () => {
    const body = {
      username: system.admin.username,
      organization: `${system.baseUrl}/v1/organizations/${system.organizationId}`,
    };
    expect(await send('POST', '/users', { body })).toMatchObject({
      status: 400,
      body: { username: ['A user with that username already exists.'] },
    });
  });
});

describe('other organizations', () => {
  it('do not exist for a caller, whatever it asks for; without a token nothing does', async () => {
    const other = await system.createOrganization('Other');
    const theirs = await system.login(other.admin);
    const task = await theirs.upload(other.queueId, [
      { fileName: 'x.pdf', content: await buildPdf({ lines: invoiceLines('A-1') }) },
    ]);
    const { uploadId, annotationIds, documentIds } = await waitFor('the upload', () => theirs.findUploaded(task));
    const [annotation, document] = [annotationIds[0], documentIds[0]];
    await waitFor('the extraction', async () => (await theirs.get(`/annotations/${annotation}`)).pages.length > 0, {
      timeoutMs: 60_000,
    });
    const user = await theirs.get('/auth/user');
    const queue = await theirs.get(`/queues/${other.queueId}`);
    const pathOf = (url: string) => new URL(url).pathname.replace('/api/v1', '');
    const { pages, content } = await theirs.get(`/annotations/${annotation}`);
    const node = (await theirs.get(content)).content[0];
    const { s3_name } = await theirs.get(`/documents/${document}`);

    const paths = [
      ['GET', `/organizations/${other.organizationId}`],
      ['GET', pathOf(user.url)],
      ['GET', pathOf(queue.url)],
      ['GET', pathOf(queue.workspace)],
      ['GET', pathOf(queue.schema)],
      ['GET', pathOf(queue.inbox)],
      ['GET', `${pathOf(queue.url)}/export`],
      ['POST', `${pathOf(queue.url)}/export`],
      ['POST', `${pathOf(queue.url)}/upload`],
      ['POST', `/uploads?queue=${other.queueId}`],
      ['GET', `/uploads/${uploadId}`],
      ['GET', pathOf(task)],
      ['GET', `/documents/${document}`],
      ['GET', `/documents/${document}/content`],
      ['GET', `/original/${s3_name}`],
      ['GET', pathOf(pages[0])],
      ['GET', `${pathOf(pages[0])}/content`],
      ['GET', `${pathOf(pages[0])}/preview`],
      ['GET', `/annotations/${annotation}`],
      ['PATCH', `/annotations/${annotation}`],
      ['GET', `/annotations/${annotation}/content`],
      ['GET', pathOf(node.url)],
      ['PATCH', pathOf(node.url)],
      ...['start', 'cancel', 'confirm', 'postpone', 'reject', 'delete', 'content/validate'].map((action) => [
        'POST',
        `/annotations/${annotation}/${action}`,
      ]),
    ] as [string, string][];
    for (const [method, path] of paths) {
      const options = method === 'GET' ? {} : { body: {} };
      const mine = await api.request(method, path, options);
      await mine.arrayBuffer();
      const bare = await sendBare(method, path);
      const wrong = await sendBare(method, path, bearer('0'.repeat(40)));
      expect([method, path, mine.status, bare.status, wrong.status]).toEqual([method, path, 404, 403, 401]);
    }
    for (const collection of ['annotations', 'documents', 'pages', 'emails']) {
      expect((await api.get(`/${collection}`)).pagination.total).toBe(0);
    }
    expect((await api.get(`/annotations?queue=${other.queueId}&sideload=documents`)).documents).toEqual([]);
    expect((await theirs.get(`/annotations/${annotation}`)).status).toBe('to_review');
  });
});
