import { idOf } from '../api/client';
import type { User } from '../api/types';

/** Ids of the API's groups. */
const GROUP_NAMES: Readonly<Record<number, string>> = {
  1: 'viewer',
  2: 'annotator',
  3: 'admin',
  4: 'manager',
  5: 'annotator_limited',
  6: 'organization_group_admin',
  7: 'approver',
  8: 'annotator_embedded',
};

export const ROLES = Object.entries(GROUP_NAMES).map(([id, name]) => ({ id: Number(id), name }));

/** What the page offers to a user; whether it is allowed, the API decides. */
export function rightsOf({ groups }: Pick<User, 'groups'>) {
  const names = groups.map((url) => GROUP_NAMES[idOf(url)]);
  const has = (...wanted: string[]) => wanted.some((name) => names.includes(name));
  const isAdmin = has('admin', 'organization_group_admin');
  return {
    isAdmin,
    mayReview: isAdmin || has('annotator', 'annotator_limited', 'annotator_embedded', 'manager'),
    mayDispose: isAdmin || has('annotator', 'annotator_limited', 'manager'),
    mayExport: names.some((name) => name !== undefined && name !== 'annotator_embedded'),
    mayUpload: isAdmin || has('annotator', 'manager'),
    maySeeUsage: isAdmin || has('manager'),
  };
}

export type Rights = ReturnType<typeof rightsOf>;
