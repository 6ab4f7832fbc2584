import { type ClientSession, Schema } from 'mongoose';
import type { Database } from './database';

/** The events that a service has already acted on. */
export interface Inbox {
  /** True when this consumer sees the event for the first time; written in the effect's transaction. */
  claim(session: ClientSession, consumer: string, eventId: string): Promise<boolean>;
  /** Whether this consumer has acted on the event; a cheap look before the transaction. */
  has(consumer: string, eventId: string): Promise<boolean>;
  /** Notes that acting on the event failed, and answers how often it has. */
  countFailure(consumer: string, eventId: string): Promise<number>;
}

/** How long an event is remembered, in seconds: longer than the bus and the outbox keep it. */
const REMEMBER_S = 10 * 24 * 3600;

/** The inbox of one service's database. */
export function createInbox(database: Database): Inbox {
  const schema = new Schema(
    { _id: String, at: { type: Date, required: true } },
    { collection: 'inbox', versionKey: false },
  );
  schema.index({ at: 1 }, { expireAfterSeconds: REMEMBER_S });
  const model = database.connection.model('Inbox', schema);
  const failureSchema = new Schema(
    { _id: String, count: { type: Number, required: true }, at: { type: Date, required: true } },
    { collection: 'inbox_failures', versionKey: false },
  );
  failureSchema.index({ at: 1 }, { expireAfterSeconds: REMEMBER_S });
  const failures = database.connection.model('InboxFailure', failureSchema);
  return {
    async claim(session, consumer, eventId) {
      const result = await model.updateOne(
        { _id: `${consumer}/${eventId}` },
        { $setOnInsert: { at: new Date() } },
        { upsert: true, session },
      );
      return result.upsertedCount === 1;
    },
    async has(consumer, eventId) {
      return (await model.exists({ _id: `${consumer}/${eventId}` })) !== null;
    },
    async countFailure(consumer, eventId) {
      const noted = await failures
        .findOneAndUpdate(
          { _id: `${consumer}/${eventId}` },
          { $inc: { count: 1 }, $set: { at: new Date() } },
          { upsert: true, returnDocument: 'after' },
        )
        .lean();
      return noted?.count ?? 1;
    },
  };
}
