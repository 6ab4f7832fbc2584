import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectBus } from '@intake/bus';
import { auth } from '@intake/contracts';
import { connectRpc, systemCaller } from '@intake/rpc';
import { createCommandRuntime } from '@intake/service';
import { startSystem, type TestSystem, waitFor } from '@intake/testkit';
import { headers } from 'nats';
import { runCli } from './cli';

/** The command against real services. */

let system: TestSystem;

beforeAll(async () => {
  system = await startSystem({ services: ['auth', 'queue'] });
});

afterAll(() => system?.stop());

async function intake(args: readonly string[], over: Record<string, string> = {}) {
  const written = { out: '', err: '' };
  const exitCode = await runCli(
    args,
    { ...system.env, ...over },
    {
      out: (text) => {
        written.out += text;
      },
      err: (text) => {
        written.err += text;
      },
    },
  );
  return { exitCode, ...written };
}

const create = (name: string, email: string, password = '-long enough') =>
  intake(['organization', 'create', '--name', name, '--admin-email', email, '--admin-password', password]);

it('sets up once: a second run answers the same and makes nothing', async () => {
  const { exitCode, out } = await intake(['setup']);
  expect(exitCode).toBe(0);
  expect(out.endsWith('}\n')).toBe(true);
  expect(JSON.parse(out)).toEqual({
    organizationId: system.organizationId,
    workspaceId: 1,
    queueId: system.queueId,
    inboxEmail: system.inboxEmail,
  });
  expect(system.inboxEmail).toMatch(/^invoices-[0-9a-f]{6}@localhost$/);
});

it('sets up nothing new when the organization is called otherwise now', async () => {
  const { out } = await intake(['setup'], { INTAKE_ORGANIZATION: 'Another name' });
  expect(JSON.parse(out)).toMatchObject({ organizationId: system.organizationId, queueId: system.queueId });
});

it('makes a further organization with queue and inbox of its own, once', async () => {
  const first = await create('Acme', 'acme@example.com');
  expect(first).toMatchObject({ exitCode: 0, err: '' });
  const made = JSON.parse(first.out);
  expect(made.organizationId).not.toBe(system.organizationId);
  expect(made.queueId).not.toBe(system.queueId);
  expect(made.inboxEmail).toMatch(/^invoices-[0-9a-f]{6}@localhost$/);
  expect(made.inboxEmail).not.toBe(system.inboxEmail);

  const again = await create('Acme', 'acme@example.com');
  expect(JSON.parse(again.out)).toEqual(made);
});

it('completes an organization that was left without a queue', async () => {
  const runtime = createCommandRuntime('test');
  const { INTAKE_AUTH_ADDRESS: address, INTAKE_RPC_SECRET: secret } = system.env;
  const organizations = connectRpc(runtime, auth.AuthServiceService, address as string, { secret: secret as string });
  const left = await organizations.createOrganization(
    {
      name: 'Half',
      adminEmail: 'half@example.com',
      adminPassword: 'long enough',
      anyName: false,
      adminUiSettings: undefined,
    },
    systemCaller('test'),
  );
  await runtime.stop();

  const made = JSON.parse((await create('Half', 'half@example.com')).out);
  expect(made.organizationId).toBe(left.organization?.id);
  expect(made.inboxEmail).toMatch(/^invoices-/);
});

it('says what is wrong, on standard error and by the exit code', async () => {
  expect(await create('Other', system.env.INTAKE_ADMIN_EMAIL as string)).toEqual({
    exitCode: 1,
    out: '',
    err: 'admin_email: A user with that username already exists.\n',
  });
  expect(await create(' ', 'nobody', 'short')).toEqual({
    exitCode: 1,
    out: '',
    err: [
      'name: This field may not be blank.',
      'admin_email: Enter a valid email address.',
      'admin_password: This password is too short. It must contain at least 8 characters.\n',
    ].join('\n'),
  });
  expect(await intake(['setup'], { INTAKE_ADMIN_EMAIL: '', INTAKE_ADMIN_PASSWORD: '' })).toMatchObject({
    exitCode: 2,
    err: expect.stringMatching(/INTAKE_ADMIN_EMAIL is missing.*\nINTAKE_ADMIN_PASSWORD is missing/),
  });
  expect(await intake(['setup'], { INTAKE_RPC_SECRET: 'wrong' })).toMatchObject({
    exitCode: 1,
    err: expect.stringContaining('do not accept INTAKE_RPC_SECRET'),
  });
  expect(await intake(['setup'], { INTAKE_AUTH_ADDRESS: '127.0.0.1:1' })).toMatchObject({
    exitCode: 1,
    err: expect.stringContaining('cannot be reached'),
  });
});

it.each([
  [['fsck', '--bytes', 'on'], 2, /^--bytes must be yes or no/],
  [['separator-page', '--file', '/nowhere/page.pdf'], 1, /^The file cannot be written \(ENOENT.*\)\.\n$/],
])('%j ends with %d and says why', async (args, exitCode, err) => {
  expect(await intake(args)).toEqual({ exitCode, out: '', err: expect.stringMatching(err) });
});

