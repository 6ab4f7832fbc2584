import type { auth } from '@intake/contracts';
import { systemCaller } from '@intake/rpc';
import { readFileOption, readId, UsageError } from '../arguments';
import type { Command, Services } from '../command';

const organization = { organization: 'id of the organization' };

async function readKeys({ auth: accounts }: Services, organizationId: number): Promise<auth.JwtKey[]> {
  return (await accounts.getAuthSettings({ organizationId }, systemCaller('cli', organizationId))).jwtKeys;
}

async function writeKeys(services: Services, organizationId: number, keys: auth.JwtKey[]): Promise<auth.JwtKey[]> {
  const caller = systemCaller('cli', organizationId);
  const request = { organizationId, jwtKeys: { keys }, allowedRoles: undefined, oidc: undefined };
  return (await services.auth.updateAuthSettings(request, caller)).jwtKeys;
}

/** Registers a public key that an organization signs JWTs with. */
export const jwtKeyAdd: Command = {
  name: 'jwt-key add',
  about: 'register a public key (Ed25519, Ed448 or RSA) that an organization signs JWTs with',
  options: { ...organization, name: 'what to call it', file: 'file with the public key, PEM (SPKI) or JWK' },
  async run({ organization: id, name = '', file = '' }, services) {
    const organizationId = readId(id, 'organization');
    const publicKey = await readFileOption(file);
    const before = await readKeys(services, organizationId);
    const after = await writeKeys(services, organizationId, [...before, { id: 0, name, algorithm: '', publicKey }]);
    return after.at(-1);
  },
};

/** Shows the registered keys. */
export const jwtKeyList: Command = {
  name: 'jwt-key list',
  about: 'show the public keys of an organization',
  options: organization,
  run: ({ organization: id }, services) => readKeys(services, readId(id, 'organization')),
};

/** Removes a registered key: JWTs signed with it are refused from now on. */
export const jwtKeyRemove: Command = {
  name: 'jwt-key remove',
  about: 'remove a public key of an organization',
  options: { ...organization, id: 'id of the key' },
  async run({ organization: organizationOption, id }, services) {
    const organizationId = readId(organizationOption, 'organization');
    const keyId = readId(id, 'id');
    const before = await readKeys(services, organizationId);
    const after = before.filter((key) => key.id !== keyId);
    if (after.length === before.length) throw new UsageError(`There is no key ${keyId}.`);
    return writeKeys(services, organizationId, after);
  },
};
