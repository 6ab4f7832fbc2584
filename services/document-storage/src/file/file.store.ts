import { type ClientSession, type Database, rowsOf } from '@intake/mongo';
import { Schema } from 'mongoose';
import type { StoredFile } from './file';

/** Rows of the files in the object store. Whoever needs a file holds it; one that nobody holds is an orphan. */
export interface FileStore {
  begin(file: Pick<StoredFile, 'key' | 'organizationId' | 'fileName'>): Promise<void>;
  finish(file: StoredFile): Promise<void>;
  /** Files that are completely stored, in the order of the keys; unknown ones are left out. */
  findStored(keys: readonly string[]): Promise<StoredFile[]>;
  /** All files that are completely stored, in the order of the keys. */
  listStored(): AsyncIterable<StoredFile>;
  /** Whether there is a row of a file, completely stored or not. */
  isKnown(key: string): Promise<boolean>;
  /**
   * Takes files for `holder`, in a transaction or, with null, one by one; false when one of them is not there, or another
   * holds it. The same holder again is fine.
   */
  hold(session: ClientSession | null, keys: readonly string[], holder: string): Promise<boolean>;
  /** Marks a file that nobody holds as going; nobody can take it any more. False when it is held or unknown. */
  startRemoving(key: string): Promise<boolean>;
  /** The same for one file that nobody has held since `before` (and for one whose removal was interrupted); null: there is none. */
  startRemovingOrphan(before: Date): Promise<string | null>;
  forget(key: string): Promise<void>;
  /** Nobody needs a file any more that was held (by `holder`, when it is given): the sweep removes it. */
  release(session: ClientSession | null, key: string, holder?: string): Promise<void>;
  /** Forgets a file that was held and whose bytes are gone. */
  drop(session: ClientSession, key: string): Promise<void>;
}

type Row = Omit<StoredFile, 'key'> & {
  readonly _id: string;
  readonly state: 'writing' | 'stored' | 'removing';
  readonly holder: string | null;
  readonly createdAt: Date;
};

/** Rows of one service's database. */
export function createFileStore(database: Database): FileStore {
  const schema = new Schema(
    {
      _id: String,
      organizationId: { type: Number, default: null },
      fileName: { type: String, default: '' },
      mimeType: { type: String, default: '' },
      size: { type: Number, default: 0 },
      sha256: { type: String, default: '' },
      md5: { type: String, default: '' },
      state: { type: String, enum: ['writing', 'stored', 'removing'], required: true },
      holder: { type: String, default: null },
      createdAt: { type: Date, required: true },
    },
    { collection: 'stored_files', versionKey: false },
  );
  schema.index({ createdAt: 1 }, { partialFilterExpression: { holder: null } });
  const model = database.connection.model('StoredFile', schema);
  const rows = rowsOf<Row>(database, 'stored_files');

  return {
    async begin({ key, ...file }) {
      const empty = { mimeType: '', size: 0, sha256: '', md5: '', holder: null };
      await rows.insertOne({ _id: key, ...file, ...empty, state: 'writing', createdAt: new Date() });
    },
    async finish({ key, mimeType, size, sha256, md5 }) {
      const result = await rows.updateOne(
        { _id: key, state: 'writing' },
        { $set: { mimeType, size, sha256, md5, state: 'stored' } },
      );
      if (result.matchedCount !== 1) throw new Error(`stored file ${key} has gone while it was written`);
    },
    async findStored(keys) {
      const found = await rows.find({ _id: { $in: [...keys] }, state: 'stored' }).toArray();
      const byKey = new Map(found.map((row) => [row._id, row]));
      return keys.flatMap((key) => {
        const row = byKey.get(key);
        if (!row) return [];
        const { organizationId, fileName, mimeType, size, sha256, md5 } = row;
        return [{ key, organizationId, fileName, mimeType, size, sha256, md5 }];
      });
    },
    async *listStored() {
      for await (const { _id, organizationId, fileName, mimeType, size, sha256, md5 } of rows
        .find({ state: 'stored' })
        .sort({ _id: 1 }))
        yield { key: _id, organizationId, fileName, mimeType, size, sha256, md5 };
    },
    isKnown: async (key) => (await rows.countDocuments({ _id: key }, { limit: 1 })) > 0,
    async hold(session, keys, holder) {
      const result = await rows.updateMany(
        { _id: { $in: [...keys] }, state: 'stored', holder: { $in: [null, holder] } },
        { $set: { holder } },
        { session: session ?? undefined },
      );
      return result.matchedCount === new Set(keys).size;
    },
    async startRemoving(key) {
      const result = await model.updateOne({ _id: key, holder: null }, { $set: { state: 'removing' } });
      return result.matchedCount === 1;
    },
    async startRemovingOrphan(before) {
      const row = await model
        .findOneAndUpdate(
          { holder: null, createdAt: { $lt: before } },
          { $set: { state: 'removing' } },
          { returnDocument: 'after' },
        )
        .lean();
      return row?._id ?? null;
    },
    async drop(session, key) {
      await model.deleteOne({ _id: key }, { session });
    },
    async release(session, key, holder) {
      const which = { _id: key, ...(holder !== undefined && { holder }) };
      await rows.updateOne(which, { $set: { holder: null } }, { session: session ?? undefined });
    },
    async forget(key) {
      await model.deleteOne({ _id: key, holder: null });
    },
  };
}
