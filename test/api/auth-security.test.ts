import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Api, type Json, startSystem, type TestSystem, waitFor } from '@intake/testkit';
import { SMTPServer } from 'smtp-server';

/** Passwords, mailed links and JWTs through the API. API: auth.md sections 2, 5 and 7. */

const mails: { to: string; text: string }[] = [];
let refusals = 0;
/** The relay: a real SMTP server, which refuses the first mail for now, as relays do. */
const relay = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  onData(stream, session, done) {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      if (refusals === 0) {
        refusals += 1;
        done(Object.assign(new Error('try later'), { responseCode: 451 }));
        return;
      }
      // Long lines are broken by "=" (quoted-printable), which also writes "=" as "=3D".
      const text = Buffer.concat(chunks).toString().replace(/=\r\n/g, '').replace(/=3D/g, '=');
      mails.push({ to: session.envelope.rcptTo.map(({ address }) => address).join(), text });
      done();
    });
  },
});

const ORIGIN = 'https://docs.example.com';
let system: TestSystem;
let admin: Api;
let organization: string;
let counter = 0;

beforeAll(async () => {
  relay.listen(0, '127.0.0.1');
  await once(relay.server, 'listening');
  const { port } = relay.server.address() as AddressInfo;
  system = await startSystem({
    services: ['gateway', 'auth', 'queue'],
    env: { INTAKE_SMTP_RELAY_URL: `smtp://127.0.0.1:${port}`, INTAKE_PUBLIC_URL: ORIGIN },
  });
  admin = await system.login();
  organization = `${ORIGIN}/api/v1/organizations/${system.organizationId}`;
});
afterAll(async () => {
  await system?.stop();
  await new Promise<void>((resolve) => relay.close(resolve));
});

const answer = async (api: Api, method: string, path: string, body?: unknown) => {
  const response = await api.request(method, path, { body });
  const text = await response.text();
  return { status: response.status, body: (text ? JSON.parse(text) : null) as Json };
};
const nobody = () => new Api(system.baseUrl);
const withToken = (token: string) => Object.assign(nobody(), { token });
const OLD = 'k3a9zQ7x1b';
const NEW = 'plum otter bakes quietly';

async function makeUser(over: object = {}): Promise<{ username: string; id: number; api: () => Promise<Api> }> {
  const username = `person${++counter}@example.com`;
  const groups = [`${ORIGIN}/api/v1/groups/2`];
  const user = await admin.post('/users', { username, email: username, password: OLD, organization, groups, ...over });
  return { username, id: user.id, api: () => system.login({ username, password: OLD }) };
}

const mailTo = (to: string, count = 1) =>
  waitFor(`mail ${count} to ${to}`, () => mails.filter((mail) => mail.to === to)[count - 1], { timeoutMs: 60_000 });
const linkOf = ({ text }: { text: string }) => {
  const [, uid, token] = /https:\/\/docs\.example\.com\/reset-password#uid=(\d+)&token=([\w-]+)/.exec(text) ?? [];
  return { uid, token };
};
const confirm = (link: object, password = NEW, again = password) =>
  answer(nobody(), 'POST', '/auth/password/reset/confirm', { ...link, new_password1: password, new_password2: again });

