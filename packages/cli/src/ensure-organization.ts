import type { auth } from '@intake/contracts';
import { Refusal, systemCaller } from '@intake/rpc';
import { ensureStarter, type Starter } from '@intake/starter';
import type { Services } from './command';

/**
 * Makes an organization, unless its admin has it already, and in it what is missing of workspace, schema, queue and inbox.
 *
 * @param request with `anyName` an existing organization counts whatever it is called
 */
export async function ensureOrganization(
  { auth: organizations, queues }: Services,
  request: auth.CreateOrganizationRequest,
): Promise<Starter & { readonly organizationId: number }> {
  const { organization } = await organizations.createOrganization(request, systemCaller('cli'));
  if (!organization) throw new Refusal('INTERNAL', { cause: new Error('auth answered without an organization') });
  const starter = await ensureStarter(queues, systemCaller('cli', organization.id));
  return { organizationId: organization.id, ...starter };
}
