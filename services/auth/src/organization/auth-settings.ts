import { type Caller, invalidField, organizationOf, Refusal, requireAdmin } from '@intake/rpc';
import { type JwtAlgorithm, readPublicKey } from '../jwt/public-key';
import { ROLES } from '../role/roles';
import { findTextProblem } from '../user/user';
import type { AuthSettingsStore } from './auth-settings.store';

/** A key that an organization signs JWTs with. */
export interface JwtKey {
  readonly id: number;
  readonly name: string;
  readonly algorithm: JwtAlgorithm;
  /** PEM (SPKI). */
  readonly publicKey: string;
}

/** Security settings of an organization. API: auth.md section 7. */
export interface AuthSettings {
  readonly jwtKeys: readonly JwtKey[];
  /** A JWT of an unknown user makes the user. */
  readonly jwtAutoProvisioning: boolean;
  /** Names of the roles that such users may have. */
  readonly allowedRoles: readonly string[];
  /** Role of such a user whose JWT names none. */
  readonly defaultRole: string;
}

/** Of an organization that has set nothing. */
export const DEFAULT_AUTH_SETTINGS: AuthSettings = {
  jwtKeys: [],
  jwtAutoProvisioning: false,
  allowedRoles: ['annotator'],
  defaultRole: 'annotator',
};

/** A key as it is sent: with an id a known key, whose empty fields keep their value. */
export interface GivenKey {
  readonly id: number;
  readonly name: string;
  readonly algorithm: string;
  readonly publicKey: string;
}

const MOST_KEYS = 50;

interface Deps {
  readonly authSettings: AuthSettingsStore;
}

function checkOwn(caller: Caller, organizationId: number): void {
  if (organizationOf(caller) !== organizationId) throw new Refusal('NOT_FOUND');
  requireAdmin(caller);
}

/** The settings of the caller's organization; another one is NOT_FOUND. Caller: admin. */
export async function getAuthSettings(
  caller: Caller,
  organizationId: number,
  { authSettings }: Deps,
): Promise<AuthSettings> {
  checkOwn(caller, organizationId);
  return authSettings.get(organizationId);
}

/**
 * Changes what is given; the list of keys is replaced as a whole. Caller: admin. Field errors: `jwt_keys`,
 * `oidc.allowed_roles`, `oidc.default_role`.
 */
export async function updateAuthSettings(
  caller: Caller,
  organizationId: number,
  change: Partial<Omit<AuthSettings, 'jwtKeys'>> & { readonly jwtKeys?: readonly GivenKey[] },
  { authSettings }: Deps,
): Promise<AuthSettings> {
  checkOwn(caller, organizationId);
  const before = await authSettings.get(organizationId);
  const after: AuthSettings = {
    jwtKeys: change.jwtKeys ? await readKeys(change.jwtKeys, before.jwtKeys, authSettings) : before.jwtKeys,
    jwtAutoProvisioning: change.jwtAutoProvisioning ?? before.jwtAutoProvisioning,
    allowedRoles: change.allowedRoles ? [...new Set(change.allowedRoles)] : before.allowedRoles,
    defaultRole: change.defaultRole ?? before.defaultRole,
  };
  const unknown = after.allowedRoles.find((name) => !ROLES.some((role) => role.name === name));
  if (unknown !== undefined)
    throw new Refusal('INVALID', { fields: { oidc: { allowed_roles: [`"${unknown}" is not a valid choice.`] } } });
  if (!after.allowedRoles.includes(after.defaultRole))
    throw new Refusal('INVALID', { fields: { oidc: { default_role: ['It must be one of the allowed roles.'] } } });
  await authSettings.set(organizationId, after);
  return after;
}

async function readKeys(
  given: readonly GivenKey[],
  known: readonly JwtKey[],
  { nextKeyId }: Pick<AuthSettingsStore, 'nextKeyId'>,
): Promise<JwtKey[]> {
  if (given.length > MOST_KEYS) throw invalidField('jwt_keys', `There may be no more than ${MOST_KEYS} keys.`);
  const read = given.map((key) => readKey(key, known));
  const ids = read.map(({ id }) => id).filter((id) => id !== 0);
  if (new Set(ids).size !== ids.length) throw invalidField('jwt_keys', 'An id stands there twice.');
  return Promise.all(read.map(async (key) => ({ ...key, id: key.id === 0 ? await nextKeyId() : key.id })));
}

/** A new key has the id 0. */
function readKey(given: GivenKey, known: readonly JwtKey[]): JwtKey {
  const before = known.find(({ id }) => id === given.id);
  if (given.id !== 0 && !before) throw invalidField('jwt_keys', `There is no key ${given.id}.`);
  const name = given.name || before?.name || 'key';
  const problem = findTextProblem(name);
  if (problem) throw invalidField('jwt_keys', problem);
  try {
    const { algorithm, pem } = readPublicKey(given.publicKey || before?.publicKey || '');
    return { id: given.id, name, algorithm, publicKey: pem };
  } catch (error) {
    throw invalidField('jwt_keys', (error as Error).message);
  }
}