it.each([
  ['extract', ['status']],
  ['status', ['extract', 'fsck']],
])('%s --help tells of it alone', async (name, others) => {
  const { exitCode, out } = await intake([name, '--help']);
  expect(exitCode).toBe(0);
  expect(out).toMatch(new RegExp(`^  ${name}`, 'm'));
  for (const other of others) expect(out).not.toMatch(new RegExp(`^  ${other}`, 'm'));
});

it('--version tells the version', async () => {
  expect(await intake(['--version'])).toEqual({ exitCode: 0, out: 'intake 0.1.0\n', err: '' });
});

it('sets the password of a user', async () => {
  await create('Forgotten', 'forgotten@example.com');
  const reset = (username: string, password: string) =>
    intake(['user', 'reset-password', '--username', username, '--password', password]);
  const { exitCode, out } = await reset('Forgotten@example.com', 'another one');
  expect(exitCode).toBe(0);
  expect(JSON.parse(out)).toEqual({ userId: expect.any(Number), organizationId: expect.any(Number) });

  const runtime = createCommandRuntime('test');
  const { INTAKE_AUTH_ADDRESS: address, INTAKE_RPC_SECRET: secret } = system.env;
  const accounts = connectRpc(runtime, auth.AuthServiceService, address as string, { secret: secret as string });
  const logIn = (password: string) =>
    accounts.login({ username: 'forgotten@example.com', password }, systemCaller('test'));
  expect((await logIn('another one')).key).toEqual(expect.any(String));
  await expect(logIn('-long enough')).rejects.toMatchObject({ reason: 'INVALID_LOGIN' });

  // Who logs in elsewhere, which is not set up, could not come in any more.
  const { userId, organizationId } = JSON.parse(out);
  const elsewhere = auth.UpdateUserRequest.fromPartial({ id: userId, authType: 'sso' });
  await accounts.updateUser(elsewhere, systemCaller('test', organizationId));
  await expect(logIn('another one')).rejects.toMatchObject({ reason: 'INVALID_LOGIN' });
  expect((await reset('forgotten@example.com', 'a third one')).exitCode).toBe(0);
  expect((await logIn('a third one')).key).toEqual(expect.any(String));
  await runtime.stop();

  expect(await reset('nobody', 'another one')).toMatchObject({
    exitCode: 1,
    err: 'username: There is no such user.\n',
  });
  expect(await reset('forgotten@example.com', 'short')).toMatchObject({
    exitCode: 1,
    err: expect.stringMatching(/^password: /),
  });
});

it('adds, lists and removes the public keys of an organization', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'intake-key-'));
  const file = join(folder, 'key.pem');
  writeFileSync(file, generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }));
  const organization = String(system.organizationId);
  const run = (...args: string[]) => intake(['jwt-key', ...args, '--organization', organization]);
  const added = JSON.parse((await run('add', '--name', 'portal', '--file', file)).out);
  expect(added).toMatchObject({ id: expect.any(Number), name: 'portal', algorithm: 'EdDSA' });
  expect(JSON.parse((await run('list')).out)).toEqual([added]);
  expect(await run('add', '--name', 'x', '--file', join(folder, 'none'))).toMatchObject({ exitCode: 2 });
  expect(await run('remove', '--id', String(added.id + 1))).toMatchObject({ exitCode: 2 });
  expect((await run('remove', '--id', String(added.id))).out).toBe('[]\n');
  expect((await run('list')).out).toBe('[]\n');
  rmSync(folder, { recursive: true });
});

it('sets up, shows and removes single sign-on, and keeps its secret to itself', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'intake-secret-'));
  const file = join(folder, 'secret');
  writeFileSync(file, 'the secret\n');
  const organization = String(system.organizationId);
  const run = (command: string, ...args: string[]) => intake(['sso', command, '--organization', organization, ...args]);
  const issuer = 'https://id.example.com/realm';
  const set = await run('set', '--issuer', issuer, '--client-id', 'intake', '--client-secret-file', file);
  expect(set).toMatchObject({ exitCode: 0, err: '' });
  const shown = {
    enabled: true,
    issuer,
    clientId: 'intake',
    hasClientSecret: true,
    claim: 'email',
    autoProvisioning: false,
    allowedRoles: ['annotator'],
    defaultRole: 'annotator',
  };
  expect(JSON.parse(set.out)).toEqual(shown);
  expect(JSON.parse((await run('show')).out)).toEqual(shown);
  const more = [
    '--claim',
    'sub',
    '--auto-provisioning',
    'on',
    '--allowed-roles',
    'viewer, manager',
    '--default-role',
    'viewer',
  ];
  const changed = {
    ...shown,
    claim: 'sub',
    autoProvisioning: true,
    allowedRoles: ['viewer', 'manager'],
    defaultRole: 'viewer',
  };
  expect(JSON.parse((await run('set', ...more)).out)).toEqual(changed);
  expect(JSON.parse((await run('set', '--enabled', 'off')).out)).toEqual({ ...changed, enabled: false });

  expect(await run('set', '--issuer', 'nowhere')).toMatchObject({
    exitCode: 1,
    err: expect.stringMatching(/^oidc\.issuer: Enter a URL/),
  });
  expect(await run('set', '--enabled', 'maybe')).toMatchObject({ exitCode: 2 });
  expect(await run('set', '--client-secret-file', join(folder, 'none'))).toMatchObject({ exitCode: 2 });
  expect(await intake(['sso', 'show', '--organization', '999999'])).toMatchObject({
    exitCode: 1,
    err: 'There is no organization 999999.\n',
  });

  expect(JSON.parse((await run('remove')).out)).toMatchObject({
    enabled: false,
    issuer: '',
    clientId: '',
    hasClientSecret: false,
  });
  rmSync(folder, { recursive: true });
});

