import { type ClientSession, type Database, rowsOf } from '@intake/mongo';
import { type Caller, organizationOf } from '@intake/rpc';
import { type PipelineStage, Schema } from 'mongoose';
import { confirmationCountedAt, type Fact } from './fact';

/** What can be counted. */
export type Metric = 'imported' | 'confirmed' | 'rejectedAutomatically' | 'rejectedManually' | 'deleted' | 'exported';

/** Which facts are counted. */
export interface FactFilter {
  /** Empty: every queue that the caller sees. */
  readonly queueIds: readonly number[];
  /** Empty: all. */
  readonly userIds: readonly number[];
  /** Inclusive, unless `beginExclusive`. */
  readonly begin: Date;
  readonly beginExclusive: boolean;
  /** Exclusive. */
  readonly end: Date;
  /** An export within so many seconds after the arrival is on time. */
  readonly onTimeS: number;
}

/** By what the counts are told apart. */
export interface Grouping {
  readonly queue: boolean;
  readonly user: boolean;
  readonly period: 'day' | 'week' | 'month' | null;
}

/** A number of documents; what is not grouped by is null. */
export interface FactCount {
  readonly queueId: number | null;
  readonly userId: number | null;
  /** First moment of the period, UTC. */
  readonly period: Date | null;
  readonly count: number;
  /** Of exported documents. */
  readonly spent?: Spent;
}

/** What exported documents took, all together. */
export interface Spent {
  readonly onTime: number;
  /** Seconds from arrival to export. */
  readonly turnaroundS: number;
  /** Seconds that users spent. */
  readonly overallS: number;
  readonly activeS: number;
  /** Datapoints that people corrected. */
  readonly corrected: number;
}

/** What became of the datapoints of one schema id in exported documents. */
export interface FieldCount extends Omit<FactCount, 'count' | 'spent'> {
  readonly field: string;
  /** Schema of the newest of them. */
  readonly newestSchemaId: number;
  readonly total: number;
  readonly corrected: number;
  /** Seconds of all together. */
  readonly timeS: number;
}

/** Facts in MongoDB. */
export type FactStore = ReturnType<typeof createFactStore>;

type Row = Omit<Fact, 'annotationId'> & { _id: number };

/** The date that each metric compares, with further conditions. API: usage-report.md section 2. */
const COUNTED: Readonly<Record<Metric, { field: string; where?: Record<string, unknown> }>> = {
  imported: { field: 'arrivedAt' },
  confirmed: { field: 'confirmationCountedAt' },
  rejectedAutomatically: { field: 'rejectedAt', where: { automaticallyRejected: true } },
  rejectedManually: { field: 'rejectedAt', where: { automaticallyRejected: false } },
  deleted: { field: 'deletedAt' },
  exported: { field: 'exportedAt' },
};

/** Seconds from arrival to export; a document that never arrived was exported at once. */
const TURNAROUND_S = {
  $divide: [{ $subtract: ['$exportedAt', { $ifNull: ['$arrivedAt', '$exportedAt'] }] }, 1000],
};

/** What facts of older versions do not say. */
const NEVER_EXPORTED = { exportedVersion: 0, schemaId: 0, fields: [] };

