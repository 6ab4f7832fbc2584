import { auth } from '@intake/contracts';
import { Refusal } from '@intake/rpc';
import { createAuthenticator, hash, passwordOf, tokenOf } from './auth';

const identity = (userId: number) =>
  auth.Identity.fromPartial({ userId, organizationId: 1, username: 'u', roles: ['annotator'], queueIds: [4] });

/** Stands for the auth service: the token is the id of its user, `bad` is nobody's. */
function createVerifier() {
  const asked: string[] = [];
  const verify = async (key: string) => {
    asked.push(key);
    if (key === 'bad') throw new Refusal('INVALID_TOKEN');
    return identity(Number(key));
  };
  return {
    asked,
    verifyToken: ({ key }: auth.VerifyTokenRequest) => verify(key),
    verifyPassword: ({ password }: auth.VerifyPasswordRequest) => verify(password),
  };
}
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
const by = (authorization: string | undefined) => ({ headers: { authorization }, address: 'here' });
const reasonOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error: Refusal) => error.reason,
  );

it.each([
  ['Bearer abc', 'abc'],
  ['bearer abc', 'abc'],
  ['Token abc', 'abc'],
  ['TOKEN  abc ', 'abc'],
  ['Bearer', null],
  ['Bearer a b', null],
  ['Basic abc', null],
  [undefined, null],
])('reads the token of %j', (header, token) => {
  expect(tokenOf(header)).toBe(token);
});

it('reads user name and password', () => {
  expect(passwordOf(basic('jane@example.com:a:b é'))).toEqual({ username: 'jane@example.com', password: 'a:b é' });
  expect([passwordOf(basic('no colon')), passwordOf('Basic'), passwordOf('Bearer x')]).toEqual([null, null, null]);
});

it('makes the caller of an identity', async () => {
  await expect(createAuthenticator(createVerifier()).authenticate(by('Token 7'), false)).resolves.toEqual({
    kind: 'user',
    organizationId: 1,
    userId: 7,
    username: 'u',
    roles: ['annotator'],
    queueIds: [4],
  });
});

it('asks once for a token, also when many ask at the same time, and again once it is revoked', async () => {
  const service = createVerifier();
  const { authenticate, forget } = createAuthenticator(service);
  await Promise.all([
    authenticate(by('Bearer 7'), false),
    authenticate(by('Token 7'), false),
    authenticate(by('Bearer 8'), false),
  ]);
  expect(service.asked).toEqual(['7', '8']);
  forget({ tokenHash: hash('7'), userId: 7 });
  await authenticate(by('Bearer 7'), false);
  await authenticate(by('Bearer 8'), false);
  expect(service.asked).toEqual(['7', '8', '7']);
});

it('forgets everything of a user', async () => {
  const service = createVerifier();
  const { authenticate, forget } = createAuthenticator(service);
  await authenticate(by('Bearer 7'), false);
  await authenticate(by(basic('u:7')), true);
  await authenticate(by('Bearer 8'), false);
  forget({ tokenHash: '', userId: 7 });
  await authenticate(by('Bearer 7'), false);
  await authenticate(by(basic('u:7')), true);
  await authenticate(by('Bearer 8'), false);
  expect(service.asked).toEqual(['7', '7', '8', '7', '7']);
});

it('does not keep what was verified before a revocation and answered after it', async () => {
  const service = createVerifier();
  const { authenticate, forget } = createAuthenticator(service);
  const first = authenticate(by('Bearer 7'), false);
  forget({ tokenHash: '', userId: 7 });
  await first;
  await authenticate(by('Bearer 7'), false);
  expect(service.asked).toEqual(['7', '7']);
});

it('lets one call use a one-time token, also when two come at the same time', async () => {
  const used = new Set<string>();
  const { authenticate } = createAuthenticator({
    ...createVerifier(),
    verifyToken: async ({ key }: auth.VerifyTokenRequest) => {
      if (used.has(key)) throw new Refusal('INVALID_TOKEN');
      used.add(key);
      return { ...identity(7), oneTime: true };
    },
  });
  const reasons = await Promise.all([1, 2].map(() => reasonOf(authenticate(by('Bearer once'), false))));
  expect(reasons).toEqual(['none', 'INVALID_TOKEN']);
  expect(await reasonOf(authenticate(by('Bearer once'), false))).toBe('INVALID_TOKEN');
});

it('does not keep refusals', async () => {
  const service = createVerifier();
  const { authenticate } = createAuthenticator(service);
  expect(await reasonOf(authenticate(by('Bearer bad'), false))).toBe('INVALID_TOKEN');
  expect(await reasonOf(authenticate(by('Bearer bad'), false))).toBe('INVALID_TOKEN');
  expect(service.asked).toEqual(['bad', 'bad']);
});

it.each([
  [undefined, false, 'NOT_AUTHENTICATED'],
  [' ', false, 'NOT_AUTHENTICATED'],
  ['Digest x', true, 'INVALID_TOKEN'],
  ['Bearer', false, 'INVALID_TOKEN'],
  [basic('u:7'), false, 'INVALID_TOKEN'],
  ['Basic !', true, 'INVALID_BASIC_AUTH'],
  [basic('u:bad'), true, 'INVALID_BASIC_AUTH'],
])('refuses %j (basic: %s) as %s', async (header, takesBasic, reason) => {
  expect(await reasonOf(createAuthenticator(createVerifier()).authenticate(by(header), takesBasic))).toBe(reason);
});
