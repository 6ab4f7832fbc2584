import { GROUPS, MAY, may, type Permission } from './roles';

/** The permission matrix of API auth.md section 8, written as it stands there: who may, by the first letters of the roles. */
const MATRIX: Record<Permission, string> = {
  ownAccount: 'viewer annotator admin manager annotator_limited organization_group_admin approver annotator_embedded',
  readConfiguration:
    'viewer annotator admin manager annotator_limited organization_group_admin approver annotator_embedded',
  readUsers: 'viewer annotator admin manager annotator_limited organization_group_admin approver annotator_embedded',
  readAnnotations:
    'viewer annotator admin manager annotator_limited organization_group_admin approver annotator_embedded',
  readConnections: 'viewer annotator admin manager annotator_limited organization_group_admin approver',
  readEmails: 'viewer annotator admin manager annotator_limited organization_group_admin approver',
  export: 'viewer annotator admin manager annotator_limited organization_group_admin approver',
  writeConfiguration: 'admin organization_group_admin',
  review: 'annotator admin manager annotator_limited organization_group_admin annotator_embedded',
  patchAnnotation: 'annotator admin manager annotator_limited organization_group_admin annotator_embedded',
  dispose: 'annotator admin manager annotator_limited organization_group_admin',
  reject: 'annotator admin manager annotator_limited organization_group_admin approver',
  upload: 'annotator admin manager organization_group_admin',
  readUsage: 'admin manager organization_group_admin',
};

it.each(Object.keys(MAY) as Permission[])('%s is for the roles of the matrix', (permission) => {
  const allowed = GROUPS.filter(({ name }) => may([name], permission)).map(({ name }) => name);
  expect(allowed.sort()).toEqual(MATRIX[permission].split(' ').sort());
});

it('gives nothing to nobody', () => {
  expect(
    (Object.keys(MAY) as Permission[]).filter((permission) => may([], permission) || may(['odd'], permission)),
  ).toEqual([]);
});
