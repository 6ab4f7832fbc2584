import { randomBytes } from 'node:crypto';
import { Api, type Json, type Login, startSystem, type TestSystem, waitFor } from '@intake/testkit';

/** Tokens, users and organizations through the API. API: auth.md section 2, organizations-users-groups.md. */

let system: TestSystem;
let admin: Api;

beforeAll(async () => {
  system = await startSystem({ services: ['gateway', 'auth', 'queue', 'annotation'] });
  admin = await system.login();
});
afterAll(() => system?.stop());

const PASSWORD = 'k3a9zQ7x1b';
let counter = 0;

interface Made {
  readonly user: Json;
  readonly login: Login;
  readonly api: Api;
}

/** A new user of a role, logged in. */
async function makeUser(group = 2, over: object = {}): Promise<Made> {
  const username = `someone.${++counter}@example.com`;
  const user = await admin.post('/users', {
    username,
    email: username,
    password: PASSWORD,
    organization: `${system.baseUrl}/v1/organizations/${system.organizationId}`,
    groups: [`${system.baseUrl}/v1/groups/${group}`],
    ...over,
  });
  const login = { username, password: PASSWORD };
  return { user, login, api: await system.login(login) };
}

const answer = async (api: Api, method: string, path: string, body?: unknown) => {
  const response = await api.request(method, path, { body });
  const text = await response.text();
  return { status: response.status, body: (text ? JSON.parse(text) : null) as Json };
};
const withToken = (token: string) => Object.assign(new Api(system.baseUrl), { token });
const INVALID_TOKEN = { status: 401, body: { detail: 'Invalid token.', code: 'authentication_failed' } };

describe('POST auth/token', () => {
  it('gives a further token and leaves the first one valid', async () => {
    const { api, login } = await makeUser();
    const made = await answer(api, 'POST', '/auth/token', { max_token_lifetime_s: 60, origin: 'x' });
    expect(made).toEqual({
      status: 200,
      body: { key: expect.stringMatching(/^[0-9a-f]{40}$/), domain: null, scope: 'default' },
    });
    expect((await withToken(made.body.key).get('/auth/user')).username).toBe(login.username);
    expect((await api.get('/auth/user')).username).toBe(login.username);
    expect((await answer(api, 'POST', '/auth/token')).status).toBe(200);
  });

  it('refuses what it cannot exchange', async () => {
    const { api } = await makeUser();
    expect(await answer(new Api(system.baseUrl), 'POST', '/auth/token')).toMatchObject({
      status: 403,
      body: { code: 'not_authenticated' },
    });
    for (const token of ['0'.repeat(40), 'a.b.c']) {
      expect((await answer(withToken(token), 'POST', '/auth/token')).status).toBe(401);
    }
    expect(await answer(api, 'POST', '/auth/token', { max_token_lifetime_s: 0 })).toEqual({
      status: 400,
      body: { max_token_lifetime_s: ['Ensure this value is greater than 0.'] },
    });
    for (const scope of ['approval', 'other'])
      expect(await answer(api, 'POST', '/auth/token', { scope })).toEqual({
        status: 400,
        body: { scope: [expect.any(String)] },
      });
    await api.post('/auth/logout');
    expect(await answer(api, 'POST', '/auth/token')).toEqual(INVALID_TOKEN);
  });

  it('gives a token for the own organization and no other', async () => {
    const { api, user } = await makeUser();
    const made = await answer(api, 'POST', '/auth/membership_token', { organization: user.organization });
    expect(made).toMatchObject({ status: 200, body: { organization: user.organization } });
    expect((await withToken(made.body.key).get('/auth/user')).id).toBe(user.id);
    const other = `${system.baseUrl}/v1/organizations/${system.organizationId + 1}`;
    expect((await answer(api, 'POST', '/auth/membership_token', { organization: other })).status).toBe(403);
  });
});

