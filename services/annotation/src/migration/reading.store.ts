import type { ClientSession, Database } from '@intake/mongo';
import type { Sources } from '@intake/schema';
import { Schema } from 'mongoose';

/** What the content of an annotation was made of. */
export interface Reading {
  readonly annotationId: number;
  /** The schema, and the version of it, whose shape the content has. */
  readonly schemaId: number;
  readonly schemaVersion: number;
  /** First values from the engine and from the upload, for fields that come later; null: none were kept. */
  readonly sources: Sources | null;
}

type Row = Omit<Reading, 'annotationId' | 'sources'> & { _id: number; sourcesJson: string | null };

/** A row of MongoDB has 16 MB. Of larger readings new fields get nothing. */
const MAX_SOURCES_BYTES = 15_000_000;

/** What contents were made of, in MongoDB. */
export type ReadingStore = ReturnType<typeof createReadingStore>;

export function createReadingStore(database: Database) {
  const model = database.connection.model(
    'Reading',
    new Schema(
      { _id: Number, schemaId: Number, schemaVersion: Number, sourcesJson: String },
      { collection: 'readings', versionKey: false },
    ),
  );
  const toReading = ({ _id, sourcesJson, ...row }: Row): Reading => ({
    annotationId: _id,
    ...row,
    sources: sourcesJson === null ? null : (JSON.parse(sourcesJson) as Sources),
  });

  return {
    async save(session: ClientSession, { annotationId, sources, ...reading }: Reading): Promise<void> {
      const json = sources && JSON.stringify(sources);
      const sourcesJson = json !== null && Buffer.byteLength(json) <= MAX_SOURCES_BYTES ? json : null;
      await model.replaceOne({ _id: annotationId }, { ...reading, sourcesJson }, { session, upsert: true });
    },
    async find(annotationId: number, session: ClientSession): Promise<Reading | null> {
      const row = await model.findById(annotationId, null, { session }).lean<Row | null>();
      return row && toReading(row);
    },
    /** Those of these annotations whose content has this shape already. */
    async findUpToDate(
      annotationIds: readonly number[],
      schemaId: number,
      schemaVersion: number,
    ): Promise<Set<number>> {
      const rows = await model
        .find({ _id: { $in: [...annotationIds] }, schemaId, schemaVersion })
        .select('_id')
        .lean<{ _id: number }[]>();
      return new Set(rows.map(({ _id }) => _id));
    },
    async remove(session: ClientSession, annotationIds: readonly number[]): Promise<void> {
      await model.deleteMany({ _id: { $in: [...annotationIds] } }, { session });
    },
  };
}
