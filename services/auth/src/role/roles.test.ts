import { ADMIN_ROLE_ID, ROLES, rolesOf } from './roles';

it('has the roles of the API under their ids', () => {
  expect(Object.fromEntries(ROLES.map(({ id, name }) => [id, name]))).toEqual({
    1: 'viewer',
    2: 'annotator',
    3: 'admin',
    4: 'manager',
    5: 'annotator_limited',
    6: 'organization_group_admin',
    7: 'approver',
    8: 'annotator_embedded',
  });
});

it('shows all queues to both kinds of admins only', () => {
  expect(ROLES.filter((role) => role.allQueues).map((role) => role.name)).toEqual([
    'admin',
    'organization_group_admin',
  ]);
});

it('finds the roles of a user', () => {
  expect(rolesOf([ADMIN_ROLE_ID, 7, 99]).map((role) => role.name)).toEqual(['admin', 'approver']);
  expect(rolesOf([])).toEqual([]);
});
