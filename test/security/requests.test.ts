import { type Api, buildPdf, invoiceLines, type Json, startSystem, type TestSystem, waitFor } from '@intake/testkit';

/** Every endpoint of the API, by its own description, against what people send who want more than they may. */

jest.setTimeout(300_000);

/** Written once, in every place that takes a secret. */
const SEEDED = {
  hookSecret: 'seeded-hook-secret',
  hookPassword: 'seeded-hook-password',
  connectorKey: 'seeded-connector-key',
  connectorToken: 'seeded-connector-token',
  userPassword: 'Seeded.user-password-4711',
};
const WRITE_ONLY = [SEEDED.hookPassword, SEEDED.connectorKey, SEEDED.userPassword];
const READERS = ['annotator', 'viewer', 'manager'];
const OPERATORS = [{ $gt: '' }, { $ne: null }, { $where: 'sleep(1000)' }, [{ $gt: '' }]];

let system: TestSystem;
let admin: Api;
let routes: { method: string; path: string; body: Json }[];

beforeAll(async () => {
  system = await startSystem();
  admin = await system.login();
  const { paths, components } = await (await fetch(`${system.baseUrl}/v1/openapi.json`)).json();
  const resolve = (schema: Json) => (schema?.$ref ? components.schemas[schema.$ref.split('/').at(-1)] : schema);
  routes = Object.entries(paths as Json).flatMap(([path, methods]) =>
    Object.entries(methods as Json).map(([method, { requestBody }]: [string, Json]) => ({
      method: method.toUpperCase(),
      path,
      body: resolve(requestBody?.content?.['application/json']?.schema),
    })),
  );
  const url = (path: string) => `${system.baseUrl}/v1${path}`;
  const queues = [url(`/queues/${system.queueId}`)];
  await admin.post('/hooks', {
    name: 'Hook',
    queues,
    events: ['annotation_status'],
    config: { url: 'https://hooks.example.com/', secret: SEEDED.hookSecret },
    secrets: { password: SEEDED.hookPassword },
    active: false,
  });
  await admin.post('/connectors', {
    name: 'Connector',
    queues,
    service_url: 'https://connector.example.com/',
    client_ssl_key: SEEDED.connectorKey,
    authorization_token: SEEDED.connectorToken,
  });
  const { results: groups } = await admin.get('/groups');
  for (const role of READERS)
    await admin.post('/users', {
      username: role,
      password: SEEDED.userPassword,
      organization: url(`/organizations/${system.organizationId}`),
      groups: groups.filter(({ name }: Json) => name === role).map((group: Json) => group.url),
      queues,
    });
  const task = await admin.upload(system.queueId, [
    { fileName: 'a.pdf', content: await buildPdf({ lines: invoiceLines('A-1') }) },
  ]);
  await waitFor('an annotation to look at', () => admin.findUploaded(task), { timeoutMs: 60_000 });
});
afterAll(() => system?.stop());

/** A path with the first object of each kind. */
const filled = (path: string) => path.replaceAll(/\{[^}]+\}/g, '1');

it('shows no secret to anybody but admins, and those that are write-only to nobody', async () => {
  const readings = routes.filter(({ method, path }) => method === 'GET' && !/openapi|\/events$|sso|page/.test(path));
  expect(readings.length).toBeGreaterThan(40);
  const look = async (api: Api, forbidden: readonly string[]) => {
    let read = 0;
    for (const { path } of readings) {
      const response = await api.request('GET', filled(path));
      const text = await response.text();
      if (response.ok) read += 1;
      expect([path, forbidden.filter((secret) => text.includes(secret))]).toEqual([path, []]);
    }
    return read;
  };
  expect(await look(admin, WRITE_ONLY)).toBeGreaterThan(20);
  for (const username of READERS) {
    const reader = await system.login({ username, password: SEEDED.userPassword });
    expect(await look(reader, Object.values(SEEDED))).toBeGreaterThan(5);
  }
  expect(Object.values(SEEDED).filter((secret) => system.readLogs(10_000).includes(secret))).toEqual([]);
});

it('an operator in the place of a value finds, changes and breaks nothing', async () => {
  const broken: string[] = [];
  const check = async (method: string, path: string, body?: Json) => {
    const response = await admin.request(method, path, { body });
    const text = await response.text();
    if (response.status >= 500) broken.push(`${method} ${path} ${JSON.stringify(body)}: ${response.status} ${text}`);
  };
  const lists = routes.filter(
    ({ method, path }) => method === 'GET' && !path.includes('{') && !/events|sso/.test(path),
  );
  for (const { path } of lists)
    for (const query of ['id[$ne]=0', 'name[$regex]=.*', '$where=1', '__proto__[a]=1', 'constructor[prototype][a]=1'])
      await check('GET', `${path}?${query}`);
  const written = routes.filter(({ method, body }) => body && ['POST', 'PATCH', 'PUT'].includes(method));
  expect(written.length).toBeGreaterThan(20);
  let tried = 0;
  for (const { method, path, body } of written) {
    const names = Object.keys(body.properties ?? {});
    tried += names.length;
    // An object that is not there: what is refused is refused for its form, and what is not changes nothing.
    for (const operator of OPERATORS)
      await check(
        method,
        path.replaceAll(/\{[^}]+\}/g, '999999'),
        Object.fromEntries(names.map((name) => [name, operator])),
      );
  }
  expect(tried).toBeGreaterThan(100);
  expect(broken).toEqual([]);
  expect((await admin.get('/users')).pagination.total).toBe(1 + READERS.length);
});
