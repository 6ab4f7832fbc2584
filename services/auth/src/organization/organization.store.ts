import type { Backbone } from '@intake/bus';
import type { ClientSession } from '@intake/mongo';
import { type Caller, organizationOf } from '@intake/rpc';
import { Schema } from 'mongoose';
import type { Organization, OrganizationChange } from './organization';

/** What an organization begins with. */
const NEW = {
  metadata: {},
  uiSettings: {},
  settings: {},
  sandbox: false,
  modifiedById: null,
  modifiedAt: null,
} as const;

type Row = Omit<Organization, 'id'> & { _id: number; locks?: number };

/** Organizations in MongoDB. */
export type OrganizationStore = ReturnType<typeof createOrganizationStore>;

export function createOrganizationStore({ database, ids }: Pick<Backbone, 'database' | 'ids'>) {
  const schema = new Schema(
    {
      _id: Number,
      name: String,
      createdAt: Date,
      creatorId: Number,
      metadata: Schema.Types.Mixed,
      uiSettings: Schema.Types.Mixed,
      settings: Schema.Types.Mixed,
      sandbox: Boolean,
      modifiedById: Number,
      modifiedAt: Date,
      locks: Number,
    },
    { collection: 'organizations', versionKey: false, minimize: false },
  );
  const model = database.connection.model('Organization', schema);

  return {
    nextId: () => ids.next('organizations'),

    async insert(
      { id, ...input }: Pick<Organization, 'id' | 'name' | 'creatorId'>,
      session: ClientSession,
    ): Promise<Organization> {
      const row: Row = { ...input, _id: id, createdAt: new Date(), ...NEW };
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

    async update(caller: Caller, id: number, change: OrganizationChange): Promise<Organization | null> {
      if (id !== organizationOf(caller)) return null;
      const row = await model
        .findByIdAndUpdate(
          id,
          { $set: { ...change, modifiedById: caller.userId, modifiedAt: new Date() } },
          { returnDocument: 'after' },
        )
        .lean<Row | null>();
      return row && toOrganization(row);
    },

    /** Transactions that lock the same organization do not run beside each other. */
    async lock(id: number, session: ClientSession): Promise<void> {
      await model.updateOne({ _id: id }, { $inc: { locks: 1 } }, { session });
    },
  };
}

function toOrganization({ _id, locks: _locks, ...row }: Row): Organization {
  return { id: _id, ...row };
}
