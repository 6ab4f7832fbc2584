import { createHash, verify } from 'node:crypto';
import { Refusal } from '@intake/rpc';
import { compactVerify, decodeJwt, decodeProtectedHeader, errors } from 'jose';
import { readPublicKey } from './public-key';

/** Longest JWT that is looked at, in characters. */
const MAX_LENGTH = 10_000;
/** Furthest expiry, in seconds from now. */
const MAX_AHEAD_S = 60;
const ALGORITHMS: readonly unknown[] = ['EdDSA', 'RS512'];
/** Paths that the audience may name behind the service's origin. */
const AUDIENCE_PATHS = ['', '/api', '/api/v1'];

/** What a verified JWT says. */
export interface JwtClaims {
  readonly organizationId: number;
  readonly username: string;
  readonly email: string;
  readonly name: string;
  /** Role names. */
  readonly roles: readonly string[];
  readonly expiresAt: Date;
}

/** A registered key. */
interface Key {
  readonly algorithm: string;
  /** PEM (SPKI). */
  readonly publicKey: string;
}

/** Whether a key of the header is a JWT rather than one of the service's own tokens. */
export function isJwt(key: string): boolean {
  return key.split('.').length === 3;
}

/** SHA-256 of what is signed: another spelling of the same signature is the same JWT. */
export function hashJwt(jwt: string): string {
  return createHash('sha256')
    .update(jwt.slice(0, jwt.lastIndexOf('.')))
    .digest('hex');
}

function refuse(detail: string): Refusal {
  return new Refusal('INVALID_TOKEN', { detail });
}

/**
 * Checks header, signature, time, version, audience and organization of a JWT, in this order. INVALID_TOKEN says which is
 * wrong. API: auth.md section 5.
 *
 * @param keysOf keys of an organization; none when it does not exist
 * @param origin scheme, host and port of this service as the client sees it
 */
export async function verifyJwt(
  jwt: string,
  origin: string,
  keysOf: (organizationId: number) => Promise<readonly Key[]>,
  now = new Date(),
): Promise<JwtClaims> {
  if (jwt.length > MAX_LENGTH) throw refuse('The token is too long.');
  const { alg, organizationId } = readHeader(jwt);
  const keys = await keysOf(organizationId);
  if (keys.length === 0) throw refuse('No key is registered for the organization of "kid".');
  const fitting = keys.filter(({ algorithm }) => algorithm === alg);
  const valid = await Promise.all(fitting.map(({ publicKey }) => isSignedBy(jwt, publicKey)));
  if (!valid.includes(true)) throw refuse('The signature is invalid.');
  return readClaims(jwt, organizationId, origin, now);
}

function readHeader(jwt: string): { alg: string; organizationId: number } {
  let header: ReturnType<typeof decodeProtectedHeader>;
  try {
    header = decodeProtectedHeader(jwt);
  } catch {
    throw refuse('The header of the token cannot be read.');
  }
  const { alg, kid } = header;
  if (typeof alg !== 'string' || !ALGORITHMS.includes(alg)) throw refuse('"alg" must be EdDSA or RS512.');
  const id = typeof kid === 'string' ? /:(\d{1,15})$/.exec(kid)?.[1] : undefined;
  if (id === undefined) throw refuse('"kid" must end with the id of an organization.');
  if (header.crit !== undefined || header.b64 !== undefined) throw refuse('Extensions of the header are not known.');
  return { alg, organizationId: Number(id) };
}

async function isSignedBy(jwt: string, publicKey: string): Promise<boolean> {
  const { key, algorithm } = readPublicKey(publicKey);
  if (key.asymmetricKeyType === 'ed448') {
    // The web's cryptography, which jose stands on, has no Ed448.
    const dot = jwt.lastIndexOf('.');
    return verify(null, Buffer.from(jwt.slice(0, dot)), key, Buffer.from(jwt.slice(dot + 1), 'base64url'));
  }
  try {
    await compactVerify(jwt, key, { algorithms: [algorithm] });
    return true;
  } catch (error) {
    if (error instanceof errors.JOSEError) return false;
    throw error;
  }
}

function readClaims(jwt: string, organizationId: number, origin: string, now: Date): JwtClaims {
  let payload: Readonly<Record<string, unknown>>;
  try {
    payload = decodeJwt(jwt);
  } catch {
    throw refuse('The payload of the token cannot be read.');
  }
  const { exp, ver, aud, roles = [] } = payload;
  const seconds = now.getTime() / 1000;
  if (typeof exp !== 'number' || !Number.isInteger(exp)) throw refuse('"exp" must be an integer.');
  if (exp <= seconds) throw refuse('The token has expired.');
  if (exp > seconds + MAX_AHEAD_S) throw refuse(`"exp" must be at most ${MAX_AHEAD_S} seconds from now.`);
  if (ver !== '1.0') throw refuse('"ver" must be "1.0".');
  if (!isAudience(aud, origin)) throw refuse('"aud" must be the URL of this service.');
  const text = (name: string): string => {
    const value = payload[name];
    if (typeof value !== 'string' || value.trim() === '' || value.length > 255) throw refuse(`"${name}" is missing.`);
    return value;
  };
  text('iss');
  const named = payload.service_org ?? payload.rossum_org;
  if (named !== String(organizationId)) throw refuse('"service_org" must be the organization of "kid".');
  if (!Array.isArray(roles) || !roles.every((role) => typeof role === 'string'))
    throw refuse('"roles" must be a list.');
  return {
    organizationId,
    username: text('sub'),
    email: text('email'),
    name: text('name').trim(),
    roles,
    expiresAt: new Date(exp * 1000),
  };
}

function isAudience(aud: unknown, origin: string): boolean {
  if (typeof aud !== 'string' || !URL.canParse(aud)) return false;
  const url = new URL(aud);
  const path = url.pathname.replace(/\/$/, '');
  const plain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  return plain && url.origin === origin && AUDIENCE_PATHS.includes(path);
}
