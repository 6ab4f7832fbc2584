import { createHash, randomBytes } from 'node:crypto';
import type { Backbone } from '@intake/bus';
import { transaction } from '@intake/mongo';
import { type Caller, Refusal, requireSystem } from '@intake/rpc';
import type { Passwords } from '../password/password';
import { collectProblems, isUsable, type User } from '../user/user';
import type { UserStore } from '../user/user.store';
import type { TokenStore } from './token.store';

/** An access token. Only the hash of the key is kept. API: auth.md sections 2 and 3. */
export interface Token {
  /** SHA-256 of the key, in hex. */
  readonly hash: string;
  readonly userId: number;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

/** Longest life of a token, and the life of one that was not asked to be shorter: 162 hours, in seconds. */
export const MAX_TOKEN_LIFETIME_S = 583_200;

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

interface Deps {
  readonly users: UserStore;
  readonly tokens: TokenStore;
  readonly passwords: Passwords;
  readonly backbone: Pick<Backbone, 'database' | 'emit'>;
}

const WRONG_LOGIN = 'Unable to log in with provided credentials.';

/**
 * Checks a password and issues a token. INVALID_LOGIN, after the same time, for an unknown user, a wrong password and a
 * user who may not act. Caller: system.
 */
export async function logIn(
  caller: Caller,
  input: { readonly username: string; readonly password: string; readonly maxTokenLifetimeS?: number },
  { users, tokens, passwords }: Deps,
): Promise<{ key: string; token: Token; user: User }> {
  requireSystem(caller);
  const fields = collectProblems({
    username: input.username === '' ? 'This field may not be blank.' : null,
    password: input.password === '' ? 'This field may not be blank.' : null,
  });
  if (fields) throw new Refusal('INVALID', { fields });
  const lifetimeS = chooseLifetime(input.maxTokenLifetimeS);

  const account = await users.findAccount(input.username);
  const right = await passwords.verify(account?.passwordHash ?? null, input.password);
  const issuedAt = new Date();
  const user = account && right ? await users.noteLogin(account, issuedAt) : null;
  if (!user) throw new Refusal('INVALID_LOGIN', { extra: { non_field_errors: [WRONG_LOGIN] } });

  const key = randomBytes(20).toString('hex');
  const expiresAt = new Date(issuedAt.getTime() + lifetimeS * 1000);
  const token = { hash: hashKey(key), userId: user.id, issuedAt, expiresAt };
  await tokens.insert(token);
  return { key, token, user };
}

/** Discards one token and tells everybody; of a token that is gone already, nothing is told. Users discard their own only. */
export async function logOut(caller: Caller, key: string, { tokens, backbone }: Deps): Promise<void> {
  await transaction(backbone.database, async (session) => {
    const token = await tokens.remove(hashKey(key), caller.kind === 'user' ? caller.userId : null, session);
    if (!token) return;
    await backbone.emit(session, {
      subject: 'auth.revoked',
      aggregate: `token:${token.hash}`,
      version: 1,
      payload: { tokenHash: token.hash, userId: token.userId },
    });
  });
}

/** Whose token it is. INVALID_TOKEN when it is unknown, expired or of a user who may not act. Caller: system. */
export async function verifyToken(
  caller: Caller,
  key: string,
  { users, tokens }: Deps,
): Promise<{ token: Token; user: User }> {
  requireSystem(caller);
  const token = await tokens.find(hashKey(key));
  if (!token || token.expiresAt.getTime() <= Date.now()) throw new Refusal('INVALID_TOKEN');
  const user = await users.findById(token.userId);
  if (!user || !isUsable(user)) throw new Refusal('INVALID_TOKEN');
  return { token, user };
}

/** Whose user name and password they are. INVALID_BASIC_AUTH when nobody's who may act. Caller: system. */
export async function verifyPassword(
  caller: Caller,
  { username, password }: { readonly username: string; readonly password: string },
  { users, passwords }: Deps,
): Promise<User> {
  requireSystem(caller);
  const account = await users.findAccount(username);
  const right = await passwords.verifyAgain(account?.passwordHash ?? null, password);
  if (!account || !right || !isUsable(account)) throw new Refusal('INVALID_BASIC_AUTH');
  return account;
}
