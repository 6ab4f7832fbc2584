import { readConfig, text } from '@intake/service';
import type { Command } from '../command';
import { ensureOrganization } from '../ensure-organization';

/** The first set-up of an installation; running it again changes nothing. */
export const setup: Command = {
  name: 'setup',
  about:
    'make the first organization (INTAKE_ORGANIZATION) with admin (INTAKE_ADMIN_EMAIL, INTAKE_ADMIN_PASSWORD), workspace, queue and inbox, unless they are there',
  options: {},
  run(_options, services, env) {
    const config = readConfig(env, {
      name: text('INTAKE_ORGANIZATION', 'name of the first organization', 'Intake'),
      adminEmail: text('INTAKE_ADMIN_EMAIL', 'user name of the first admin, an e-mail address'),
      adminPassword: text('INTAKE_ADMIN_PASSWORD', 'password of the first admin'),
    });
    return ensureOrganization(services, { ...config, anyName: true, adminUiSettings: undefined });
  },
};
