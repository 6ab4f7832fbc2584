import type { ClientSession, Database } from '@intake/mongo';
import { Refusal } from '@intake/rpc';
import { Schema } from 'mongoose';

const REMEMBER_S = 7 * 24 * 3600;

/** Requests that were made with an Idempotency-Key. API: README.md section 5. */
export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>;

export function createIdempotencyStore(database: Database) {
  const schema = new Schema(
    { _id: String, what: String, at: Date },
    { collection: 'idempotency_keys', versionKey: false },
  );
  schema.index({ at: 1 }, { expireAfterSeconds: REMEMBER_S });
  const model = database.connection.model('IdempotencyKey', schema);
  return {
    /** True when this user's key is new; false when the same request was already done. Other content: IDEMPOTENCY_CONFLICT. */
    async claim(session: ClientSession, userId: number | null, key: string, what: string): Promise<boolean> {
      const _id = `${userId}/${key}`;
      const before = await model.findOne({ _id }, null, { session }).lean();
      if (before && before.what !== what) throw new Refusal('IDEMPOTENCY_CONFLICT');
      if (before) return false;
      await model.create([{ _id, what, at: new Date() }], { session });
      return true;
    },
  };
}
