import { type ClientSession, type Database, findPage, type PageRequest, toOrder } from '@intake/mongo';
import type { Caller } from '@intake/rpc';
import { Schema } from 'mongoose';
import type { Address } from '../email/email';
import { timesOf, visibleTo } from '../email/email.store';
import { RECENT_MS, type Thread, type ThreadFilter } from './thread';

/** Threads, always of the caller's organization and queues. */
export type ThreadStore = ReturnType<typeof createThreadStore>;

const ORDERING = {
  id: '_id',
  created_at: 'createdAt',
  last_email_created_at: 'lastEmailCreatedAt',
  subject: 'subject',
  from__email: { mayBeEmpty: 'from.email' },
  from__name: { mayBeEmpty: 'from.name' },
  queue: 'queueId',
};

type Row = Omit<Thread, 'id'> & { readonly _id: number };

/** Threads of one service's database. */
export function createThreadStore(database: Database) {
  const schema = new Schema(
    {
      _id: { type: Number, required: true },
      organizationId: { type: Number, required: true },
      queueId: { type: Number, required: true },
      rootEmailId: { type: Number, default: null },
      hasReplies: { type: Boolean, default: false },
      hasNewReplies: { type: Boolean, default: false },
      rootEmailRead: { type: Boolean, default: false },
      createdAt: { type: Date, required: true },
      lastEmailCreatedAt: { type: Date, required: true },
      subject: { type: String, default: '' },
      from: { type: new Schema({ email: String, name: String }, { _id: false }), default: null },
      labels: { type: [String], default: [] },
      hasDocuments: { type: Boolean, default: false },
      isReplied: { type: Boolean, default: false },
    },
    { collection: 'email_threads', versionKey: false },
  );
  schema.index({ organizationId: 1, queueId: 1, _id: 1 });
  const model = database.connection.model('EmailThread', schema);
  const toThread = ({ _id, ...row }: Row): Thread => ({ id: _id, ...row, from: (row.from as Address | null) ?? null });

  return {
    async insert(session: ClientSession, { id, ...thread }: Thread): Promise<void> {
      await model.updateOne({ _id: id }, { $setOnInsert: thread }, { upsert: true, session });
    },

    /** A further e-mail of a thread; an incoming one is a new reply. */
    async extend(
      session: ClientSession,
      id: number,
      { createdAt, type }: { readonly createdAt: Date; readonly type: 'incoming' | 'outgoing' },
    ): Promise<void> {
      const flags =
        type === 'incoming' ? { hasReplies: true, hasNewReplies: true } : { hasReplies: true, isReplied: true };
      await model.updateOne({ _id: id }, { $set: flags, $max: { lastEmailCreatedAt: createdAt } }, { session });
    },

    async setLabels(session: ClientSession, id: number, labels: readonly string[]): Promise<void> {
      await model.updateOne({ _id: id, rootEmailId: id }, { $set: { labels: [...labels] } }, { session });
    },

    async list(
      caller: Caller,
      filter: ThreadFilter,
      ordering: readonly string[],
      page: PageRequest,
    ): Promise<{ threads: Thread[]; total: number }> {
      const where = { $and: [visibleTo(caller), toConditions(filter)] };
      const [rows, total] = await Promise.all([
        findPage<Row>(model, where, toOrder(ordering, ORDERING), page),
        model.countDocuments(where),
      ]);
      return { threads: rows.map(toThread), total };
    },

    async findIds(
      caller: Caller,
      {
        ids,
        ...flags
      }: { readonly ids: readonly number[]; readonly hasReplies?: boolean; readonly hasNewReplies?: boolean },
    ): Promise<number[]> {
      const given = Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
      const where = { $and: [visibleTo(caller), given, ids.length > 0 ? { _id: { $in: [...ids] } } : {}] };
      return (await model.find(where, { _id: 1 }).lean<Row[]>()).map(({ _id }) => _id);
    },

    /** Null when the caller cannot see it. */
    async update(caller: Caller, id: number, hasNewReplies: boolean): Promise<Thread | null> {
      const row = await model
        .findOneAndUpdate(
          { $and: [visibleTo(caller), { _id: id }] },
          { $set: { hasNewReplies, ...(!hasNewReplies && { rootEmailRead: true }) } },
          { returnDocument: 'after' },
        )
        .lean<Row | null>();
      return row && toThread(row);
    },
  };
}

function toConditions(filter: ThreadFilter): Record<string, unknown> {
  const { hasRootEmail, hasReplies, hasNewReplies, recentWithNoDocumentsNotReplied: unanswered } = filter;
  const isUnanswered = {
    hasDocuments: false,
    isReplied: false,
    createdAt: { $gte: new Date(Date.now() - RECENT_MS) },
  };
  return {
    $and: [
      {
        ...(filter.ids.length > 0 && { _id: { $in: [...filter.ids] } }),
        ...(filter.queueIds.length > 0 && { queueId: { $in: [...filter.queueIds] } }),
        ...(hasRootEmail !== undefined && { rootEmailId: hasRootEmail ? { $ne: null } : null }),
        ...(hasReplies !== undefined && { hasReplies }),
        ...(hasNewReplies !== undefined && { hasNewReplies }),
        ...timesOf('createdAt', filter.createdAfter, filter.createdBefore),
        ...timesOf('lastEmailCreatedAt', filter.lastEmailCreatedAfter, filter.lastEmailCreatedBefore),
      },
      unanswered === undefined ? {} : unanswered ? isUnanswered : { $nor: [isUnanswered] },
    ],
  };
}
