import { type Caller, organizationOf, requireAdmin } from '@intake/rpc';
import { findMetadataProblem, findNameProblem, type JsonObject, refuseProblems } from '../fields';
import type { WorkspaceStore } from './workspace.store';

/** A group of queues. API: workspaces-queues.md section 1. */
export interface Workspace {
  readonly id: number;
  readonly name: string;
  readonly organizationId: number;
  readonly metadata: JsonObject;
}

/** Makes a workspace in the caller's organization. Caller: admin. Field errors: `name`, `metadata`. */
export async function createWorkspace(
  caller: Caller,
  { name, metadata = {} }: { readonly name: string; readonly metadata?: JsonObject },
  workspaces: WorkspaceStore,
): Promise<Workspace> {
  requireAdmin(caller);
  refuseProblems({ name: findNameProblem(name), metadata: findMetadataProblem(metadata) });
  return workspaces.insert({ name, metadata, organizationId: organizationOf(caller) });
}
