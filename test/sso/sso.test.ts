import { Api, type Json, startSystem, type TestSystem, waitFor } from '@intake/testkit';
import { startBrowser } from './browser';
import { HttpBrowser } from './http-browser';
import { startProvider, type TestProvider } from './provider';

/** Single sign-on with a real provider, in a real browser and without one. API: auth.md sections 6 and 7. */

let system: TestSystem;
let provider: TestProvider;
let admin: Api;
let root: string;
let ui: string;
let counter = 0;

beforeAll(async () => {
  system = await startSystem({
    services: ['gateway', 'auth', 'queue'],
    // The web UI here is another one than Intake's own, which would use the tokens up.
    env: { INTAKE_OUTGOING_ALLOW: '127.0.0.1', INTAKE_LOG_LEVEL: 'debug', INTAKE_REVIEW_DIR: '/nowhere' },
  });
  root = `${system.baseUrl}/v1`;
  ui = system.baseUrl.replace(/\/api$/, '');
  provider = await startProvider(`${root}/oauth/code`);
  admin = await system.login();
});
afterAll(async () => {
  await provider?.stop();
  await system?.stop();
});
beforeEach(async () => {
  await provider.behave({});
  await settings(system.organizationId, admin, {
    enabled: true,
    issuer: provider.issuer,
    client_id: provider.clientId,
    client_secret: provider.clientSecret,
    claim: 'email',
    auto_provisioning: false,
    allowed_roles: ['annotator', 'manager'],
    default_role: 'annotator',
  });
});

const settings = (organization: number, api: Api, oidc: object) =>
  api.patch(`/organizations/${organization}/auth_settings`, { oidc });
const loginUrl = (next?: string, organization: number | string = system.organizationId) =>
  `${root}/oauth/login?organization=${organization}${next === undefined ? '' : `&next=${encodeURIComponent(next)}`}`;
const bodyOf = ({ text }: { text: string }): Json => JSON.parse(text);

/** A user, and what the provider calls it. */
async function makeUser(over: object = {}): Promise<{ id: number; login: string; email: string; url: string }> {
  const login = `login${++counter}`;
  const email = `person${counter}@example.com`;
  const organization = `${root}/organizations/${system.organizationId}`;
  const user = await admin.post('/users', {
    username: email,
    email,
    organization,
    groups: [`${root}/groups/2`],
    ...over,
  });
  return { id: user.id, login, email, url: `/users/${user.id}` };
}

/** Goes to the provider and logs in there: where it sends the browser back to. */
async function goThere(login: string, browser = new HttpBrowser(), next?: string): Promise<string> {
  const start = await browser.visit(loginUrl(next));
  if (!start.location) throw new Error(`${start.status} ${start.text}`);
  return browser.logInAtProvider(start.location, login);
}
/** The whole way, without a browser's window. */
async function logIn(login: string, next?: string) {
  const browser = new HttpBrowser();
  return browser.visit(await goThere(login, browser, next));
}
/** The user whom the token in the fragment belongs to; the token is used up by it. */
async function whoComesIn(location: string | null): Promise<Json> {
  const token = new URL(location ?? '').hash.replace('#authToken=', '');
  return Object.assign(new Api(system.baseUrl), { token }).get('/auth/user');
}

