/** Names of the roles, by group id (API: auth.md section 8). */
export const GROUPS = [
  { id: 1, name: 'viewer' },
  { id: 2, name: 'annotator' },
  { id: 3, name: 'admin' },
  { id: 4, name: 'manager' },
  { id: 5, name: 'annotator_limited' },
  { id: 6, name: 'organization_group_admin' },
  { id: 7, name: 'approver' },
  { id: 8, name: 'annotator_embedded' },
] as const;

export type Role = (typeof GROUPS)[number]['name'];

const ADMINS: readonly Role[] = ['admin', 'organization_group_admin'];
const EVERY: readonly Role[] = GROUPS.map(({ name }) => name);
const without = (...roles: Role[]) => EVERY.filter((role) => !roles.includes(role));

/** Who may do what: the rows of the permission matrix (API: auth.md section 8). A role that is not listed may not. */
export const MAY = {
  readConfiguration: EVERY,
  readConnections: without('annotator_embedded'),
  writeConfiguration: ADMINS,
  readUsers: EVERY,
  readAnnotations: EVERY,
  review: ['annotator_embedded', 'annotator_limited', 'annotator', 'manager', ...ADMINS],
  dispose: ['annotator_limited', 'annotator', 'manager', ...ADMINS],
  reject: ['annotator_limited', 'annotator', 'manager', 'approver', ...ADMINS],
  upload: ['annotator', 'manager', ...ADMINS],
  export: without('annotator_embedded'),
  patchAnnotation: ['annotator_embedded', 'annotator_limited', 'annotator', 'manager', ...ADMINS],
  readUsage: ['manager', ...ADMINS],
  readEmails: without('annotator_embedded'),
  ownAccount: EVERY,
} as const satisfies Record<string, readonly Role[]>;

/** A row of the permission matrix. */
export type Permission = keyof typeof MAY;

/** Whether one of the caller's roles is among those of the permission. */
export function may(roles: readonly string[], permission: Permission): boolean {
  const allowed: readonly string[] = MAY[permission];
  return roles.some((role) => allowed.includes(role));
}
