import { type FieldErrors, Refusal } from '@intake/rpc';
import type { FactCount, FactFilter, FieldCount, Grouping, Metric, Spent } from '../fact/fact.store';

/** What groups of a report may be made of. API: usage-report.md section 2. */
const GROUPS = ['user', 'workspace', 'queue', 'month', 'week', 'day'] as const;
type Group = (typeof GROUPS)[number];
type Period = NonNullable<Grouping['period']>;

/** What a report is asked for. */
export interface ReportRequest {
  readonly queueIds: readonly number[];
  readonly userIds: readonly number[];
  readonly begin: Date | undefined;
  readonly beginExclusive: boolean;
  readonly end: Date | undefined;
  readonly groupBy: readonly string[];
  readonly onTimeThresholdS?: number | undefined;
}

/** What a report counts, and how. */
export interface ReportPlan {
  readonly filter: FactFilter;
  readonly groups: ReadonlySet<Group>;
  readonly period: Period | null;
}

/** Counts of documents, and what those that were exported took together, in seconds. */
export interface Metrics {
  importedCount: number;
  confirmedCount: number;
  rejectedCount: number;
  rejectedAutomaticallyCount: number;
  rejectedManuallyCount: number;
  deletedCount: number;
  exportedCount: number;
  exportedOnTimeCount: number;
  exportedLateCount: number;
  turnaroundS: number;
  timeOverallS: number;
  timeActiveS: number;
  correctedCount: number;
}

/** The datapoints of one schema id in exported documents. */
export interface FieldMetrics {
  readonly schemaId: string;
  readonly label: string;
  totalCount: number;
  correctedCount: number;
  timeSpentS: number;
}

/** What a schema says of its datapoints: their order and labels. */
export type Labels = ReadonlyMap<string, { readonly label: string; readonly index: number }>;

/** One group of a report. */
export interface Series {
  readonly beginDate: string;
  readonly endDate: string;
  readonly workspaceId?: number;
  readonly queueId?: number;
  readonly userId?: number;
  readonly values: Metrics;
  readonly fields: readonly FieldMetrics[];
}

/** The counts of each metric. */
export type Counts = Readonly<Record<Metric, readonly FactCount[]>>;

const FIELDS: Readonly<Record<Metric, readonly (keyof Metrics)[]>> = {
  imported: ['importedCount'],
  confirmed: ['confirmedCount'],
  rejectedAutomatically: ['rejectedAutomaticallyCount', 'rejectedCount'],
  rejectedManually: ['rejectedManuallyCount', 'rejectedCount'],
  deleted: ['deletedCount'],
  exported: ['exportedCount'],
};

/** API: usage-report.md section 2. */
const ON_TIME_S = 86_400;

/** Reads a request; without dates: the last 12 months. Throws Refusal INVALID with field errors. */
export function planReport(request: ReportRequest, now: Date): ReportPlan {
  const { queueIds, userIds, beginExclusive, groupBy } = request;
  const unknown: Record<string, string[]> = {};
  groupBy.forEach((name, i) => {
    if (!isGroup(name)) unknown[i] = [`"${name}" is not a valid choice.`];
  });
  const groups = new Set(groupBy.filter(isGroup));
  const periods = [...groups].filter((group): group is Period => /^(month|week|day)$/.test(group));
  const end = request.end ?? now;
  const yearAgo = monthsBefore(now, 12);
  const begin = request.begin ?? (end > yearAgo ? yearAgo : monthsBefore(end, 12));

  const onTimeS = request.onTimeThresholdS ?? ON_TIME_S;

  const fields: FieldErrors = {};
  if (Object.keys(unknown).length > 0) fields.group_by = unknown;
  else if (periods.length > 1) fields.group_by = ['Only one of month, week and day can be used.'];
  if (begin > end) fields.non_field_errors = ['begin_date must not be after end_date.'];
  if (Object.keys(fields).length > 0) throw new Refusal('INVALID', { fields });
  return { filter: { queueIds, userIds, begin, beginExclusive, end, onTimeS }, groups, period: periods[0] ?? null };
}

/** What the facts have to be told apart by. */
export function toGrouping({ groups, period }: ReportPlan): Grouping {
  return { queue: groups.has('queue') || groups.has('workspace'), user: groups.has('user'), period };
}

/**
 * Puts counts together into a report.
 *
 * @param workspaceOf workspace of each queue, needed only when grouped by workspace
 * @param labelsOf by id of the schema, of all that fields come from
 */
