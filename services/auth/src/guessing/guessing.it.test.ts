import { auth } from '@intake/contracts';
import { type Caller, type Client, connectRpc, Refusal, systemCaller } from '@intake/rpc';
import { type CommandRuntime, createCommandRuntime, type RunningService } from '@intake/service';
import { dropTestData, findStored, freePorts, type ServiceEnv, serviceEnv } from '@intake/testkit';
import { start } from '../main';

/** Guessing of passwords at two replicas of the service, on a real MongoDB. API: limits.md, Request quota. */

const gateway = systemCaller('gateway');
const PASSWORD = 'correct horse';
const LIMIT = 6;

let env: ServiceEnv;
let services: RunningService[];
let probe: CommandRuntime;
let clients: Client<typeof auth.AuthServiceService>[];
let counter = 0;

beforeAll(async () => {
  const ports = await freePorts(2);
  env = serviceEnv({ INTAKE_FAILED_LOGIN_LIMIT_PER_MINUTE: String(LIMIT) });
  services = [];
  for (const port of ports) services.push(await start({ ...env, INTAKE_RPC_PORT: String(port) }));
  probe = createCommandRuntime('probe');
  clients = ports.map((port) =>
    connectRpc(probe, auth.AuthServiceService, `127.0.0.1:${port}`, { secret: env.INTAKE_RPC_SECRET as string }),
  );
});
afterAll(async () => {
  await probe?.stop();
  await Promise.all((services ?? []).map((service) => service.stop()));
  if (env) await dropTestData(env);
});

const client = (i: number) => clients[i % clients.length]!;

async function makeUser(): Promise<{ username: string; caller: Caller }> {
  const username = `Guessed${++counter}@example.com`;
  const { admin } = await client(0).createOrganization(
    { name: `O ${counter}`, adminEmail: username, adminPassword: PASSWORD, anyName: false, adminUiSettings: undefined },
    gateway,
  );
  const user = { organizationId: admin?.organizationId ?? 0, userId: admin?.id ?? 0, roles: ['admin'] };
  return { username, caller: { ...user, kind: 'user', username, queueIds: 'all' } };
}

const outcomeOf = (call: Promise<unknown>): Promise<Refusal | null> =>
  call.then(
    () => null,
    (error) => {
      if (error instanceof Refusal) return error;
      throw error;
    },
  );
const logIn = (i: number, username: string, password: string, address: string) =>
  outcomeOf(client(i).login({ username, password, address }, gateway));
const basic = (i: number, username: string, password: string, address: string) =>
  outcomeOf(client(i).verifyPassword({ username, password, address }, gateway));

/** Guesses until it is refused unlooked at. */
async function exhaust(username: string, address: string): Promise<string[]> {
  const reasons: string[] = [];
  for (let i = 0; reasons.at(-1) !== 'RATE_LIMITED' && i < 3 * LIMIT; i++) {
    reasons.push((await (i % 2 ? basic : logIn)(i, username, `wrong ${i}`, address))?.reason ?? 'none');
  }
  return reasons;
}

it.each([['a user'], ['nobody']])('ends after some wrong passwords of %s, in all replicas together', async (who) => {
  const username = who === 'nobody' ? 'nobody@example.com' : (await makeUser()).username;
  const reasons = await exhaust(username, '192.0.2.1');
  expect(reasons).toHaveLength(LIMIT + 1);
  expect(reasons.slice(0, 2)).toEqual(['INVALID_LOGIN', 'INVALID_BASIC_AUTH']);
  // Upper and lower case are the same user; the right password is not looked at either.
  const refusal = await logIn(0, username.toUpperCase(), PASSWORD, '192.0.2.2');
  expect(refusal).toMatchObject({ reason: 'RATE_LIMITED', extra: { url: null } });
  expect(refusal?.retryAfterS).toBeGreaterThan(0);
  expect(refusal?.retryAfterS).toBeLessThanOrEqual(60);
  expect((await basic(1, username, PASSWORD, '192.0.2.2'))?.reason).toBe('RATE_LIMITED');
});

it('does not lock a user out from where the user has logged in before', async () => {
  const { username } = await makeUser();
  expect(await logIn(0, username, PASSWORD, '198.51.100.1')).toBeNull();
  expect(await basic(1, username, PASSWORD, '198.51.100.2')).toBeNull();
  await exhaust(username, '192.0.2.3');
  expect((await logIn(0, username, PASSWORD, '198.51.100.3'))?.reason).toBe('RATE_LIMITED');
  expect(await logIn(1, username, PASSWORD, '198.51.100.1')).toBeNull();
  expect(await logIn(0, username, PASSWORD, '198.51.100.2')).toBeNull();
  // There, too, guessing ends.
  expect((await exhaust(username, '198.51.100.1')).length).toBe(LIMIT + 1);
});

it('counts guesses that come at the same time', async () => {
  const { username } = await makeUser();
  const all = await Promise.all(
    Array.from({ length: 4 * LIMIT }, (_, i) => logIn(i, username, `wrong ${i}`, '192.0.2.4')),
  );
  expect(all.filter((refusal) => refusal?.reason === 'INVALID_LOGIN')).toHaveLength(LIMIT);
});

it('lets right passwords in however many they are, and forgets them', async () => {
  const { username } = await makeUser();
  for (let i = 0; i < 3 * LIMIT; i++) expect(await logIn(i, username, PASSWORD, `203.0.113.${i}`)).toBeNull();
  for (let i = 0; i < 3; i++) expect((await logIn(i, username, 'wrong', '192.0.2.5'))?.reason).toBe('INVALID_LOGIN');
  expect(await logIn(1, username, PASSWORD, '192.0.2.5')).toBeNull();
  const stored = await findStored(env.INTAKE_MONGODB_URL as string, `${env.INTAKE_MONGODB_PREFIX}_auth`, 'attempts');
  const text = JSON.stringify(stored);
  expect([text.includes('@example.com'), text.includes('192.0.2')]).toEqual([false, false]);
});

it('slows down who guesses the present password with a token, and does not keep the user from logging in', async () => {
  const { username, caller } = await makeUser();
  const { key } = await client(0).login({ username, password: PASSWORD, address: '198.51.100.9' }, gateway);
  const change = (i: number, oldPassword: string) => {
    const [newPassword1, newPassword2] = ['plum otter bakes quietly', 'plum otter bakes quietly'];
    const request = { oldPassword, newPassword1, newPassword2, keptKey: key, address: '192.0.2.6' };
    return outcomeOf(client(i).changePassword(request, caller));
  };
  const reasons = [];
  for (let i = 0; i <= LIMIT; i++) reasons.push((await change(i, 'wrong'))?.reason);
  expect(reasons).toEqual([...Array(LIMIT).fill('INVALID'), 'RATE_LIMITED']);
  expect(await logIn(0, username, PASSWORD, '192.0.2.7')).toBeNull();
});
