import type { Backbone } from '@intake/bus';
import { transaction } from '@intake/mongo';
import { type Caller, organizationOf, Refusal, requireAdmin } from '@intake/rpc';
import { found, type Modified, modifiedBy, UNMODIFIED } from '../change';
import { findMetadataProblem, findNameProblem, type JsonObject, refuseProblems } from '../fields';
import type { QueueStore } from '../queue/queue.store';
import type { WorkspaceStore } from './workspace.store';

/** A group of queues. API: workspaces-queues.md section 1. */
export interface Workspace extends Modified {
  readonly id: number;
  readonly name: string;
  readonly organizationId: number;
  readonly metadata: JsonObject;
  /** Kept for clients; nothing depends on it. */
  readonly autopilot?: boolean;
}

/** What admins write of a workspace. */
export type WorkspaceInput = Pick<Workspace, 'name' | 'metadata' | 'autopilot'>;

function check({ name, metadata }: Partial<WorkspaceInput>): void {
  refuseProblems({
    name: name === undefined ? null : findNameProblem(name),
    metadata: findMetadataProblem(metadata),
  });
}

/** Makes a workspace in the caller's organization. Caller: admin. Field errors: `name`, `metadata`. */
export async function createWorkspace(
  caller: Caller,
  { name, metadata = {}, autopilot = false }: Partial<WorkspaceInput> & Pick<Workspace, 'name'>,
  workspaces: WorkspaceStore,
): Promise<Workspace> {
  requireAdmin(caller);
  check({ name, metadata });
  const id = await workspaces.nextId();
  const workspace = { id, organizationId: organizationOf(caller), name, metadata, autopilot, ...UNMODIFIED };
  await workspaces.insert(workspace);
  return workspace;
}

/** Changes a workspace. Caller: admin. Field errors: `name`, `metadata`. */
export async function updateWorkspace(
  caller: Caller,
  id: number,
  change: Partial<WorkspaceInput>,
  workspaces: WorkspaceStore,
): Promise<Workspace> {
  requireAdmin(caller);
  check(change);
  return found(await workspaces.update(caller, id, { ...change, ...modifiedBy(caller) }));
}

/** Deletes a workspace; CONFLICT while it holds queues. Caller: admin. */
export async function deleteWorkspace(
  caller: Caller,
  id: number,
  {
    workspaces,
    queues,
    backbone,
  }: { workspaces: WorkspaceStore; queues: QueueStore; backbone: Pick<Backbone, 'database'> },
): Promise<void> {
  requireAdmin(caller);
  await transaction(backbone.database, async (session) => {
    if (!(await workspaces.remove(caller, id, session))) throw new Refusal('NOT_FOUND');
    if (await queues.uses(caller, { workspaceId: id }, session)) {
      throw new Refusal('CONFLICT', { detail: 'Workspace contains queues.' });
    }
  });
}
