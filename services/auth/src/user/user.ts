import type { Backbone } from '@intake/bus';
import { type ClientSession, isDuplicateKey, transaction } from '@intake/mongo';
import { type Caller, type FieldErrors, invalidField, organizationOf, Refusal, requireAdmin } from '@intake/rpc';
import type { Post } from '../mail/post';
import type { OrganizationStore } from '../organization/organization.store';
import { MIN_PASSWORD_LENGTH, type Passwords } from '../password/password';
import { ADMIN_ROLE_ID, GROUP_ADMIN_ROLE_ID, ROLES } from '../role/roles';
import type { TokenStore } from '../token/token.store';
import type { UserStore } from './user.store';

/** A person who may log in. API: organizations-users-groups.md section 3. */
export interface User {
  readonly id: number;
  readonly username: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly organizationId: number;
  readonly groupIds: readonly number[];
  /** Assigned queues; users of some roles see all queues whatever is here. */
  readonly queueIds: readonly number[];
  readonly phoneNumber: string | null;
  /** Who the user is to the provider of single sign-on. */
  readonly oidcId: string | null;
  /** A user of `sso` cannot log in with a password. */
  readonly authType: AuthType;
  readonly isActive: boolean;
  readonly deleted: boolean;
  readonly dateJoined: Date;
  readonly lastLogin: Date | null;
  readonly uiSettings: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Grows with each change of what the user may do. */
  readonly rightsVersion: number;
}

/** How a user logs in. */
export type AuthType = 'password' | 'sso';

/** An address, hashed, and when the user last logged in from it. */
export interface KnownAddress {
  readonly hash: string;
  readonly seenAt: Date;
}

/** A user with what proves who it is; never leaves the service. */
export interface Account extends User {
  readonly passwordHash: string | null;
  /** Where the user has logged in, newest first. */
  readonly knownAddresses: readonly KnownAddress[];
  /** A mailed link that sets a new password: SHA-256 of its token, in hex. */
  readonly reset: { readonly tokenHash: string; readonly expiresAt: Date } | null;
}

/** What a new user is made of. */
export interface NewUser {
  readonly username: string;
  readonly email: string;
  readonly password: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly groupIds: readonly number[];
  readonly queueIds: readonly number[];
  readonly phoneNumber?: string;
  readonly isActive?: boolean;
  readonly uiSettings?: Readonly<Record<string, unknown>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly oidcId?: string;
  readonly authType?: string;
}

/** What changes of a user; absent: nothing. */
export interface UserChange {
  readonly username?: string;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly phoneNumber?: string | null;
  readonly uiSettings?: Readonly<Record<string, unknown>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly groupIds?: readonly number[];
  readonly queueIds?: readonly number[];
  readonly isActive?: boolean;
  readonly password?: string;
  readonly oidcId?: string | null;
  readonly authType?: string;
}

const NAME_TAKEN = 'A user with that username already exists.';
const EMAIL = /^[^\s@]+@[^\s@]+$/;

/** The form in which user names are compared: those with an `@` regardless of case. API: auth.md section 2. */
export function toUsernameKey(username: string): string {
  return username.includes('@') ? username.toLowerCase() : username;
}

/** Whether a user may act now. */
export function isUsable(user: Pick<User, 'isActive' | 'deleted'>): boolean {
  return user.isActive && !user.deleted;
}

/** The message for a text field that is empty or longer than 255 characters, or null. */
export function findTextProblem(value: string): string | null {
  if (value.trim() === '') return 'This field may not be blank.';
  return [...value].length > 255 ? 'Ensure this field has no more than 255 characters.' : null;
}

/** The message for a text that is no e-mail address, or null. */
export function findEmailProblem(value: string): string | null {
  return findTextProblem(value) ?? (EMAIL.test(value) ? null : 'Enter a valid email address.');
}

/** The message for a password that an admin may not give, or null. */
export function findPasswordProblem(value: string): string | null {
  if ([...value].length >= MIN_PASSWORD_LENGTH) return null;
  return `This password is too short. It must contain at least ${MIN_PASSWORD_LENGTH} characters.`;
}

/** Keeps the fields that have a problem, as the body of a 400; null when none has. */
export function collectProblems(problems: Readonly<Record<string, string | null>>): FieldErrors | null {
  const found = Object.entries(problems).filter((entry): entry is [string, string] => entry[1] !== null);
  return found.length > 0 ? Object.fromEntries(found.map(([field, problem]) => [field, [problem]])) : null;
}

/** The hash that a password is compared with; users of single sign-on have none. */
export function passwordHashOf({ authType, passwordHash }: Account): string | null {
  return authType === 'sso' ? null : passwordHash;
}

const optionalText = (value: string | null | undefined) => (value ? findTextProblem(value) : null);

