import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { hashJwt, isJwt, verifyJwt } from './jwt';
import { readPublicKey } from './public-key';

const ORIGIN = 'https://docs.example.com';
const NOW = new Date('2026-05-05T10:00:00.500Z');
const SECONDS = Math.floor(NOW.getTime() / 1000);

const pairs = {
  ed25519: generateKeyPairSync('ed25519'),
  ed448: generateKeyPairSync('ed448'),
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  stranger: generateKeyPairSync('ed25519'),
};
const pemOf = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString();
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

const CLAIMS = {
  ver: '1.0',
  iss: 'portal',
  aud: ORIGIN,
  sub: 'jan@example.com',
  exp: SECONDS + 30,
  email: 'jan@example.com',
  name: 'Jan van Novák',
  service_org: '7',
};

function make(header: object = {}, claims: object = {}, signer: KeyObject = pairs.ed25519.privateKey): string {
  const input = `${encode({ alg: 'EdDSA', kid: 'urn:example.com:organizations:7', ...header })}.${encode({ ...CLAIMS, ...claims })}`;
  const hash = signer.asymmetricKeyType === 'rsa' ? 'sha512' : null;
  return `${input}.${sign(hash, Buffer.from(input), signer).toString('base64url')}`;
}

/** Organization 7 has a key of each kind, organization 8 the stranger's. */
const keysOf = async (organizationId: number) => {
  const own = { 7: [pairs.ed25519, pairs.ed448, pairs.rsa], 8: [pairs.stranger] }[organizationId] ?? [];
  return own.map(({ publicKey }) => {
    const { algorithm, pem } = readPublicKey(pemOf(publicKey));
    return { algorithm, publicKey: pem };
  });
};
const check = (jwt: string) => verifyJwt(jwt, ORIGIN, keysOf, NOW);
const detailOf = (jwt: string) =>
  check(jwt).then(
    () => 'accepted',
    (error) => `${error.httpStatus} ${error.detail}`,
  );

it.each([
  ['Ed25519', 'EdDSA', pairs.ed25519],
  ['Ed448', 'EdDSA', pairs.ed448],
  ['RS512', 'RS512', pairs.rsa],
])('accepts %s', async (_, alg, { privateKey }) => {
  expect(await check(make({ alg, typ: 'JWT' }, { roles: ['annotator'] }, privateKey))).toEqual({
    organizationId: 7,
    username: 'jan@example.com',
    email: 'jan@example.com',
    name: 'Jan van Novák',
    roles: ['annotator'],
    expiresAt: new Date((SECONDS + 30) * 1000),
  });
});

it.each<[string, Record<string, unknown>]>([
  ['ends in 60 seconds', { exp: SECONDS + 60 }],
  ['has the older name of the organization', { service_org: undefined, rossum_org: '7' }],
  ['has both names', { rossum_org: '8' }],
  ...['/', '/api', '/api/', '/api/v1'].map(
    (path) => [`is for ${path}`, { aud: ORIGIN + path }] as [string, Record<string, unknown>],
  ),
])('accepts one that %s', async (_, claims) => expect(await detailOf(make({}, claims))).toBe('accepted'));

const unsigned = () => {
  const [, payload] = make().split('.');
  return `${encode({ alg: 'none', kid: 'urn:x:organizations:7' })}.${payload}.`;
};
const signedByPublicKey = () => {
  const input = `${encode({ alg: 'HS512', kid: 'urn:x:organizations:7' })}.${encode(CLAIMS)}`;
  return `${input}.${createHmac('sha512', pemOf(pairs.rsa.publicKey)).update(input).digest('base64url')}`;
};
const changed = () => {
  const [header, , signature] = make().split('.');
  return `${header}.${encode({ ...CLAIMS, sub: 'boss@example.com' })}.${signature}`;
};
const wrongCurve = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

