import { currentRequestId, currentTraceparent } from '@intake/service';
import { type ClientSession, Schema } from 'mongoose';
import { type Database, rowsOf } from './database';

/** An event as it waits to be published. */
export interface OutboxRow {
  /** Deterministic: `<aggregate>:<id>:<version>`, also the bus's message id. */
  readonly _id: string;
  readonly subject: string;
  /** JSON form of the payload. */
  readonly payload: unknown;
  /** What keeps its order: rows of one aggregate are published one after the other. */
  readonly aggregate: string;
  readonly version: number;
  readonly at: Date;
  readonly requestId?: string;
  readonly traceparent?: string;
  /** Further headers of the message. */
  readonly headers?: Readonly<Record<string, string>>;
  /** It had been published before, and the bus lost it. */
  readonly again?: boolean;
}

/** An event before it is written. */
export interface NewOutboxRow {
  readonly id: string;
  readonly subject: string;
  readonly payload: unknown;
  readonly aggregate: string;
  readonly version: number;
}

/** The events that a service has promised and not yet published. */
export interface Outbox {
  /** Adds an event to the change it tells of: it is written when the transaction of `session` is committed. The same id
   * again is ignored. */
  add(session: ClientSession, event: NewOutboxRow): void;
  /** Calls `listener` whenever a transaction of this process has added rows. */
  onAdded(listener: () => void): void;
  /** Rows not yet published, oldest first, versions of one aggregate in order; without those of which the caller knows better. */
  findUnsent(limit: number, except?: readonly string[]): Promise<OutboxRow[]>;
  /** Notes where in its stream each row now is. A lost note only means that the row is published again. */
  markSent(rows: readonly { readonly id: string; readonly sequence: number }[]): Promise<void>;
  /** The row sent last whose subject does not match `except`, with its sequence in the stream; null when there is none. */
  findLastSent(except: RegExp, since: Date): Promise<{ id: string; sequence: number } | null>;
  /** Makes rows sent since `since` unsent again, because the bus lost them. Answers how many. */
  markUnsentSince(since: Date): Promise<number>;
  /** When a stream had been created, as it was last seen, or null. */
  readCreation(stream: string): Promise<string | null>;
  writeCreation(stream: string, created: string): Promise<void>;
  /** Age of the oldest unsent row in seconds, 0 when there is none. */
  lagSeconds(): Promise<number>;
}

interface StoredRow extends OutboxRow {
  readonly sentAt: Date | null;
  readonly sequence?: number;
}

/** How long sent rows are kept, so that they can be published again when the bus loses its data: seconds. */
const KEEP_SENT_S = 3 * 24 * 3600;

/** The outbox of one service's database. */
export function createOutbox(database: Database): Outbox {
  const schema = new Schema(
    {
      _id: String,
      subject: { type: String, required: true },
      payload: { type: Schema.Types.Mixed, required: true },
      aggregate: { type: String, required: true },
      version: { type: Number, required: true },
      at: { type: Date, required: true },
      requestId: String,
      traceparent: String,
      headers: Schema.Types.Mixed,
      sentAt: { type: Date, default: null },
      sequence: Number,
      again: Boolean,
    },
    { collection: 'outbox', versionKey: false, minimize: false },
  );
  schema.index({ sentAt: 1, at: 1 });
  schema.index({ sentAt: 1 }, { expireAfterSeconds: KEEP_SENT_S });
  const model = database.connection.model('Outbox', schema);
  const streams = database.connection.model(
    'Stream',
    new Schema({ _id: String, created: String }, { collection: 'streams', versionKey: false }),
  );
  const collection = rowsOf<StoredRow>(database, 'outbox');
  const added = new WeakMap<ClientSession, StoredRow[]>();
  const listeners: (() => void)[] = [];
  database.commitHooks.push({
    async before(session) {
      const rows = added.get(session);
      if (!rows) return;
      await collection.bulkWrite(
        rows.map(({ _id, ...row }) => ({
          updateOne: { filter: { _id }, update: { $setOnInsert: row }, upsert: true },
        })),
        { session },
      );
    },
    after(session) {
      if (added.has(session)) for (const listener of listeners) listener();
    },
  });
  return {
    add(session, { id, ...event }) {
      const row = {
        _id: id,
        ...event,
        at: new Date(),
        requestId: currentRequestId(),
        traceparent: currentTraceparent(),
        sentAt: null,
      };
      const rows = added.get(session);
      if (rows) rows.push(row);
      else added.set(session, [row]);
    },
    onAdded: (listener) => void listeners.push(listener),
    async findUnsent(limit, except = []) {
      const unsent = { sentAt: null, ...(except.length > 0 && { _id: { $nin: [...except] } }) };
      return inOrder(await collection.find(unsent).sort({ at: 1 }).limit(limit).toArray());
    },
    async markSent(rows) {
      const sentAt = new Date();
      await collection.bulkWrite(
        rows.map(({ id, sequence }) => ({
          updateOne: { filter: { _id: id }, update: { $set: { sentAt, sequence } } },
        })),
        { ordered: false },
      );
    },
    async findLastSent(except, since) {
      const rows = await model
        .find({ sentAt: { $gte: since }, sequence: { $gt: 0 }, subject: { $not: except } })
        .sort({ sentAt: -1 })
        .limit(500)
        .select('sequence')
        .lean<{ _id: string; sequence: number }[]>();
      const last = rows.reduce((a, b) => (b.sequence > a.sequence ? b : a), rows[0] ?? { _id: '', sequence: 0 });
      return rows.length > 0 ? { id: last._id, sequence: last.sequence } : null;
    },
    async markUnsentSince(since) {
      const result = await model.updateMany(
        { sentAt: { $gte: since } },
        { $set: { sentAt: null, again: true }, $unset: { sequence: 1 } },
      );
      return result.modifiedCount;
    },
    async readCreation(stream) {
      return (await streams.findById(stream).lean())?.created ?? null;
    },
    async writeCreation(stream, created) {
      await streams.updateOne({ _id: stream }, { $set: { created } }, { upsert: true });
    },
    async lagSeconds() {
      const oldest = await model.findOne({ sentAt: null }).sort({ at: 1 }).select('at').lean<{ at: Date } | null>();
      return oldest ? Math.max(0, (Date.now() - oldest.at.getTime()) / 1000) : 0;
    },
  };
}

/** Keeps the order of time, but never a later version of an aggregate before an earlier one (clocks of replicas differ). */
function inOrder(rows: OutboxRow[]): OutboxRow[] {
  const versions = new Map<string, OutboxRow[]>();
  for (const row of rows) {
    const own = versions.get(row.aggregate) ?? [];
    own.push(row);
    versions.set(row.aggregate, own);
  }
  for (const own of versions.values()) own.sort((a, b) => a.version - b.version);
  return rows.map((row) => versions.get(row.aggregate)?.shift() as OutboxRow);
}
