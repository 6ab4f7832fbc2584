import type { ClientSession, Database } from '@intake/mongo';
import { Schema } from 'mongoose';

/** Where a value came from. */
export type Origin = 'engine' | 'upload' | 'email' | 'default' | 'person' | 'hook' | 'formula' | 'migration';

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
  readonly values?: readonly ChangedValue[];
}

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
      values: { type: [Schema.Types.Mixed], default: undefined },
    },
    { collection: 'history', versionKey: false },
  );
  schema.index({ annotationId: 1, version: 1 }, { unique: true });
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
      await model.collection.insertOne({ ...entry, ...(first.length > 0 && { values: first }) }, { session });
      const { annotationId, version } = entry;
      for (let at = VALUES_PER_ROW; values && at < values.length; at += VALUES_PER_ROW) {
        const part = { annotationId, version, values: values.slice(at, at + VALUES_PER_ROW) };
        await rest.collection.insertOne(part, { session });
      }
    },
    /** Oldest first. */
    async list(annotationId: number): Promise<HistoryEntry[]> {
      const [entries, parts] = await Promise.all([
        model.find({ annotationId }, { _id: 0 }).sort({ version: 1 }).lean<HistoryEntry[]>(),
        rest.find({ annotationId }).sort({ _id: 1 }).lean<{ version: number; values: ChangedValue[] }[]>(),
      ]);
      if (parts.length === 0) return entries;
      return entries.map((entry) => {
        const more = parts.filter(({ version }) => version === entry.version).flatMap(({ values }) => values);
        return more.length > 0 ? { ...entry, values: [...(entry.values ?? []), ...more] } : entry;
      });
    },
    /** Of a purged annotation only that something happened is kept. */
    async forgetValues(session: ClientSession, annotationId: number): Promise<void> {
      await model.updateMany({ annotationId }, { $unset: { values: 1 } }, { session });
      await rest.deleteMany({ annotationId }, { session });
    },
  };
}
