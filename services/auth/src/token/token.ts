import { createHash, randomBytes } from 'node:crypto';
import type { Backbone } from '@intake/bus';
import { transaction } from '@intake/mongo';
import { type Caller, invalidField, Refusal, requireSystem } from '@intake/rpc';
import type { Guessing } from '../guessing/guessing';
import { checkPassword, hashAddress, knowsAddress } from '../password/check-password';
import type { Passwords } from '../password/password';
import { GROUP_ADMIN_ROLE_ID } from '../role/roles';
import { collectProblems, isUsable, passwordHashOf, type User } from '../user/user';
import type { UserStore } from '../user/user.store';
import type { TokenStore } from './token.store';

/** An access token. Only the hash of the key is kept. API: auth.md sections 2 and 3. */
export interface Token {
  /** SHA-256 of the key, in hex. */
  readonly hash: string;
  readonly userId: number;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
  /** Passed on when the token is exchanged. */
  readonly scope: Scope;
  /** Good for one call. */
  readonly oneTime: boolean;
  /** Of a browser, and no access token. */
  readonly session: boolean;
  /** Hash of the token or session that was issued with this one and ends with it. */
  readonly partner: string | null;
  /** Good for this annotation alone; null: for all that its user may see. */
  readonly annotationId: number | null;
  /** Of an extension that is asked about this annotation before anybody sees it; null: of anybody else. */
  readonly initializedAnnotationId: number | null;
  /** Of an extension that is asked about this upload before it is imported; null: of anybody else. */
  readonly arrivedUploadId: number | null;
  /** Of an extension that is asked about the content of this annotation; null: of anybody else. */
  readonly askedAnnotationId: number | null;
}

/** What a token is beside its user and its life. */
type Kind = Pick<
  Token,
  'scope' | 'oneTime' | 'session' | 'annotationId' | 'initializedAnnotationId' | 'arrivedUploadId' | 'askedAnnotationId'
>;

/** What a token is for; `approval` is internal. */
export type Scope = (typeof SCOPES)[number];
const SCOPES = ['default', 'approval'] as const;

/** Life of a one-time token, in seconds. */
const ONE_TIME_LIFETIME_S = 86_400;

/** Longest life of a token, and the life of one that was not asked to be shorter: 162 hours, in seconds. */
export const MAX_TOKEN_LIFETIME_S = 583_200;

/** Life of a session, in seconds; it does not slide. API: auth.md section 4. */
const SESSION_LIFETIME_S = 86_400;

/** SHA-256 of a token's key, in hex. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** The life of a new token, in seconds. A wish that is no number above 0 is a field error. */
export function chooseLifetime(wished: number | undefined): number {
  if (wished === undefined) return MAX_TOKEN_LIFETIME_S;
  const fields = collectProblems({
    max_token_lifetime_s: wished > 0 ? null : 'Ensure this value is greater than 0.',
  });
  if (fields) throw new Refusal('INVALID', { fields });
  return Math.min(wished, MAX_TOKEN_LIFETIME_S);
}

/** Makes a token of a user; only its hash is in the token itself. */
export function mintToken(
  userId: number,
  lifetimeS: number,
  {
    scope = 'default',
    oneTime = false,
    session = false,
    annotationId = null,
    initializedAnnotationId = null,
    arrivedUploadId = null,
    askedAnnotationId = null,
  }: Partial<Kind> = {},
  issuedAt = new Date(),
): { key: string; token: Token } {
  const key = randomBytes(20).toString('hex');
  const expiresAt = new Date(issuedAt.getTime() + lifetimeS * 1000);
  const about = { annotationId, initializedAnnotationId, arrivedUploadId, askedAnnotationId };
  const kind: Kind = { scope, oneTime, session, ...about };
  return { key, token: { hash: hashKey(key), userId, issuedAt, expiresAt, ...kind, partner: null } };
}

/** A session as it goes to the browser. */
export interface Session {
  readonly key: string;
  readonly lifetimeS: number;
}

/** Makes a session that lives no longer than the token it was issued with. */
export function mintSession(userId: number, lifetimeS: number, issuedAt?: Date): { session: Session; token: Token } {
  const life = Math.min(lifetimeS, SESSION_LIFETIME_S);
  const { key, token } = mintToken(userId, life, { session: true }, issuedAt);
  return { session: { key, lifetimeS: life }, token };
}

interface Deps {
  readonly users: UserStore;
  readonly tokens: TokenStore;
  readonly passwords: Passwords;
  readonly guessing: Guessing;
  readonly backbone: Pick<Backbone, 'database' | 'emit'>;
}

