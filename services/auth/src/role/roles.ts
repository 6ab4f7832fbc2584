/** A role of a user; the API calls it a group. */
export interface Role {
  readonly id: number;
  readonly name: string;
  /** Sees every queue of the organization, assigned or not. */
  readonly allQueues: boolean;
}

/** Every role there is. API: auth.md section 8. */
export const ROLES: readonly Role[] = [
  { id: 1, name: 'viewer', allQueues: false },
  { id: 2, name: 'annotator', allQueues: false },
  { id: 3, name: 'admin', allQueues: true },
  { id: 4, name: 'manager', allQueues: false },
  { id: 5, name: 'annotator_limited', allQueues: false },
  { id: 6, name: 'organization_group_admin', allQueues: true },
  { id: 7, name: 'approver', allQueues: false },
  { id: 8, name: 'annotator_embedded', allQueues: false },
];

/** The role of the first user of an organization. */
export const ADMIN_ROLE_ID = 3;
/** A user with this role cannot be deleted by the API. */
export const GROUP_ADMIN_ROLE_ID = 6;

/** The roles with these ids; unknown ids are left out. */
export function rolesOf(ids: readonly number[]): readonly Role[] {
  return ROLES.filter((role) => ids.includes(role.id));
}
