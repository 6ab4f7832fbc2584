import { Api, type Json, type Replica, startSystem, type TestSystem, waitFor } from '@intake/testkit';

/** Session cookies, and the end of tokens and sessions in every replica. API: auth.md sections 1, 3 and 4. */

const PASSWORD = 'k3a9zQ7x1b';
const UI = 'https://ui.example.com';
let system: TestSystem;
let second: Replica;
let admin: Api;
let counter = 0;

beforeAll(async () => {
  system = await startSystem({
    services: ['gateway', 'auth', 'queue', 'annotation'],
    env: { INTAKE_SESSION_AUTH: 'on', INTAKE_CORS_ORIGINS: UI, INTAKE_TRUST_PROXY: 'on' },
  });
  [second, admin] = await Promise.all([system.addReplica(), system.login()]);
});
afterAll(() => system?.stop());

interface Asked {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly base?: string;
}
const ask = async (path: string, { method = 'GET', body, headers = {}, base = system.baseUrl }: Asked = {}) => {
  const response = await new Api(base).request(method, path, { body, headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: (text ? JSON.parse(text) : null) as Json };
};

async function makeUser() {
  const username = `session${++counter}@example.com`;
  const organization = `${system.baseUrl}/v1/organizations/${system.organizationId}`;
  const groups = [`${system.baseUrl}/v1/groups/3`];
  const user = await admin.post('/users', { username, password: PASSWORD, organization, groups });
  return { username, id: user.id as number };
}

/** A browser that has logged in: its cookies, and the token that came with them. */
async function logIn(username: string, headers: Record<string, string> = {}) {
  const answer = await ask('/auth/login', { method: 'POST', body: { username, password: PASSWORD }, headers });
  const cookies = answer.headers.getSetCookie();
  const values = Object.fromEntries(cookies.map((one) => one.split(';')[0]!.split('=')));
  const cookie = `sessionid=${values.sessionid}; csrftoken=${values.csrftoken}`;
  return {
    status: answer.status,
    cookies,
    cookie,
    session: values.sessionid,
    csrf: values.csrftoken,
    key: answer.body.key,
  };
}
const INVALID_TOKEN = { detail: 'Invalid token.', code: 'authentication_failed' };
const CSRF_FAILED = { detail: 'CSRF Failed: CSRF token missing or incorrect.', code: 'csrf_failed' };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

describe('a session', () => {
  it('begins with the login, in cookies of one day', async () => {
    const { username } = await makeUser();
    const { cookies, cookie, key } = await logIn(username);
    expect(cookies).toEqual([
      expect.stringMatching(/^sessionid=[0-9a-f]{40}; Path=\/; Max-Age=86400; SameSite=Lax; HttpOnly$/),
      expect.stringMatching(/^csrftoken=[0-9a-f]{40}; Path=\/; Max-Age=86400; SameSite=Lax$/),
    ]);
    expect((await ask('/auth/user', { headers: { cookie } })).body.username).toBe(username);
    expect((await ask('/auth/user', { headers: { authorization: `Bearer ${key}` } })).body.username).toBe(username);
    const secure = await logIn(username, { 'x-forwarded-proto': 'https' });
    expect(secure.cookies.map((one) => one.includes('; Secure'))).toEqual([true, true]);
    const short = { username, password: PASSWORD, max_token_lifetime_s: 60 };
    const answer = await ask('/auth/login', { method: 'POST', body: short });
    expect(answer.headers.getSetCookie()[0]).toContain('Max-Age=60;');
  });

  it('ends with the logout, and with it the token of the same login', async () => {
    const { username } = await makeUser();
    const [here, elsewhere] = [await logIn(username), await logIn(username)];
    const out = await ask('/auth/logout', {
      method: 'POST',
      headers: { cookie: here.cookie, 'x-csrftoken': here.csrf },
    });
    expect([out.status, out.body]).toEqual([200, { detail: 'Successfully logged out.' }]);
    expect(out.headers.getSetCookie().map((one) => one.split('; ').slice(0, 3).join('; '))).toEqual([
      'sessionid=; Path=/; Max-Age=0',
      'csrftoken=; Path=/; Max-Age=0',
    ]);
    expect(await ask('/auth/user', { headers: { cookie: here.cookie } })).toMatchObject({
      status: 401,
      body: INVALID_TOKEN,
    });
    expect((await ask('/auth/user', { headers: { authorization: `Token ${here.key}` } })).status).toBe(401);
    expect((await ask('/auth/user', { headers: { cookie: elsewhere.cookie } })).status).toBe(200);
    await ask('/auth/logout', { method: 'POST', headers: { authorization: `token ${elsewhere.key}` } });
    expect((await ask('/auth/user', { headers: { cookie: elsewhere.cookie } })).status).toBe(401);
  });

  it('is no token, and a token is no session; a header wins', async () => {
    const { username } = await makeUser();
    const { session, key, cookie } = await logIn(username);
    for (let i = 0; i < 2; i++) {
      expect((await ask('/auth/user', { headers: { cookie } })).status).toBe(200);
      expect((await ask('/auth/user', { headers: { authorization: `Bearer ${session}` } })).status).toBe(401);
      expect((await ask('/auth/user', { headers: { cookie: `sessionid=${key}` } })).status).toBe(401);
    }
    expect((await ask('/auth/user', { headers: { cookie, authorization: 'Bearer wrong' } })).status).toBe(401);
    expect((await ask('/auth/user', { headers: { cookie: 'sessionid=unknown' } })).body).toEqual(INVALID_TOKEN);
    expect((await ask('/auth/user', { headers: { cookie: 'sessionid=' } })).body.code).toBe('not_authenticated');
    const exchanged = await ask('/auth/token', { method: 'POST', headers: { authorization: `Bearer ${session}` } });
    expect(exchanged.status).toBe(401);
  });

  it('needs the token in a header for what is not JSON', async () => {
    const { username } = await makeUser();
    const { cookie, csrf, key } = await logIn(username);
    const other = await logIn(username);
    const change = (headers: Record<string, string | undefined>, body: unknown = Buffer.from('first_name=Jan')) =>
      ask('/auth/user', { method: 'PATCH', body, headers: { ...FORM, ...headers } });
    for (const headers of [
      { cookie },
      { cookie, 'x-csrftoken': 'wrong' },
      { cookie, 'x-csrftoken': other.csrf },
      { cookie: `${cookie.split(';')[0]}; csrftoken=forged`, 'x-csrftoken': 'forged' },
      { cookie, 'content-type': 'text/plain' },
      { cookie, 'content-type': 'multipart/form-data; boundary=x' },
    ])
      expect(await change(headers)).toMatchObject({ status: 403, body: CSRF_FAILED });
    expect((await change({ cookie, 'x-csrftoken': csrf })).body.first_name).toBe('Jan');
    expect((await change({ cookie, 'content-type': 'application/json' }, { first_name: 'Eva' })).status).toBe(200);
    expect((await change({ cookie, authorization: `Bearer ${key}` })).status).toBe(200);
    // An action without a body and a type counts as not JSON; an unknown session is 401 whatever the header says.
    expect((await ask('/auth/logout', { method: 'POST', headers: { cookie } })).body).toEqual(CSRF_FAILED);
    expect((await change({ cookie: 'sessionid=unknown' })).status).toBe(401);
    expect((await change({})).body.code).toBe('not_authenticated');
    const login = Buffer.from(new URLSearchParams({ username, password: PASSWORD }).toString());
    expect((await ask('/auth/login', { method: 'POST', body: login, headers: { ...FORM, cookie } })).status).toBe(200);
  });

  it('is not for other sites, except those that may call', async () => {
    const { username } = await makeUser();
    const { cookie } = await logIn(username);
    const change = (origin: string) =>
      ask('/auth/user', { method: 'PATCH', body: { first_name: 'X' }, headers: { cookie, origin } });
    const [allowed, own, foreign] = [
      await change(UI),
      await change(new URL(system.baseUrl).origin),
      await change('https://evil.example'),
    ];
    expect([allowed.status, own.status, foreign.status, foreign.body.code]).toEqual([200, 200, 403, 'csrf_failed']);
    expect(allowed.headers.get('access-control-allow-origin')).toBe(UI);
    expect(allowed.headers.get('access-control-allow-credentials')).toBe('true');
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
    const preflight = await ask('/auth/user', { method: 'OPTIONS', headers: { origin: UI } });
    expect([preflight.status, preflight.headers.get('access-control-allow-credentials')]).toEqual([200, 'true']);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('x-csrftoken');
  });

  it('ends with another password, except the one in which it was changed', async () => {
    const { username } = await makeUser();
    const [here, elsewhere] = [await logIn(username), await logIn(username)];
    const [new_password1, new_password2] = ['plum otter bakes quietly', 'plum otter bakes quietly'];
    const body = { old_password: PASSWORD, new_password1, new_password2 };
    const changed = await ask('/auth/password/change', { method: 'POST', body, headers: { cookie: here.cookie } });
    expect(changed.status).toBe(200);
    expect((await ask('/auth/user', { headers: { cookie: here.cookie } })).status).toBe(200);
    expect((await ask('/auth/user', { headers: { cookie: elsewhere.cookie } })).status).toBe(401);
  });
});

describe('in another replica of the gateway', () => {
  /** Well before what is remembered of a token runs out by itself. */
  const AT_ONCE = { timeoutMs: 2000 };
  const at = (headers: Record<string, string>) => ask('/auth/user', { base: second.baseUrl, headers });
  const waitForEnd = (headers: Record<string, string>) =>
    waitFor('the end of the token', async () => (await at(headers)).status === 401, AT_ONCE);

  it('a token ends at once with the logout, a session too', async () => {
    const { username } = await makeUser();
    const { key, cookie } = await logIn(username);
    const token = { authorization: `Bearer ${key}` };
    for (const headers of [token, { cookie }]) expect((await at(headers)).status).toBe(200);
    await ask('/auth/logout', { method: 'POST', headers: token });
    await Promise.all([waitForEnd(token), waitForEnd({ cookie })]);
  });

  it.each([
    ['disabled', (id: number) => admin.patch(`/users/${id}`, { is_active: false })],
    ['deleted', (id: number) => admin.delete(`/users/${id}`)],
    ['given another password', (id: number) => admin.patch(`/users/${id}`, { password: 'another1one2' })],
  ])('the tokens of a user who is %s end at once', async (_, change) => {
    const { username, id } = await makeUser();
    const { key, cookie } = await logIn(username);
    const basic = { authorization: `Basic ${Buffer.from(`${username}:${PASSWORD}`).toString('base64')}` };
    const upload = () =>
      ask(`/uploads?queue=${system.queueId}`, { method: 'POST', base: second.baseUrl, headers: basic });
    const token = { authorization: `Token ${key}` };
    for (const headers of [token, { cookie }]) expect((await at(headers)).status).toBe(200);
    expect((await upload()).status).not.toBe(401);
    await change(id);
    await Promise.all([waitForEnd(token), waitForEnd({ cookie })]);
    await waitFor('the end of basic auth', async () => (await upload()).status === 401, AT_ONCE);
  });

  it('roles that were taken away are gone at once', async () => {
    const { username, id } = await makeUser();
    const headers = { authorization: `Bearer ${(await logIn(username)).key}` };
    const path = `/organizations/${system.organizationId}/auth_settings`;
    const read = async () => (await ask(path, { base: second.baseUrl, headers })).status;
    expect(await read()).toBe(200);
    await admin.patch(`/users/${id}`, { groups: [`${system.baseUrl}/v1/groups/2`] });
    await waitFor('the end of the right', async () => (await read()) === 403, AT_ONCE);
  });
});

it('a thousand logins in a row work, and every token is one of its own', async () => {
  const { username } = await makeUser();
  const first = await logIn(username);
  const keys = new Set<string>();
  const line = async () => {
    while (keys.size < 1000) {
      const { status, key } = await logIn(username);
      if (status !== 200) throw new Error(`a login was answered with ${status}`);
      keys.add(key);
    }
  };
  await Promise.all(Array.from({ length: 6 }, line));
  expect(keys.size).toBeGreaterThanOrEqual(1000);
  for (const key of [first.key, [...keys][500], [...keys].at(-1)])
    expect((await ask('/auth/user', { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
});

it('objects are no user names and no passwords', async () => {
  for (const body of [
    { username: { $ne: '' }, password: PASSWORD },
    { username: system.admin.username, password: { $ne: '' } },
    { username: ['a'], password: { $gt: '' } },
  ])
    expect((await ask('/auth/login', { method: 'POST', body })).status).toBe(400);
  const form = Buffer.from(`username[$ne]=&password[$ne]=`);
  expect(await ask('/auth/login', { method: 'POST', body: form, headers: FORM })).toMatchObject({
    status: 400,
    body: { username: ['This field is required.'], password: ['This field is required.'] },
  });
});
