import { randomUUID } from 'node:crypto';
import { type ClientSession, type Database, type PageRequest, toWindow } from '@intake/mongo';
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
  /** When it is done next; of claimed work: when the claim ends. */
  readonly nextAt: Date;
  readonly finishedAt: Date | null;
}

/** `waiting`: to be done, or being done. `parked`: given up, until an operator asks for it again. */
export type WorkState = 'waiting' | 'done' | 'parked' | 'cancelled';

export type NewWork = Omit<Work, 'attempts' | 'state' | 'nextAt' | 'finishedAt'>;

/** Which work of a hook is meant; empty lists and absent values: any. */
export interface HookWorkFilter {
  readonly organizationId: number;
  readonly hookId: number;
  readonly kind: WorkKind;
  readonly id?: string;
  readonly states: readonly WorkState[];
  readonly annotationIds: readonly number[];
  /** Inclusive. */
  readonly createdAfter?: Date;
  /** Exclusive. */
  readonly createdBefore?: Date;
}

/** Work taken by one worker. */
export interface Claim {
  readonly work: Work;
  readonly token: string;
}

interface Row extends Omit<Work, 'id'> {
  readonly _id: string;
  readonly token: string | null;
  /** Its outcome is decided: what was to come after it goes on. */
  readonly settledAt: Date | null;
}

/** How long work is kept, in seconds. API: limits.md, hook log retention. */
const KEEP_S = 30 * 24 * 3600;
/** How long a claim is good without a sign of life, in milliseconds. */
export const CLAIM_MS = 30_000;
/**
 * What is blocked is woken when its blocker ends, so that a long queue in front of a dead receiver costs nothing. Should that get lost, it looks itself
 * when its blocker was to be done next, and so many milliseconds later.
 */