export function makeReport(
  plan: ReportPlan,
  counts: Counts,
  workspaceOf: ReadonlyMap<number, number>,
  fieldCounts: readonly FieldCount[] = [],
  labelsOf: ReadonlyMap<number, Labels> = new Map(),
): { series: Series[]; totals: Metrics } {
  const totals = noMetrics();
  const series = new Map<string, Series>();
  const fieldsOf = groupBy(fieldCounts, (row) => JSON.stringify(toKeys(plan, row, workspaceOf)));
  for (const [metric, rows] of Object.entries(counts) as [Metric, readonly FactCount[]][]) {
    for (const row of rows) {
      const keys = toKeys(plan, row, workspaceOf);
      const name = JSON.stringify(keys);
      const group = series.get(name) ?? {
        ...keys,
        values: noMetrics(),
        fields: toFields(fieldsOf.get(name) ?? [], labelsOf),
      };
      series.set(name, group);
      for (const values of [group.values, totals]) {
        for (const field of FIELDS[metric]) values[field] += row.count;
        if (row.spent) addSpent(values, row.count, row.spent);
      }
    }
  }
  return { series: [...series.values()].sort(compareSeries), totals };
}

/** The fields of a group, in the order of the newest schema, those that only older ones have behind. */
function toFields(rows: readonly FieldCount[], labelsOf: ReadonlyMap<number, Labels>): FieldMetrics[] {
  const byField = groupBy(rows, ({ field }) => field);
  const placed = [...byField].flatMap(([schemaId, same]) => {
    const newest = Math.max(...same.map(({ newestSchemaId }) => newestSchemaId));
    const labels = labelsOf.get(newest);
    const found = labels?.get(schemaId);
    // Of a schema that is there, what it does not name holds no value, such as buttons.
    if (labels && !found) return [];
    const sum = (count: (row: FieldCount) => number) => same.reduce((total, row) => total + count(row), 0);
    const metrics = {
      schemaId,
      label: found?.label ?? schemaId,
      totalCount: sum(({ total }) => total),
      correctedCount: sum(({ corrected }) => corrected),
      timeSpentS: sum(({ timeS }) => timeS),
    };
    return [{ metrics, newest, index: found?.index ?? 0 }];
  });
  placed.sort((a, b) => b.newest - a.newest || a.index - b.index);
  return placed.map(({ metrics }) => metrics);
}

function groupBy<T>(things: readonly T[], keyOf: (thing: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const thing of things) {
    const group = groups.get(keyOf(thing));
    if (group) group.push(thing);
    else groups.set(keyOf(thing), [thing]);
  }
  return groups;
}

function addSpent(values: Metrics, count: number, { onTime, turnaroundS, overallS, activeS, corrected }: Spent): void {
  values.exportedOnTimeCount += onTime;
  values.exportedLateCount += count - onTime;
  values.turnaroundS += turnaroundS;
  values.timeOverallS += overallS;
  values.timeActiveS += activeS;
  values.correctedCount += corrected;
}

function toKeys(
  { groups, period, filter }: ReportPlan,
  row: Pick<FactCount, 'queueId' | 'userId' | 'period'>,
  workspaceOf: ReadonlyMap<number, number>,
): Omit<Series, 'values' | 'fields'> {
  const queueId = row.queueId ?? undefined;
  return {
    beginDate: toDate(period && row.period ? row.period : filter.begin),
    endDate: toDate(period && row.period ? nextPeriod(row.period, period) : new Date(filter.end.getTime() - 1)),
    workspaceId: groups.has('workspace') && queueId !== undefined ? workspaceOf.get(queueId) : undefined,
    queueId: groups.has('queue') ? queueId : undefined,
    userId: row.userId ?? undefined,
  };
}

function compareSeries(a: Series, b: Series): number {
  return (
    a.beginDate.localeCompare(b.beginDate) ||
    (a.workspaceId ?? 0) - (b.workspaceId ?? 0) ||
    (a.queueId ?? 0) - (b.queueId ?? 0) ||
    (a.userId ?? 0) - (b.userId ?? 0)
  );
}

function isGroup(name: string): name is Group {
  return (GROUPS as readonly string[]).includes(name);
}

function noMetrics(): Metrics {
  return {
    importedCount: 0,
    confirmedCount: 0,
    rejectedCount: 0,
    rejectedAutomaticallyCount: 0,
    rejectedManuallyCount: 0,
    deletedCount: 0,
    exportedCount: 0,
    exportedOnTimeCount: 0,
    exportedLateCount: 0,
    turnaroundS: 0,
    timeOverallS: 0,
    timeActiveS: 0,
    correctedCount: 0,
  };
}

function nextPeriod(at: Date, period: Period): Date {
  const days = period === 'month' ? 0 : period === 'week' ? 7 : 1;
  const months = period === 'month' ? 1 : 0;
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months, at.getUTCDate() + days));
}

/** Midnight of the same day of an earlier month; the month's last day where it is shorter. */
function monthsBefore(at: Date, months: number): Date {
  const year = at.getUTCFullYear();
  const month = at.getUTCMonth() - months;
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return new Date(Date.UTC(year, month, Math.min(at.getUTCDate(), lastDay)));
}

function toDate(at: Date): string {
  return at.toISOString().slice(0, 10);
}
