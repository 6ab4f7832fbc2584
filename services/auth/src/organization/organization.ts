import type { Backbone } from '@intake/bus';
import { isDuplicateKey, transaction } from '@intake/mongo';
import { type Caller, invalidField, Refusal, requireAdmin, requireSystem } from '@intake/rpc';
import type { Guessing } from '../guessing/guessing';
import type { Post } from '../mail/post';
import { checkPassword } from '../password/check-password';
import type { Passwords } from '../password/password';
import { ADMIN_ROLE_ID } from '../role/roles';
import {
  collectProblems,
  findEmailProblem,
  findPasswordProblem,
  findTextProblem,
  isUsable,
  type User,
} from '../user/user';
import type { UserStore } from '../user/user.store';
import type { OrganizationStore } from './organization.store';

/** A tenant. API: organizations-users-groups.md section 1. */
export interface Organization {
  readonly id: number;
  readonly name: string;
  readonly createdAt: Date;
  /** The first user. */
  readonly creatorId: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly uiSettings: Readonly<Record<string, unknown>>;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly sandbox: boolean;
  readonly modifiedById: number | null;
  readonly modifiedAt: Date | null;
}

/** What changes of an organization; absent: nothing. */
export type OrganizationChange = Partial<
  Pick<Organization, 'name' | 'metadata' | 'uiSettings' | 'settings' | 'sandbox'>
>;

/** Changes the caller's organization; another one is NOT_FOUND. Caller: admin. Field error: `name`. */
export async function updateOrganization(
  caller: Caller,
  id: number,
  change: OrganizationChange,
  { organizations }: { organizations: OrganizationStore },
): Promise<Organization> {
  requireAdmin(caller);
  const fields = collectProblems({ name: change.name === undefined ? null : findTextProblem(change.name) });
  if (fields) throw new Refusal('INVALID', { fields });
  const present = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const organization = await organizations.update(caller, id, present);
  if (!organization) throw new Refusal('NOT_FOUND');
  return organization;
}

/** What a new organization is made of. */
export interface NewOrganization {
  readonly name: string;
  readonly adminEmail: string;
  /** Empty: none until it is reset. */
  readonly adminPassword: string;
  readonly adminFirstName?: string;
  readonly adminLastName?: string;
  readonly adminUiSettings?: Readonly<Record<string, unknown>>;
  /** An existing organization of the admin is the answer whatever it is called now. */
  readonly anyName: boolean;
  /** An existing organization is the answer only to its creator, who knows the password. */
  readonly verifyExisting?: boolean;
  /** Of the client, for passwords that are guessed. */
  readonly address?: string;
  /** Reserved by `prepareOrganization`; absent: a new one. */
  readonly id?: number;
}

/** What is needed to make one. */
export interface OrganizationDeps {
  readonly organizations: OrganizationStore;
  readonly users: UserStore;
  readonly passwords: Passwords;
  readonly guessing: Guessing;
  readonly post: Post;
  readonly backbone: Pick<Backbone, 'database' | 'emit'>;
}

interface Made {
  readonly organization: Organization;
  readonly admin: User;
  /** False when it had been there already. */
  readonly created: boolean;
}

/**
 * Checks what `createOrganization` would be asked, and gives the id of the existing organization or reserves one; makes nothing.
 * Caller: system. Field errors: as those of `createOrganization`.
 */
export async function prepareOrganization(
  caller: Caller,
  wanted: NewOrganization,
  deps: OrganizationDeps,
): Promise<{ organizationId: number; exists: boolean }> {
  requireSystem(caller);
  checkOrganization(wanted);
  const existing = await findExisting(wanted, deps);
  return {
    organizationId: existing?.organization.id ?? (await deps.organizations.nextId()),
    exists: existing !== null,
  };
}

/**
 * Makes an organization with its first admin, whose user name is the e-mail address; an admin without a password gets a mail
 * with a link that sets it. When the organization of that admin already has this name (or with `anyName` whatever its name), it
 * is the answer and nothing is changed. Caller: system. Field errors: `name`, `admin_email` (taken too), `admin_password`.
 */
export async function createOrganization(
  caller: Caller,
  wanted: NewOrganization,
  deps: OrganizationDeps,
): Promise<Made> {
  const { organizations, users, passwords, post, backbone } = deps;
  requireSystem(caller);
  checkOrganization(wanted);
  const existing = await findExisting(wanted, deps);
  if (existing) return existing;
  const { name, adminEmail, adminPassword, ...more } = wanted;
  const isInvited = adminPassword === '';
  const passwordHash = isInvited ? null : await passwords.hash(adminPassword);
  const ids = { organization: more.id ?? (await organizations.nextId()), admin: await users.nextId() };
  try {
    const made = await transaction(backbone.database, async (session) => {
      const organization = await organizations.insert({ id: ids.organization, name, creatorId: ids.admin }, session);
      const admin = await users.insert(
        {
          id: ids.admin,
          username: adminEmail,
          email: adminEmail,
          firstName: more.adminFirstName ?? '',
          lastName: more.adminLastName ?? '',
          uiSettings: more.adminUiSettings,
          organizationId: organization.id,
          groupIds: [ADMIN_ROLE_ID],
          queueIds: [],
          passwordHash,
        },
        session,
      );
      if (isInvited) await post.ask('invitation', adminEmail, admin.id, session);
      await backbone.emit(session, {
        subject: 'organization.created',
        aggregate: `organization:${organization.id}`,
        version: 1,
        payload: { organizationId: organization.id, name },
      });
      return { organization, admin, created: true };
    });
    if (isInvited) post.sendSoon();
    return made;
  } catch (error) {
    // Somebody else was first: then theirs is the answer.
    const theirs = isDuplicateKey(error) ? await findExisting(wanted, deps) : null;
    if (theirs) return theirs;
    throw error;
  }
}

function checkOrganization({ name, adminEmail, adminPassword }: NewOrganization): void {
  const fields = collectProblems({
    name: findTextProblem(name),
    admin_email: findEmailProblem(adminEmail),
    admin_password: adminPassword === '' ? null : findPasswordProblem(adminPassword),
  });
  if (fields) throw new Refusal('INVALID', { fields });
}

async function findExisting(
  { name, adminEmail, adminPassword, anyName, verifyExisting, address }: NewOrganization,
  deps: OrganizationDeps,
): Promise<Made | null> {
  const { organizations, users } = deps;
  const admin = await users.findAccount(adminEmail);
  if (!admin) return null;
  const taken = invalidField('admin_email', 'A user with that username already exists.');
  const organization = await organizations.findById(admin.organizationId);
  if (!organization || (organization.name !== name && !anyName)) throw taken;
  if (verifyExisting) {
    const right = await checkPassword({ account: admin, username: adminEmail, password: adminPassword, address }, deps);
    if (!right || !isUsable(admin) || organization.creatorId !== admin.id) throw taken;
  }
  return { organization, admin, created: false };
}
