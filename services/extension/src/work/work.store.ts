import { randomUUID } from 'node:crypto';
import type { ClientSession, Database } from '@intake/mongo';
import { Schema } from 'mongoose';

/** What is done in the background. */
export type WorkKind = 'notification' | 'initialization' | 'export' | 'upload' | 'email' | 'schedule';

/** A piece of work that survives restarts. */
export interface Work {
  /** The same for the same event: work that is there is not added again. */
  readonly id: string;
  readonly kind: WorkKind;
  readonly organizationId: number;
  readonly queueId: number | null;
  readonly annotationId: number | null;
  readonly hookId: number | null;
  /** Works of one group share a limit, so that a slow receiver delays only its own. */
  readonly group: string;
  /** Works of one lane are done one after the other, in the order of `sequence`; null: in none. */
  readonly lane: string | null;
  readonly sequence: number;
  /** Works that have to be settled before. */
  readonly after: readonly string[];
  readonly data: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  /** Tries so far, this one included. */
  readonly attempts: number;
  readonly state: WorkState;
}

/** `waiting`: to be done, or being done. `parked`: given up, until an operator asks for it again. */
export type WorkState = 'waiting' | 'done' | 'parked' | 'cancelled';

export type NewWork = Omit<Work, 'attempts' | 'state'>;

/** Work taken by one worker. */
export interface Claim {
  readonly work: Work;
  readonly token: string;
}

interface Row extends Omit<Work, 'id'> {
  readonly _id: string;
  /** When it is done next; of claimed work: when the claim ends. */
  readonly nextAt: Date;
  readonly token: string | null;
  /** Its outcome is decided: what was to come after it goes on. */
  readonly settledAt: Date | null;
  readonly finishedAt: Date | null;
}

/** How long work is kept, in seconds. API: limits.md, hook log retention. */
const KEEP_S = 30 * 24 * 3600;
/** How long a claim is good without a sign of life, in milliseconds. */
export const CLAIM_MS = 30_000;
/** How soon it is looked again whether what blocks a work is done, in milliseconds; it is told earlier as a rule. */
const BLOCKED_MS = 1000;
const LONG_MS = 60_000;

/** Background work in MongoDB. */
export type WorkStore = ReturnType<typeof createWorkStore>;

