import { type Caller, type FieldErrors, invalidField, organizationOf, Refusal, requireAdmin } from '@intake/rpc';
import { type JwtAlgorithm, readPublicKey } from '../jwt/public-key';
import { ROLES } from '../role/roles';
import { changeOidcSettings, DEFAULT_OIDC_SETTINGS, type OidcChange, type OidcSettings } from '../sso/oidc-settings';
import { findTextProblem } from '../user/user';
import type { AuthSettingsStore } from './auth-settings.store';
import type { OrganizationStore } from './organization.store';

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
  /** Names of the roles that users may have whom a JWT or a login at the provider makes. */
  readonly allowedRoles: readonly string[];
  /** Role of such a user for whom none is named. */
  readonly defaultRole: string;
  readonly oidc: OidcSettings;
}

/** Of an organization that has set nothing. */
export const DEFAULT_AUTH_SETTINGS: AuthSettings = {
  jwtKeys: [],
  jwtAutoProvisioning: false,
  allowedRoles: ['annotator'],
  defaultRole: 'annotator',
  oidc: DEFAULT_OIDC_SETTINGS,
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
  readonly organizations: Pick<OrganizationStore, 'findById'>;
}

async function checkOwn(caller: Caller, organizationId: number, { organizations }: Deps): Promise<void> {
  if (organizationOf(caller) !== organizationId) throw new Refusal('NOT_FOUND');
  requireAdmin(caller);
  if (!(await organizations.findById(organizationId)))
    throw new Refusal('NOT_FOUND', { detail: `There is no organization ${organizationId}.` });
}

/** The settings of the caller's organization; another one is NOT_FOUND. Caller: admin. */
export async function getAuthSettings(caller: Caller, organizationId: number, deps: Deps): Promise<AuthSettings> {
  await checkOwn(caller, organizationId, deps);
  return deps.authSettings.get(organizationId);
}

/**
 * Changes what is given; the list of keys is replaced as a whole. Caller: admin. Field errors: `jwt_keys`,
 * and those of `oidc`.
 */
export async function updateAuthSettings(
  caller: Caller,
  organizationId: number,
  change: Partial<Omit<AuthSettings, 'jwtKeys' | 'oidc'>> & {
    readonly jwtKeys?: readonly GivenKey[];
    readonly oidc?: OidcChange;
  },
  deps: Deps,
): Promise<AuthSettings> {
  await checkOwn(caller, organizationId, deps);
  const { authSettings } = deps;
  const before = await authSettings.get(organizationId);
  const oidc = changeOidcSettings(before.oidc, change.oidc ?? {});
  const after: AuthSettings = {
    jwtKeys: change.jwtKeys ? await readKeys(change.jwtKeys, before.jwtKeys, authSettings) : before.jwtKeys,
    jwtAutoProvisioning: change.jwtAutoProvisioning ?? before.jwtAutoProvisioning,
    allowedRoles: change.allowedRoles ? [...new Set(change.allowedRoles)] : before.allowedRoles,
    defaultRole: change.defaultRole ?? before.defaultRole,
    oidc: oidc.settings,
  };
  const problems = { ...oidc.problems, ...findRoleProblems(after) };
  if (Object.keys(problems).length > 0) throw new Refusal('INVALID', { fields: { oidc: problems } });
  await authSettings.set(organizationId, after);
  return after;
}

function findRoleProblems({ allowedRoles, defaultRole }: AuthSettings): FieldErrors | null {
  const unknown = allowedRoles.find((name) => !ROLES.some((role) => role.name === name));
  if (unknown !== undefined) return { allowed_roles: [`"${unknown}" is not a valid choice.`] };
  return allowedRoles.includes(defaultRole) ? null : { default_role: ['It must be one of the allowed roles.'] };
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