function checkUser(user: UserChange & { readonly email?: string }): FieldErrors | null {
  const isKnown = (id: number) => ROLES.some((role) => role.id === id);
  return collectProblems({
    username: user.username === undefined ? null : findTextProblem(user.username),
    email: user.email ? findEmailProblem(user.email) : null,
    // Without a password the user cannot log in until it is set.
    password: user.password ? findPasswordProblem(user.password) : null,
    first_name: optionalText(user.firstName),
    last_name: optionalText(user.lastName),
    phone_number: optionalText(user.phoneNumber),
    oidc_id: optionalText(user.oidcId),
    auth_type: AUTH_TYPES.includes(user.authType ?? 'password') ? null : `"${user.authType}" is not a valid choice.`,
    groups: user.groupIds?.every(isKnown) === false ? 'Invalid hyperlink - Object does not exist.' : null,
  });
}

interface Deps {
  readonly users: UserStore;
  readonly tokens: TokenStore;
  readonly passwords: Passwords;
  readonly post: Post;
  readonly organizations: OrganizationStore;
  readonly backbone: Pick<Backbone, 'database' | 'emit'>;
}

/**
 * Makes a user in the caller's organization; one without a password gets a mail with a link that sets it. Caller: admin. Field errors: `username` (taken too), `email`, `password`, names,
 * `phone_number`, `oidc_id`, `auth_type`, `groups`.
 */
export async function createUser(
  caller: Caller,
  input: NewUser,
  { users, passwords, post, backbone }: Pick<Deps, 'users' | 'passwords' | 'post' | 'backbone'>,
): Promise<User> {
  requireAdmin(caller);
  const organizationId = organizationOf(caller);
  const fields = checkUser(input);
  if (fields) throw new Refusal('INVALID', { fields });
  const { password, authType: wished, oidcId, ...user } = input;
  const passwordHash = password === '' ? null : await passwords.hash(password);
  const authType = wished === 'sso' ? 'sso' : 'password';
  const id = await users.nextId();
  const isInvited = password === '' && authType === 'password' && user.email !== '';
  const made = await refuseTakenName(() =>
    transaction(backbone.database, async (session) => {
      const oidc = chooseOidcId(authType, oidcId ?? null, user.email);
      if (isInvited) await post.ask('invitation', user.email, id, session);
      return users.insert({ ...user, id, organizationId, passwordHash, authType, oidcId: oidc }, session);
    }),
  );
  if (isInvited) post.sendSoon();
  return made;
}

/**
 * Changes a user. Admins change everything, except their own password; users change of themselves their names, phone number,
 * settings and metadata, and what else they send is ignored; others are refused as PERMISSION_DENIED. A disabled user and one
 * who got another password lose all tokens, and everybody is told of changed rights. The last admin stays one, and active.
 * Field errors: as those of `createUser`. API: organizations-users-groups.md section 3, auth.md section 2.
 */
export async function updateUser(caller: Caller, id: number, wanted: UserChange, deps: Deps): Promise<User> {
  const { users, tokens, passwords, backbone } = deps;
  const own = caller.kind === 'user' && caller.userId === id;
  const [seen] = await users.get(caller, [id]);
  if (!seen || seen.deleted) throw new Refusal('NOT_FOUND');
  if (!own) requireAdmin(caller);
  const allowed = isAdmin(caller) ? { ...wanted, password: own ? undefined : wanted.password } : pickOwn(wanted);
  const fields = checkUser(allowed);
  if (fields) throw new Refusal('INVALID', { fields });
  const { password, authType, ...rest } = allowed;
  const passwordHash = password ? await passwords.hash(password) : undefined;

  return refuseTakenName(() =>
    transaction(backbone.database, async (session) => {
      const before = await users.findOne(caller, id, session);
      if (!before) throw new Refusal('NOT_FOUND');
      const chosen = authType === undefined ? before.authType : authType === 'sso' ? 'sso' : 'password';
      const oidcId = rest.oidcId === undefined ? before.oidcId : rest.oidcId;
      const after = { ...before, ...dropAbsent(rest), authType: chosen };
      if (isActingAdmin(before) && !isActingAdmin(after)) await keepAnAdmin(before, deps, session);
      const touchesRights = RIGHTS.some((key) => allowed[key] !== undefined);
      const user = await users.update(
        caller,
        id,
        {
          ...dropAbsent(rest),
          authType: chosen,
          oidcId: chooseOidcId(chosen, oidcId, before.email),
          ...(passwordHash !== undefined && { passwordHash, reset: null }),
        },
        touchesRights,
        session,
      );
      if (!user) throw new Refusal('NOT_FOUND');
      if (!user.isActive || passwordHash !== undefined) await tokens.removeAllOf(id, null, session);
      if (touchesRights) tellRightsChanged(user, backbone, session);
      return user;
    }),
  );
}

/**
 * Deletes a user for good, but keeps the record. Callers: the user, or an admin; PERMISSION_DENIED for the last admin and for
 * an organization group admin. API: organizations-users-groups.md section 3.
 */
