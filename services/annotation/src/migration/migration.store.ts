import type { ClientSession, Database } from '@intake/mongo';
import { Schema } from 'mongoose';

/** The annotations of a schema follow it to a version. */
export interface Migration {
  readonly schemaId: number;
  readonly organizationId: number;
  readonly version: number;
  /** Annotations up to this id are done. */
  readonly afterId: number;
  /** 1, then 2: what was made meanwhile from the version before. */
  readonly pass: number;
  readonly due: Date;
}

type Row = Omit<Migration, 'schemaId'> & { _id: number };

/** Migrations under way, in MongoDB: whoever goes on with one goes on where it was left. */
export type MigrationStore = ReturnType<typeof createMigrationStore>;

export function createMigrationStore(database: Database) {
  const schema = new Schema(
    { _id: Number, organizationId: Number, version: Number, afterId: Number, pass: Number, due: Date },
    { collection: 'migrations', versionKey: false },
  );
  schema.index({ due: 1 });
  const model = database.connection.model('Migration', schema);
  const annotations = () => database.connection.model('Annotation');

  return {
    /** Begins a migration, or begins it anew with a later version. An earlier one changes nothing. */
    async begin(
      session: ClientSession,
      { schemaId, organizationId, version }: Pick<Migration, 'schemaId' | 'organizationId' | 'version'>,
    ): Promise<void> {
      const known = await model.findById(schemaId, null, { session }).lean<Row | null>();
      if (known && known.version >= version) return;
      const row = { organizationId, version, afterId: 0, pass: 1, due: new Date() };
      await model.replaceOne({ _id: schemaId }, row, { session, upsert: true });
    },
    /** The one that waits longest. */
    async findDue(now: Date): Promise<Migration | null> {
      const row = await model
        .findOne({ due: { $lte: now } })
        .sort({ due: 1 })
        .lean<Row | null>();
      if (!row) return null;
      const { _id, ...rest } = row;
      return { schemaId: _id, ...rest };
    },
    /** Notes how far it got; one that was begun anew meanwhile stays as it is. */
    async proceed({ schemaId, version }: Migration, change: Partial<Omit<Migration, 'schemaId'>>): Promise<void> {
      await model.updateOne({ _id: schemaId, version }, { $set: change });
    },
    async finish({ schemaId, version }: Migration): Promise<void> {
      await model.deleteOne({ _id: schemaId, version });
    },
    /** Ids of the annotations that come next. */
    async findAnnotations({ schemaId, afterId }: Migration, limit: number): Promise<number[]> {
      const rows = await annotations()
        .find({ schemaId, _id: { $gt: afterId }, status: { $ne: 'purged' } })
        .sort({ _id: 1 })
        .limit(limit)
        .select('_id')
        .lean<{ _id: number }[]>();
      return rows.map(({ _id }) => _id);
    },
  };
}
