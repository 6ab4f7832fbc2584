import type { Backbone } from '@intake/bus';
import { type ClientSession, isDuplicateKey, transaction } from '@intake/mongo';
import { Refusal } from '@intake/rpc';
import type { AuthSettings } from '../organization/auth-settings';
import { ROLES } from '../role/roles';
import type { TokenStore } from '../token/token.store';
import { findEmailProblem, findTextProblem, isUsable, toUsernameKey, type User } from '../user/user';
import type { UserStore } from '../user/user.store';
import type { Claim } from './oidc-settings';
import type { Claims } from './provider';

/** What finding and making users stands on. */
export interface SsoUserDeps {
  readonly users: UserStore;
  readonly tokens: TokenStore;
  readonly backbone: Pick<Backbone, 'database'>;
}

function refuse(detail: string): Refusal {
  return new Refusal('INVALID_LOGIN', { detail });
}

/**
 * The user of the organization whom a provider means, made when nobody is known by it and the organization lets logins do that;
 * notes the login. INVALID_LOGIN says why nobody comes in. API: auth.md section 6.
 */
export async function enterUser(
  organizationId: number,
  claims: Claims,
  settings: AuthSettings,
  { users, backbone }: SsoUserDeps,
): Promise<User> {
  const { claim, autoProvisioning } = settings.oidc;
  const value = readClaim(claims, claim);
  const enter = (mayMake: boolean) =>
    transaction(backbone.database, async (session: ClientSession) => {
      const known = chooseUser(value, await users.findKnownAs(organizationId, value, session));
      if (!known && !mayMake) throw refuse(`No user of the organization is known as ${value}.`);
      const user = known ?? (await makeUser(organizationId, value, claims, settings, users, session));
      const entered = await users.noteSsoLogin(user.id, new Date(), session);
      if (!entered) throw refuse(NOT_ACTIVE);
      return entered;
    });
  try {
    return await enter(autoProvisioning);
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    // Somebody else has just made this user, or the name belongs to another one.
    const { username } = nameOf(value, claims);
    return enter(false).catch((second) => {
      if (!(second instanceof Refusal)) throw second;
      throw refuse(`The user name ${username} is taken. To link it to this login an admin sets its "oidc_id".`);
    });
  }
}

const NOT_ACTIVE = 'The user of this login is disabled or deleted.';

/** The value of the claim that names the user. INVALID_LOGIN when it is missing or not to be believed. */
export function readClaim(claims: Claims, claim: Claim): string {
  const value = claims[claim];
  if (typeof value !== 'string' || findTextProblem(value))
    throw refuse(`The provider of single sign-on did not tell "${claim}" of this user.`);
  if (claim === 'email' && isUnverified(claims))
    throw refuse('The e-mail address of this user is not verified by the provider of single sign-on.');
  return value;
}

/** Some providers do not tell, others write it as text. */
function isUnverified({ email_verified: verified }: Claims): boolean {
  return verified === false || verified === 'false';
}

/**
 * Whom of those who are known as `value` it means: by `oidc_id`, else by e-mail address, else by user name. Null when there is
 * nobody; INVALID_LOGIN when there are several or they may not act.
 */
export function chooseUser(value: string, candidates: readonly User[]): User | null {
  const lower = value.toLowerCase();
  const keys: ((user: User) => boolean)[] = [
    ({ oidcId }) => oidcId === value,
    ({ email }) => email.toLowerCase() === lower,
    ({ username }) => toUsernameKey(username) === toUsernameKey(value),
  ];
  for (const isMeant of keys) {
    const [user, ...others] = candidates.filter((one) => isUsable(one) && isMeant(one));
    if (others.length > 0) throw refuse(`Several users are known as ${value}. An admin sets "oidc_id" of one of them.`);
    if (user) return user;
  }
  if (candidates.length > 0) throw refuse(NOT_ACTIVE);
  return null;
}

async function makeUser(
  organizationId: number,
  value: string,
  claims: Claims,
  { allowedRoles, defaultRole }: Pick<AuthSettings, 'allowedRoles' | 'defaultRole'>,
  users: UserStore,
  session: ClientSession,
): Promise<User> {
  return users.insert(
    {
      id: await users.nextId(),
      organizationId,
      ...nameOf(value, claims),
      groupIds: chooseRoles(claims.roles, allowedRoles, defaultRole),
      queueIds: [],
      passwordHash: null,
      authType: 'sso',
      oidcId: value,
    },
    session,
  );
}

/** What a made user is called: by the e-mail address where there is one. */
export function nameOf(value: string, claims: Claims): Pick<User, 'username' | 'email' | 'firstName' | 'lastName'> {
  const text = (name: string) => (typeof claims[name] === 'string' ? claims[name].trim().slice(0, 255) : '');
  const [first = '', ...rest] = text('name').split(' ');
  const told = isUnverified(claims) || findEmailProblem(text('email')) ? '' : text('email');
  const email = told || (findEmailProblem(value) ? '' : value);
  return {
    username: email || value,
    email,
    firstName: text('given_name') || first,
    lastName: text('family_name') || rest.join(' '),
  };
}

/** Ids of the roles that the provider names and the organization allows; of the default role when there is none. */
export function chooseRoles(named: unknown, allowed: readonly string[], preset: string): number[] {
  const names = [named].flat();
  const fitting = ROLES.filter(({ name }) => allowed.includes(name) && names.includes(name));
  const chosen = fitting.length > 0 ? fitting : ROLES.filter(({ name }) => name === preset);
  return chosen.map(({ id }) => id);
}
