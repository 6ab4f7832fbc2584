import type { ClientSession, Database } from '@intake/mongo';
import { Schema } from 'mongoose';

/** One change of an annotation, of its state or of its content. Versions of an annotation count from 1 without gaps. */
export interface HistoryEntry {
  readonly annotationId: number;
  readonly version: number;
  /** Trigger of the lifecycle, `open`, `update` or `content`. */
  readonly trigger: string;
  readonly from: string;
  readonly to: string;
  readonly actorId: number | null;
  /** `user`, or the service that acted. */
  readonly actor: string;
  readonly at: Date;
  /** Values that changed, for `content`. */
  readonly values?: readonly { nodeId: number; schemaId: string; before: string | null; after: string | null }[];
}

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
  return {
    async add(session: ClientSession, entry: HistoryEntry): Promise<void> {
      await model.collection.insertOne({ ...entry }, { session });
    },
    list: (annotationId: number): Promise<HistoryEntry[]> =>
      model.find({ annotationId }, { _id: 0 }).sort({ version: 1 }).lean<HistoryEntry[]>(),
  };
}
