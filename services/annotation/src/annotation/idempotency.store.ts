import type { ClientSession, Database } from '@intake/mongo';
import { Refusal } from '@intake/rpc';
import { Schema } from 'mongoose';

const REMEMBER_S = 7 * 24 * 3600;

/** A request with a key. */
export interface Claim {
  readonly userId: number | null;
  readonly key: string;
  /** What is asked for: the same key may not ask for anything else. */
  readonly what: string;
}

/** Requests that were made with an Idempotency-Key. API: README.md section 5. */
export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>;

export function createIdempotencyStore(database: Database) {
  const schema = new Schema(
    { _id: String, what: String, at: Date, result: Number },
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
    /** What the same request made before; undefined: it is new. Other content: IDEMPOTENCY_CONFLICT. */
    async find({ userId, key, what }: Claim, session?: ClientSession): Promise<number | undefined> {
      const before = await model.findById(`${userId}/${key}`, null, { session }).lean();
      if (before && before.what !== what) throw new Refusal('IDEMPOTENCY_CONFLICT');
      return before?.result ?? undefined;
    },
    /** Notes what a request makes; answers what the same request made before, if it did. */
    async claimFor(session: ClientSession, claim: Claim, result: number): Promise<number | undefined> {
      const before = await this.find(claim, session);
      if (before !== undefined) return before;
      const { userId, key, what } = claim;
      await model.create([{ _id: `${userId}/${key}`, what, at: new Date(), result }], { session });
      return undefined;
    },
  };
}