/** What is said at a login. */
interface GivenLogin {
  readonly username: string;
  readonly password: string;
  /** Of the client, as it is counted. */
  readonly address?: string;
}

const WRONG_LOGIN = 'Unable to log in with provided credentials.';

/**
 * Checks a password and issues a token, and with `withSession` a session beside it. INVALID_LOGIN, after the same time, for an unknown user, a wrong password and a
 * user who may not act. Caller: system.
 */
export async function logIn(
  caller: Caller,
  input: GivenLogin & { readonly maxTokenLifetimeS?: number; readonly withSession?: boolean },
  deps: Deps,
): Promise<{ key: string; token: Token; user: User; session?: Session }> {
  const { users, tokens } = deps;
  requireSystem(caller);
  const fields = collectProblems({
    username: input.username === '' ? 'This field may not be blank.' : null,
    password: input.password === '' ? 'This field may not be blank.' : null,
  });
  if (fields) throw new Refusal('INVALID', { fields });
  const lifetimeS = chooseLifetime(input.maxTokenLifetimeS);

  const account = await users.findAccount(input.username);
  const right = await checkPassword({ ...input, account }, deps);
  const issuedAt = new Date();
  const from = account && input.address !== undefined ? hashAddress(account.id, input.address) : null;
  const user = account && right ? await users.noteLogin(account, issuedAt, from) : null;
  if (!user) throw new Refusal('INVALID_LOGIN', { extra: { non_field_errors: [WRONG_LOGIN] } });

  const { key, token } = mintToken(user.id, lifetimeS, {}, issuedAt);
  if (!input.withSession) {
    await tokens.insert([token]);
    return { key, token, user };
  }
  const begun = mintSession(user.id, lifetimeS, issuedAt);
  await tokens.insert([
    { ...token, partner: begun.token.hash },
    { ...begun.token, partner: token.hash },
  ]);
  return { key, token, user, session: begun.session };
}

/**
 * Issues a token for another one, which stays valid unless it is a one-time token. Without a wish it lives as long as the
 * other one was to live (162 hours for a one-time token), and its scope is the same. INVALID_TOKEN. Field errors:
 * `max_token_lifetime_s`, `scope`; a one-time token is not used up by them. Caller: system. API: auth.md section 2.
 */
export async function exchangeToken(
  caller: Caller,
  input: { readonly key: string; readonly maxTokenLifetimeS?: number; readonly scope?: string },
  { users, tokens, backbone }: Deps,
): Promise<{ key: string; token: Token }> {
  requireSystem(caller);
  return transaction(backbone.database, async (session) => {
    const given = await tokens.find(hashKey(input.key), session);
    if (!given || given.session || given.expiresAt.getTime() <= Date.now()) throw new Refusal('INVALID_TOKEN');
    const user = await users.findById(given.userId, session);
    if (!user || !isUsable(user)) throw new Refusal('INVALID_TOKEN');
    if (given.annotationId !== null) throw new Refusal('PERMISSION_DENIED');
    const scope = chooseScope(input.scope, given.scope);
    const lifetimeS = chooseLifetime(input.maxTokenLifetimeS ?? (given.oneTime ? undefined : lifetimeOf(given)));
    if (given.oneTime && !(await tokens.remove(given.hash, null, session))) throw new Refusal('INVALID_TOKEN');
    const made = mintToken(user.id, lifetimeS, { scope });
    await tokens.insert([made.token], session);
    return made;
  });
}

/** Issues a token of 162 hours for the calling user. Caller: user. */
export async function issueToken(caller: Caller, { tokens }: Deps): Promise<{ key: string; token: Token }> {
  if (caller.kind !== 'user' || caller.userId === null) throw new Refusal('PERMISSION_DENIED');
  const made = mintToken(caller.userId, MAX_TOKEN_LIFETIME_S);
  await tokens.insert([made.token]);
  return made;
}

/** Issues a token of the calling user that is good for one annotation alone. Caller: user. API: annotations.md section 5. */
export async function issueAnnotationToken(
  caller: Caller,
  { annotationId, maxTokenLifetimeS }: { readonly annotationId: number; readonly maxTokenLifetimeS?: number },
  { tokens }: Deps,
): Promise<{ key: string; token: Token }> {
  if (caller.kind !== 'user' || caller.userId === null) throw new Refusal('PERMISSION_DENIED');
  const made = mintToken(caller.userId, chooseLifetime(maxTokenLifetimeS), { annotationId });
  await tokens.insert([made.token]);
  return made;
}

