import type { Backbone } from '@intake/bus';
import { isDuplicateKey } from '@intake/mongo';
import { Schema } from 'mongoose';

interface Row {
  readonly _id: string;
  readonly attempts: readonly { readonly ticket: string; readonly at: Date }[];
  readonly now: Date;
}

/** What came of asking for one more attempt. */
export interface Begun {
  readonly admitted: boolean;
  /** Attempts of the last minute, this one too when it was admitted. */
  readonly count: number;
  /** Whole seconds until one more would be admitted. */
  readonly retryAfterS: number;
}

const WINDOW_S = 60;
/** Where there is no limit, no more than these are remembered. */
const MOST_REMEMBERED = 20;

/** Attempts at passwords in the last minute, by MongoDB's clock, so that all replicas count together. */
export type AttemptStore = ReturnType<typeof createAttemptStore>;

export function createAttemptStore({ database }: Pick<Backbone, 'database'>) {
  const schema = new Schema(
    { _id: String, attempts: [{ _id: false, ticket: String, at: Date }], now: Date, until: Date },
    { collection: 'attempts', versionKey: false },
  );
  schema.index({ until: 1 }, { expireAfterSeconds: 0 });
  const model = database.connection.model('Attempt', schema);

  const add = async (key: string, ticket: string, limit: number): Promise<Row | null> => {
    const edge = { $dateSubtract: { startDate: '$$NOW', unit: 'second' as const, amount: WINDOW_S } };
    const until = { $dateAdd: { startDate: '$$NOW', unit: 'second' as const, amount: WINDOW_S } };
    const young = {
      $filter: { input: { $ifNull: ['$attempts', []] }, as: 'one', cond: { $gt: ['$$one.at', edge] } },
    };
    const withThis = { $concatArrays: ['$attempts', [{ ticket: { $literal: ticket }, at: '$$NOW' }]] };
    const next =
      limit === 0
        ? { $slice: [withThis, -MOST_REMEMBERED] }
        : { $cond: [{ $lt: [{ $size: '$attempts' }, limit] }, withThis, '$attempts'] };
    return model
      .findOneAndUpdate(
        { _id: key },
        [{ $set: { attempts: young } }, { $set: { attempts: next, now: '$$NOW', until } }],
        { upsert: true, returnDocument: 'after', updatePipeline: true },
      )
      .lean<Row | null>();
  };

  return {
    /**
     * Counts an attempt unless there were `limit` in the last minute (0: there is no limit).
     *
     * @param ticket by which `end` knows it
     */
    async begin(key: string, ticket: string, limit: number): Promise<Begun> {
      const row = await add(key, ticket, limit).catch((error) => {
        // Somebody else was the first with this key at the same moment.
        if (isDuplicateKey(error)) return add(key, ticket, limit);
        throw error;
      });
      const attempts = row?.attempts ?? [];
      const oldest = attempts[0]?.at.getTime() ?? 0;
      const left = (oldest + WINDOW_S * 1000 - (row?.now.getTime() ?? 0)) / 1000;
      return {
        admitted: attempts.some((one) => one.ticket === ticket),
        count: attempts.length,
        retryAfterS: Math.max(1, Math.ceil(left)),
      };
    },

    /** Forgets an attempt: it was no guess. */
    async end(key: string, ticket: string): Promise<void> {
      await model.updateOne({ _id: key }, { $pull: { attempts: { ticket } } });
    },
  };
}