describe('passwords', () => {
  it('are changed by who knows the present one, and only the token of the call stays', async () => {
    const { api, username } = await makeUser();
    const [here, elsewhere] = [await api(), await api()];
    const change = (old_password: string, new_password1: string, new_password2 = new_password1) =>
      answer(here, 'POST', '/auth/password/change', { old_password, new_password1, new_password2 });
    expect(await change('wrong', NEW)).toEqual({ status: 400, body: { old_password: ['Invalid password'] } });
    expect(await change(OLD, NEW, `${NEW}.`)).toEqual({
      status: 400,
      body: { new_password2: ["The two password fields didn't match."] },
    });
    for (const weak of ['short', '837465019283', `${username}`, 'password1234'])
      expect(await change(OLD, weak)).toEqual({ status: 400, body: { new_password2: expect.any(Array) } });
    expect(await change(OLD, NEW)).toMatchObject({
      status: 200,
      body: { username, detail: 'New password has been saved.' },
    });
    expect((await answer(here, 'GET', '/auth/user')).status).toBe(200);
    expect((await answer(elsewhere, 'GET', '/auth/user')).status).toBe(401);
    await expect(api()).rejects.toMatchObject({ status: 401 });
    expect((await system.login({ username, password: NEW })).token).toEqual(expect.any(String));
  });

  it('are reset by a mailed link, once, which ends all tokens', async () => {
    const { api, username } = await makeUser();
    const before = await api();
    const sent = { status: 200, body: { detail: 'Password reset e-mail has been sent.' } };
    expect(await answer(nobody(), 'POST', '/auth/password/reset', { email: username.toUpperCase() })).toEqual(sent);
    expect(await answer(nobody(), 'POST', '/auth/password/reset', { email: 'nobody@example.com' })).toEqual(sent);
    const mail = await mailTo(username);
    expect(refusals).toBe(1);
    const link = linkOf(mail);
    expect(await confirm({ ...link, token: 'wrong' })).toEqual({ status: 400, body: { token: [expect.any(String)] } });
    expect(await confirm({ ...link, uid: '1' })).toMatchObject({ status: 400, body: { token: [expect.any(String)] } });
    expect(await confirm(link, 'weak')).toMatchObject({ status: 400, body: { new_password2: expect.any(Array) } });
    expect(await confirm(link)).toEqual({
      status: 200,
      body: { detail: 'Password has been reset with the new password.' },
    });
    expect((await answer(before, 'GET', '/auth/user')).status).toBe(401);
    expect((await system.login({ username, password: NEW })).token).toEqual(expect.any(String));
    expect((await confirm(link)).status).toBe(400);
    expect(mails.filter(({ to }) => to.startsWith('nobody'))).toEqual([]);
  });

  it('are not reset for disabled users and those of single sign-on', async () => {
    const [off, sso, on] = [
      await makeUser({ is_active: false }),
      await makeUser({ auth_type: 'sso' }),
      await makeUser(),
    ];
    for (const { username } of [off, sso, on])
      expect((await answer(nobody(), 'POST', '/auth/password/reset', { email: username })).status).toBe(200);
    await mailTo(on.username);
    expect(mails.filter(({ to }) => to === off.username || to === sso.username)).toEqual([]);
  });

  it('are set by an invitation where the admin gave none', async () => {
    const { username } = await makeUser({ password: '' });
    await expect(system.login({ username, password: OLD })).rejects.toMatchObject({ status: 401 });
    const mail = await mailTo(username);
    expect(mail.text).toContain('invit');
    expect((await confirm(linkOf(mail))).status).toBe(200);
    expect((await system.login({ username, password: NEW })).token).toEqual(expect.any(String));
  });

  it('are scored', async () => {
    const score = (body: object) => answer(nobody(), 'POST', '/auth/password/score', body);
    expect(await score({ password: NEW })).toEqual({ status: 200, body: { score: expect.any(Number), messages: [] } });
    expect((await score({ password: 'password' })).body).toMatchObject({ score: 0, messages: expect.any(Array) });
    expect(
      (await score({ password: 'rumpelstiltskin-99-x', first_name: 'Rumpelstiltskin' })).body.messages,
    ).not.toEqual([]);
    expect(await score({ password: { $ne: '' } })).toMatchObject({ status: 400 });
    expect(await answer(nobody(), 'POST', '/auth/password/reset', { email: { $ne: '' } })).toMatchObject({
      status: 400,
    });
  });
});

