/** What a new organization begins with: a workspace with a queue, its schema and an inbox. */
import { queue } from '@intake/contracts';
import type { Caller, Client } from '@intake/rpc';

/** Ids of what the first user of an organization begins with. */
export interface Starter {
  readonly workspaceId: number | null;
  readonly queueId: number;
  readonly inboxEmail: string;
}

/** The template that an organization begins with when nobody names another one. */
export const DEFAULT_TEMPLATE = 'Tax Invoice EU Demo Template';

const NAME = 'Invoices';
const inbox = (queueId: number) => ({ name: NAME, queueId, emailPrefix: NAME.toLowerCase() });
const FIRST = { ordering: ['id'], page: 1, pageSize: 1 };

/**
 * Makes in the caller's organization what is missing of schema, workspace, queue and inbox. An organization that has queues
 * keeps them as they are: the first one is the answer. Field error: `template_name`, and then nothing is made.
 */
export async function ensureStarter(
  queues: Client<typeof queue.QueueServiceService>,
  caller: Caller,
  templateName = DEFAULT_TEMPLATE,
): Promise<Starter> {
  const makeQueue = async () => {
    const schema = await queues.createSchema(
      { name: NAME, contentJson: '', templateName, metadata: undefined },
      caller,
    );
    const [existing] = (await queues.listWorkspaces({ ids: [], ...FIRST }, caller)).workspaces;
    const workspace = existing ?? (await queues.createWorkspace({ name: NAME, metadata: undefined }, caller));
    const request = { name: NAME, workspaceId: workspace.id, schemaId: schema.id };
    return queues.createQueue(queue.CreateQueueRequest.fromPartial(request), caller);
  };
  const [oldest] = (await queues.listQueues(queue.ListQueuesRequest.fromPartial(FIRST), caller)).queues;
  const first = oldest ?? (await makeQueue());

  const inboxes =
    first.inboxId === undefined
      ? [await queues.createInbox(queue.CreateInboxRequest.fromPartial(inbox(first.id)), caller)]
      : (await queues.listInboxes(queue.ListInboxesRequest.fromPartial({ ids: [first.inboxId], ...FIRST }), caller))
          .inboxes;
  return { workspaceId: first.workspaceId ?? null, queueId: first.id, inboxEmail: inboxes[0]?.email ?? '' };
}
