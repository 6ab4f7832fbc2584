import type { Backbone } from '@intake/bus';
import { among, type ClientSession, type PageRequest, rowsOf } from '@intake/mongo';
import { type Caller, organizationOf } from '@intake/rpc';
import { Schema } from 'mongoose';
import { createRows, equals, type RowFilter, type Rows } from '../row.store';
import type { Queue } from './queue';

/** Which queues a list shows; an empty list of ids means all. */
export interface QueueFilter {
  readonly ids: readonly number[];
  readonly workspaceIds: readonly number[];
  readonly schemaIds: readonly number[];
  readonly inboxIds: readonly number[];
  readonly connectorIds: readonly number[];
  readonly hookIds: readonly number[];
  readonly name?: string;
  readonly locale?: string;
  /** True: those whose deletion was asked for; otherwise the others. */
  readonly deleting: boolean;
}

/** Queues in MongoDB. Every query is scoped to the caller's organization and queues. */
export type QueueStore = ReturnType<typeof createQueueStore>;

export function createQueueStore(backbone: Pick<Backbone, 'database' | 'ids'>) {
  const rows: Rows<Queue> = createRows(backbone, {
    model: 'Queue',
    collection: 'queues',
    fields: {
      name: String,
      workspaceId: Number,
      schemaId: Number,
      inboxId: Number,
      connectorId: Number,
      hookIds: [Number],
      sessionTimeoutS: Number,
      defaultScoreThreshold: Number,
      automationEnabled: Boolean,
      automationLevel: String,
      locale: String,
      metadata: Schema.Types.Mixed,
      useConfirmedState: Boolean,
      documentLifetimeS: Number,
      status: String,
      settings: Schema.Types.Mixed,
      workflowsJson: String,
      rirUrl: String,
      rirParams: String,
      trainingEnabled: Boolean,
      archiveEnabled: Boolean,
      deleteAfter: Date,
      modifiedById: Number,
      modifiedAt: Date,
    },
    indexes: [
      [{ organizationId: 1, status: 1, _id: 1 }],
      [{ organizationId: 1, status: 1, name: 1, _id: 1 }],
      [{ organizationId: 1, workspaceId: 1 }],
      [{ organizationId: 1, schemaId: 1 }],
      [{ organizationId: 1, inboxId: 1 }],
      [{ organizationId: 1, connectorId: 1 }],
      [{ organizationId: 1, hookIds: 1 }],
      [{ status: 1, deleteAfter: 1 }],
    ],
    orderings: {
      id: '_id',
      name: 'name',
      workspace: { mayBeEmpty: 'workspaceId' },
      connector: { mayBeEmpty: 'connectorId' },
      hooks: { mayBeEmpty: 'hookIds' },
      webhooks: { mayBeEmpty: 'hookIds' },
      schema: 'schemaId',
      inbox: { mayBeEmpty: 'inboxId' },
      locale: 'locale',
    },
  });
  const model = backbone.database.connection.model('Queue');
  const stored = rowsOf<{ _id: number; status: string }>(backbone.database, 'queues');

  /** The caller's queues, of these ids where some are given. */
  const visible = (caller: Caller, wanted: readonly number[] = []): RowFilter => {
    const lists = [...(caller.queueIds === 'all' ? [] : [caller.queueIds]), ...(wanted.length > 0 ? [wanted] : [])];
    return lists.length > 0 ? { $and: lists.map((list) => ({ _id: { $in: [...list] } })) } : {};
  };

  const active = (caller: Caller) => ({ organizationId: organizationOf(caller), ...visible(caller), status: 'active' });

  /** Ids of the active queues that a caller sees, grouped by what they belong to. */
  const idsBy = async (
    caller: Caller,
    field: 'workspaceId' | 'schemaId' | 'connectorId' | 'hookIds',
    values: readonly number[],
  ) => {
    const found = await model
      .find({ ...active(caller), [field]: { $in: [...values] } })
      .sort({ _id: 1 })
      .select(['_id', field])
      .lean<({ _id: number } & Pick<Queue, typeof field>)[]>();
    const grouped = new Map<number, number[]>(values.map((value) => [value, []]));
    for (const row of found) for (const value of [row[field] ?? []].flat()) grouped.get(value)?.push(row._id);
    return grouped;
  };

  return {
    ...rows,

    /** Queues by id, those being deleted too; unknown and invisible ones are left out. */
    async get(caller: Caller, queueIds: readonly number[], session?: ClientSession): Promise<Queue[]> {
      return queueIds.length === 0 ? [] : rows.findAll(caller, visible(caller, queueIds), session);
    },

    /** Of any organization: whether it is there and its deletion was not asked for. */
    async isActive(queueId: number): Promise<boolean> {
      return (await stored.findOne({ _id: queueId, status: 'active' }, { projection: { _id: 1 } })) !== null;
    },

    /** The same without those whose deletion was asked for: nothing is linked to them any more. */
    async getActive(caller: Caller, queueIds: readonly number[], session?: ClientSession): Promise<Queue[]> {
      return (await this.get(caller, queueIds, session)).filter(({ status }) => status === 'active');
    },

    list(caller: Caller, filter: QueueFilter, ordering: readonly string[], page: PageRequest) {
      const query = {
        $and: [
          visible(caller, filter.ids),
          { status: filter.deleting ? { $ne: 'active' } : 'active' },
          among('workspaceId', filter.workspaceIds),
          among('schemaId', filter.schemaIds),
          among('inboxId', filter.inboxIds),
          among('connectorId', filter.connectorIds),
          among('hookIds', filter.hookIds),
          equals('name', filter.name),
          equals('locale', filter.locale),
        ],
      };
      return rows.list(caller, query, ordering, page);
    },

    /** Whether a queue, also one that is being deleted, has this value. */
    async uses(
      caller: Caller,
      value: { readonly workspaceId: number } | { readonly schemaId: number },
      session: ClientSession,
    ): Promise<boolean> {
      return (await rows.findAll(caller, { ...value }, session)).length > 0;
    },

    /** Ids of the active queues that the caller sees and whose settings have these values, by path. */
    async idsWithSettings(caller: Caller, values: Readonly<Record<string, unknown>>): Promise<number[]> {
      // A flag that is not there is off.
      const conditions = Object.entries(values).map(([path, value]) => ({
        [`settings.${path}`]: value === false ? { $ne: true } : value,
      }));
      const query = { organizationId: organizationOf(caller), $and: [visible(caller), ...conditions] };
      return (await model.distinct('_id', query)) as number[];
    },

    /** Workspaces that hold at least one of the caller's queues. */
    async listWorkspaceIds(caller: Caller): Promise<number[]> {
      return (await model.distinct('workspaceId', active(caller))).filter((id) => id !== null) as number[];
    },

    /** What they belong to -> ids of the active queues that the caller sees. */
    idsBy,

    /** False when the queue has an inbox already, or is not there. */
    async linkInbox(caller: Caller, queueId: number, inboxId: number, session: ClientSession): Promise<boolean> {
      const [queue] = await rows.findAll(caller, { $and: [visible(caller, [queueId]), { inboxId: null }] }, session);
      if (!queue) return false;
      await rows.update(caller, queueId, { inboxId }, session);
      return true;
    },

    /** Queues of any organization whose time has come. */
    async findDue(now: Date, limit: number): Promise<Queue[]> {
      const found = await model
        .find({ status: 'deletion_requested', deleteAfter: { $lte: now } })
        .limit(limit)
        .lean<{ _id: number; organizationId: number }[]>();
      return found.map(({ _id, ...row }) => ({ id: _id, ...row }) as unknown as Queue);
    },
  };
}
