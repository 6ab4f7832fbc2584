import type { Backbone } from '@intake/bus';
import type { ClientSession } from '@intake/mongo';
import { Schema } from 'mongoose';
import { type Letter, LINK_LIFETIME_MS } from './letter';

type Row = Omit<Letter, 'id'> & { _id: string; nextAttemptAt: Date };

/** Mails that are still to be sent; one that cannot be sent for three days is forgotten. */
export type LetterStore = ReturnType<typeof createLetterStore>;

/** Longer than sending takes. */
const CLAIM_MS = 120_000;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 900_000;

export function createLetterStore({ database }: Pick<Backbone, 'database'>) {
  const schema = new Schema(
    {
      _id: String,
      kind: String,
      address: String,
      userId: Number,
      requestedAt: Date,
      nextAttemptAt: Date,
      attempts: Number,
    },
    { collection: 'letters', versionKey: false },
  );
  schema.index({ requestedAt: 1 }, { expireAfterSeconds: LINK_LIFETIME_MS / 1000 });
  schema.index({ nextAttemptAt: 1 });
  const model = database.connection.model('Letter', schema);

  return {
    /** Asks for a mail; asked again before it is sent, there is one. */
    async add(
      { kind, address, userId }: Omit<Letter, 'id' | 'requestedAt' | 'attempts'>,
      session?: ClientSession,
    ): Promise<void> {
      const now = new Date();
      await model.updateOne(
        { _id: `${kind}:${userId ?? ''}:${address.toLowerCase()}` },
        { $set: { kind, address, userId, requestedAt: now, nextAttemptAt: now, attempts: 0 } },
        { upsert: true, session },
      );
    },

    /** A mail to send now, which nobody else gets for a while; null when there is none. */
    async take(): Promise<Letter | null> {
      const now = Date.now();
      const row = await model
        .findOneAndUpdate(
          { nextAttemptAt: { $lte: new Date(now) } },
          { $inc: { attempts: 1 }, $set: { nextAttemptAt: new Date(now + CLAIM_MS) } },
          { sort: { nextAttemptAt: 1 }, returnDocument: 'after' },
        )
        .lean<Row | null>();
      if (!row) return null;
      const { _id, nextAttemptAt: _next, ...letter } = row;
      return { id: _id, ...letter };
    },

    /** The mail could not be sent: it is to be tried again, later each time. */
    async postpone({ id, requestedAt, attempts }: Letter): Promise<void> {
      const pause = Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), LONGEST_PAUSE_MS);
      await model.updateOne({ _id: id, requestedAt }, { $set: { nextAttemptAt: new Date(Date.now() + pause) } });
    },

    /** The mail was sent; one that was asked for meanwhile stays. */
    async remove({ id, requestedAt }: Letter): Promise<void> {
      await model.deleteOne({ _id: id, requestedAt });
    },
  };
}
