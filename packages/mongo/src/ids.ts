import { Schema } from 'mongoose';
import type { Database } from './database';

/** Hands out integer ids: positive, increasing, never used twice; a failed transaction leaves a gap. */
export interface Ids {
  /** Takes `count` ids in a row and answers the first. */
  next(sequence: string, count?: number): Promise<number>;
}

/** Ids of one service's objects, one sequence each. API: README.md section 7. */
export function createIds(database: Database): Ids {
  const counters = database.connection.model(
    'Counter',
    new Schema({ _id: String, value: { type: Number, required: true } }, { collection: 'counters', versionKey: false }),
  );
  return {
    async next(sequence, count = 1) {
      const after = await counters
        .findOneAndUpdate({ _id: sequence }, { $inc: { value: count } }, { upsert: true, returnDocument: 'after' })
        .lean();
      return (after?.value ?? 0) - count + 1;
    },
  };
}
