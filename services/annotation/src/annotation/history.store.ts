import type { annotation } from '@intake/contracts';
import { type ClientSession, type Database, FILLED, type PageRequest, toWindow } from '@intake/mongo';
import { Schema } from 'mongoose';

type FieldFigures = annotation.FieldFigures;

/** Where a value came from. */
export type Origin =
  | 'engine'
  | 'e_invoice'
  | 'upload'
  | 'email'
  | 'default'
  | 'person'
  | 'hook'
  | 'formula'
  | 'automation'
  | 'migration';

/** A value that a change made, replaced or removed. */
export interface ChangedValue {
  readonly nodeId: number;
  readonly schemaId: string;
  /** Null: there was no such datapoint. */
  readonly before: string | null;
  /** Null: the datapoint is gone. */
  readonly after: string | null;
  readonly origin: Origin;
}

/** One change of an annotation, of its state or of its content. Versions of an annotation count from 1 without gaps. */
export interface HistoryEntry {
  readonly annotationId: number;
  readonly version: number;
  /** Trigger of the lifecycle, `open`, `update`, `move`, `content` or `migrate`. */
  readonly trigger: string;
  readonly from: string;
  readonly to: string;
  readonly actorId: number | null;
  /** `user`, or the service that acted. */
  readonly actor: string;
  readonly at: Date;
  /** What it adds to the counts of queues; of a change of status or queue. */
  readonly counts?: readonly StatusCount[];
  readonly values?: readonly ChangedValue[];
  /** Of an export. */
  readonly exported?: ExportFigures;
}

/** How many annotations of a queue have a status, or how many more. */
export interface StatusCount {
  readonly queueId: number;
  readonly status: string;
  readonly count: number;
}

/** What the usage report says of the fields of an exported annotation. */
export interface ExportFigures {
  readonly schemaId: number;
  readonly fields: readonly FieldFigures[];
}

/** Triggers of changes that are no changes of state: nobody is told of them. */
const UNTOLD = ['content', 'extract', 'update', 'move', 'migrate'];
/** States whose every entry the usage report counts. */
const COUNTED = ['rejected', 'deleted', 'exported'];

/** Fields that are no part of an entry as it is told. */
const UNTOLD_FIELDS = { _id: 0, counts: 0, countedAt: 0 };

/** Values that one row holds: a row of MongoDB has 16 MB, and a value up to 1500 characters, twice. */
const VALUES_PER_ROW = 1000;

/** The audit trail of all annotations. */
export type HistoryStore = ReturnType<typeof createHistoryStore>;

export function createHistoryStore(database: Database) {
  const schema = new Schema(
    {
      annotationId: Number,
      version: Number,
      trigger: String,
      from: String,
      to: String,
      actorId: { type: Number, default: null },
      actor: String,
      at: Date,
      counts: { type: [Schema.Types.Mixed], default: undefined },
      /** When the transaction was under way, by the clock. */
      countedAt: Date,
      values: { type: [Schema.Types.Mixed], default: undefined },
      exported: Schema.Types.Mixed,
    },
    { collection: 'history', versionKey: false },
  );
  schema.index({ annotationId: 1, version: 1 }, { unique: true });
  schema.index({ 'counts.queueId': 1, countedAt: 1 }, { partialFilterExpression: { countedAt: FILLED.date } });
  const model = database.connection.model('History', schema);
  /** What does not fit into the row of a change. */
  const restSchema = new Schema(
    { annotationId: Number, version: Number, values: [Schema.Types.Mixed] },
    { collection: 'history_values', versionKey: false },
  );
  restSchema.index({ annotationId: 1, version: 1 });
  const rest = database.connection.model('HistoryValues', restSchema);

  return {
    async add(session: ClientSession, { values, ...entry }: HistoryEntry): Promise<void> {
      const first = values?.slice(0, VALUES_PER_ROW) ?? [];
      const row = {
        ...entry,
        ...(entry.counts && { countedAt: new Date() }),
        ...(first.length > 0 && { values: first }),
      };
      await model.collection.insertOne(row, { session });
      const { annotationId, version } = entry;
      for (let at = VALUES_PER_ROW; values && at < values.length; at += VALUES_PER_ROW) {
        const part = { annotationId, version, values: values.slice(at, at + VALUES_PER_ROW) };
        await rest.collection.insertOne(part, { session });
      }
    },
    /** Oldest first. */
    async list(annotationId: number, page: PageRequest): Promise<{ entries: HistoryEntry[]; total: number }> {
      const { skip, limit } = toWindow(page);
      const [entries, total] = await Promise.all([
        model.find({ annotationId }, UNTOLD_FIELDS).sort({ version: 1 }).skip(skip).limit(limit).lean<HistoryEntry[]>(),
        model.countDocuments({ annotationId }),
      ]);
      const versions = entries.map(({ version }) => version);
      const parts = await rest
        .find({ annotationId, version: { $in: versions } })
        .sort({ _id: 1 })
        .lean<{ version: number; values: ChangedValue[] }[]>();
      const complete = entries.map((entry) => {
        const more = parts.filter(({ version }) => version === entry.version).flatMap(({ values }) => values);
        return more.length > 0 ? { ...entry, values: [...(entry.values ?? []), ...more] } : entry;
      });
      return { entries: complete, total };
    },
    /** What changes of status and queue have added to the counts of queues, of each since its time; and how many changes. */
    async sumCounts(
      since: readonly { readonly queueId: number; readonly at: Date }[],
      session?: ClientSession,
    ): Promise<(StatusCount & { changes: number })[]> {
      const which = since.map(({ queueId, at }) => ({ 'counts.queueId': queueId, countedAt: { $gt: at } }));
      const groups = await model
        .aggregate<{ _id: { queueId: number; status: string }; count: number; changes: number }>([
          { $match: { $or: which } },
          { $unwind: '$counts' },
          // Of a move between two queues each has its own time.
          { $match: { $or: which } },
          {
            $group: {
              _id: { queueId: '$counts.queueId', status: '$counts.status' },
              count: { $sum: '$counts.count' },
              changes: { $sum: 1 },
            },
          },
        ])
        .session(session ?? null);
      return groups.map(({ _id, count, changes }) => ({ ..._id, count, changes }));
    },
    /** Newest first, of each annotation: the change that led to its present state, and every rejection, deletion and export. */
    async listStateChanges(annotationIds: readonly number[]): Promise<HistoryEntry[]> {
      const told = { annotationId: { $in: [...annotationIds] }, trigger: { $nin: UNTOLD } };
      const latest = new Set<number>();
      const found = model.find(told, { ...UNTOLD_FIELDS, values: 0 }).sort({ annotationId: 1, version: -1 });
      return (await found.lean<HistoryEntry[]>()).filter(({ annotationId, from, to }) => {
        const isLatest = !latest.has(annotationId);
        latest.add(annotationId);
        return isLatest || (from !== to && COUNTED.includes(to));
      });
    },
    /** Of a purged annotation only that something happened is kept. */
    async forgetValues(session: ClientSession, annotationId: number): Promise<void> {
      await model.updateMany({ annotationId }, { $unset: { values: 1 } }, { session });
      await rest.deleteMany({ annotationId }, { session });
    },
  };
}
