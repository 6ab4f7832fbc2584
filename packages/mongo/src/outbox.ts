import { currentRequestId, currentTraceparent } from '@intake/service';
import { type ClientSession, Schema } from 'mongoose';
import type { Database } from './database';

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
}

/** The events that a service has promised and not yet published. */
export interface Outbox {
  /** Writes an event beside the change it tells of, in the change's transaction. The same id again is ignored. */
  add(
    session: ClientSession,
    event: { id: string; subject: string; payload: unknown; aggregate: string; version: number },
  ): Promise<void>;
  /** Rows not yet published, oldest first, versions of one aggregate in order. */
  findUnsent(limit: number): Promise<OutboxRow[]>;
  markSent(ids: readonly string[]): Promise<void>;
  /** Makes rows sent since `since` unsent again, because the bus lost them. Answers how many. */
  markUnsentSince(since: Date): Promise<number>;
  /** What the relay last knew of a stream, or null. */
  readMark(stream: string): Promise<StreamMark | null>;
  writeMark(stream: string, mark: StreamMark): Promise<void>;
  /** Age of the oldest unsent row in seconds, 0 when there is none. */
  lagSeconds(): Promise<number>;
  /** Calls `wake` whenever a row is added, until `close`. The change stream may end with an error when MongoDB goes away. */
  watch(wake: () => void, onError: (error: unknown) => void): { close(): Promise<void> };
}

/** How far a stream had come when something was last published to it: tells whether the bus lost data since. */
export interface StreamMark {
  /** When the stream was created, as the bus says it. */
  readonly created: string;
  /** Sequence of the last message that the bus acknowledged. */
  readonly lastSequence: number;
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
      sentAt: { type: Date, default: null },
    },
    { collection: 'outbox', versionKey: false, minimize: false },
  );
  schema.index({ sentAt: 1, at: 1 });
  schema.index({ sentAt: 1 }, { expireAfterSeconds: KEEP_SENT_S });
  const model = database.connection.model('Outbox', schema);
  const marks = database.connection.model(
    'StreamMark',
    new Schema(
      { _id: String, created: String, lastSequence: Number },
      { collection: 'stream_marks', versionKey: false },
    ),
  );

  return {
    async add(session, { id, ...event }) {
      await model.updateOne(
        { _id: id },
        {
          $setOnInsert: {
            ...event,
            at: new Date(),
            requestId: currentRequestId(),
            traceparent: currentTraceparent(),
            sentAt: null,
          },
        },
        { upsert: true, session },
      );
    },
    async findUnsent(limit) {
      const rows = await model.find({ sentAt: null }).sort({ at: 1 }).limit(limit).lean<OutboxRow[]>();
      return inOrder(rows);
    },
    async markSent(ids) {
      await model.updateMany({ _id: { $in: [...ids] } }, { $set: { sentAt: new Date() } });
    },
    async markUnsentSince(since) {
      const result = await model.updateMany({ sentAt: { $gte: since } }, { $set: { sentAt: null } });
      return result.modifiedCount;
    },
    async readMark(stream) {
      const mark = await marks.findById(stream).lean();
      return mark?.created ? { created: mark.created, lastSequence: mark.lastSequence ?? 0 } : null;
    },
    async writeMark(stream, mark) {
      await marks.updateOne({ _id: stream }, { $set: { ...mark } }, { upsert: true });
    },
    async lagSeconds() {
      const oldest = await model.findOne({ sentAt: null }).sort({ at: 1 }).select('at').lean<{ at: Date } | null>();
      return oldest ? Math.max(0, (Date.now() - oldest.at.getTime()) / 1000) : 0;
    },
    watch(wake, onError) {
      const stream = model.watch([{ $match: { operationType: 'insert' } }], { fullDocument: 'default' });
      stream.on('change', wake);
      stream.on('error', onError);
      return { close: () => stream.close() };
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
