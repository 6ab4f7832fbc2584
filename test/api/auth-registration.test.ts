import { Api, idOf, type Json, startSystem, type TestSystem, waitFor } from '@intake/testkit';

/** Registration of organizations. API: organizations-users-groups.md section 1. */

const KEY = 'let me in, please';
const PASSWORD = 'k3a9zQ7x1b';
let system: TestSystem;

beforeAll(async () => {
  system = await startSystem({
    services: ['gateway', 'auth', 'queue', 'annotation'],
    env: { INTAKE_CREATE_KEY: KEY },
    processes: true,
  });
});
afterAll(() => system?.stop());

const register = async (over: object = {}) => {
  const body = {
    template_name: 'Tax Invoice EU Demo Template',
    organization_name: 'Acme',
    user_fullname: 'Jan van Novák',
    user_email: 'jan@acme.example',
    user_password: PASSWORD,
    create_key: KEY,
    ...over,
  };
  const response = await new Api(system.baseUrl).request('POST', '/organizations/create', { body });
  return { status: response.status, body: (await response.json()) as Json };
};
const withToken = (token: string) => Object.assign(new Api(system.baseUrl), { token });

it('makes an organization with all that belongs to it, and a token for one call', async () => {
  const made = await register();
  expect(made).toMatchObject({
    status: 201,
    body: { organization: { name: 'Acme', users: [expect.any(String)], workspaces: [expect.any(String)] } },
  });
  const { organization, token } = made.body;
  const { key } = await withToken(token).post('/auth/token');
  await expect(withToken(token).get('/auth/user')).rejects.toMatchObject({ status: 401 });
  const api = withToken(key);
  expect(await api.get('/auth/user')).toMatchObject({
    username: 'jan@acme.example',
    first_name: 'Jan',
    last_name: 'van Novák',
    ui_settings: { locale: 'en' },
    organization: organization.url,
    groups: [expect.stringMatching(/\/groups\/3$/)],
  });
  const [queues, schemas, inboxes] = await Promise.all(['queues', 'schemas', 'inboxes'].map((k) => api.get(`/${k}`)));
  expect([queues, schemas, inboxes].map(({ results }) => results.length)).toEqual([1, 1, 1]);
  expect(queues.results[0].inbox).toBe(inboxes.results[0].url);
  const byPassword = await system.login({ username: 'jan@acme.example', password: PASSWORD });
  expect((await byPassword.get('/organizations')).results).toMatchObject([{ id: organization.id }]);
});

it('answers a repetition by who knows the password with the same organization, and nobody else', async () => {
  const first = await register({ organization_name: 'Twice', user_email: 'twice@acme.example' });
  const again = await register({ organization_name: 'Twice', user_email: 'TWICE@acme.example' });
  expect([first.status, again.status]).toEqual([201, 201]);
  expect(again.body.organization).toEqual(first.body.organization);
  expect(again.body.token).not.toBe(first.body.token);

  const taken = { status: 400, body: { user_email: ['A user with that username already exists.'] } };
  const same = { organization_name: 'Twice', user_email: 'twice@acme.example' };
  expect(await register({ ...same, user_password: 'another one' })).toEqual(taken);
  expect(await register({ ...same, user_password: undefined })).toEqual(taken);
  expect(await register({ ...same, organization_name: 'Other' })).toEqual(taken);
});

it('refuses a wrong key and wrong fields', async () => {
  expect(await register({ create_key: 'wrong', user_email: 'k@acme.example' })).toEqual({
    status: 403,
    body: { detail: expect.any(String), code: 'permission_denied' },
  });
  expect((await register({ create_key: { $ne: '' } })).status).toBe(400);
  const required = ['This field is required.'];
  const response = await new Api(system.baseUrl).request('POST', '/organizations/create', { body: {} });
  expect([response.status, await response.json()]).toEqual([
    400,
    {
      template_name: required,
      organization_name: required,
      user_fullname: required,
      user_email: required,
      create_key: required,
    },
  ]);
  expect(await register({ user_email: 'nobody', user_password: 'short', organization_name: 'X' })).toEqual({
    status: 400,
    body: { user_email: ['Enter a valid email address.'], user_password: [expect.stringMatching(/too short/)] },
  });
  expect(await register({ template_name: 'None', user_email: 'none@acme.example' })).toEqual({
    status: 400,
    body: { template_name: ['"None" is not a valid choice.'] },
  });
  // It left nothing behind: the same person may try again.
  expect((await register({ user_email: 'none@acme.example' })).status).toBe(201);
});

it('makes nothing while a neighbour is away, and all of it afterwards', async () => {
  const late = { organization_name: 'Late', user_email: 'late@acme.example', user_password: undefined };
  await system.kill('queue');
  expect((await register(late)).status).toBe(503);
  await system.restart('queue');
  // The gateway finds the way back within a second or so.
  const made = await waitFor('another answer than 503', async () => {
    const answer = await register(late);
    return answer.status !== 503 && answer;
  });
  expect(made.status).toBe(201);
  expect((await withToken(made.body.token).get('/queues')).results).toHaveLength(1);
  expect(idOf(made.body.organization.url)).toBe(made.body.organization.id);
});