describe('users', () => {
  it('are made with everything the API lets an admin say', async () => {
    const { user } = await makeUser(2, {
      first_name: 'Jan',
      last_name: 'Novák',
      phone_number: '+420 123',
      queues: [`${system.baseUrl}/v1/queues/${system.queueId}`],
      ui_settings: { locale: 'cs' },
      metadata: { a: 1 },
    });
    expect(user).toMatchObject({
      first_name: 'Jan',
      last_name: 'Novák',
      phone_number: '+420 123',
      queues: [`${system.baseUrl}/v1/queues/${system.queueId}`],
      ui_settings: { locale: 'cs' },
      metadata: { a: 1 },
      is_active: true,
      auth_type: 'password',
      oidc_id: null,
      deleted: false,
    });
    expect(user).not.toHaveProperty('password');
    const queue = await admin.get(`/queues/${system.queueId}`);
    expect(queue.users).toContain(user.url);
  });

  it('are changed by PATCH, and replaced by PUT', async () => {
    const { user, login } = await makeUser(2, { first_name: 'Jan', metadata: { a: 1 } });
    const patched = await answer(admin, 'PATCH', `/users/${user.id}`, {
      last_name: 'Black',
      email: 'other@example.com',
    });
    expect(patched).toMatchObject({
      status: 200,
      body: { first_name: 'Jan', last_name: 'Black', email: login.username, groups: user.groups },
    });
    const twice = { groups: [...user.groups, ...user.groups] };
    expect((await answer(admin, 'PATCH', `/users/${user.id}`, twice)).body.groups).toEqual(user.groups);
    const put = await answer(admin, 'PUT', `/users/${user.id}`, {
      username: `renamed${counter}`,
      organization: user.organization,
    });
    expect(put).toMatchObject({
      status: 200,
      body: {
        username: `renamed${counter}`,
        first_name: '',
        last_name: '',
        groups: [],
        metadata: { a: 1 },
        is_active: true,
      },
    });
    expect(await answer(admin, 'PUT', `/users/${user.id}`, {})).toMatchObject({
      status: 400,
      body: { username: ['This field is required.'], organization: ['This field is required.'] },
    });
  });

  it('are refused with references to what is not there, and names of others', async () => {
    const { user } = await makeUser();
    const none = ['Invalid hyperlink - Object does not exist.'];
    const patch = (body: object) => answer(admin, 'PATCH', `/users/${user.id}`, body);
    expect(await patch({ queues: [`${system.baseUrl}/v1/queues/99999`] })).toEqual({
      status: 400,
      body: { queues: none },
    });
    expect(await patch({ groups: [`${system.baseUrl}/v1/groups/9`] })).toEqual({ status: 400, body: { groups: none } });
    expect(await patch({ username: system.admin.username.toUpperCase() })).toEqual({
      status: 400,
      body: { username: ['A user with that username already exists.'] },
    });
    expect((await patch({ auth_type: 'none' })).status).toBe(400);
    const other = await system.login((await system.createOrganization(`Users${counter}`)).admin);
    expect((await answer(other, 'PATCH', `/users/${user.id}`, { last_name: 'x' })).status).toBe(404);
    expect((await answer(other, 'DELETE', `/users/${user.id}`)).status).toBe(404);
  });

  it('change of themselves only what is theirs', async () => {
    const { api, user } = await makeUser();
    const body = {
      first_name: 'Me',
      ui_settings: { locale: 'de' },
      groups: [`${system.baseUrl}/v1/groups/3`],
      is_active: false,
    };
    for (const path of ['/auth/user', `/users/${user.id}`]) {
      expect(await answer(api, 'PATCH', path, { ...body, password: 'another password' })).toMatchObject({
        status: 200,
        body: { first_name: 'Me', ui_settings: { locale: 'de' }, groups: user.groups, is_active: true },
      });
    }
    expect((await answer(api, 'PUT', '/auth/user', { last_name: 'Last' })).body).toMatchObject({
      first_name: '',
      last_name: 'Last',
      ui_settings: { locale: 'de' },
    });
    const { user: colleague } = await makeUser();
    expect((await answer(api, 'PATCH', `/users/${colleague.id}`, { last_name: 'x' })).status).toBe(403);
    expect((await answer(api, 'DELETE', `/users/${colleague.id}`)).status).toBe(403);
  });

  it.each([
    ['are disabled', { is_active: false }, 401],
    ['get another password', { password: 'x9y8z7w6v5' }, 401],
    ['log in elsewhere', { auth_type: 'sso' }, 200],
  ])('that %s: their tokens answer as they should, at once', async (_, change, status) => {
    const { api, user, login } = await makeUser();
    await api.get('/auth/user');
    expect((await answer(admin, 'PATCH', `/users/${user.id}`, change)).status).toBe(200);
    expect((await answer(api, 'GET', '/auth/user')).status).toBe(status);
    await expect(system.login(login)).rejects.toMatchObject({ status: 401 });
  });

  it('log in with the password an admin set', async () => {
    const { user, login } = await makeUser();
    const password = randomBytes(8).toString('hex');
    await admin.patch(`/users/${user.id}`, { password });
    expect((await system.login({ ...login, password })).token).toEqual(expect.any(String));
    expect(await answer(admin, 'PATCH', `/users/${user.id}`, { password: 'short' })).toMatchObject({
      status: 400,
      body: { password: [expect.stringContaining('too short')] },
    });
  });

  it('who ask for a mail that nobody can send are named in no log, but the operator reads why none came', async () => {
    const { login } = await makeUser();
    const invited = { username: 'invited@example.com', email: 'invited@example.com' };
    const organization = `${system.baseUrl}/v1/organizations/${system.organizationId}`;
    const warnings = () =>
      system
        .readLogs(1000)
        .split('\n')
        .filter((line) => line.includes('is not sent: INTAKE_SMTP_RELAY_URL is not set'));
    await new Api(system.baseUrl).post('/auth/password/reset', { email: login.username });
    await waitFor('the reset in the log', () => warnings().some((line) => line.includes('"kind":"reset"')));
    await admin.post('/users', { ...invited, organization });
    await waitFor('the invitation in the log', () => warnings().some((line) => line.includes('"kind":"invitation"')));
    expect(warnings().join()).not.toContain('@example.com');
  });

  it('are known to the provider of single sign-on by their address unless by something else', async () => {
    const { user } = await makeUser();
    expect((await admin.patch(`/users/${user.id}`, { auth_type: 'sso' })).oidc_id).toBe(user.email);
    expect((await admin.patch(`/users/${user.id}`, { oidc_id: 'me' })).oidc_id).toBe('me');
  });

  it('are deleted but kept, and stay so', async () => {
    const { api, user } = await makeUser();
    expect((await answer(admin, 'DELETE', `/users/${user.id}`)).status).toBe(204);
    expect((await answer(api, 'GET', '/auth/user')).status).toBe(401);
    expect(await admin.get(`/users/${user.id}`)).toMatchObject({ deleted: true, is_active: false });
    expect((await answer(admin, 'DELETE', `/users/${user.id}`)).status).toBe(404);
    expect((await answer(admin, 'PATCH', `/users/${user.id}`, { is_active: true })).status).toBe(404);
    expect((await admin.get(`/users?username=${user.username}`)).results).toEqual([]);
    expect((await admin.get(`/users?deleted=true&username=${user.username}`)).results).toHaveLength(1);
    const self = await makeUser();
    expect((await answer(self.api, 'DELETE', `/users/${self.user.id}`)).status).toBe(204);
  });

  it('keep one admin, also when two leave at the same time', async () => {
    const made = await system.createOrganization('Admins');
    const first = await system.login(made.admin);
    const me = await first.get('/auth/user');
    for (const change of [{ is_active: false }, { groups: [] }])
      expect((await answer(first, 'PATCH', `/users/${me.id}`, change)).status).toBe(403);
    expect((await answer(first, 'DELETE', `/users/${me.id}`)).status).toBe(403);
    const second = await first.post('/users', {
      username: `second${counter}`,
      organization: me.organization,
      groups: me.groups,
      password: PASSWORD,
    });
    const other = await system.login({ username: second.username, password: PASSWORD });
    const statuses = await Promise.all([
      answer(first, 'DELETE', `/users/${me.id}`),
      answer(other, 'DELETE', `/users/${second.id}`),
    ]);
    expect(statuses.map(({ status }) => status).sort()).toEqual([204, 403]);
    const keeper = await first.request('GET', '/auth/user');
    const api = keeper.status === 200 ? first : other;
    const group = {
      username: `group${counter}`,
      organization: me.organization,
      groups: [`${system.baseUrl}/v1/groups/6`],
    };
    const groupAdmin = await api.post('/users', group);
    expect((await answer(api, 'DELETE', `/users/${groupAdmin.id}`)).status).toBe(403);
  });

  it('are found by their names, address, role, queue and last login', async () => {
    const { user, login } = await makeUser(7, { first_name: 'Unique', last_name: 'Person' });
    const find = async (query: string) => (await admin.get(`/users?${query}`)).results.map((one: Json) => one.id);
    for (const query of [
      'first_name=Unique',
      'last_name=Person',
      `email=${login.username}`,
      'groups=7',
      'first_name=Unique&last_login_after=2020-01-01',
      'first_name=Unique&ordering=-not_deleted,id',
    ])
      expect([query, await find(query)]).toEqual([query, [user.id]]);
    expect(await find('first_name=Unique&last_login_before=2020-01-01')).toEqual([]);
  });
});

