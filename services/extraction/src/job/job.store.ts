import { type ClientSession, type Database, FILLED, isDuplicateKey, rowsOf } from '@intake/mongo';
import { Schema } from 'mongoose';
import type { Job } from './job';

type Row = Omit<Job, 'id'> & { _id: string; state: string; dueAt: Date; createdAt: Date; doneAt: Date | null };

/** How long a claim lasts unless it is renewed, in milliseconds. */
export const LEASE_MS = 30_000;
const KEEP_DONE_S = 3 * 24 * 3600;

/** Extraction jobs, claimed by lease; time is MongoDB's. */
export type JobStore = ReturnType<typeof createJobStore>;

/** `leaseMs`: how long a claim lasts unless it is renewed. */
export function createJobStore(database: Database, leaseMs = LEASE_MS) {
  const schema = new Schema(
    {
      _id: String,
      annotationId: Number,
      rirPollId: String,
      organizationId: Number,
      queueId: Number,
      documentId: Number,
      mimeType: String,
      locale: String,
      rotationDeg: { type: Number, default: 0 },
      /** `open` until it is `done`. */
      state: { type: String, default: 'open' },
      /** Free to be claimed from then on: a claim moves it into the future. */
      dueAt: Date,
      token: { type: Number, default: 0 },
      failures: { type: Number, default: 0 },
      requestId: String,
      traceparent: String,
      createdAt: Date,
      doneAt: { type: Date, default: null },
    },
    { collection: 'jobs', versionKey: false },
  );
  schema.index({ state: 1, organizationId: 1, dueAt: 1 });
  schema.index({ doneAt: 1 }, { expireAfterSeconds: KEEP_DONE_S, partialFilterExpression: { doneAt: FILLED.date } });
  const jobs = database.connection.model('Job', schema);
  const rows = rowsOf<Row>(database, 'jobs');
  const turns = database.connection.model(
    'Turn',
    new Schema({ _id: Number, servedAt: Date }, { collection: 'turns', versionKey: false }),
  );

  const due = { $lte: ['$dueAt', '$$NOW'] };
  const after = (ms: number) => ({ $dateAdd: { startDate: '$$NOW', unit: 'millisecond' as const, amount: ms } });
  const toJob = ({ _id, ...row }: Row): Job => ({ id: _id, ...row });

  /** Organizations that have work, the one that was served longest ago first. */
  const organizationsByTurn = async (): Promise<number[]> => {
    const waiting = await rows.distinct('organizationId', { state: 'open' });
    if (waiting.length < 2) return waiting;
    const served = new Map<number, number>();
    for (const { _id, servedAt } of await turns.find({ _id: { $in: waiting } }).lean())
      if (_id !== null) served.set(_id, servedAt?.getTime() ?? 0);
    return waiting.sort((a, b) => (served.get(a) ?? 0) - (served.get(b) ?? 0));
  };

  return {
    /** Notes jobs; the same job again changes nothing. */
    async add(session: ClientSession, added: readonly Omit<Job, 'token' | 'failures'>[]): Promise<void> {
      const now = new Date();
      const fresh = { state: 'open', dueAt: now, token: 0, failures: 0, createdAt: now, doneAt: null };
      await rows.bulkWrite(
        added.map(({ id, ...job }) => ({
          updateOne: { filter: { _id: id }, update: { $setOnInsert: { ...job, ...fresh } }, upsert: true },
        })),
        { session },
      );
    },
    /** Takes the oldest free job of the organization whose turn it is, or null when nothing is free. */
    async claim(): Promise<Job | null> {
      const organizations = await organizationsByTurn();
      for (const organizationId of organizations) {
        const row = await rows.findOneAndUpdate(
          { state: 'open', organizationId, $expr: due },
          [{ $set: { dueAt: after(leaseMs), token: { $add: ['$token', 1] } } }],
          { sort: { dueAt: 1 }, returnDocument: 'after' },
        );
        if (!row) continue;
        if (organizations.length === 1) return toJob(row); // nobody else is waiting, so there are no turns to keep
        await turns
          .updateOne({ _id: organizationId }, { $currentDate: { servedAt: true } }, { upsert: true })
          .catch((error) => {
            if (!isDuplicateKey(error)) throw error;
          });
        return toJob(row);
      }
      return null;
    },
    /** Keeps a claim; false when it was lost. */
    async renew({ id, token }: Job): Promise<boolean> {
      const result = await jobs.updateOne({ _id: id, token, state: 'open' }, [{ $set: { dueAt: after(leaseMs) } }], {
        updatePipeline: true,
      });
      return result.matchedCount === 1;
    },
    /** Ends a job; does nothing for a claim that was lost. */
    async finish({ id, token }: Job): Promise<void> {
      await rows.updateOne({ _id: id, token }, { $set: { state: 'done', doneAt: new Date() } });
    },
    /** Gives a claim back, to be claimed again after `delayMs`. */
    async release({ id, token }: Job, delayMs: number, failed: boolean): Promise<void> {
      await jobs.updateOne(
        { _id: id, token, state: 'open' },
        [{ $set: { dueAt: after(delayMs), failures: { $add: ['$failures', failed ? 1 : 0] } } }],
        { updatePipeline: true },
      );
    },
    /** Jobs that are not done since before `before`, for operators, and trying one of them again. */
    stuck: {
      kind: 'extraction',
      async list(before: Date, limit: number) {
        const open = { state: 'open', createdAt: { $lt: before } };
        const found = await rows.find(open).sort({ createdAt: 1 }).limit(limit).toArray();
        return found.map(({ _id, annotationId, organizationId, createdAt, token, failures }) => ({
          id: String(_id),
          since: createdAt,
          reason: `Annotation ${annotationId} waits to be read; begun ${token} times, failed ${failures} times.`,
          organizationId,
        }));
      },
      async retry(id: string) {
        const { matchedCount } = await jobs.updateOne(
          { _id: id, state: 'open' },
          { $set: { dueAt: new Date(), failures: 0 } },
        );
        return matchedCount === 1;
      },
    },
    /** Jobs that are not done. */
    countOpen: (): Promise<number> => jobs.countDocuments({ state: 'open' }).exec(),
    /** Age in seconds of the oldest job that is not done; 0: there is none. */
    async oldestAgeS(): Promise<number> {
      const open = jobs.findOne({ state: 'open' }).sort({ createdAt: 1 });
      const oldest = await open.select('createdAt').lean<{ createdAt: Date }>();
      return oldest ? Math.max(0, (Date.now() - oldest.createdAt.getTime()) / 1000) : 0;
    },
  };
}
