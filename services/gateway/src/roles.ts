import type { UserView } from '@intake/resources';
import type { Caller } from '@intake/rpc';

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

/**
 * Who may do what: the permission matrix (API: auth.md section 8), in its order. A role that is not listed may not. What a
 * permission covers is limited to the caller's organization and queues by the services that own the objects.
 */
export const MAY = {
  /** Organization, workspaces, queues, schemas. */
  readConfiguration: EVERY,
  /** Everything that configures: also inboxes, connectors, hooks, users, labels, e-mail templates and rules. */
  writeConfiguration: ADMINS,
  /** Inboxes, connectors, hooks; their secrets are for `writeConfiguration` only. */
  readConnections: without('annotator_embedded'),
  /** Users as a whole; everybody reads itself. */
  readUsers: ['manager', 'approver', ...ADMINS],
  /** Names of users. */
  readUserNames: without('annotator_embedded'),
  /** Annotations, content, pages, documents. */
  readAnnotations: EVERY,
  /** Start, edit, validate, cancel, confirm. */
  review: ['annotator_embedded', 'annotator_limited', 'annotator', 'manager', ...ADMINS],
  /** Start a review in a page of others. */
  embed: ['annotator_embedded', 'annotator_limited', 'annotator', 'manager'],
  /** Postpone, delete, split, edit, rotate, copy. */
  dispose: ['annotator_limited', 'annotator', 'manager', ...ADMINS],
  reject: ['annotator_limited', 'annotator', 'manager', 'approver', ...ADMINS],
  /** Of an annotation that is in a workflow. */
  approve: ['approver', ...ADMINS],
  /** Upload, and making documents and annotations. */
  upload: ['annotator', 'manager', ...ADMINS],
  importEmails: ADMINS,
  export: without('annotator_embedded'),
  /** Export that changes the status. */
  exportToStatus: ['annotator', 'manager', ...ADMINS],
  /** Metadata; the status is for `dispose` only. */
  patchAnnotation: ['annotator_embedded', 'annotator_limited', 'annotator', 'manager', ...ADMINS],
  /** Purge, and DELETE of annotations and documents. */
  purge: ADMINS,
  /** Notes, and labels on annotations. */
  readNotes: EVERY,
  writeNotes: without('viewer', 'annotator_embedded'),
  /** Labels, e-mail templates, rules. */
  readTemplates: without('annotator_embedded'),
  readUsage: ['manager', ...ADMINS],
  /** Logs of hooks, and trying hooks. */
  watchHooks: ADMINS,
  invokeHooks: ['annotator', 'manager', ...ADMINS],
  /** E-mails and their threads. */
  readEmails: without('annotator_embedded'),
  writeEmails: ['annotator', 'manager', ...ADMINS],
  /** The own user, password and tokens, and the groups; also without a role. */
  ownAccount: EVERY,
} as const satisfies Record<string, readonly Role[]>;

/** A row of the permission matrix. */
export type Permission = keyof typeof MAY;

/** Whether one of the caller's roles is among those of the permission. The own account is everybody's. */
export function may(roles: readonly string[], permission: Permission): boolean {
  if (permission === 'ownAccount') return true;
  const allowed: readonly string[] = MAY[permission];
  return roles.some((role) => allowed.includes(role));
}

/** How much of a user the caller is shown (API: auth.md section 8). */
export function viewOfUser({ roles, userId }: Pick<Caller, 'roles' | 'userId'>, id: number): UserView {
  if (may(roles, 'writeConfiguration')) return 'admin';
  if (userId === id || may(roles, 'readUsers')) return 'full';
  return may(roles, 'readUserNames') ? 'names' : 'none';
}
