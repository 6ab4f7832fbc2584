import type { Backbone } from '@intake/bus';
import { type ClientSession, type PageRequest, toSort, toWindow } from '@intake/mongo';
import { type Caller, organizationOf } from '@intake/rpc';
import { Schema } from 'mongoose';
import type { Queue } from './queue';

type Row = Omit<Queue, 'id'> & { _id: number };

/** Which queues a list shows; an empty list of ids means all. Those being deleted are never shown. */
export interface QueueFilter {
  readonly ids: readonly number[];
  readonly workspaceIds: readonly number[];
  readonly schemaIds: readonly number[];
  readonly inboxIds: readonly number[];
  readonly name?: string;
  readonly locale?: string;
}

const ORDERINGS: Readonly<Record<string, string>> = {
  id: '_id',
  name: 'name',
  workspace: 'workspaceId',
  connector: 'connectorId',
  hooks: 'hookIds',
  webhooks: 'hookIds',
  schema: 'schemaId',
  inbox: 'inboxId',
  locale: 'locale',
};

/** Queues in MongoDB. Every query is scoped to the caller's organization and queues. */
export type QueueStore = ReturnType<typeof createQueueStore>;

export function createQueueStore({ database, ids }: Pick<Backbone, 'database' | 'ids'>) {
  const schema = new Schema(
    {
      _id: Number,
      name: String,
      organizationId: Number,
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
      status: String,
      settings: Schema.Types.Mixed,
      rirUrl: String,
      rirParams: String,
      trainingEnabled: Boolean,
      deleteAfter: Date,
    },
    { collection: 'queues', versionKey: false, minimize: false },
  );
  schema.index({ organizationId: 1, status: 1, _id: 1 });
  schema.index({ organizationId: 1, name: 1 });
  schema.index({ organizationId: 1, workspaceId: 1 });
  schema.index({ organizationId: 1, schemaId: 1 });
  schema.index({ organizationId: 1, inboxId: 1 });
  const model = database.connection.model('Queue', schema);

  /** The caller's queues, of these ids where some are given. */
  const visible = (caller: Caller, wanted: readonly number[] = []) => {
    const lists = [...(caller.queueIds === 'all' ? [] : [caller.queueIds]), ...(wanted.length > 0 ? [wanted] : [])];
    return {
      organizationId: organizationOf(caller),
      ...(lists.length > 0 && { $and: lists.map((list) => ({ _id: { $in: [...list] } })) }),
    };
  };
  const among = (field: keyof Row, values: readonly number[]) =>
    values.length > 0 ? { [field]: { $in: [...values] } } : {};

  /** Ids of the queues that a caller sees, grouped by what they belong to. */
  const idsBy = async (caller: Caller, field: 'workspaceId' | 'schemaId', values: readonly number[]) => {
    const rows = await model
      .find({ ...visible(caller), status: 'active', [field]: { $in: [...values] } })
      .sort({ _id: 1 })
      .select(['_id', field])
      .lean<Pick<Row, '_id' | 'workspaceId' | 'schemaId'>[]>();
    const grouped = new Map<number, number[]>(values.map((value) => [value, []]));
    for (const row of rows) grouped.get(row[field] as number)?.push(row._id);
    return grouped;
  };

  return {
    async insert(input: Omit<Queue, 'id'>): Promise<Queue> {
      const row: Row = { ...input, _id: await ids.next('queues') };
      await model.insertMany([row]);
      return toQueue(row);
    },

    /** Queues by id, those being deleted too; unknown and invisible ones are left out. */
    async get(caller: Caller, queueIds: readonly number[]): Promise<Queue[]> {
      if (queueIds.length === 0) return [];
      const rows = await model.find(visible(caller, queueIds)).lean<Row[]>();
      return rows.map(toQueue);
    },

    async list(
      caller: Caller,
      filter: QueueFilter,
      ordering: readonly string[],
      page: PageRequest,
    ): Promise<{ queues: Queue[]; total: number }> {
      const query = {
        ...visible(caller, filter.ids),
        status: 'active',
        ...among('workspaceId', filter.workspaceIds),
        ...among('schemaId', filter.schemaIds),
        ...among('inboxId', filter.inboxIds),
        ...(filter.name !== undefined && { name: filter.name }),
        ...(filter.locale !== undefined && { locale: filter.locale }),
      };
      const { skip, limit } = toWindow(page);
      const [rows, total] = await Promise.all([
        model.find(query).sort(toSort(ordering, ORDERINGS)).skip(skip).limit(limit).lean<Row[]>(),
        model.countDocuments(query),
      ]);
      return { queues: rows.map(toQueue), total };
    },

    /** Workspaces that hold at least one of the caller's queues. */
    async listWorkspaceIds(caller: Caller): Promise<number[]> {
      return (await model.distinct('workspaceId', { ...visible(caller), status: 'active' })) as number[];
    },

    /** Workspace id -> ids of its queues that the caller sees. */
    idsByWorkspace: (caller: Caller, workspaceIds: readonly number[]) => idsBy(caller, 'workspaceId', workspaceIds),

    /** Schema id -> ids of its queues that the caller sees. */
    idsBySchema: (caller: Caller, schemaIds: readonly number[]) => idsBy(caller, 'schemaId', schemaIds),

    /** False when the queue has an inbox already, or is not there. */
    async linkInbox(caller: Caller, queueId: number, inboxId: number, session: ClientSession): Promise<boolean> {
      const result = await model.updateOne(
        { ...visible(caller, [queueId]), inboxId: null },
        { $set: { inboxId } },
        { session },
      );
      return result.matchedCount === 1;
    },
  };
}

function toQueue({ _id, ...row }: Row): Queue {
  return { id: _id, ...row };
}
