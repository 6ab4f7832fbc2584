import type { ClientSession, Database } from '@intake/mongo';
import { Schema } from 'mongoose';
import type { Delivery } from './delivery';
import type { Subscriber } from './subscription';

/** Mails that are still to be sent, and what was told already. */
export type DeliveryStore = ReturnType<typeof createDeliveryStore>;

type NewDelivery = Omit<Delivery, 'attempts' | 'refusals' | 'wasTaken'>;
type Row = Omit<Delivery, 'emailId'> & { readonly _id: number; readonly nextAttemptAt: Date };

/** Longer than handing over takes. */
const CLAIM_MS = 120_000;
const REMEMBER_S = 90 * 24 * 3600;

/** Deliveries of one service's database. */
export function createDeliveryStore(database: Database) {
  const schema = new Schema(
    {
      _id: Number,
      organizationId: Number,
      rawKey: String,
      sender: { type: String, default: '' },
      recipients: [String],
      createdAt: Date,
      attempts: { type: Number, default: 0 },
      refusals: { type: [String], default: undefined },
      wasTaken: Boolean,
      nextAttemptAt: Date,
    },
    { collection: 'deliveries', versionKey: false },
  );
  schema.index({ nextAttemptAt: 1, _id: 1 });
  const model = database.connection.model('Delivery', schema);
  const told = new Schema({ _id: String, at: Date }, { collection: 'told_occasions', versionKey: false });
  told.index({ at: 1 }, { expireAfterSeconds: REMEMBER_S });
  const toldModel = database.connection.model('ToldOccasion', told);

  const unsubscribed = new Schema(
    { _id: String, at: Date },
    { collection: 'unsubscribed_addresses', versionKey: false },
  );
  const unsubscribedModel = database.connection.model('UnsubscribedAddress', unsubscribed);
  const keyOf = ({ organizationId, email }: Subscriber) => `${organizationId}/${email.toLowerCase()}`;

  const sending = new Schema({ _id: Number, at: Date }, { collection: 'sending_organizations', versionKey: false });
  const sendingModel = database.connection.model('SendingOrganization', sending);

  return {
    /** Of transactions that send for an organization at the same time, all but one begin again. */
    async lockOrganization(session: ClientSession, organizationId: number): Promise<void> {
      const change = { $set: { at: new Date() } };
      await sendingModel.updateOne({ _id: organizationId }, change, { upsert: true, session });
    },

    /** Notes whether an address wants the automatic mails of an organization. */
    async setSubscription(subscriber: Subscriber, subscribe: boolean): Promise<void> {
      const _id = keyOf(subscriber);
      if (subscribe) await unsubscribedModel.deleteOne({ _id });
      else await unsubscribedModel.updateOne({ _id }, { $set: { at: new Date() } }, { upsert: true });
    },

    /** Those of the addresses that want automatic mails. */
    async findSubscribed(organizationId: number, emails: readonly string[]): Promise<Set<string>> {
      const keys = emails.map((email) => keyOf({ organizationId, email }));
      const found = await unsubscribedModel.find({ _id: { $in: keys } }).lean<{ _id: string }[]>();
      const gone = new Set(found.map(({ _id }) => _id));
      return new Set(emails.filter((email) => !gone.has(keyOf({ organizationId, email }))));
    },

    async add(session: ClientSession, { emailId, recipients, ...delivery }: NewDelivery): Promise<void> {
      await model.create(
        [{ _id: emailId, ...delivery, recipients: [...recipients], attempts: 0, nextAttemptAt: new Date() }],
        { session },
      );
    },

    /** Notes that somebody is told of something; false: that was done before. */
    async claimOccasion(session: ClientSession, emailId: number, occasion: string): Promise<boolean> {
      const result = await toldModel.updateOne(
        { _id: `${emailId}:${occasion}` },
        { $setOnInsert: { at: new Date() } },
        { upsert: true, session },
      );
      return result.upsertedCount === 1;
    },

    async wasTold(emailId: number, occasion: string): Promise<boolean> {
      return (await toldModel.exists({ _id: `${emailId}:${occasion}` })) !== null;
    },

    /** A mail to send now, which nobody else gets for a while; null when there is none. */
    async take(): Promise<Delivery | null> {
      const now = Date.now();
      const row = await model
        .findOneAndUpdate(
          { nextAttemptAt: { $lte: new Date(now) } },
          { $inc: { attempts: 1 }, $set: { nextAttemptAt: new Date(now + CLAIM_MS) } },
          { sort: { nextAttemptAt: 1, _id: 1 }, returnDocument: 'after' },
        )
        .lean<Row | null>();
      if (!row) return null;
      const { _id, nextAttemptAt: _, ...delivery } = row;
      return { emailId: _id, ...delivery };
    },

    /** Has it wait, for those who have not got it. */
    async postpone(
      { emailId }: Delivery,
      until: Date,
      rest: Pick<Delivery, 'recipients' | 'refusals' | 'wasTaken'>,
    ): Promise<void> {
      await model.updateOne({ _id: emailId }, { $set: { nextAttemptAt: until, ...rest } });
    },

    /** Has it wait, as if it had not been tried yet. */
    async hold({ emailId }: Delivery, until: Date): Promise<void> {
      await model.updateOne({ _id: emailId }, { $set: { nextAttemptAt: until, attempts: 0 } });
    },

    async remove(session: ClientSession, { emailId }: Delivery): Promise<void> {
      await model.deleteOne({ _id: emailId }, { session });
    },
  };
}
