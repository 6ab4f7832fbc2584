import { type ClientSession, Schema } from 'mongoose';
import { type Database, rowsOf } from './database';

/** The events that a service has already acted on. */
export interface Inbox {
  /** Which of the events this consumer sees for the first time, in their order; written in the effects' transaction. */
  claim(session: ClientSession, consumer: string, eventIds: readonly string[]): Promise<boolean[]>;
  /** Whether this consumer has acted on the event; a cheap look before the transaction. */
  has(consumer: string, eventId: string): Promise<boolean>;
  /** Whether this consumer has acted on any event whose id begins so. */
  hasAny(consumer: string, start: string): Promise<boolean>;
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
  const rows = rowsOf<{ _id: string; at: Date }>(database, 'inbox');
  const failureSchema = new Schema(
    { _id: String, count: { type: Number, required: true }, at: { type: Date, required: true } },
    { collection: 'inbox_failures', versionKey: false },
  );
  failureSchema.index({ at: 1 }, { expireAfterSeconds: REMEMBER_S });
  const failures = database.connection.model('InboxFailure', failureSchema);
  return {
    async claim(session, consumer, eventIds) {
      const at = new Date();
      const { upsertedIds } = await rows.bulkWrite(
        eventIds.map((eventId) => ({
          updateOne: { filter: { _id: `${consumer}/${eventId}` }, update: { $setOnInsert: { at } }, upsert: true },
        })),
        { session },
      );
      return eventIds.map((_, i) => i in upsertedIds);
    },
    async has(consumer, eventId) {
      return (await model.exists({ _id: `${consumer}/${eventId}` })) !== null;
    },
    async hasAny(consumer, start) {
      const from = `${consumer}/${start}`;
      return (await model.exists({ _id: { $gte: from, $lt: `${from}\uffff` } })) !== null;
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
