import type { Backbone } from '@intake/bus';
import type { queue as contract } from '@intake/contracts';
import { type Handlers, Refusal } from '@intake/rpc';
import { createInbox, type Inbox, resolveInbox } from './inbox/inbox';
import type { InboxStore } from './inbox/inbox.store';
import { acceptedMimeTypes, createQueue, type Queue } from './queue/queue';
import type { QueueStore } from './queue/queue.store';
import { createSchema, type QueueSchema } from './schema/schema';
import type { SchemaStore } from './schema/schema.store';
import { createWorkspace, type Workspace } from './workspace/workspace';
import type { WorkspaceStore } from './workspace/workspace.store';

/** What the rpcs stand on. */
export interface RpcDeps {
  readonly backbone: Backbone;
  readonly workspaces: WorkspaceStore;
  readonly queues: QueueStore;
  readonly schemas: SchemaStore;
  readonly inboxes: InboxStore;
  /** Domain of inbox addresses. */
  readonly mailDomain: string;
}

/** The rpcs of proto/intake/queue/v1. */
export function createRpc(deps: RpcDeps): Handlers<typeof contract.QueueServiceService> {
  const { workspaces, queues, schemas, inboxes } = deps;
  return {
    async createWorkspace(request, caller) {
      return toWorkspace(await createWorkspace(caller, request, workspaces), []);
    },
    async listWorkspaces({ ids, name, ordering, ...page }, caller) {
      const holding = caller.queueIds === 'all' ? 'all' : await queues.listWorkspaceIds(caller);
      const { workspaces: found, total } = await workspaces.list(caller, holding, { ids, name }, ordering, page);
      const queueIds = await queues.idsByWorkspace(caller, idsOf(found));
      return { workspaces: found.map((one) => toWorkspace(one, queueIds.get(one.id) ?? [])), total };
    },
    async createQueue(request, caller) {
      return toQueue(await createQueue(caller, request, deps));
    },
    async getQueues({ ids }, caller) {
      const found = await queues.get(caller, ids);
      return { queues: found.map(toQueue), total: found.length };
    },
    async listQueues({ ordering, page, pageSize, ...filter }, caller) {
      const { queues: found, total } = await queues.list(caller, filter, ordering, { page, pageSize });
      return { queues: found.map(toQueue), total };
    },
    async createSchema(request, caller) {
      return toSchema(await createSchema(caller, request, deps), []);
    },
    async getSchema({ id }, caller) {
      const found = await schemas.find(caller, id);
      if (!found) throw new Refusal('NOT_FOUND');
      return toSchema(found, (await queues.idsBySchema(caller, [id])).get(id) ?? []);
    },
    async listSchemas({ ids, name, ordering, ...page }, caller) {
      const { schemas: found, total } = await schemas.list(caller, { ids, name }, ordering, page);
      const queueIds = await queues.idsBySchema(caller, idsOf(found));
      return { schemas: found.map((one) => toSchema(one, queueIds.get(one.id) ?? [])), total };
    },
    async createInbox(request, caller) {
      return toInbox(await createInbox(caller, request, deps));
    },
    async listInboxes({ ids, name, ordering, ...page }, caller) {
      const { inboxes: found, total } = await inboxes.list(caller, { ids, name }, ordering, page);
      return { inboxes: found.map(toInbox), total };
    },
    async resolveInbox({ email }, caller) {
      const { inbox, queue } = await resolveInbox(caller, email, deps);
      return { inbox: toInbox(inbox), queue: toQueue(queue) };
    },
  };
}

function idsOf(objects: readonly { readonly id: number }[]): number[] {
  return objects.map(({ id }) => id);
}

function toWorkspace(workspace: Workspace, queueIds: number[]): contract.Workspace {
  return { ...workspace, queueIds };
}

function toQueue(queue: Queue): contract.Queue {
  return {
    ...queue,
    workspaceId: queue.workspaceId ?? undefined,
    inboxId: queue.inboxId ?? undefined,
    connectorId: queue.connectorId ?? undefined,
    hookIds: [...queue.hookIds],
    acceptedMimeTypes: [...acceptedMimeTypes(queue)],
    rirUrl: queue.rirUrl ?? undefined,
    rirParams: queue.rirParams ?? undefined,
    deleteAfter: queue.deleteAfter ?? undefined,
  };
}

function toSchema(schema: QueueSchema, queueIds: number[]): contract.Schema {
  return { ...schema, queueIds };
}

function toInbox(inbox: Inbox): contract.Inbox {
  return inbox;
}