describe('JWTs', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const pemOf = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString();
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const make = (claims: object = {}, id = system.organizationId): string => {
    const payload = {
      ver: '1.0',
      iss: 'portal',
      aud: ORIGIN,
      sub: `jwt${++counter}@example.com`,
      exp: Math.floor(Date.now() / 1000) + 50,
      email: `jwt${counter}@example.com`,
      name: 'Jan van Novák',
      service_org: String(id),
      ...claims,
    };
    const input = `${encode({ alg: 'EdDSA', kid: `urn:portal:organizations:${id}` })}.${encode(payload)}`;
    return `${input}.${sign(null, Buffer.from(input), privateKey).toString('base64url')}`;
  };
  const exchange = (jwt: string, body?: object) => answer(withToken(jwt), 'POST', '/auth/token', body);
  const settings = (body: object) =>
    answer(admin, 'PATCH', `/organizations/${system.organizationId}/auth_settings`, body);

  it('need a registered key', async () => {
    const path = `/organizations/${system.organizationId}/auth_settings`;
    expect(await admin.get(path)).toEqual({
      oidc: {
        enabled: false,
        issuer: null,
        client_id: null,
        claim: 'email',
        auto_provisioning: false,
        allowed_roles: ['annotator'],
        default_role: 'annotator',
      },
      jwt_keys: [],
      jwt_auto_provisioning: false,
    });
    expect((await exchange(make())).status).toBe(401);
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const made = await settings({
      jwt_keys: [
        { name: 'portal', public_key: pemOf(publicKey) },
        { public_key: rsa.publicKey.export({ format: 'jwk' }) },
      ],
    });
    expect(made).toMatchObject({
      status: 200,
      body: {
        jwt_keys: [
          { id: expect.any(Number), name: 'portal', algorithm: 'EdDSA', public_key: pemOf(publicKey) },
          { algorithm: 'RS512', public_key: pemOf(rsa.publicKey) },
        ],
      },
    });
    const [{ id }] = made.body.jwt_keys;
    expect((await settings({ jwt_keys: [{ id, name: 'renamed' }] })).body.jwt_keys).toEqual([
      { id, name: 'renamed', algorithm: 'EdDSA', public_key: pemOf(publicKey) },
    ]);
    const wrong = { jwt_keys: [expect.any(String)] };
    for (const key of [
      { id: id + 1000 },
      { public_key: 'x' },
      { public_key: privateKey.export({ type: 'pkcs8', format: 'pem' }) },
    ])
      expect(await settings({ jwt_keys: [key] })).toEqual({ status: 400, body: wrong });
    expect((await settings({ oidc: { default_role: 'admin' } })).body).toEqual({
      oidc: { default_role: [expect.any(String)] },
    });
    const other = await system.login((await system.createOrganization('Jwts')).admin);
    expect((await answer(other, 'GET', path)).status).toBe(404);
    const { api } = await makeUser({ groups: [`${ORIGIN}/api/v1/groups/2`] });
    expect((await answer(await api(), 'GET', path)).status).toBe(403);
  });

  it('log a known user in, once', async () => {
    const { username, id } = await makeUser();
    const jwt = make({ sub: username.toUpperCase() });
    const answers = await Promise.all([exchange(jwt), exchange(jwt)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    const done = answers.find(({ status }) => status === 200);
    expect(done?.body).toMatchObject({ key: expect.stringMatching(/^[0-9a-f]{40}$/), scope: 'default' });
    expect((await withToken(done?.body.key).get('/auth/user')).id).toBe(id);
    expect(await exchange(jwt)).toEqual({
      status: 401,
      body: { detail: 'The token has been used already.', code: 'authentication_failed' },
    });
    const last = jwt.at(-1) === 'A' ? 'B' : 'A';
    expect((await exchange(jwt.slice(0, -1) + last)).status).toBe(401);
    expect((await answer(withToken(make({ sub: username })), 'GET', '/auth/user')).status).toBe(401);
  });

  it('do not log in disabled users, users of others, and unknown ones', async () => {
    const { username } = await makeUser({ is_active: false });
    const other = (await system.createOrganization('Elsewhere')).admin.username;
    for (const sub of [username, other, `unknown${counter}@example.com`])
      expect(await exchange(make({ sub }))).toMatchObject({ status: 401, body: { code: 'authentication_failed' } });
    await settings({ jwt_auto_provisioning: true });
    for (const sub of [username, other]) expect((await exchange(make({ sub }))).status).toBe(401);
  });

  it('make users where the organization lets them, of allowed roles only', async () => {
    await settings({ jwt_auto_provisioning: true, oidc: { allowed_roles: ['annotator', 'manager'] } });
    expect((await exchange(make({ roles: ['manager', 'admin'] }))).status).toBe(401);
    const user = async (claims: object) => withToken((await exchange(make(claims))).body.key).get('/auth/user');
    expect(await user({})).toMatchObject({
      username: `jwt${counter}@example.com`,
      email: `jwt${counter}@example.com`,
      first_name: 'Jan',
      last_name: 'van Novák',
      auth_type: 'sso',
      queues: [],
      groups: [`${ORIGIN}/api/v1/groups/2`],
    });
    expect((await user({ roles: ['manager'] })).groups).toEqual([`${ORIGIN}/api/v1/groups/4`]);
  });
});