/** Issues a token of 24 hours that is good for one call of a user of the caller's organization. Caller: system. */
export async function issueOneTimeToken(caller: Caller, userId: number, { users, tokens }: Deps): Promise<string> {
  requireSystem(caller);
  const [user] = await users.get(caller, [userId]);
  if (!user || !isUsable(user)) throw new Refusal('NOT_FOUND');
  const { key, token } = mintToken(user.id, ONE_TIME_LIFETIME_S, { oneTime: true });
  await tokens.insert([token]);
  return key;
}

/**
 * Issues a token of a user of the caller's organization, for an extension that acts as this user. Caller: system. PERMISSION_DENIED for
 * group admins: they cannot lend their rights to a hook (API: auth.md section 8).
 */
export async function issueUserToken(
  caller: Caller,
  input: {
    readonly userId: number;
    readonly lifetimeS: number;
    readonly initializedAnnotationId?: number;
    readonly arrivedUploadId?: number;
    readonly askedAnnotationId?: number;
  },
  { users, tokens }: Deps,
): Promise<string> {
  requireSystem(caller);
  const { userId, lifetimeS, initializedAnnotationId, arrivedUploadId, askedAnnotationId } = input;
  const [user] = await users.get(caller, [userId]);
  if (!user || !isUsable(user)) throw new Refusal('NOT_FOUND');
  if (user.groupIds.includes(GROUP_ADMIN_ROLE_ID)) throw new Refusal('PERMISSION_DENIED');
  const about = { initializedAnnotationId, arrivedUploadId, askedAnnotationId };
  const { key, token } = mintToken(user.id, chooseLifetime(lifetimeS), about);
  await tokens.insert([token]);
  return key;
}

/** The scope of an exchanged token. Nobody gets `approval` who does not have it. */
export function chooseScope(wished: string | undefined, given: Scope): Scope {
  const scope = SCOPES.find((known) => known === (wished ?? given));
  if (!scope) throw invalidField('scope', `"${wished}" is not a valid choice.`);
  if (scope === 'approval' && given !== 'approval') throw invalidField('scope', 'This token may not request it.');
  return scope;
}

/** The life a token was issued for, in seconds. */
function lifetimeOf({ issuedAt, expiresAt }: Token): number {
  return (expiresAt.getTime() - issuedAt.getTime()) / 1000;
}

/**
 * Discards a token or session, and what was issued with it, and tells everybody; of one that is gone already, nothing is told.
 * Users discard their own only.
 */
export async function logOut(caller: Caller, key: string, { tokens, backbone }: Deps): Promise<void> {
  const owner = caller.kind === 'user' ? caller.userId : null;
  await transaction(backbone.database, async (session) => {
    const token = await tokens.remove(hashKey(key), owner, session);
    if (!token) return;
    const partner = token.partner && (await tokens.remove(token.partner, owner, session));
    for (const { hash, userId } of partner ? [token, partner] : [token]) {
      await backbone.emit(session, {
        subject: 'auth.revoked',
        aggregate: `token:${hash}`,
        version: 1,
        payload: { tokenHash: hash, userId },
      });
    }
  });
}

/**
 * Whose token it is, or with `session` whose session; a one-time token is used up by it. INVALID_TOKEN when it is unknown, expired or of a user who may not
 * act. Caller: system.
 */
export async function verifyToken(
  caller: Caller,
  { key, session = false }: { readonly key: string; readonly session?: boolean },
  { users, tokens }: Deps,
): Promise<{ token: Token; user: User }> {
  requireSystem(caller);
  const token = await tokens.find(hashKey(key));
  if (!token || token.session !== session || token.expiresAt.getTime() <= Date.now())
    throw new Refusal('INVALID_TOKEN');
  const user = await users.findById(token.userId);
  if (!user || !isUsable(user)) throw new Refusal('INVALID_TOKEN');
  if (token.oneTime && !(await tokens.remove(token.hash, null))) throw new Refusal('INVALID_TOKEN');
  return { token, user };
}

/** Whose user name and password they are. INVALID_BASIC_AUTH when nobody's who may act. Caller: system. */
export async function verifyPassword(caller: Caller, given: GivenLogin, deps: Deps): Promise<User> {
  const { users, passwords } = deps;
  requireSystem(caller);
  const { password, address } = given;
  const account = await users.findAccount(given.username);
  const remembered = account !== null && passwords.wasRight(passwordHashOf(account), password);
  const right = remembered || (await checkPassword({ ...given, account }, deps));
  if (!account || !right || !isUsable(account)) throw new Refusal('INVALID_BASIC_AUTH');
  if (address !== undefined && !knowsAddress(account, address))
    await users.noteAddress(account, hashAddress(account.id, address));
  return account;
}
