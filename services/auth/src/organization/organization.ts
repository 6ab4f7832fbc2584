import type { Backbone } from '@intake/bus';
import { isDuplicateKey, transaction } from '@intake/mongo';
import { type Caller, invalidField, Refusal, requireAdmin, requireSystem } from '@intake/rpc';
import type { Passwords } from '../password/password';
import { ADMIN_ROLE_ID } from '../role/roles';
import { collectProblems, findEmailProblem, findPasswordProblem, findTextProblem, type User } from '../user/user';
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
}

/**
 * Makes an organization with its first admin, whose user name is the e-mail address. When the organization of that admin
 * already has this name (or with `anyName` whatever its name), it is the answer and nothing is changed. Caller: system.
 * Field errors: `name`, `admin_email` (taken too), `admin_password`.
 */
export async function createOrganization(
  caller: Caller,
  { name, adminEmail, adminPassword, anyName, ...more }: NewOrganization,
  deps: {
    organizations: OrganizationStore;
    users: UserStore;
    passwords: Passwords;
    backbone: Pick<Backbone, 'database' | 'emit'>;
  },
): Promise<{ organization: Organization; admin: User; created: boolean }> {
  const { organizations, users, passwords, backbone } = deps;
  requireSystem(caller);
  const fields = collectProblems({
    name: findTextProblem(name),
    admin_email: findEmailProblem(adminEmail),
    admin_password: adminPassword === '' ? null : findPasswordProblem(adminPassword),
  });
  if (fields) throw new Refusal('INVALID', { fields });

  const findExisting = async () => {
    const admin = await users.findAccount(adminEmail);
    if (!admin) return null;
    const organization = await organizations.findById(admin.organizationId);
    if (!organization || (organization.name !== name && !anyName))
      throw invalidField('admin_email', 'A user with that username already exists.');
    return { organization, admin, created: false };
  };

  const existing = await findExisting();
  if (existing) return existing;
  const passwordHash = adminPassword === '' ? null : await passwords.hash(adminPassword);
  const ids = { organization: await organizations.nextId(), admin: await users.nextId() };
  try {
    return await transaction(backbone.database, async (session) => {
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
      await backbone.emit(session, {
        subject: 'organization.created',
        aggregate: `organization:${organization.id}`,
        version: 1,
        payload: { organizationId: organization.id, name },
      });
      return { organization, admin, created: true };
    });
  } catch (error) {
    // Somebody else was first: then theirs is the answer.
    const theirs = isDuplicateKey(error) ? await findExisting() : null;
    if (theirs) return theirs;
    throw error;
  }
}