const BLOCKED_MS = 5 * 60_000;
/** Work that is cancelled by one command. */
const CANCELLED_AT_ONCE = 1000;

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
  schema.index({ organizationId: 1, hookId: 1, createdAt: -1 });
  schema.index({ createdAt: 1 }, { expireAfterSeconds: KEEP_S });
  const model = database.connection.model('Work', schema);
  const toWork = ({ _id, ...row }: Row): Work => ({ id: _id, ...row });

  const added = new WeakMap<ClientSession, NewWork[]>();
  const listeners: (() => void)[] = [];
  database.commitHooks.push({
    before: async () => undefined,
    after: (session) => {
      const works = added.get(session);
      if (works) void wakeHeads(works).finally(tell);
    },
  });
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  const lanesOf = (works: readonly Pick<NewWork, 'lane'>[]) => [...new Set(works.flatMap(({ lane }) => lane ?? []))];
  /** The first work of each lane that has any, by its lane. */
  const headsOf = async (lanes: readonly string[], session?: ClientSession): Promise<Map<string, string>> => {
    if (lanes.length === 0) return new Map();
    const heads = await model
      .aggregate<{ _id: string; first: string }>([
        { $match: { lane: { $in: lanes }, state: 'waiting' } },
        { $sort: { lane: 1, state: 1, sequence: 1 } },
        { $group: { _id: '$lane', first: { $first: '$_id' } } },
      ])
      .session(session ?? null);
    return new Map(heads.map(({ _id, first }) => [_id, first]));
  };
  /** What was before some of these may have ended before they were there to be told. */
  const wakeHeads = async (works: readonly NewWork[]): Promise<void> => {
    try {
      const heads = new Set((await headsOf(lanesOf(works))).values());
      const ids = works.map(({ id }) => id).filter((id) => heads.has(id));
      await model.updateMany(
        { _id: { $in: ids }, state: 'waiting', token: null, attempts: 0 },
        { $set: { nextAt: new Date() } },
      );
    } catch {
      // They look themselves, later.
    }
  };
  const ofHook = (filter: HookWorkFilter) => ({
    $and: [
      { organizationId: filter.organizationId, hookId: filter.hookId, kind: filter.kind },
      filter.id === undefined ? {} : { _id: filter.id },
      filter.states.length > 0 ? { state: { $in: [...filter.states] } } : {},
      filter.annotationIds.length > 0 ? { annotationId: { $in: [...filter.annotationIds] } } : {},
      filter.createdAfter ? { createdAt: { $gte: filter.createdAfter } } : {},
      filter.createdBefore ? { createdAt: { $lt: filter.createdBefore } } : {},
    ],
  });
  const owned = ({ work, token }: Claim) => ({ _id: work.id, token, state: 'waiting' });
  const free = { state: 'waiting', token: null };
  const wakeFollowers = async ({ id }: Work): Promise<void> => {
    await model.updateMany({ ...free, after: id }, { $set: { nextAt: new Date() } });
  };
  const wakeNextInLane = async ({ lane, sequence }: Work): Promise<void> => {
    if (lane === null) return;
    await model.findOneAndUpdate(
      { ...free, lane, sequence: { $gte: sequence } },
      { $set: { nextAt: new Date() } },
      { sort: { sequence: 1 } },
    );
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
      added.set(session, [...(added.get(session) ?? []), ...works]);
      const now = Date.now();
      const heads = await headsOf(lanesOf(works), session);
      const isBlocked = ({ lane }: Pick<NewWork, 'lane'>) => lane !== null && heads.has(lane);
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
                nextAt: new Date(now + (isBlocked(work) ? BLOCKED_MS : 0)),
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
        const nextAt = new Date(Math.max(blocker.nextAt.getTime(), now.getTime()) + BLOCKED_MS);
        await model.updateOne({ _id: row._id, token }, { $set: { token: null, nextAt }, $inc: { attempts: -1 } });
        // Its blocker may have ended in between, and found nobody to wake.
        if (!(await this.findBlocker(row)))
          await model.updateOne({ ...free, _id: row._id }, { $set: { nextAt: new Date() } });
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
      await wakeFollowers(claim.work);
      await wakeNextInLane(claim.work);
    },

    /** Gives it back, to be done after a while. @param isSettled its outcome is decided all the same */
    async putOff(claim: Claim, delayMs: number, isSettled: boolean): Promise<void> {
      const nextAt = new Date(Date.now() + delayMs);
      await model.updateOne(owned(claim), {
        $set: { nextAt, token: null, ...(isSettled && { settledAt: new Date() }) },
      });
      if (isSettled) await wakeFollowers(claim.work);
    },

    /** Gives it back untried: whatever is needed for it is away. */
    async release(claim: Claim, delayMs: number): Promise<void> {
      const nextAt = new Date(Date.now() + delayMs);
      await model.updateOne(owned(claim), { $set: { nextAt, token: null }, $inc: { attempts: -1 } });
    },

    /** Work of a hook, newest first. */
    async listOfHook(filter: HookWorkFilter, page: PageRequest): Promise<{ works: Work[]; total: number }> {
      const { skip, limit } = toWindow(page);
      const wanted = ofHook(filter);
      const [rows, total] = await Promise.all([
        model.find(wanted).sort({ createdAt: -1, _id: 1 }).skip(skip).limit(limit).lean<Row[]>(),
        model.countDocuments(wanted),
      ]);
      return { works: rows.map(toWork), total };
    },

    /** All notifications of a hook that is gone, but for those that somebody is at. */
    async cancelOfHook(organizationId: number, hookId: number): Promise<void> {
      const waiting = { ...free, organizationId, hookId, kind: 'notification' };
      for (;;) {
        const rows = await model.find(waiting, { _id: 1 }).limit(CANCELLED_AT_ONCE).lean<Pick<Row, '_id'>[]>();
        if (rows.length === 0) return;
        const ids = rows.map(({ _id }) => _id);
        const now = new Date();
        const end = { state: 'cancelled', finishedAt: now, settledAt: now };
        await model.updateMany({ _id: { $in: ids }, ...free }, { $set: end });
        await model.updateMany({ ...free, after: { $in: ids } }, { $set: { nextAt: now } });
      }
    },

    /** Work of a hook is done again, as if it were new, unless somebody is at it. Answers how many. */
    async restart(filter: HookWorkFilter): Promise<number> {
      const { modifiedCount } = await model.updateMany(
        { ...ofHook(filter), token: null },
        { $set: { state: 'waiting', attempts: 0, nextAt: new Date(), settledAt: null, finishedAt: null } },
      );
      tell();
      return modifiedCount;
    },
  };
}
