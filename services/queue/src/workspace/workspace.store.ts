import type { Backbone } from '@intake/bus';
import { Schema } from 'mongoose';
import { createRows, type Rows } from '../row.store';
import type { Workspace } from './workspace';

/** Workspaces in MongoDB. */
export type WorkspaceStore = Rows<Workspace>;

export function createWorkspaceStore(backbone: Pick<Backbone, 'database' | 'ids'>): WorkspaceStore {
  return createRows(backbone, {
    model: 'Workspace',
    collection: 'workspaces',
    fields: { name: String, metadata: Schema.Types.Mixed, autopilot: Boolean, modifiedById: Number, modifiedAt: Date },
    indexes: [[{ organizationId: 1, name: 1 }]],
    orderings: { id: '_id', name: 'name' },
  });
}