export async function deleteUser(caller: Caller, id: number, deps: Deps): Promise<void> {
  const { users, tokens, backbone } = deps;
  await transaction(backbone.database, async (session) => {
    const before = await users.findOne(caller, id, session);
    if (!before) throw new Refusal('NOT_FOUND');
    if (caller.kind !== 'user' || caller.userId !== id) requireAdmin(caller);
    if (before.groupIds.includes(GROUP_ADMIN_ROLE_ID)) throw new Refusal('PERMISSION_DENIED');
    if (isActingAdmin(before)) await keepAnAdmin(before, deps, session);
    const user = await users.update(caller, id, { isActive: false, deleted: true, reset: null }, true, session);
    if (!user) throw new Refusal('NOT_FOUND');
    await tokens.removeAllOf(id, null, session);
    tellRightsChanged(user, backbone, session);
  });
}

const AUTH_TYPES: readonly string[] = ['password', 'sso'] satisfies AuthType[];
/** What a caller may do, or is known by, depends on these. */
const RIGHTS = ['username', 'groupIds', 'queueIds', 'isActive', 'password', 'authType'] as const;

function isAdmin({ kind, roles }: Caller): boolean {
  return kind === 'system' || roles.includes('admin') || roles.includes('organization_group_admin');
}

/** What users may change of themselves. */
function pickOwn({ firstName, lastName, phoneNumber, uiSettings, metadata }: UserChange): UserChange {
  return { firstName, lastName, phoneNumber, uiSettings, metadata };
}

function dropAbsent<T extends object>(given: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as never;
}

/** Who switches to single sign-on is known there by the e-mail address unless by something else. */
function chooseOidcId(authType: AuthType, oidcId: string | null, email: string): string | null {
  return authType === 'sso' && !oidcId && email !== '' ? email : oidcId;
}

function isActingAdmin(user: User): boolean {
  return isUsable(user) && (user.groupIds.includes(ADMIN_ROLE_ID) || user.groupIds.includes(GROUP_ADMIN_ROLE_ID));
}

/** Refuses to take away the last admin. Two at the same time meet at the organization's record, and one goes first. */
async function keepAnAdmin(
  leaving: User,
  { users, organizations }: Pick<Deps, 'users' | 'organizations'>,
  session: ClientSession,
): Promise<void> {
  await organizations.lock(leaving.organizationId, session);
  const others = await users.hasOtherAdmin(leaving, [ADMIN_ROLE_ID, GROUP_ADMIN_ROLE_ID], session);
  if (!others) throw new Refusal('PERMISSION_DENIED', { detail: 'The last admin of an organization must stay.' });
}

/** Tells everybody that what they know of a user's rights and tokens is out of date. */
export function tellRightsChanged(user: User, backbone: Pick<Backbone, 'emit'>, session: ClientSession): void {
  backbone.emit(session, {
    subject: 'auth.revoked',
    aggregate: `user:${user.id}`,
    version: user.rightsVersion,
    payload: { tokenHash: '', userId: user.id },
  });
}

async function refuseTakenName<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (isDuplicateKey(error)) throw invalidField('username', NAME_TAKEN);
    throw error;
  }
}

/** Replaces the queues of a user and tells everybody that its rights have changed. Caller: admin. */
export async function assignQueues(
  caller: Caller,
  userId: number,
  queueIds: readonly number[],
  { users, backbone }: Pick<Deps, 'users' | 'backbone'>,
): Promise<User> {
  requireAdmin(caller);
  return transaction(backbone.database, async (session) => {
    const user = await users.update(caller, userId, { queueIds }, true, session);
    if (!user) throw new Refusal('NOT_FOUND');
    tellRightsChanged(user, backbone, session);
    return user;
  });
}

/**
 * Makes exactly these users the ones that are assigned to a queue, and tells everybody whose rights have changed. Caller: admin.
 * Field error: `users`.
 */
export async function assignUsers(
  caller: Caller,
  queueId: number,
  userIds: readonly number[],
  { users, backbone }: Pick<Deps, 'users' | 'backbone'>,
): Promise<void> {
  requireAdmin(caller);
  const wanted = new Set(userIds);
  await transaction(backbone.database, async (session) => {
    const found = await users.findForQueue(caller, queueId, [...wanted], session);
    const there = found.filter(({ id, deleted }) => wanted.has(id) && !deleted);
    if (there.length < wanted.size) throw invalidField('users', 'Invalid hyperlink - Object does not exist.');
    for (const user of found) {
      const isAssigned = user.queueIds.includes(queueId);
      if (isAssigned === wanted.has(user.id) || user.deleted) continue;
      const others = user.queueIds.filter((id) => id !== queueId);
      const queueIds = isAssigned ? others : [...others, queueId];
      const changed = await users.update(caller, user.id, { queueIds }, true, session);
      if (changed) tellRightsChanged(changed, backbone, session);
    }
  });
}
