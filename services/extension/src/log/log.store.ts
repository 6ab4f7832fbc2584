import { among, type ClientSession, type Database, escapePattern } from '@intake/mongo';
import { type Caller, organizationOf } from '@intake/rpc';
import { Schema } from 'mongoose';

/** What happened at one call of a hook. API: hooks-and-connectors.md section 6. */
export interface LogRecord {
  /** Of this record. */
  readonly uuid: string;
  /** Of the call: the same for all its attempts. */
  readonly requestId: string;
  readonly organizationId: number;
  readonly hookId: number;
  readonly hookType: string;
  readonly queueId: number | null;
  readonly annotationId: number | null;
  readonly emailId: number | null;
  readonly event: string;
  readonly action: string;
  readonly start: Date;
  readonly end: Date | null;
  readonly level: 'INFO' | 'ERROR' | 'WARNING';
  readonly message: string;
  /** As it was sent, without tokens and secrets; null: not kept. */
  readonly request: string | null;
  readonly response: string | null;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly status: 'waiting' | 'running' | 'completed' | 'cancelled' | 'failed';
  readonly statusCode: number | null;
}

/** Which records are wanted; empty lists and absent values: any. */
export interface LogFilter {
  readonly requestId?: string;
  readonly levels: readonly string[];
  readonly hookIds: readonly number[];
  readonly queueIds: readonly number[];
  readonly annotationIds: readonly number[];
  readonly emailIds: readonly number[];
  readonly statuses: readonly string[];
  readonly statusCodes: readonly number[];
  readonly startAfter?: Date;
  readonly startBefore?: Date;
  /** Stands in the message, the request or the response, in any case. */
  readonly search?: string;
}

/** How long records are kept, in seconds. API: limits.md. */
const KEEP_S = 7 * 24 * 3600;

/** The log of calls, always of the caller's organization. */
export type LogStore = ReturnType<typeof createLogStore>;

export function createLogStore(database: Database) {
  const { Mixed } = Schema.Types;
  const schema = new Schema(
    {
      _id: String,
      requestId: String,
      organizationId: Number,
      hookId: Number,
      hookType: String,
      queueId: Number,
      annotationId: Number,
      emailId: Number,
      event: String,
      action: String,
      start: Date,
      end: Date,
      level: String,
      message: String,
      request: String,
      response: String,
      settings: Mixed,
      status: String,
      statusCode: Number,
    },
    { collection: 'logs', versionKey: false, minimize: false },
  );
  schema.index({ organizationId: 1, start: -1 });
  schema.index({ organizationId: 1, hookId: 1, start: -1 });
  schema.index({ requestId: 1 });
  schema.index({ start: 1 }, { expireAfterSeconds: KEEP_S });
  const model = database.connection.model('Log', schema);

  return {
    async add(records: readonly LogRecord[], session?: ClientSession): Promise<void> {
      if (records.length === 0) return;
      const rows = records.map(({ uuid, ...record }) => ({ _id: uuid, ...record }));
      await model.collection.insertMany(rows as never[], { session });
    },
    /** Newest first. */
    async list(caller: Caller, filter: LogFilter, limit: number): Promise<LogRecord[]> {
      const { requestId, startAfter, startBefore, search } = filter;
      const pattern = search && { $regex: escapePattern(search), $options: 'i' };
      const rows = await model
        .find({
          $and: [
            { organizationId: organizationOf(caller) },
            requestId ? { requestId } : {},
            among('level', filter.levels),
            among('hookId', filter.hookIds),
            among('queueId', filter.queueIds),
            among('annotationId', filter.annotationIds),
            among('emailId', filter.emailIds),
            among('status', filter.statuses),
            among('statusCode', filter.statusCodes),
            startAfter ? { start: { $gte: startAfter } } : {},
            startBefore ? { start: { $lt: startBefore } } : {},
            pattern ? { $or: [{ message: pattern }, { request: pattern }, { response: pattern }] } : {},
          ],
        })
        .sort({ start: -1, _id: 1 })
        .limit(limit)
        .maxTimeMS(5000)
        .lean<(Omit<LogRecord, 'uuid'> & { _id: string })[]>();
      return rows.map(({ _id, ...row }) => ({ uuid: _id, ...row }));
    },
  };
}
