import { Api, type Json, type Replica, startSystem, type TestSystem, waitFor } from '@intake/testkit';

/** The request quota, shared by the replicas of the gateway. API: limits.md, Request quota. */

const LIMIT = 60;
/** What a replica may not have heard of another one: 5 % of the limit, and what was answered meanwhile. */
const TOLERANCE = LIMIT * 0.05 + 2;
const PASSWORD = 'k3a9zQ7x1b';
let system: TestSystem;
let second: Replica;
let admin: Api;
let counter = 0;

beforeAll(async () => {
  system = await startSystem({
    services: ['gateway', 'auth', 'queue'],
    env: {
      INTAKE_RATE_LIMIT_PER_MINUTE: String(LIMIT),
      INTAKE_LOGIN_LIMIT_PER_MINUTE: '30',
      INTAKE_PASSWORD_LIMIT_PER_MINUTE: '10',
      INTAKE_TRUST_PROXY: 'on',
    },
  });
  [second, admin] = await Promise.all([system.addReplica(), system.login()]);
});
afterAll(() => system?.stop());

const ask = async (base: string, path: string, { from = '203.0.113.1', ...more }: Json = {}) => {
  const { token, body, method = body ? 'POST' : 'GET' } = more;
  const api = Object.assign(new Api(base), { token });
  const response = await api.request(method, path, { body, headers: { 'x-forwarded-for': from, ...more.headers } });
  return { status: response.status, wait: response.headers.get('retry-after'), body: (await response.json()) as Json };
};

/** A user with a token; an address of its own, so that making it counts for nobody else. */
async function makeUser(): Promise<{ username: string; token: string; from: string }> {
  const username = `quota${++counter}@example.com`;
  const from = `198.51.100.${counter}`;
  const organization = `${system.baseUrl}/v1/organizations/${system.organizationId}`;
  const groups = [`${system.baseUrl}/v1/groups/2`];
  await admin.post('/users', { username, password: PASSWORD, organization, groups });
  const { body } = await ask(system.baseUrl, '/auth/login', { body: { username, password: PASSWORD }, from });
  return { username, token: body.key, from };
}

/** Asks until it is refused: how often it was not. */
async function exhaust(bases: readonly string[], path: string, options: Json): Promise<number> {
  for (let done = 0; done < 3 * LIMIT; done++) {
    const { status } = await ask(bases[done % bases.length]!, path, options);
    if (status === 429) return done;
  }
  throw new Error('it was never refused');
}

it('holds for a user over all replicas together, also after one has started anew', async () => {
  const { token } = await makeUser();
  const bases = [system.baseUrl, second.baseUrl];
  const done = await exhaust(bases, '/auth/user', { token });
  expect(done).toBeGreaterThanOrEqual(LIMIT);
  expect(done).toBeLessThanOrEqual(LIMIT + TOLERANCE);
  const refused = await Promise.all(
    bases.map((base) =>
      waitFor('a refusal', async () => {
        const answer = await ask(base, '/auth/user', { token });
        return answer.status === 429 && answer;
      }),
    ),
  );
  for (const { body, wait } of refused) {
    expect(body).toEqual({ detail: 'Request was rate limited.', code: 'rate_limited', url: null });
    expect(wait).toMatch(/^\d+$/);
    expect(Number(wait)).toBeGreaterThan(0);
    expect(Number(wait)).toBeLessThanOrEqual(60);
  }
  await second.restart();
  const after = await exhaust([second.baseUrl], '/auth/user', { token });
  expect(after).toBeLessThanOrEqual(TOLERANCE);
  // Somebody else is not concerned.
  const other = await makeUser();
  expect((await ask(system.baseUrl, '/auth/user', { token: other.token })).status).toBe(200);
});

it('holds for an address of those who are not logged in, as a trusted proxy tells it', async () => {
  const done = await exhaust([system.baseUrl], '/auth/user', { token: '0'.repeat(40), from: '203.0.113.7' });
  expect(done).toBe(LIMIT);
  expect((await ask(system.baseUrl, '/', { from: '203.0.113.7' })).status).toBe(429);
  expect((await ask(system.baseUrl, '/', { from: '1.1.1.1, 203.0.113.7' })).status).toBe(429);
  expect((await ask(system.baseUrl, '/', { from: '203.0.113.7, 203.0.113.8' })).status).toBe(200);
  const { token } = await makeUser();
  expect((await ask(system.baseUrl, '/auth/user', { token, from: '203.0.113.7' })).status).toBe(200);
});

it('is smaller for logins and for passwords of an address', async () => {
  const { username } = await makeUser();
  const login = { body: { username, password: PASSWORD }, from: '203.0.113.20' };
  expect(await exhaust([system.baseUrl], '/auth/login', login)).toBe(30);
  const other = { ...login, from: '203.0.113.21' };
  expect((await ask(system.baseUrl, '/auth/login', other)).status).toBe(200);
  const score = { body: { password: 'x' }, from: '203.0.113.22' };
  expect(await exhaust([system.baseUrl], '/auth/password/score', score)).toBe(10);
  const reset = { body: { email: 'nobody@example.com' }, from: '203.0.113.22' };
  expect((await ask(system.baseUrl, '/auth/password/reset', reset)).status).toBe(429);
});