export function createFactStore(database: Database) {
  const date = { type: Date, default: null };
  const schema = new Schema(
    {
      _id: Number,
      organizationId: { type: Number, required: true },
      queueId: { type: Number, required: true },
      version: { type: Number, required: true },
      status: { type: String, required: true },
      modifierId: { type: Number, default: null },
      automaticallyRejected: { type: Boolean, default: false },
      arrivedAt: date,
      confirmedAt: date,
      exportedAt: date,
      rejectedAt: date,
      deletedAt: date,
      rejectedVersion: { type: Number, default: 0 },
      deletedVersion: { type: Number, default: 0 },
      timeOverallS: { type: Number, default: 0 },
      timeActiveS: { type: Number, default: 0 },
      exportedVersion: { type: Number, default: 0 },
      schemaId: { type: Number, default: 0 },
      fields: { type: [Schema.Types.Mixed], default: [] },
      correctedCount: { type: Number, default: 0 },
      confirmationCountedAt: date,
    },
    { collection: 'facts', versionKey: false },
  );
  for (const field of new Set(Object.values(COUNTED).map((counted) => counted.field)))
    schema.index({ organizationId: 1, [field]: 1 });
  const model = database.connection.model('Fact', schema);
  const rows = rowsOf<Row>(database, 'facts');

  /** Which facts a metric counts. */
  const counted = (caller: Caller, metric: Metric, filter: FactFilter) => {
    const { field, where = {} } = COUNTED[metric];
    const { queueIds } = caller;
    const wanted = filter.queueIds.length > 0 ? [...filter.queueIds] : undefined;
    const visible = queueIds === 'all' ? wanted : (wanted ?? [...queueIds]).filter((id) => queueIds.includes(id));
    return {
      organizationId: organizationOf(caller),
      [field]: { [filter.beginExclusive ? '$gt' : '$gte']: filter.begin, $lt: filter.end },
      ...(visible && { queueId: { $in: visible } }),
      ...(metric !== 'imported' && filter.userIds.length > 0 && { modifierId: { $in: [...filter.userIds] } }),
      ...where,
    };
  };
  const groupOf = (metric: Metric, grouping: Grouping) => ({
    queueId: grouping.queue ? '$queueId' : null,
    userId: grouping.user && metric !== 'imported' ? '$modifierId' : null,
    period: grouping.period
      ? { $dateTrunc: { date: `$${COUNTED[metric].field}`, unit: grouping.period, startOfWeek: 'monday' } }
      : null,
  });

  return {
    /** What is known of annotations, by their ids. */
    async find(session: ClientSession, annotationIds: readonly number[]): Promise<Map<number, Fact>> {
      const found = rows.find(
        { _id: { $in: [...annotationIds] } },
        { session, projection: { confirmationCountedAt: 0, correctedCount: 0 } },
      );
      return new Map(
        (await found.toArray()).map(({ _id, ...fact }) => [_id, { annotationId: _id, ...NEVER_EXPORTED, ...fact }]),
      );
    },

    async save(session: ClientSession, facts: readonly Fact[]): Promise<void> {
      if (facts.length === 0) return;
      await rows.bulkWrite(
        facts.map(({ annotationId, ...fields }) => {
          const correctedCount = fields.fields.reduce((sum, field) => sum + field.correctedCount, 0);
          const fact = { ...fields, correctedCount, confirmationCountedAt: confirmationCountedAt(fields) };
          return { updateOne: { filter: { _id: annotationId }, update: { $set: fact }, upsert: true } };
        }),
        { session },
      );
    },

    /** Documents of the caller's organization and queues. Imports belong to no user: neither filtered nor told apart by it. */
    async count(caller: Caller, metric: Metric, filter: FactFilter, grouping: Grouping): Promise<FactCount[]> {
      const stages: PipelineStage[] = [
        { $match: counted(caller, metric, filter) },
        {
          $group: {
            _id: groupOf(metric, grouping),
            count: { $sum: 1 },
            ...(metric === 'exported' && {
              onTime: { $sum: { $cond: [{ $lt: [TURNAROUND_S, filter.onTimeS] }, 1, 0] } },
              turnaroundS: { $sum: TURNAROUND_S },
              overallS: { $sum: '$timeOverallS' },
              activeS: { $sum: '$timeActiveS' },
              corrected: { $sum: '$correctedCount' },
            }),
          },
        },
      ];
      const groups = await model.aggregate<{ _id: Omit<FactCount, 'count' | 'spent'>; count: number } & Spent>(stages);
      return groups.map(({ _id, count, ...spent }) => ({
        ..._id,
        count,
        ...(metric === 'exported' && { spent }),
      }));
    },

    /** The fields of exported documents; what was purged has none. */
    async countFields(caller: Caller, filter: FactFilter, grouping: Grouping): Promise<FieldCount[]> {
      const stages: PipelineStage[] = [
        { $match: { ...counted(caller, 'exported', filter), status: { $ne: 'purged' } } },
        { $unwind: '$fields' },
        {
          $group: {
            _id: { ...groupOf('exported', grouping), field: '$fields.schemaId' },
            newestSchemaId: { $max: '$schemaId' },
            total: { $sum: '$fields.totalCount' },
            corrected: { $sum: '$fields.correctedCount' },
            timeS: { $sum: '$fields.timeSpentS' },
          },
        },
      ];
      type Group = Pick<FieldCount, 'queueId' | 'userId' | 'period' | 'field'>;
      const groups = await model.aggregate<{ _id: Group } & Omit<FieldCount, keyof Group>>(stages);
      return groups.map(({ _id, ...counts }) => ({ ...counts, ..._id }));
    },
  };
}