it.each([
  ['alg none', unsigned(), /"alg"/],
  ['HS512 signed with the public key', signedByPublicKey(), /"alg"/],
  ['RS256', make({ alg: 'RS256' }, {}, pairs.rsa.privateKey), /"alg"/],
  ['no kid', make({ kid: undefined }), /"kid"/],
  ['a kid of no organization', make({ kid: 'urn:x:organizations:' }), /"kid"/],
  ['an organization without keys', make({ kid: 'urn:x:organizations:9' }), /No key/],
  ['the kid of another organization', make({ kid: 'urn:x:organizations:8' }), /signature/],
  ['the key of another organization', make({}, {}, pairs.stranger.privateKey), /signature/],
  ['another curve', make({}, {}, wrongCurve), /signature/],
  ['an Ed25519 key that says RS512', make({ alg: 'RS512' }), /signature/],
  ['an RSA key that says EdDSA', make({}, {}, pairs.rsa.privateKey), /signature/],
  [
    'a key of its own',
    make({ jwk: pairs.stranger.publicKey.export({ format: 'jwk' }) }, {}, pairs.stranger.privateKey),
    /signature/,
  ],
  ['a changed payload', changed(), /signature/],
  ['no signature', make().replace(/[^.]+$/, ''), /signature/],
  ['unknown extensions', make({ crit: ['x'], x: 1 }, {}, pairs.ed448.privateKey), /Extensions/],
  ['61 seconds', make({}, { exp: SECONDS + 61 }), /60 seconds/],
  ['the past', make({}, { exp: SECONDS }), /expired/],
  ['no exp', make({}, { exp: undefined }), /"exp"/],
  ['a fraction as exp', make({}, { exp: SECONDS + 1.5 }), /"exp"/],
  ['another version', make({}, { ver: '1.1' }), /"ver"/],
  ['another audience', make({}, { aud: 'https://other.example.com' }), /"aud"/],
  ['another scheme', make({}, { aud: 'http://docs.example.com' }), /"aud"/],
  ['another path', make({}, { aud: `${ORIGIN}/other` }), /"aud"/],
  ['a list as audience', make({}, { aud: [ORIGIN] }), /"aud"/],
  ['another organization', make({}, { service_org: '8' }), /"service_org"/],
  ['a number as organization', make({}, { service_org: 7 }), /"service_org"/],
  ['an operator as user', make({}, { sub: { $ne: null } }), /"sub"/],
  ['no issuer', make({}, { iss: '' }), /"iss"/],
  ['no name', make({}, { name: undefined }), /"name"/],
  ['no email', make({}, { email: undefined }), /"email"/],
  ['a text as roles', make({}, { roles: 'admin' }), /"roles"/],
  ['nothing that is JSON', 'a.b.c', /header/],
  ['endless text', `a.${'b'.repeat(100_000)}.c`, /too long/],
])('refuses %s', async (_, jwt, detail) => {
  const answer = await detailOf(jwt);
  expect(answer).toMatch(/^401 /);
  expect(answer).toMatch(detail);
});

it('knows a JWT by its dots, and by what is signed', () => {
  const jwt = make();
  expect([isJwt(jwt), isJwt('0123'), isJwt('a.b')]).toEqual([true, false, false]);
  expect(hashJwt(`${jwt.slice(0, -1)}_`)).toBe(hashJwt(jwt));
  expect(hashJwt(make({}, { exp: SECONDS + 31 }))).not.toBe(hashJwt(jwt));
});

describe('public keys', () => {
  it.each([
    ['ed25519', 'EdDSA'],
    ['ed448', 'EdDSA'],
    ['rsa', 'RS512'],
  ] as const)('of %s are read as PEM and JWK', (kind, algorithm) => {
    const { publicKey } = pairs[kind];
    for (const given of [pemOf(publicKey), JSON.stringify(publicKey.export({ format: 'jwk' }))])
      expect(readPublicKey(given)).toMatchObject({ algorithm, pem: pemOf(publicKey) });
  });

  it.each([
    ['a private PEM', pairs.ed25519.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()],
    ['a private JWK', JSON.stringify(pairs.rsa.privateKey.export({ format: 'jwk' }))],
    ['an elliptic curve of another kind', pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey)],
    ['a key agreement', pemOf(generateKeyPairSync('x25519').publicKey)],
    ['a short RSA key', pemOf(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey)],
    ['a shared secret', JSON.stringify({ kty: 'oct', k: 'AAAA' })],
    ['nothing', ''],
    ['no key', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----'],
  ])('are not %s', (_, given) => expect(() => readPublicKey(given)).toThrow(/key/));
});
