import type { Backbone } from '@intake/bus';
import type { auth } from '@intake/contracts';
import { type Handlers, requireSystem } from '@intake/rpc';
import type { Runtime } from '@intake/service';
import type { Guessing } from './guessing/guessing';
import { exchangeJwt } from './jwt/exchange-jwt';
import { isJwt } from './jwt/jwt';
import type { JwtUseStore } from './jwt/jwt-use.store';
import type { Post } from './mail/post';
import { type AuthSettings, getAuthSettings, updateAuthSettings } from './organization/auth-settings';
import type { AuthSettingsStore } from './organization/auth-settings.store';
import {
  createOrganization,
  type Organization,
  prepareOrganization,
  updateOrganization,
} from './organization/organization';
import type { OrganizationStore } from './organization/organization.store';
import { changePassword, confirmReset, overwritePassword, requestReset } from './password/change-password';
import type { Passwords } from './password/password';
import { scorePassword } from './password/strength';
import { rolesOf } from './role/roles';
import type { Providers } from './sso/provider';
import { finishSso, offerSso, startSso } from './sso/sso-login';
import type { SsoLoginStore } from './sso/sso-login.store';
import {
  exchangeToken,
  issueAnnotationToken,
  issueOneTimeToken,
  issueToken,
  issueUserToken,
  logIn,
  logOut,
  type Token,
  verifyPassword,
  verifyToken,
} from './token/token';
import type { TokenStore } from './token/token.store';
import { assignQueues, assignUsers, createUser, deleteUser, type User, updateUser } from './user/user';
import type { UserStore } from './user/user.store';

/** What the rpcs stand on. */
export interface RpcDeps {
  readonly backbone: Backbone;
  readonly organizations: OrganizationStore;
  readonly users: UserStore;
  readonly tokens: TokenStore;
  readonly passwords: Passwords;
  readonly guessing: Guessing;
  readonly post: Post;
  readonly authSettings: AuthSettingsStore;
  readonly jwtUses: JwtUseStore;
  readonly ssoLogins: SsoLoginStore;
  readonly providers: Providers;
  readonly log: Runtime['log'];
}

