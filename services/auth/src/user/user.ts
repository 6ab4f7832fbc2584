import type { Backbone } from '@intake/bus';
import { isDuplicateKey, transaction } from '@intake/mongo';
import { type Caller, type FieldErrors, invalidField, organizationOf, Refusal, requireAdmin } from '@intake/rpc';
import { MIN_PASSWORD_LENGTH, type Passwords } from '../password/password';
import { ROLES } from '../role/roles';
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
  readonly isActive: boolean;
  readonly deleted: boolean;
  readonly dateJoined: Date;
  readonly lastLogin: Date | null;
  readonly uiSettings: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Grows with each change of what the user may do. */
  readonly rightsVersion: number;
}

/** A user with what proves who it is; never leaves the service. */
export interface Account extends User {
  readonly passwordHash: string | null;
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

function checkNewUser(user: NewUser): FieldErrors | null {
  const unknown = user.groupIds.find((id) => !ROLES.some((role) => role.id === id));
  return collectProblems({
    username: findTextProblem(user.username),
    email: user.email === '' ? null : findEmailProblem(user.email),
    // Without a password the user cannot log in until it is set.
    password: user.password === '' ? null : findPasswordProblem(user.password),
    first_name: user.firstName === '' ? null : findTextProblem(user.firstName),
    last_name: user.lastName === '' ? null : findTextProblem(user.lastName),
    groups: unknown === undefined ? null : 'Invalid hyperlink - Object does not exist.',
  });
}

/** Makes a user in the caller's organization. Caller: admin. Field errors: `username` (taken too), `email`, `password`, names, `groups`. */
export async function createUser(
  caller: Caller,
  input: NewUser,
  { users, passwords }: { users: UserStore; passwords: Passwords },
): Promise<User> {
  requireAdmin(caller);
  const organizationId = organizationOf(caller);
  const fields = checkNewUser(input);
  if (fields) throw new Refusal('INVALID', { fields });
  const { password, ...user } = input;
  const passwordHash = password === '' ? null : await passwords.hash(password);
  try {
    return await users.insert({ ...user, id: await users.nextId(), organizationId, passwordHash });
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
  { users, backbone }: { users: UserStore; backbone: Pick<Backbone, 'database' | 'emit'> },
): Promise<User> {
  requireAdmin(caller);
  return transaction(backbone.database, async (session) => {
    const user = await users.setQueues(caller, userId, queueIds, session);
    if (!user) throw new Refusal('NOT_FOUND');
    await backbone.emit(session, {
      subject: 'auth.revoked',
      aggregate: `user:${user.id}`,
      version: user.rightsVersion,
      payload: { tokenHash: '', userId: user.id },
    });
    return user;
  });
}
