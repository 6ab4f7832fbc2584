import type { Backbone } from '@intake/bus';
import { type ClientSession, transaction } from '@intake/mongo';
import { type Caller, invalidField, Refusal, requireSystem } from '@intake/rpc';
import type { Guessing } from '../guessing/guessing';
import type { Post } from '../mail/post';
import { hashKey } from '../token/token';
import type { TokenStore } from '../token/token.store';
import {
  type Account,
  findEmailProblem,
  findPasswordProblem,
  isUsable,
  passwordHashOf,
  tellRightsChanged,
  type User,
} from '../user/user';
import type { UserStore } from '../user/user.store';
import type { Passwords } from './password';
import { scorePassword } from './strength';

interface Deps {
  readonly users: UserStore;
  readonly tokens: TokenStore;
  readonly passwords: Passwords;
  readonly guessing: Guessing;
  readonly post: Post;
  readonly backbone: Pick<Backbone, 'database' | 'emit'>;
}

interface NewPassword {
  readonly newPassword1: string;
  readonly newPassword2: string;
}

/** Throws INVALID with the broken rules on `new_password2`. */
function checkNewPassword({ newPassword1, newPassword2 }: NewPassword, owner: User): void {
  if (newPassword1 !== newPassword2) throw invalidField('new_password2', "The two password fields didn't match.");
  const { messages } = scorePassword(newPassword1, owner);
  if (messages.length > 0) throw new Refusal('INVALID', { fields: { new_password2: messages } });
}

async function setPassword(
  account: Account,
  changes: Parameters<UserStore['setPassword']>[1],
  keptHash: string | null,
  { users, tokens, backbone }: Deps,
  session: ClientSession,
): Promise<User> {
  const user = await users.setPassword(account, changes, session);
  if (!user) throw new Refusal('CONFLICT');
  await tokens.removeAllOf(user.id, keptHash, session);
  tellRightsChanged(user, backbone, session);
  return user;
}

/**
 * Sets another password of the caller; all tokens but the one of this call end. Field errors: `old_password`, `new_password2`.
 * Caller: user. API: auth.md section 2.
 */
export async function changePassword(
  caller: Caller,
  input: NewPassword & { readonly oldPassword: string; readonly keptKey: string; readonly address?: string },
  deps: Deps,
): Promise<User> {
  const { users, passwords, guessing, backbone } = deps;
  if (caller.kind !== 'user') throw new Refusal('PERMISSION_DENIED');
  const account = await users.findAccount(caller.username);
  if (!account || account.id !== caller.userId || !isUsable(account)) throw new Refusal('INVALID_TOKEN');
  // Counted apart: who has only a token guesses as slowly as others, but does not keep the user from logging in.
  const attempt = { target: `password of ${account.id}`, address: input.address, isKnownAddress: false };
  const right = await guessing.attempt(attempt, async () =>
    (await passwords.verify(passwordHashOf(account), input.oldPassword)) ? true : null,
  );
  if (!right) throw invalidField('old_password', 'Invalid password');
  checkNewPassword(input, account);
  const passwordHash = await passwords.hash(input.newPassword1);
  return transaction(backbone.database, (session) =>
    setPassword(account, { passwordHash }, hashKey(input.keptKey), deps, session),
  );
}

/** Asks for a mail with a link; nothing tells whether anybody has the address. Field error: `email`. Caller: system. */
export async function requestReset(caller: Caller, email: string, { post }: Pick<Deps, 'post'>): Promise<void> {
  requireSystem(caller);
  const problem = findEmailProblem(email);
  if (problem) throw invalidField('email', problem);
  await post.ask('reset', email, null);
  post.sendSoon();
}

/** Sets the password by a mailed link, once. Field errors: `token`, `new_password2`. Caller: system. */
export async function confirmReset(
  caller: Caller,
  input: NewPassword & { readonly uid: string; readonly token: string },
  deps: Deps,
): Promise<void> {
  const { users, passwords, backbone } = deps;
  requireSystem(caller);
  const id = /^\d{1,15}$/.test(input.uid) ? Number(input.uid) : 0;
  const find = async (session?: ClientSession): Promise<Account> => {
    const account = await users.findByReset(id, hashKey(input.token), session);
    if (!account) throw invalidField('token', 'This link is not valid any more.');
    return account;
  };
  checkNewPassword(input, await find());
  const passwordHash = await passwords.hash(input.newPassword1);
  await transaction(backbone.database, async (session) => {
    await setPassword(await find(session), { passwordHash }, null, deps, session);
  });
}

/** Sets the password of a user by name, for operators; a user of single sign-on logs in by it from now on. Field errors: `username`, `password`. Caller: system. */
export async function overwritePassword(
  caller: Caller,
  { username, password }: { readonly username: string; readonly password: string },
  deps: Deps,
): Promise<User> {
  const { users, passwords, backbone } = deps;
  requireSystem(caller);
  const problem = findPasswordProblem(password);
  if (problem) throw invalidField('password', problem);
  const passwordHash = await passwords.hash(password);
  return transaction(backbone.database, async (session) => {
    const account = await users.findAccount(username, session);
    if (!account || account.deleted) throw invalidField('username', 'There is no such user.');
    return setPassword(account, { passwordHash, authType: 'password' }, null, deps, session);
  });
}
