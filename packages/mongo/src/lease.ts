import { randomUUID } from 'node:crypto';
import { Schema } from 'mongoose';
import { type Database, isDuplicateKey } from './database';

/** The right to do something alone for a while. */
export interface Lease {
  /** Grows with every new holder: a write that names an older one is refused by whoever checks it. */
  readonly token: number;
  /** False when the lease was lost meanwhile. */
  renew(): Promise<boolean>;
  release(): Promise<void>;
}

/** Hands out leases, judged by MongoDB's clock. */
export interface Leases {
  /** The lease, or null while another holder has it. */
  acquire(name: string, ttlMs: number): Promise<Lease | null>;
}

/** Leases kept in one service's database. */
export function createLeases(database: Database): Leases {
  const model = database.connection.model(
    'Lease',
    new Schema(
      { _id: String, holder: String, token: { type: Number, default: 0 }, until: Date },
      { collection: 'leases', versionKey: false },
    ),
  );
  const later = (ttlMs: number) => ({ $dateAdd: { startDate: '$$NOW', unit: 'millisecond' as const, amount: ttlMs } });

  return {
    async acquire(name, ttlMs) {
      const holder = randomUUID();
      const free = { $or: [{ $eq: [{ $type: '$until' }, 'missing'] }, { $lt: ['$until', '$$NOW'] }] };
      // One update that changes nothing while the lease is held: MongoDB refuses such a condition in an upsert's filter.
      const ifFree = (value: unknown, field: string) => ({ $cond: [free, value, field] });
      try {
        const taken = await model
          .findOneAndUpdate(
            { _id: name },
            [
              {
                $set: {
                  holder: ifFree(holder, '$holder'),
                  token: ifFree({ $add: [{ $ifNull: ['$token', 0] }, 1] }, '$token'),
                  until: ifFree(later(ttlMs), '$until'),
                },
              },
            ],
            { upsert: true, returnDocument: 'after', updatePipeline: true },
          )
          .lean();
        if (taken?.holder !== holder) return null;
        return {
          token: taken.token,
          async renew() {
            const result = await model.updateOne({ _id: name, holder }, [{ $set: { until: later(ttlMs) } }], {
              updatePipeline: true,
            });
            return result.matchedCount === 1;
          },
          async release() {
            await model.updateOne({ _id: name, holder }, { $unset: { until: 1, holder: 1 } });
          },
        };
      } catch (error) {
        if (isDuplicateKey(error)) return null;
        throw error;
      }
    },
  };
}
