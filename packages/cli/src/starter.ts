import type { auth } from '@intake/contracts';
import { Refusal, systemCaller } from '@intake/rpc';
import type { Services } from './command';

/** Ids of an organization and of what its first user begins with. */
export interface Starter {
  readonly organizationId: number;
  readonly workspaceId: number | null;
  readonly queueId: number;
  readonly inboxEmail: string;
}

const NAME = 'Invoices';
const TEMPLATE = 'Tax Invoice EU Demo Template';
const FIRST = { ordering: ['id'], page: 1, pageSize: 1 };

/**
 * Makes an organization, unless its admin has it already, and in it what is missing of workspace, schema, queue and inbox.
 * An organization that has queues keeps them as they are: the first one is the answer.
 *
 * @param request with `anyName` an existing organization counts whatever it is called
 */
export async function ensureOrganization(
  { auth: organizations, queues }: Services,
  request: auth.CreateOrganizationRequest,
): Promise<Starter> {
  const { organization } = await organizations.createOrganization(request, systemCaller('cli'));
  if (!organization) throw new Refusal('INTERNAL', { cause: new Error('auth answered without an organization') });
  const organizationId = organization.id;
  const caller = systemCaller('cli', organizationId);

  const makeQueue = async () => {
    const [existing] = (await queues.listWorkspaces({ ids: [], ...FIRST }, caller)).workspaces;
    const workspace = existing ?? (await queues.createWorkspace({ name: NAME, metadata: undefined }, caller));
    const schema = await queues.createSchema(
      { name: NAME, contentJson: '', templateName: TEMPLATE, metadata: undefined },
      caller,
    );
    return queues.createQueue(
      { name: NAME, workspaceId: workspace.id, schemaId: schema.id, metadata: undefined, settings: undefined },
      caller,
    );
  };
  const filter = { ids: [], workspaceIds: [], schemaIds: [], inboxIds: [] };
  const [oldest] = (await queues.listQueues({ ...filter, ...FIRST }, caller)).queues;
  const queue = oldest ?? (await makeQueue());

  const inboxes =
    queue.inboxId === undefined
      ? [await queues.createInbox({ name: NAME, queueId: queue.id, emailPrefix: NAME.toLowerCase() }, caller)]
      : (await queues.listInboxes({ ids: [queue.inboxId], ...FIRST }, caller)).inboxes;
  return {
    organizationId,
    workspaceId: queue.workspaceId ?? null,
    queueId: queue.id,
    inboxEmail: inboxes[0]?.email ?? '',
  };
}
