import type { auth } from '@intake/contracts';
import { systemCaller } from '@intake/rpc';
import { readFileOption, readId, UsageError } from '../arguments';
import type { Command, Services } from '../command';

const organization = { organization: 'id of the organization' };

/** What is shown of the settings; the secret is never given out. */
function toShown({ oidc, allowedRoles, defaultRole }: auth.AuthSettings) {
  return { ...oidc, allowedRoles, defaultRole };
}

async function change({ auth: accounts }: Services, request: auth.UpdateAuthSettingsRequest) {
  return toShown(await accounts.updateAuthSettings(request, systemCaller('cli', request.organizationId)));
}

function readSwitch(value: string | undefined, option: string): boolean | undefined {
  if (value === undefined || value === 'on' || value === 'off') return value === undefined ? undefined : value === 'on';
  throw new UsageError(`--${option} must be on or off.`);
}

/** Sets up single sign-on, or changes it; what is left out stays as it is. */
export const ssoSet: Command = {
  name: 'sso set',
  about: 'let users of an organization log in at a provider (OpenID Connect); what is left out stays as it is',
  options: organization,
  optional: {
    issuer: 'URL of the provider, without /.well-known/...',
    'client-id': 'what the provider knows Intake by',
    'client-secret-file': 'file with the secret that the provider gave; /dev/stdin reads it from a pipe',
    claim: 'what names the user: email, sub, preferred_username or unique_name',
    'auto-provisioning': 'on: unknown users are made when they log in; off: they are refused',
    'allowed-roles': 'roles that such users may have, separated by commas',
    'default-role': 'role of such a user for whom the provider names none',
    enabled: 'on or off',
  },
  async run(options, services) {
    const secretFile = options['client-secret-file'];
    const roles = options['allowed-roles'];
    const enabled = readSwitch(options.enabled, 'enabled');
    return change(services, {
      organizationId: readId(options.organization, 'organization'),
      jwtKeys: undefined,
      oidc: {
        enabled: enabled ?? (options.issuer === undefined ? undefined : true),
        issuer: options.issuer,
        clientId: options['client-id'],
        clientSecret: secretFile === undefined ? undefined : (await readFileOption(secretFile)).trim(),
        claim: options.claim,
        autoProvisioning: readSwitch(options['auto-provisioning'], 'auto-provisioning'),
      },
      allowedRoles: roles === undefined ? undefined : { names: roles.split(',').map((role) => role.trim()) },
      defaultRole: options['default-role'],
    });
  },
};

/** Shows how single sign-on is set up. */
export const ssoShow: Command = {
  name: 'sso show',
  about: 'show how single sign-on of an organization is set up, without the secret',
  options: organization,
  async run({ organization: id }, { auth: accounts }) {
    const organizationId = readId(id, 'organization');
    return toShown(await accounts.getAuthSettings({ organizationId }, systemCaller('cli', organizationId)));
  },
};

/** Switches single sign-on off and forgets the provider. */
export const ssoRemove: Command = {
  name: 'sso remove',
  about: 'switch single sign-on of an organization off, and forget the provider with its secret; users stay',
  options: organization,
  run: ({ organization: id }, services) =>
    change(services, {
      organizationId: readId(id, 'organization'),
      jwtKeys: undefined,
      oidc: { enabled: false, issuer: '', clientId: '', clientSecret: '', claim: 'email', autoProvisioning: false },
      allowedRoles: undefined,
    }),
};
