import { randomBytes } from 'node:crypto';
import { type Caller, invalidField, Refusal, requireSystem } from '@intake/rpc';
import type { AuthSettingsStore } from '../organization/auth-settings.store';
import { hashKey, MAX_TOKEN_LIFETIME_S, mintSession, mintToken, type Session } from '../token/token';
import type { User } from '../user/user';
import type { OidcSettings } from './oidc-settings';
import type { Providers } from './provider';
import type { SsoLoginStore } from './sso-login.store';
import { enterUser, type SsoUserDeps } from './sso-user';

/** A login that has begun at a provider. */
export interface SsoLogin {
  /** SHA-256 in hex, as all hashes here. */
  readonly stateHash: string;
  /** Of what the browser that began shows at the end. */
  readonly browserHash: string;
  readonly organizationId: number;
  readonly issuer: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  /** Path of the web UI. */
  readonly next: string;
  readonly expiresAt: Date;
}

/** How long a login at the provider may take. */
const LOGIN_MS = 600_000;
/** Life of the token that the web UI gets, and trades for another one at once, in seconds. */
const ONE_TIME_LIFETIME_S = 600;

interface Deps extends SsoUserDeps {
  readonly authSettings: AuthSettingsStore;
  readonly ssoLogins: SsoLoginStore;
  readonly providers: Providers;
  /** For the operator: who tries to log in sees the same text. */
  readonly warn: (about: { readonly organizationId: number; readonly issuer: string; readonly reason: string }) => void;
}

const NOT_SET_UP = 'Single sign-on is not set up for this organization.';

/** Whether somebody may log in at a provider, and whether the organization has to be named. Caller: system. */
export async function offerSso(
  caller: Caller,
  { authSettings }: Pick<Deps, 'authSettings'>,
): Promise<{ offered: boolean; organizationRequired: boolean }> {
  requireSystem(caller);
  const { length } = await authSettings.findSsoOrganizations();
  return { offered: length > 0, organizationRequired: length > 1 };
}

/**
 * Begins a login: where the browser is sent to, and what it keeps until it comes back. Without an organization it is the only one
 * that has single sign-on. The same field error `organization` for one that does not exist and one without single sign-on; INVALID with the reason when the provider cannot be asked. Caller: system.
 */
export async function startSso(
  caller: Caller,
  input: { readonly organizationId?: number; readonly redirectUri: string; readonly next: string },
  deps: Deps,
): Promise<{ authorizationUrl: string; state: string; browserKey: string }> {
  requireSystem(caller);
  const organizationId = input.organizationId ?? (await findOnlyOrganization(deps));
  const { oidc } = await deps.authSettings.get(organizationId);
  if (!oidc.enabled) throw invalidField('organization', NOT_SET_UP);
  const challenge = {
    redirectUri: input.redirectUri,
    state: makeSecret(),
    nonce: makeSecret(),
    codeVerifier: makeSecret(),
  };
  const browserKey = makeSecret();
  const ask = () => deps.providers.authorizationUrl(oidc, challenge);
  const authorizationUrl = await warned(organizationId, oidc, deps, ask);
  const { state, ...kept } = challenge;
  await deps.ssoLogins.insert({
    ...kept,
    stateHash: hashKey(state),
    browserHash: hashKey(browserKey),
    organizationId,
    issuer: oidc.issuer,
    clientId: oidc.clientId,
    next: input.next,
    expiresAt: new Date(Date.now() + LOGIN_MS),
  });
  return { authorizationUrl, state, browserKey };
}

async function findOnlyOrganization({ authSettings }: Pick<Deps, 'authSettings'>): Promise<number> {
  const [only, ...others] = await authSettings.findSsoOrganizations();
  if (only === undefined || others.length > 0) throw invalidField('organization', 'This field is required.');
  return only;
}

/**
 * Ends a login, once: checks what the provider answered, finds the user or makes one, and issues a token for one call. INVALID when
 * the login is not one that this browser began, or the provider's answer is wrong; INVALID_LOGIN when nobody may come in by it.
 * Caller: system. API: auth.md section 6.
 */
export async function finishSso(
  caller: Caller,
  {
    query,
    browserKey,
    withSession,
  }: { readonly query: string; readonly browserKey: string; readonly withSession?: boolean },
  deps: Deps,
): Promise<{ key: string; next: string; user: User; session?: Session }> {
  requireSystem(caller);
  const state = new URLSearchParams(query).get('state') ?? '';
  const login = await deps.ssoLogins.take(hashKey(state), hashKey(browserKey));
  if (!login || login.expiresAt.getTime() <= Date.now())
    throw new Refusal('INVALID', {
      detail:
        'This login is unknown, was used already, took too long, or began in another browser. Please begin again.',
    });
  const { organizationId } = login;
  const settings = await deps.authSettings.get(organizationId);
  const { oidc } = settings;
  if (!oidc.enabled || oidc.issuer !== login.issuer || oidc.clientId !== login.clientId)
    throw new Refusal('INVALID', { detail: 'Single sign-on was set up otherwise meanwhile. Please begin again.' });
  return warned(organizationId, oidc, deps, async () => {
    const claims = await deps.providers.redeem(oidc, { ...login, state }, query);
    const user = await enterUser(organizationId, claims, settings, deps);
    const { key, token } = mintToken(user.id, ONE_TIME_LIFETIME_S, { oneTime: true });
    const begun = withSession ? mintSession(user.id, MAX_TOKEN_LIFETIME_S) : null;
    await deps.tokens.insert(begun ? [token, begun.token] : [token]);
    return { key, next: login.next, user, session: begun?.session };
  });
}

function makeSecret(): string {
  return randomBytes(32).toString('base64url');
}

async function warned<T>(
  organizationId: number,
  { issuer }: OidcSettings,
  { warn }: Pick<Deps, 'warn'>,
  task: () => Promise<T>,
): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (error instanceof Refusal) warn({ organizationId, issuer, reason: error.detail });
    throw error;
  }
}