describe('organizations', () => {
  it('are changed by admins', async () => {
    const path = `/organizations/${system.organizationId}`;
    const before = await admin.get(path);
    expect(
      await answer(admin, 'PATCH', path, { name: 'Renamed', settings: { a: 1 }, ui_settings: { b: 2 } }),
    ).toMatchObject({
      status: 200,
      body: {
        name: 'Renamed',
        settings: { a: 1 },
        ui_settings: { b: 2 },
        modified_by: before.creator,
        users: before.users,
      },
    });
    expect((await answer(admin, 'PUT', path, { name: before.name })).body).toMatchObject({
      name: before.name,
      settings: { a: 1 },
      sandbox: false,
    });
    expect(await answer(admin, 'PATCH', path, { name: ' ' })).toEqual({
      status: 400,
      body: { name: ['This field may not be blank.'] },
    });
    const { api } = await makeUser(4);
    expect((await answer(api, 'PATCH', path, { name: 'x' })).status).toBe(403);
    const other = await system.login((await system.createOrganization('Neighbour')).admin);
    expect((await answer(other, 'PATCH', path, { name: 'x' })).status).toBe(404);
    expect((await answer(other, 'GET', `${path}/limits`)).status).toBe(404);
  });

  it('belong to the one group', async () => {
    const { results } = await admin.get('/organization_groups');
    expect(results).toHaveLength(1);
    expect(await admin.get(results[0].url)).toEqual(results[0]);
    expect((await answer(admin, 'GET', '/organization_groups/2')).status).toBe(404);
    const { id, name } = results[0];
    for (const query of [`id=${id}`, `id=${id + 1},${id}`, `name=${name}`])
      expect([query, (await admin.get(`/organization_groups?${query}`)).results]).toEqual([query, results]);
    for (const query of [`id=${id + 1}`, 'name=Elsewhere', `id=${id}&name=Elsewhere`])
      expect([query, (await admin.get(`/organization_groups?${query}`)).results]).toEqual([query, []]);
  });
});