it('lists and replays what a consumer gave up on', async () => {
  const runtime = createCommandRuntime('test');
  const prefix = system.env.INTAKE_NATS_PREFIX as string;
  const bus = connectBus(runtime, { url: system.env.INTAKE_NATS_URL as string, prefix });
  await bus.ensureStreams();
  const list = async () => JSON.parse((await intake(['dead-letters', 'list'])).out);
  expect(await list()).toEqual([]);

  const header = headers();
  header.set('Nats-Msg-Id', 'dead/reporting/event-1');
  header.set('Intake-Dead-Consumer', 'reporting');
  header.set('Intake-Dead-Subject', bus.subjectOf('auth.revoked'));
  header.set('Intake-Dead-Reason', 'broken');
  header.set('Intake-Dead-At', '2026-01-01T00:00:00.000Z');
  const dead = JSON.stringify({ tokenHash: 'x', userId: 99 });
  await (await bus.jetstream()).publish(bus.deadSubjectOf('reporting'), dead, { headers: header });
  const [letter, ...others] = await list();
  expect(others).toEqual([]);
  expect(letter).toMatchObject({ consumer: 'reporting', eventId: 'event-1', reason: 'broken' });

  const heard: number[] = [];
  bus.listen('auth.revoked', ({ userId }) => void heard.push(userId));
  await (await bus.connected()).flush();
  const replay = (sequence: number) => intake(['dead-letters', 'replay', '--sequence', String(sequence)]);
  expect(await replay(letter.sequence + 1)).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining('no dead letter'),
  });
  expect(await replay(letter.sequence)).toMatchObject({ exitCode: 0, err: '' });
  await waitFor('the event to be heard again', () => heard.includes(99));
  expect(await list()).toEqual([]);
  await runtime.stop();
});

it('says when NATS is away', async () => {
  const { exitCode, err } = await intake(['dead-letters', 'list'], { INTAKE_NATS_URL: 'nats://127.0.0.1:1' });
  expect({ exitCode, err }).toEqual({ exitCode: 1, err: 'NATS cannot be reached at INTAKE_NATS_URL.\n' });
});

describe('as a program', () => {
  const start = (stdout: 'pipe' | number, args: readonly string[] = ['--help'], over: Record<string, string> = {}) => {
    const program = spawn(process.execPath, [join(__dirname, '../dist/index.js'), ...args], {
      stdio: ['ignore', stdout, 'pipe'],
      env: { ...process.env, ...over },
    });
    let err = '';
    program.stderr?.on('data', (chunk) => {
      err += chunk;
    });
    const end = once(program, 'close').then(([code]) => ({ code, err }));
    return { program, end };
  };

  it('ends without a word when nobody reads on', async () => {
    const { program, end } = start('pipe');
    program.stdout?.destroy();
    expect(await end).toEqual({ code: 141, err: '' });
  });

  it('says that its output cannot be written', async () => {
    const full = openSync('/dev/full', 'w');
    expect(await start(full).end).toEqual({
      code: 1,
      err: expect.stringMatching(/^The output cannot be written .*\n$/),
    });
    closeSync(full);
  });

  it('ends when NATS takes connections and says nothing', async () => {
    const hung = createServer().listen(0, '127.0.0.1');
    await once(hung, 'listening');
    const INTAKE_NATS_URL = `nats://127.0.0.1:${(hung.address() as AddressInfo).port}`;
    const { program, end } = start('pipe', ['dead-letters', 'list'], { ...system.env, INTAKE_NATS_URL });
    const late = setTimeout(() => program.kill('SIGKILL'), 20_000);
    expect(await end).toEqual({ code: 1, err: 'NATS cannot be reached at INTAKE_NATS_URL.\n' });
    clearTimeout(late);
    hung.close();
  }, 30_000);
});
