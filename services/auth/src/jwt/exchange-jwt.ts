import type { Backbone } from '@intake/bus';
import { type ClientSession, isDuplicateKey, transaction } from '@intake/mongo';
import { type Caller, Refusal, requireSystem } from '@intake/rpc';
import type { AuthSettings } from '../organization/auth-settings';
import type { AuthSettingsStore } from '../organization/auth-settings.store';
import type { OrganizationStore } from '../organization/organization.store';
import { ROLES } from '../role/roles';
import { chooseLifetime, chooseScope, mintToken, type Token } from '../token/token';
import type { TokenStore } from '../token/token.store';
import { findEmailProblem, isUsable, type User } from '../user/user';
import type { UserStore } from '../user/user.store';
import { hashJwt, type JwtClaims, verifyJwt } from './jwt';
import type { JwtUseStore } from './jwt-use.store';

interface Deps {
  readonly users: UserStore;
  readonly tokens: TokenStore;
  readonly organizations: OrganizationStore;
  readonly authSettings: AuthSettingsStore;
  readonly jwtUses: JwtUseStore;
  readonly backbone: Pick<Backbone, 'database'>;
}

const NO_USER = 'No active user of the organization has this user name.';

/**
 * Issues a token for a signed JWT, once; makes its user when the organization lets JWTs do that. INVALID_TOKEN says which rule
 * is broken. Field errors: `max_token_lifetime_s`, `scope`. Caller: system. API: auth.md section 5.
 */
export async function exchangeJwt(
  caller: Caller,
  input: {
    readonly key: string;
    readonly maxTokenLifetimeS?: number;
    readonly scope?: string;
    readonly origin: string;
  },
  deps: Deps,
): Promise<{ key: string; token: Token }> {
  const { tokens, organizations, authSettings, jwtUses, backbone } = deps;
  requireSystem(caller);
  const lifetimeS = chooseLifetime(input.maxTokenLifetimeS);
  const scope = chooseScope(input.scope, 'default');
  const keysOf = async (organizationId: number) =>
    (await organizations.findById(organizationId)) ? (await authSettings.get(organizationId)).jwtKeys : [];
  const claims = await verifyJwt(input.key, input.origin, keysOf);
  const settings = await authSettings.get(claims.organizationId);
  if (!claims.roles.every((role) => settings.allowedRoles.includes(role)))
    throw new Refusal('INVALID_TOKEN', { detail: '"roles" has a role that is not allowed.' });
  try {
    return await transaction(backbone.database, async (session) => {
      await jwtUses.insert(hashJwt(input.key), claims.expiresAt, session);
      const user = await findOrMakeUser(claims, settings, deps, session);
      const made = mintToken(user.id, lifetimeS, { scope });
      await tokens.insert([made.token], session);
      return made;
    });
  } catch (error) {
    if (isDuplicateKey(error)) throw new Refusal('INVALID_TOKEN', { detail: 'The token has been used already.' });
    throw error;
  }
}

async function findOrMakeUser(
  { organizationId, username, email, name, roles }: JwtClaims,
  settings: AuthSettings,
  { users }: Deps,
  session: ClientSession,
): Promise<User> {
  const found = await users.findAccount(username, session);
  if (found) {
    if (found.organizationId === organizationId && isUsable(found)) return found;
    throw new Refusal('INVALID_TOKEN', { detail: NO_USER });
  }
  if (!settings.jwtAutoProvisioning) throw new Refusal('INVALID_TOKEN', { detail: NO_USER });
  if (findEmailProblem(username) || findEmailProblem(email))
    throw new Refusal('INVALID_TOKEN', { detail: '"sub" and "email" must be e-mail addresses.' });
  const [firstName = '', ...rest] = name.split(' ');
  const names = roles.length > 0 ? roles : [settings.defaultRole];
  return users.insert(
    {
      id: await users.nextId(),
      organizationId,
      username,
      email,
      firstName,
      lastName: rest.join(' '),
      groupIds: ROLES.filter((role) => names.includes(role.name)).map(({ id }) => id),
      queueIds: [],
      passwordHash: null,
      authType: 'sso',
      oidcId: email,
    },
    session,
  );
}