describe('in a browser', () => {
  it('a user logs in at the provider and comes back with a token, which is good for one call', async () => {
    const { login, email } = await makeUser();
    await provider.behave({ accounts: { [login]: { email, email_verified: true } } });
    const browser = await startBrowser();
    try {
      const page = await browser.newPage();
      await page.goto(loginUrl('/queues/7?status=to_review'));
      expect(new URL(page.url()).origin).toBe(provider.issuer);
      await page.fill('input[name=login]', login);
      await page.fill('input[name=password]', 'any');
      await page.click('button[type=submit]');
      // The provider asks whether Intake may know who it is.
      await page.waitForSelector('input[name=prompt][value=consent]', { state: 'attached' });
      await page.click('button[type=submit]');
      await page.waitForURL(/#authToken=/);
      expect(page.url()).toMatch(new RegExp(`^${ui}/queues/7\\?status=to_review#authToken=[0-9a-f]{40}$`));

      // As the web UI does: it trades the token for one that lasts.
      const answer = await page.evaluate(async (url) => {
        const authorization = `Bearer ${location.hash.replace('#authToken=', '')}`;
        const trade = () => fetch(url, { method: 'POST', headers: { authorization } });
        const first = await trade();
        return { status: first.status, body: await first.json(), again: (await trade()).status };
      }, `${root}/auth/token`);
      expect(answer).toMatchObject({ status: 200, body: { key: expect.any(String) }, again: 401 });
      const api = Object.assign(new Api(system.baseUrl), { token: answer.body.key });
      expect(await api.get('/auth/user')).toMatchObject({ username: email, last_login: expect.any(String) });
      const cookies = await page.context().cookies(`${root}/oauth/code`);
      expect(cookies.filter(({ name }) => name.startsWith('oauth_'))).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});

describe('beginning', () => {
  it('sends the browser to the provider with state, nonce and PKCE, and ties the state to it', async () => {
    const { status, location, headers } = await new HttpBrowser().visit(loginUrl());
    expect(status).toBe(302);
    const url = new URL(location ?? '');
    expect(url.origin).toBe(provider.issuer);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: provider.clientId,
      redirect_uri: `${root}/oauth/code`,
      scope: 'openid email profile',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^oauth_[0-9a-f]{16}=[\w-]{43}; Path=\/api\/v1\/oauth; Max-Age=600; HttpOnly; SameSite=Lax$/,
      ),
    ]);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it.each(['https://evil.example/', '//evil.example', '/\\evil.example', '/\t/evil.example', 'javascript:alert(1)'])(
    'does not take %j for a place to go next',
    async (next) => {
      const visit = await new HttpBrowser().visit(loginUrl(next));
      expect({ status: visit.status, body: bodyOf(visit) }).toEqual({
        status: 400,
        body: { next: ['It must be a path of this site, such as /queues.'] },
      });
    },
  );

  it('says the same of an organization that is unknown and of one without single sign-on', async () => {
    const other = await system.createOrganization('Without');
    for (const id of [other.organizationId, 999_999]) {
      const visit = await new HttpBrowser().visit(loginUrl(undefined, id));
      expect({ status: visit.status, body: bodyOf(visit) }).toEqual({
        status: 400,
        body: { organization: ['Single sign-on is not set up for this organization.'] },
      });
    }
    const odd = await new HttpBrowser().visit(loginUrl(undefined, 'x'));
    expect({ status: odd.status, body: bodyOf(odd) }).toEqual({
      status: 400,
      body: { organization: ['Enter a valid value.'] },
    });
  });

  it('needs no organization while only one has single sign-on', async () => {
    const goAnywhere = () => new HttpBrowser().visit(`${root}/oauth/login`);
    const readOffer = async () => bodyOf(await new HttpBrowser().visit(`${root}/oauth`));
    expect(await readOffer()).toEqual({ single_sign_on: true, organization_required: false });
    expect(new URL((await goAnywhere()).location ?? '').origin).toBe(provider.issuer);
    const second = await system.createOrganization('Second');
    const api = await system.login(second.admin);
    const oidc = { issuer: provider.issuer, client_id: 'other' };
    await settings(second.organizationId, api, { ...oidc, enabled: true });
    expect(bodyOf(await goAnywhere())).toEqual({ organization: ['This field is required.'] });
    expect(await readOffer()).toEqual({ single_sign_on: true, organization_required: true });
    expect((await new HttpBrowser().visit(loginUrl())).status).toBe(302);
    await settings(second.organizationId, api, { enabled: false });
    expect((await goAnywhere()).status).toBe(302);
    await settings(system.organizationId, admin, { enabled: false });
    expect((await goAnywhere()).status).toBe(400);
    expect(await readOffer()).toEqual({ single_sign_on: false, organization_required: false });
  });

  it.each([
    ['http://127.0.0.2:9', /not public/],
    ['http://169.254.169.254', /not public/],
    ['http://[::ffff:10.0.0.1]', /not public/],
    ['https://10.1.2.3/realm', /not public/],
    ['http://192.88.98.1', /must be called by https/],
    ['https://provider.invalid', /name provider\.invalid is not known/],
  ])('does not ask a provider at %s', async (issuer, reason) => {
    await settings(system.organizationId, admin, { issuer });
    const visit = await new HttpBrowser().visit(loginUrl());
    expect({ status: visit.status, body: bodyOf(visit) }).toEqual({
      status: 400,
      body: { code: 'bad_request', detail: expect.stringMatching(reason) },
    });
    expect(bodyOf(visit).detail).toMatch(/^The provider of single sign-on cannot be asked: /);
  });

  it('says that the provider is something else', async () => {
    await settings(system.organizationId, admin, { issuer: provider.issuer.replace('127.0.0.1', 'localhost') });
    const other = bodyOf(await new HttpBrowser().visit(loginUrl()));
    expect(other.detail).toMatch(/issuer|cannot be asked/);
    await settings(system.organizationId, admin, { issuer: `${provider.issuer}/realm` });
    expect(bodyOf(await new HttpBrowser().visit(loginUrl())).detail).toMatch(/not valid.*status 404/);
    await settings(system.organizationId, admin, { issuer: `${ui}/api/v1` });
    expect(bodyOf(await new HttpBrowser().visit(loginUrl())).detail).toMatch(/not valid.*status 404/);
  });
});

describe('coming back', () => {
  const BEGIN_AGAIN = {
    status: 400,
    body: { code: 'bad_request', detail: expect.stringContaining('Please begin again') },
  };
  const answerOf = async (browser: HttpBrowser, url: string) => {
    const visit = await browser.visit(url);
    return { status: visit.status, body: bodyOf(visit) };
  };
  let user: Awaited<ReturnType<typeof makeUser>>;
  beforeAll(async () => {
    user = await makeUser();
  });
  beforeEach(() => behave({}));
  const behave = (more: object) => provider.behave({ accounts: { [user.login]: { email: user.email } }, ...more });

  it('works once: neither state nor code are taken twice', async () => {
    const browser = new HttpBrowser();
    const back = await goThere(user.login, browser);
    const cookies = [...browser.cookiesOf(back)];
    expect(cookies).toHaveLength(1);
    const first = await browser.visit(back);
    expect(first.location).toMatch(/\/#authToken=[0-9a-f]{40}$/);
    expect(browser.cookiesOf(back).size).toBe(0);
    browser.cookiesOf(back).set(...(cookies[0] as [string, string]));
    expect(await answerOf(browser, back)).toEqual(BEGIN_AGAIN);
  });

  it('works at the same time in several tabs', async () => {
    const browser = new HttpBrowser();
    const backs = [await goThere(user.login, browser), await goThere(user.login, browser)];
    for (const back of backs) expect((await browser.visit(back)).status).toBe(302);
  });

  it('needs the state of a login that this browser began', async () => {
    const browser = new HttpBrowser();
    const back = new URL(await goThere(user.login, browser));
    expect(await answerOf(new HttpBrowser(), back.href)).toEqual(BEGIN_AGAIN);
    const forged = new URL(back);
    forged.searchParams.set('state', 'x'.repeat(43));
    expect(await answerOf(browser, forged.href)).toEqual(BEGIN_AGAIN);
    forged.searchParams.delete('state');
    expect(await answerOf(browser, forged.href)).toEqual(BEGIN_AGAIN);
    // Somebody else's login, with the cookie of one's own.
    const other = new HttpBrowser();
    const theirs = new URL(await goThere(user.login, other));
    for (const [name] of other.cookiesOf(root)) other.cookiesOf(root).set(name, 'y'.repeat(43));
    expect(await answerOf(other, theirs.href)).toEqual(BEGIN_AGAIN);
    // None of these has used it up.
    expect((await browser.visit(back.href)).status).toBe(302);
  });

  it('does not take the code of another login', async () => {
    const browser = new HttpBrowser();
    const [mine, theirs] = [new URL(await goThere(user.login, browser)), new URL(await goThere(user.login, browser))];
    mine.searchParams.set('code', theirs.searchParams.get('code') ?? '');
    expect(await answerOf(browser, mine.href)).toEqual({
      status: 400,
      body: { code: 'bad_request', detail: expect.stringMatching(/refused: invalid_grant/) },
    });
  });

  it.each([
    ['nonce', { nonce: 'another' }],
    ['aud', { aud: 'another' }],
    ['iss', { iss: 'http://127.0.0.1:1' }],
    ['exp', { exp: 1_000_000_000 }],
  ])('refuses an ID token with a wrong "%s"', async (claim, idToken) => {
    await behave({ idToken });
    const browser = new HttpBrowser();
    expect(await answerOf(browser, await goThere(user.login, browser))).toEqual({
      status: 400,
      body: { code: 'bad_request', detail: expect.stringMatching(new RegExp(`not valid: .*"${claim}"`)) },
    });
  });

  it('refuses an ID token that another key has signed', async () => {
    await behave({ foreignKey: true });
    const browser = new HttpBrowser();
    expect(await answerOf(browser, await goThere(user.login, browser))).toEqual({
      status: 400,
      body: { code: 'bad_request', detail: expect.stringMatching(/not valid: .*signature/i) },
    });
  });

  it('refuses an expired code', async () => {
    await behave({ codeTtlS: 1 });
    const browser = new HttpBrowser();
    const back = await goThere(user.login, browser);
    const issuedAt = Date.now();
    await waitFor('the code to expire', () => Date.now() > issuedAt + 1500);
    expect(await answerOf(browser, back)).toEqual({
      status: 400,
      body: { code: 'bad_request', detail: expect.stringMatching(/refused: invalid_grant/) },
    });
  });

  it('passes on that the provider refuses', async () => {
    const browser = new HttpBrowser();
    const back = new URL(await goThere(user.login, browser));
    back.searchParams.delete('code');
    back.searchParams.set('error', 'access_denied');
    back.searchParams.set('error_description', 'not today');
    expect(await answerOf(browser, back.href)).toEqual({
      status: 400,
      body: { code: 'bad_request', detail: 'The provider of single sign-on refused: access_denied: not today' },
    });
  });

  it.each(['client_secret_post', 'none'])('works with a provider that takes the secret by %s', async (method) => {
    const other = await startProvider(`${root}/oauth/code`, method);
    try {
      const secret = method === 'none' ? null : other.clientSecret;
      await settings(system.organizationId, admin, { issuer: other.issuer, client_secret: secret });
      await other.behave({ accounts: { [user.login]: { email: user.email } } });
      expect((await whoComesIn((await logIn(user.login)).location)).id).toBe(user.id);
    } finally {
      await other.stop();
    }
  });

  it('says that the client secret is wrong', async () => {
    await settings(system.organizationId, admin, { client_secret: 'wrong' });
    const browser = new HttpBrowser();
    const { status, body } = await answerOf(browser, await goThere(user.login, browser));
    expect({ status, detail: body.detail }).toEqual({
      status: 400,
      detail: expect.stringMatching(/invalid_client|client secret/),
    });
  });

  it('says that the provider is away, and works when it is back', async () => {
    const browser = new HttpBrowser();
    const back = await goThere(user.login, browser);
    await provider.kill();
    expect(await answerOf(browser, back)).toEqual({
      status: 400,
      body: {
        code: 'bad_request',
        detail: expect.stringMatching(/^The provider of single sign-on cannot be asked: No connection to 127\.0\.0\.1/),
      },
    });
    await provider.start();
    await settings(system.organizationId, admin, { issuer: `${provider.issuer}/` });
    await behave({});
    expect((await logIn(user.login)).status).toBe(302);
  });

  it('ends when single sign-on is switched off meanwhile', async () => {
    const browser = new HttpBrowser();
    const back = await goThere(user.login, browser);
    await settings(system.organizationId, admin, { enabled: false });
    expect(await answerOf(browser, back)).toEqual(BEGIN_AGAIN);
  });
});

describe('who comes in', () => {
  const refused = (detail: RegExp) => ({
    status: 401,
    body: { code: 'authentication_failed', detail: expect.stringMatching(detail) },
  });
  const tryIn = async (login: string) => {
    const visit = await logIn(login);
    return { status: visit.status, body: visit.text.startsWith('{') ? bodyOf(visit) : null };
  };

  it('is found by oidc_id, then by e-mail address, then by user name', async () => {
    const byId = await makeUser({ oidc_id: 'subject-1' });
    const byEmail = await makeUser();
    const byName = await makeUser({ email: '' });
    await provider.behave({
      accounts: {
        [byEmail.login]: { email: byEmail.email.toUpperCase() },
        [byName.login]: { email: byName.email },
        id: { email: 'subject-1' },
      },
    });
    expect((await whoComesIn((await logIn('id')).location)).username).toBe(byId.email);
    expect((await whoComesIn((await logIn(byEmail.login)).location)).username).toBe(byEmail.email);
    expect((await whoComesIn((await logIn(byName.login)).location)).username).toBe(byName.email);
    // The surest wins over the others.
    await admin.patch(byId.url, { oidc_id: byEmail.email });
    await provider.behave({ accounts: { [byEmail.login]: { email: byEmail.email } } });
    expect((await whoComesIn((await logIn(byEmail.login)).location)).username).toBe(byId.email);
    await admin.patch(byName.url, { oidc_id: byEmail.email });
    expect(await tryIn(byEmail.login)).toEqual(refused(/Several users are known as/));
  });

  it.each(['sub', 'preferred_username', 'unique_name'])('may be named by the claim "%s"', async (claim) => {
    const value = `known by ${claim}`;
    const { id, login } = await makeUser({ oidc_id: value });
    await settings(system.organizationId, admin, { claim });
    await provider.behave({ accounts: claim === 'sub' ? {} : { [login]: { [claim]: value } } });
    const { location } = await logIn(claim === 'sub' ? value : login);
    expect((await whoComesIn(location)).id).toBe(id);
  });

  it('needs the claim, and a verified e-mail address', async () => {
    const { login, email } = await makeUser();
    await provider.behave({ accounts: { [login]: { name: 'Nobody' } } });
    expect(await tryIn(login)).toEqual(refused(/did not tell "email"/));
    await provider.behave({ accounts: { [login]: { email, email_verified: false } } });
    expect(await tryIn(login)).toEqual(refused(/not verified/));
    await provider.behave({ accounts: { [login]: { email: ['a@example.com'] } } });
    expect(await tryIn(login)).toEqual(refused(/did not tell "email"/));
  });

  it('is nobody who is disabled, deleted, or of another organization', async () => {
    const [disabled, deleted] = [await makeUser(), await makeUser()];
    await admin.patch(disabled.url, { is_active: false });
    await admin.delete(deleted.url);
    const other = await system.createOrganization('Elsewhere');
    const of = ({ email }: { email: string }) => ({ email });
    await provider.behave({
      accounts: {
        [disabled.login]: of(disabled),
        [deleted.login]: of(deleted),
        elsewhere: { email: other.admin.username },
        unknown: { email: 'unknown@example.com' },
      },
    });
    expect(await tryIn(disabled.login)).toEqual(refused(/disabled or deleted/));
    expect(await tryIn(deleted.login)).toEqual(refused(/disabled or deleted/));
    expect(await tryIn('elsewhere')).toEqual(refused(/No user of the organization is known as/));
    expect(await tryIn('unknown')).toEqual(refused(/No user of the organization is known as unknown@example.com/));
    await settings(system.organizationId, admin, { auto_provisioning: true });
    expect(await tryIn(disabled.login)).toEqual(refused(/disabled or deleted/));
    expect(await tryIn('elsewhere')).toEqual(refused(/is taken/));
  });

  it('is made when the organization wants it: once, without queues and password', async () => {
    await settings(system.organizationId, admin, { auto_provisioning: true });
    const email = `new${++counter}@example.com`;
    const claims = { email, given_name: 'Jana', family_name: 'Nová', roles: ['manager', 'admin', 'other'] };
    await provider.behave({
      accounts: { jana: claims, plain: { email: `plain${counter}@example.com`, name: 'Jan van Eyck' } },
    });
    const visits = await Promise.all([logIn('jana'), logIn('jana'), logIn('jana')]);
    const users = await Promise.all(visits.map(({ location }) => whoComesIn(location)));
    expect(new Set(users.map(({ id }) => id)).size).toBe(1);
    expect(users[0]).toMatchObject({
      username: email,
      email,
      first_name: 'Jana',
      last_name: 'Nová',
      auth_type: 'sso',
      groups: [`${root}/groups/4`],
      queues: [],
      organization: `${root}/organizations/${system.organizationId}`,
    });
    expect((await admin.get(`/users/${users[0].id}`)).oidc_id).toBe(email);
    await expect(system.login({ username: email, password: 'whatever it is' })).rejects.toMatchObject({ status: 401 });
    expect(await whoComesIn((await logIn('plain')).location)).toMatchObject({
      first_name: 'Jan',
      last_name: 'van Eyck',
      groups: [`${root}/groups/2`],
    });
  });

  it('may have the type "sso", and then no password', async () => {
    const { login, email, url } = await makeUser({ password: 'long enough' });
    expect((await system.login({ username: email, password: 'long enough' })).token).toEqual(expect.any(String));
    expect(await admin.patch(url, { auth_type: 'sso' })).toMatchObject({ auth_type: 'sso', oidc_id: email });
    await expect(system.login({ username: email, password: 'long enough' })).rejects.toMatchObject({ status: 401 });
    await provider.behave({ accounts: { [login]: { email } } });
    expect((await whoComesIn((await logIn(login)).location)).username).toBe(email);
  });
});

describe('settings', () => {
  it('are shown without the secret, which is kept when it is not sent', async () => {
    const path = `/organizations/${system.organizationId}/auth_settings`;
    const shown = await admin.patch(path, { oidc: { claim: 'sub' } });
    expect(shown.oidc).toEqual({
      enabled: true,
      issuer: provider.issuer,
      client_id: provider.clientId,
      claim: 'sub',
      auto_provisioning: false,
      allowed_roles: ['annotator', 'manager'],
      default_role: 'annotator',
    });
    expect(await admin.get(path)).toEqual(shown);
    await makeUser({ oidc_id: 'kept' });
    expect((await logIn('kept')).status).toBe(302);
  });

  it('say everything that is wrong with them', async () => {
    const change = (oidc: object) => settings(system.organizationId, admin, oidc);
    const wrong = (oidc: object) => ({ status: 400, body: { oidc } });
    await expect(change({ issuer: null, client_id: '', claim: 'phone', default_role: 'admin' })).rejects.toMatchObject(
      wrong({
        issuer: [expect.any(String)],
        client_id: [expect.any(String)],
        claim: ['"phone" is not a valid choice.'],
        default_role: [expect.any(String)],
      }),
    );
    for (const issuer of ['ftp://x', 'x', 'https://u:p@x', 'https://x?q', 'https://x/.well-known/openid-configuration'])
      await expect(change({ issuer })).rejects.toMatchObject(wrong({ issuer: [expect.any(String)] }));
    await expect(change({ enabled: 'perhaps' })).rejects.toMatchObject(
      wrong({ enabled: ['Must be a valid boolean.'] }),
    );
    expect((await change({ enabled: false, issuer: null, client_id: null, client_secret: null })).oidc).toMatchObject({
      enabled: false,
      issuer: null,
      client_id: null,
    });
  });

  it('are for admins of the organization', async () => {
    const { email } = await makeUser({ password: 'long enough' });
    const annotator = await system.login({ username: email, password: 'long enough' });
    const path = `/organizations/${system.organizationId}/auth_settings`;
    await expect(annotator.get(path)).rejects.toMatchObject({ status: 403 });
    const other = await system.login((await system.createOrganization('Others')).admin);
    await expect(other.get(path)).rejects.toMatchObject({ status: 404 });
  });
});

it('writes neither secrets nor codes nor tokens to the log', async () => {
  const { login, email } = await makeUser();
  await provider.behave({ accounts: { [login]: { email } } });
  const browser = new HttpBrowser();
  const back = await goThere(login, browser);
  const { location } = await browser.visit(back);
  const query = new URL(back).searchParams;
  const token = new URL(location ?? '').hash.slice('#authToken='.length);
  await waitFor('the log to have the call', () => system.readLogs(100_000).includes('/oauth/code'));
  const log = system.readLogs(100_000);
  for (const secret of [provider.clientSecret, query.get('code'), query.get('state'), token])
    expect(log.includes(String(secret))).toBe(false);
  expect(log).toContain('a login by single sign-on failed');
});
