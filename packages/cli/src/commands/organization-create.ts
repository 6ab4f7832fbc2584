import { readPassword } from '../arguments';
import type { Command } from '../command';
import { ensureOrganization } from '../ensure-organization';

/** A further organization. Running it again with the same name and admin changes nothing. */
export const organizationCreate: Command = {
  name: 'organization create',
  about: 'make a further organization with admin, workspace, queue and inbox',
  options: {
    name: 'name of the organization',
    'admin-email': 'user name of its first admin, an e-mail address',
  },
  optional: {
    'admin-password': 'password of its first admin, at least 8 characters',
    'admin-password-file': 'file with it instead; /dev/stdin reads it from a pipe',
  },
  run: async (options, services) =>
    ensureOrganization(services, {
      name: options.name ?? '',
      adminEmail: options['admin-email'] ?? '',
      adminPassword: await readPassword(options, 'admin-password'),
      anyName: false,
      adminUiSettings: undefined,
    }),
};
