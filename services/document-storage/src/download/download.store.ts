import type { ClientSession, Database } from '@intake/mongo';
import { type Caller, organizationOf } from '@intake/rpc';
import { Schema } from 'mongoose';

/** Documents to be fetched together. API: documents-and-uploads.md section 4. */
export interface Download {
  readonly id: number;
  readonly organizationId: number;
  readonly creatorId: number | null;
  readonly fileName: string;
  readonly expiresAt: Date;
  readonly documentIds: readonly number[];
  /** False: the only document itself. */
  readonly zip: boolean;
}

export type DownloadStore = ReturnType<typeof createDownloadStore>;

/** Downloads; only their creator sees them. */
export function createDownloadStore(database: Database) {
  const schema = new Schema(
    {
      _id: Number,
      organizationId: Number,
      creatorId: { type: Number, default: null },
      fileName: String,
      expiresAt: Date,
      documentIds: [Number],
      zip: Boolean,
    },
    { collection: 'downloads', versionKey: false },
  );
  schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
  const model = database.connection.model('Download', schema);

  return {
    async insert(session: ClientSession, { id, ...download }: Download): Promise<void> {
      await model.collection.insertOne({ _id: id, ...download } as never, { session });
    },
    /** Null when it is not the caller's, or its life is over. */
    async find(caller: Caller, id: number, now: Date): Promise<Download | null> {
      const mine = { organizationId: organizationOf(caller), creatorId: caller.userId };
      const row = await model
        .findOne({ _id: id, ...mine, expiresAt: { $gt: now } })
        .lean<Omit<Download, 'id'> & { _id: number }>();
      if (!row) return null;
      const { _id, ...download } = row;
      return { id: _id, ...download };
    },
  };
}
