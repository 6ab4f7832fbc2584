import { MAY, may, type Permission, type Role, viewOfUser } from './roles';

// Each row of the matrix is checked against a running system, and against the API's own table, by test/api/permissions.test.ts.

it('gives nothing but the own account to who has no role', () => {
  for (const roles of [[], ['odd']]) {
    expect((Object.keys(MAY) as Permission[]).filter((permission) => may(roles, permission))).toEqual(['ownAccount']);
  }
});

it('gives what any of several roles may', () => {
  expect([may(['viewer', 'approver'], 'reject'), may(['viewer', 'approver'], 'dispose')]).toEqual([true, false]);
});

it.each<[Role, string, string]>([
  ['viewer', 'full', 'names'],
  ['annotator_embedded', 'full', 'none'],
  ['annotator_limited', 'full', 'names'],
  ['annotator', 'full', 'names'],
  ['manager', 'full', 'full'],
  ['approver', 'full', 'full'],
  ['admin', 'admin', 'admin'],
  ['organization_group_admin', 'admin', 'admin'],
])('shows to %s of itself: %s, of others: %s', (role, own, other) => {
  const caller = { roles: [role], userId: 1 };
  expect([viewOfUser(caller, 1), viewOfUser(caller, 2)]).toEqual([own, other]);
});
