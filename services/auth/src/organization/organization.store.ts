import type { Backbone } from '@intake/bus';
import type { ClientSession } from '@intake/mongo';
import { type Caller, organizationOf } from '@intake/rpc';
import { Schema } from 'mongoose';
import type { Organization } from './organization';

type Row = Omit<Organization, 'id'> & { _id: number };

/** Organizations in MongoDB. */
export type OrganizationStore = ReturnType<typeof createOrganizationStore>;

export function createOrganizationStore({ database, ids }: Pick<Backbone, 'database' | 'ids'>) {
  const schema = new Schema(
    { _id: Number, name: String, createdAt: Date, creatorId: Number, metadata: Schema.Types.Mixed },
    { collection: 'organizations', versionKey: false, minimize: false },
  );
  const model = database.connection.model('Organization', schema);

  return {
    nextId: () => ids.next('organizations'),

    async insert(
      { id, ...input }: Pick<Organization, 'id' | 'name' | 'creatorId'>,
      session: ClientSession,
    ): Promise<Organization> {
      const row: Row = { ...input, _id: id, createdAt: new Date(), metadata: {} };
      await model.insertMany([row], { session });
      return toOrganization(row);
    },

    async findById(id: number): Promise<Organization | null> {
      const row = await model.findById(id).lean<Row | null>();
      return row && toOrganization(row);
    },

    /** The caller's own organization, as a list; empty when `wanted` names others only. */
    async list(caller: Caller, wanted: readonly number[]): Promise<Organization[]> {
      const id = organizationOf(caller);
      if (wanted.length > 0 && !wanted.includes(id)) return [];
      const row = await model.findById(id).lean<Row | null>();
      return row ? [toOrganization(row)] : [];
    },
  };
}

function toOrganization({ _id, ...row }: Row): Organization {
  return { id: _id, ...row };
}