export function createWorkStore(database: Database) {
  const schema = new Schema(
    {
      _id: String,
      kind: String,
      organizationId: Number,
      queueId: Number,
      annotationId: Number,
      hookId: Number,
      group: String,
      lane: String,
      sequence: Number,
      after: [String],
      data: Schema.Types.Mixed,
      createdAt: Date,
      attempts: Number,
      state: String,
      nextAt: Date,
      token: String,
      settledAt: Date,
      finishedAt: Date,
    },
    { collection: 'work', versionKey: false, minimize: false },
  );
  schema.index({ state: 1, nextAt: 1 });
  schema.index({ lane: 1, state: 1, sequence: 1 });
  schema.index({ after: 1 }, { sparse: true });
  schema.index({ organizationId: 1, createdAt: -1 });
  schema.index({ createdAt: 1 }, { expireAfterSeconds: KEEP_S });
  const model = database.connection.model('Work', schema);
  const toWork = ({ _id, ...row }: Row): Work => ({ id: _id, ...row });

  const added = new WeakSet<ClientSession>();
  const listeners: (() => void)[] = [];
  database.commitHooks.push({
    before: async () => undefined,
    after: (session) => {
      if (added.has(session)) for (const listener of listeners) listener();
    },
  });
  const owned = ({ work, token }: Claim) => ({ _id: work.id, token, state: 'waiting' });
  const wakeAfter = async ({ id, lane, sequence }: Work): Promise<void> => {
    const waiting = { state: 'waiting', token: null };
    const now = new Date();
    await model.updateMany({ ...waiting, after: id }, { $set: { nextAt: now } });
    if (lane !== null)
      await model.updateMany({ ...waiting, lane, sequence: { $gt: sequence } }, { $set: { nextAt: now } });
  };

  return {
    /** Calls the listener when a transaction of this process has added work. */
    onAdded: (listener: () => void) => void listeners.push(listener),

    /** A piece of work, whatever its state. */
    async find(id: string): Promise<Work | null> {
      const row = await model.findById(id).lean<Row | null>();
      return row && toWork(row);
    },

    /** Adds work; what is there already stays as it is. */
    async add(session: ClientSession, works: readonly NewWork[]): Promise<void> {
      if (works.length === 0) return;
      added.add(session);
      await model.bulkWrite(
        works.map(({ id, ...work }) => ({
          updateOne: {
            filter: { _id: id },
            update: {
              $setOnInsert: {
                ...work,
                after: [...work.after],
                attempts: 0,
                state: 'waiting',
                nextAt: new Date(),
                token: null,
                settledAt: null,
                finishedAt: null,
              },
            },
            upsert: true,
          },
        })),
        { session },
      );
    },

    /** Takes the work that has waited longest, of none of the busy groups; null: there is none. */
    async claim(busyGroups: readonly string[]): Promise<Claim | null> {
      const token = randomUUID();
      for (;;) {
        const now = new Date();
        const due = { state: 'waiting', nextAt: { $lte: now }, group: { $nin: [...busyGroups] } };
        const row = await model
          .findOneAndUpdate(
            due,
            { $set: { token, nextAt: new Date(now.getTime() + CLAIM_MS) }, $inc: { attempts: 1 } },
            { sort: { nextAt: 1 }, returnDocument: 'after' },
          )
          .lean<Row | null>();
        if (!row) return null;
        const blocker = await this.findBlocker(row);
        if (!blocker) return { work: toWork(row), token };
        const waitsLong = blocker.nextAt.getTime() - now.getTime() > LONG_MS;
        const nextAt = waitsLong ? blocker.nextAt : new Date(now.getTime() + BLOCKED_MS);
        await model.updateOne({ _id: row._id, token }, { $set: { token: null, nextAt }, $inc: { attempts: -1 } });
      }
    },

    /** What has to be done before this. */
    async findBlocker({
      lane,
      sequence,
      after,
    }: Pick<Row, 'lane' | 'sequence' | 'after'>): Promise<Pick<Row, 'nextAt'> | null> {
      const unsettled = { _id: { $in: [...after] }, state: 'waiting', settledAt: null };
      const earlier = { lane, state: 'waiting', sequence: { $lt: sequence } };
      const before = [...(after.length > 0 ? [unsettled] : []), ...(lane === null ? [] : [earlier])];
      return before.length === 0 ? null : model.findOne({ $or: before }).select('nextAt').lean<Row | null>();
    },

    /** Keeps the claim; false: it was lost. */
    async renew(claim: Claim): Promise<boolean> {
      const nextAt = new Date(Date.now() + CLAIM_MS);
      return (await model.updateOne(owned(claim), { $set: { nextAt } })).matchedCount > 0;
    },

    /** Notes what is known so far, so that it is not done twice. */
    async note(claim: Claim, data: Readonly<Record<string, unknown>>, session?: ClientSession): Promise<void> {
      const set = Object.fromEntries(Object.entries(data).map(([key, value]) => [`data.${key}`, value]));
      await model.updateOne(owned(claim), { $set: set }, { session });
    },

    /** Ends it. */
    async finish(claim: Claim, state: Exclude<WorkState, 'waiting'>): Promise<void> {
      const now = new Date();
      await model.updateOne(owned(claim), { $set: { state, finishedAt: now, settledAt: now, token: null } });
      await wakeAfter(claim.work);
    },

    /** Gives it back, to be done after a while. @param isSettled its outcome is decided all the same */
    async putOff(claim: Claim, delayMs: number, isSettled: boolean): Promise<void> {
      const nextAt = new Date(Date.now() + delayMs);
      await model.updateOne(owned(claim), {
        $set: { nextAt, token: null, ...(isSettled && { settledAt: new Date() }) },
      });
      if (isSettled) await wakeAfter(claim.work);
    },

    /** Gives it back untried: whatever is needed for it is away. */
    async release(claim: Claim, delayMs: number): Promise<void> {
      const nextAt = new Date(Date.now() + delayMs);
      await model.updateOne(owned(claim), { $set: { nextAt, token: null }, $inc: { attempts: -1 } });
    },
  };
}
