import { timingSafeEqual } from 'node:crypto';
import { answers, name, object, organizationToJson, string } from '@intake/resources';
import { type FieldErrors, Refusal, systemCaller } from '@intake/rpc';
import { ensureStarter } from '@intake/starter';
import { z } from 'zod';
import { hash } from '../auth';
import { answersObject } from '../openapi/named-schema';
import { ORGANIZATION } from '../openapi/objects';
import { created } from '../reply/list';
import { route } from '../route';
import type { RouteContext } from './index';

const registrationBody = z.object({
  template_name: name(),
  organization_name: name(),
  user_fullname: name(),
  user_email: name(254),
  create_key: string(1000),
  user_password: string(128).default(''),
  user_ui_settings: object.default({ locale: 'en' }),
});

/** What auth calls the fields -> what the API calls them. */
const FIELDS: Readonly<Record<string, string>> = {
  name: 'organization_name',
  admin_email: 'user_email',
  admin_password: 'user_password',
};

/** Registration of organizations. API: organizations-users-groups.md section 1. */
export function registrationRoutes({ services: { auth, queue: queues }, createKey }: RouteContext) {
  return [
    route('POST', '/organizations/create', {
      allow: 'public',
      doc: answersObject(
        'Register an organization with its first user',
        { organization: ORGANIZATION.ref, token: answers.string },
        { status: 201, components: ORGANIZATION.components },
      ),
      body: registrationBody,
      call: async ({ body, address }, self) => {
        if (createKey === '' || !isSame(body.create_key, createKey)) throw new Refusal('PERMISSION_DENIED');
        const { first, last } = splitName(body.user_fullname);
        const wanted = {
          name: body.organization_name,
          adminEmail: body.user_email,
          adminPassword: body.user_password,
          adminFirstName: first,
          adminLastName: last,
          adminUiSettings: body.user_ui_settings,
          anyName: false,
          verifyExisting: true,
          address,
        };
        const { organizationId: id } = await auth.prepareOrganization(wanted, self).catch(renameFields);
        const system = systemCaller('gateway', id);
        // The organization comes last: as long as it is not there, nobody sees what was made for it, and a repetition begins anew.
        await ensureStarter(queues, system, body.template_name);
        const { organization, admin } = await auth.createOrganization({ ...wanted, id }, self).catch(renameFields);
        if (!organization || !admin) throw new Refusal('INTERNAL', { cause: 'auth answered without an organization' });
        const caller = systemCaller('gateway', organization.id);
        const [{ key }, { workspaces }] = await Promise.all([
          auth.issueOneTimeToken({ userId: admin.id }, caller),
          queues.listWorkspaces({ ids: [], ordering: ['id'], page: 1, pageSize: 100 }, caller),
        ]);
        return { organization, workspaceIds: workspaces.map((workspace) => workspace.id), key };
      },
      reply: ({ organization, workspaceIds, key }, { urls }) =>
        created({ organization: organizationToJson(organization, workspaceIds, urls), token: key }),
    }),
  ];
}

/** Whether two secrets are the same, in the same time whatever they are. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(hash(one)), Buffer.from(hash(other)));
}

/** First name and the rest. */
function splitName(fullName: string): { first: string; last: string } {
  const [first = '', ...rest] = fullName.trim().split(/\s+/);
  return { first, last: rest.join(' ') };
}

function renameFields(error: unknown): never {
  if (!(error instanceof Refusal) || !error.fields) throw error;
  const fields = Object.entries(error.fields).map(([field, problem]) => [FIELDS[field] ?? field, problem]);
  throw new Refusal('INVALID', { fields: Object.fromEntries(fields) as FieldErrors });
}
