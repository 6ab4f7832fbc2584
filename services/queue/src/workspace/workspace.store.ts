import type { Backbone } from '@intake/bus';
import { type PageRequest, toSort, toWindow } from '@intake/mongo';
import { type Caller, organizationOf } from '@intake/rpc';
import { Schema } from 'mongoose';
import type { Workspace } from './workspace';

type Row = Omit<Workspace, 'id'> & { _id: number };

/** Which workspaces a list shows. */
export interface WorkspaceFilter {
  /** Empty: all. */
  readonly ids: readonly number[];
  readonly name?: string;
}

const ORDERINGS: Readonly<Record<string, string>> = { id: '_id', name: 'name' };

/** Workspaces in MongoDB. Every query is scoped to the caller's organization. */
export type WorkspaceStore = ReturnType<typeof createWorkspaceStore>;

export function createWorkspaceStore({ database, ids }: Pick<Backbone, 'database' | 'ids'>) {
  const schema = new Schema(
    { _id: Number, name: String, organizationId: Number, metadata: Schema.Types.Mixed },
    { collection: 'workspaces', versionKey: false, minimize: false },
  );
  schema.index({ organizationId: 1, name: 1 });
  schema.index({ organizationId: 1, _id: 1 });
  const model = database.connection.model('Workspace', schema);

  return {
    async insert(input: Omit<Workspace, 'id'>): Promise<Workspace> {
      const row: Row = { ...input, _id: await ids.next('workspaces') };
      await model.insertMany([row]);
      return toWorkspace(row);
    },

    async exists(caller: Caller, id: number): Promise<boolean> {
      return (await model.exists({ _id: id, organizationId: organizationOf(caller) })) !== null;
    },

    /** @param holding the only workspaces that the caller sees, or `all` */
    async list(
      caller: Caller,
      holding: readonly number[] | 'all',
      filter: WorkspaceFilter,
      ordering: readonly string[],
      page: PageRequest,
    ): Promise<{ workspaces: Workspace[]; total: number }> {
      const visible = [
        ...(holding === 'all' ? [] : [{ _id: { $in: [...holding] } }]),
        ...(filter.ids.length > 0 ? [{ _id: { $in: [...filter.ids] } }] : []),
      ];
      const query = {
        organizationId: organizationOf(caller),
        ...(visible.length > 0 && { $and: visible }),
        ...(filter.name !== undefined && { name: filter.name }),
      };
      const { skip, limit } = toWindow(page);
      const [rows, total] = await Promise.all([
        model.find(query).sort(toSort(ordering, ORDERINGS)).skip(skip).limit(limit).lean<Row[]>(),
        model.countDocuments(query),
      ]);
      return { workspaces: rows.map(toWorkspace), total };
    },
  };
}

function toWorkspace({ _id, ...row }: Row): Workspace {
  return { id: _id, ...row };
}