/** The rpcs of proto/intake/auth/v1. */
export function createRpc(deps: RpcDeps): Handlers<typeof auth.AuthServiceService> {
  const { organizations, users, log } = deps;
  const sso = { ...deps, warn: (about: object) => log.warn(about, 'a login by single sign-on failed') };
  return {
    async login(request, caller) {
      const { key, token, user, session } = await logIn(caller, request, deps);
      return { key, identity: toIdentity(user, token), expiresAt: token.expiresAt, session };
    },
    async logout({ key }, caller) {
      await logOut(caller, key, deps);
      return {};
    },
    async verifyToken(request, caller) {
      const { token, user } = await verifyToken(caller, request, deps);
      return toIdentity(user, token);
    },
    async verifyPassword(request, caller) {
      return toIdentity(await verifyPassword(caller, request, deps));
    },
    async createOrganization(request, caller) {
      const { organization, admin, created } = await createOrganization(caller, request, deps);
      return { organization: toOrganization(organization, [admin.id]), admin: toUser(admin), created };
    },
    prepareOrganization: (request, caller) => prepareOrganization(caller, request, deps),
    async listOrganizations({ ids }, caller) {
      const found = await organizations.list(caller, ids);
      const userIds = found.length > 0 ? await users.listIds(caller) : [];
      return { organizations: found.map((organization) => toOrganization(organization, userIds)) };
    },
    async getUsers({ ids }, caller) {
      return { users: (await users.get(caller, ids)).map(toUser) };
    },
    async listUsers({ ordering, page, pageSize, ...filter }, caller) {
      const { users: found, total } = await users.list(caller, filter, ordering, { page, pageSize });
      return { users: found.map(toUser), total };
    },
    async updateUser({ id, groupIds, queueIds, phoneNumber, oidcId, ...change }, caller) {
      const user = await updateUser(
        caller,
        id,
        {
          ...change,
          groupIds: groupIds?.ids,
          queueIds: queueIds?.ids,
          phoneNumber: phoneNumber && (phoneNumber.value ?? null),
          oidcId: oidcId && (oidcId.value ?? null),
        },
        deps,
      );
      return toUser(user);
    },
    async deleteUser({ id }, caller) {
      await deleteUser(caller, id, deps);
      return {};
    },
    async updateOrganization({ id, ...change }, caller) {
      return toOrganization(await updateOrganization(caller, id, change, deps), await users.listIds(caller));
    },
    async exchangeToken(request, caller) {
      const exchange = isJwt(request.key) ? exchangeJwt : exchangeToken;
      const { key, token } = await exchange(caller, request, deps);
      return { key, scope: token.scope, expiresAt: token.expiresAt };
    },
    async issueOneTimeToken({ userId }, caller) {
      return { key: await issueOneTimeToken(caller, userId, deps) };
    },
    async issueUserToken(request, caller) {
      return { key: await issueUserToken(caller, request, deps) };
    },
    async changePassword(request, caller) {
      return toUser(await changePassword(caller, request, deps));
    },
    async requestPasswordReset({ email }, caller) {
      await requestReset(caller, email, deps);
      return {};
    },
    async confirmPasswordReset(request, caller) {
      await confirmReset(caller, request, deps);
      return {};
    },
    async scorePassword({ password, ...owner }, caller) {
      requireSystem(caller);
      return scorePassword(password, owner);
    },
    async setPassword(request, caller) {
      return toUser(await overwritePassword(caller, request, deps));
    },
    async getAuthSettings({ organizationId }, caller) {
      return toAuthSettings(await getAuthSettings(caller, organizationId, deps));
    },
    async updateAuthSettings({ organizationId, jwtKeys, allowedRoles, ...change }, caller) {
      const given = { ...change, jwtKeys: jwtKeys?.keys, allowedRoles: allowedRoles?.names };
      return toAuthSettings(await updateAuthSettings(caller, organizationId, given, deps));
    },
    offerSso: (_, caller) => offerSso(caller, sso),
    startSso: (request, caller) => startSso(caller, request, sso),
    async finishSso(request, caller) {
      const { key, next, user, session } = await finishSso(caller, request, sso);
      return { oneTimeKey: key, next, identity: toIdentity(user), session };
    },
    async issueAnnotationToken(request, caller) {
      const { key, token } = await issueAnnotationToken(caller, request, deps);
      return { key, expiresAt: token.expiresAt };
    },
    async issueToken(_, caller) {
      const { key, token } = await issueToken(caller, deps);
      return { key, expiresAt: token.expiresAt };
    },
    async createUser(request, caller) {
      return toUser(await createUser(caller, request, deps));
    },
    async assignQueues({ userId, queueIds }, caller) {
      return toUser(await assignQueues(caller, userId, queueIds, deps));
    },
    async assignUsers({ queueId, userIds }, caller) {
      await assignUsers(caller, queueId, userIds, deps);
      return {};
    },
  };
}

function toIdentity(user: User, token?: Token): auth.Identity {
  const roles = rolesOf(user.groupIds);
  return {
    organizationId: user.organizationId,
    userId: user.id,
    username: user.username,
    roles: roles.map((role) => role.name),
    queueIds: [...user.queueIds],
    allQueues: roles.some((role) => role.allQueues),
    expiresAt: token?.expiresAt,
    oneTime: token?.oneTime ?? false,
    annotationId: token?.annotationId ?? undefined,
    initializedAnnotationId: token?.initializedAnnotationId ?? undefined,
    arrivedUploadId: token?.arrivedUploadId ?? undefined,
    askedAnnotationId: token?.askedAnnotationId ?? undefined,
  };
}

function toAuthSettings({ jwtKeys, allowedRoles, oidc, ...settings }: AuthSettings): auth.AuthSettings {
  const { clientSecret, ...shown } = oidc;
  return {
    ...settings,
    jwtKeys: [...jwtKeys],
    allowedRoles: [...allowedRoles],
    oidc: { ...shown, hasClientSecret: clientSecret !== '' },
  };
}

function toOrganization(organization: Organization, userIds: number[]): auth.Organization {
  return {
    ...organization,
    userIds,
    modifiedById: organization.modifiedById ?? undefined,
    modifiedAt: organization.modifiedAt ?? undefined,
  };
}

function toUser({ rightsVersion: _version, ...user }: User): auth.User {
  return {
    ...user,
    groupIds: [...user.groupIds],
    queueIds: [...user.queueIds],
    lastLogin: user.lastLogin ?? undefined,
    phoneNumber: user.phoneNumber ?? undefined,
    oidcId: user.oidcId ?? undefined,
  };
}
