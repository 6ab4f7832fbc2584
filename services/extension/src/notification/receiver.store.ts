import type { Database } from '@intake/mongo';
import { Schema } from 'mongoose';

/** Since when every notification of a hook has failed. */
export type ReceiverStore = ReturnType<typeof createReceiverStore>;

export function createReceiverStore(database: Database) {
  const model = database.connection.model(
    'Receiver',
    new Schema({ _id: Number, failingSince: Date }, { collection: 'receivers', versionKey: false }),
  );
  return {
    async noteSuccess(hookId: number): Promise<void> {
      await model.deleteOne({ _id: hookId });
    },
    /** Answers since when it has been failing. */
    async noteFailure(hookId: number): Promise<Date> {
      const row = await model
        .findOneAndUpdate(
          { _id: hookId },
          { $setOnInsert: { failingSince: new Date() } },
          { upsert: true, returnDocument: 'after' },
        )
        .lean<{ failingSince: Date } | null>();
      return row?.failingSince ?? new Date();
    },
  };
}
