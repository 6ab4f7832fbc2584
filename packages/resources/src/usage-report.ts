import type { reporting } from '@intake/contracts';
import type { ApiUrls } from '@intake/urls';
import Papa from 'papaparse';

/** Names of what a report speaks of, by id; of what is gone or not visible there is none. */
export interface ReportNames {
  readonly users: ReadonlyMap<number, string>;
  readonly queues: ReadonlyMap<number, string>;
  readonly workspaces: ReadonlyMap<number, string>;
}

const COLUMNS = [
  'Username',
  'Workspace name',
  'Queue name',
  'User url',
  'Queue url',
  'Workspace url',
  'Imported',
  'Confirmed',
  'Rejected',
  'Rejected automatically',
  'Rejected manually',
  'Deleted',
  'Exported',
  'Net time',
];

/** API: usage-report.md section 3. */
export function usageReportToJson({ series, totals }: reporting.UsageReportResponse, urls: ApiUrls) {
  return {
    series: series.map(({ beginDate, endDate, queueId, workspaceId, userId, values, fields }) => ({
      begin_date: beginDate,
      end_date: endDate,
      ...(queueId !== undefined && { queue: urls.queue(queueId) }),
      ...(workspaceId !== undefined && { workspace: urls.workspace(workspaceId) }),
      ...(userId !== undefined && { user: urls.user(userId) }),
      values: {
        ...metricsToJson(values, (value) => value || null),
        time_and_corrections_per_field: fields.map(fieldToJson),
      },
    })),
    totals: metricsToJson(totals, (value) => value),
  };
}

/**
 * A report by user, queue and workspace as CSV text: a header line, then one for each group (API: usage-report.md section 4).
 * Net time: the seconds that users spent on exported documents.
 */
export function usageReportToCsv(
  { series }: reporting.UsageReportResponse,
  { users, queues, workspaces }: ReportNames,
  urls: ApiUrls,
): string {
  const cell = (id: number | undefined, show: (id: number) => string | undefined) =>
    id === undefined ? '' : (show(id) ?? '');
  const rows = series.map(({ userId, queueId, workspaceId, values }) => [
    cell(userId, (id) => users.get(id)),
    cell(workspaceId, (id) => workspaces.get(id)),
    cell(queueId, (id) => queues.get(id)),
    cell(userId, urls.user),
    cell(queueId, urls.queue),
    cell(workspaceId, urls.workspace),
    values?.importedCount ?? 0,
    values?.confirmedCount ?? 0,
    values?.rejectedCount ?? 0,
    values?.rejectedAutomaticallyCount ?? 0,
    values?.rejectedManuallyCount ?? 0,
    values?.deletedCount ?? 0,
    values?.exportedCount ?? 0,
    rounded(values?.timeOverallS ?? 0),
  ]);
  return `${Papa.unparse([COLUMNS, ...rows])}\r\n`;
}

/** In a group a count of nothing is null, in the totals it is 0. */
function metricsToJson(counts: reporting.Metrics | undefined, count: (value: number) => number | null) {
  const exported = counts?.exportedCount ?? 0;
  const average = (sum = 0) => (exported === 0 ? null : rounded(sum / exported));
  return {
    imported_count: count(counts?.importedCount ?? 0),
    confirmed_count: count(counts?.confirmedCount ?? 0),
    rejected_count: count(counts?.rejectedCount ?? 0),
    rejected_automatically_count: count(counts?.rejectedAutomaticallyCount ?? 0),
    rejected_manually_count: count(counts?.rejectedManuallyCount ?? 0),
    deleted_count: count(counts?.deletedCount ?? 0),
    exported_count: count(counts?.exportedCount ?? 0),
    turnaround_avg_s: average(counts?.turnaroundS),
    corrections_per_document_avg: average(counts?.correctedCount),
    exported_on_time_count: count(counts?.exportedOnTimeCount ?? 0),
    exported_late_count: count(counts?.exportedLateCount ?? 0),
    time_per_document_avg_s: average(counts?.timeOverallS),
    time_per_document_active_avg_s: average(counts?.timeActiveS),
  };
}

function fieldToJson({ schemaId, label, totalCount, correctedCount, timeSpentS }: reporting.Field) {
  return {
    schema_id: schemaId,
    label,
    total_count: totalCount,
    corrected_ratio: totalCount === 0 ? 0 : rounded(correctedCount / totalCount),
    time_spent_avg_s: totalCount === 0 ? 0 : rounded(timeSpentS / totalCount),
  };
}

/** To the microsecond. */
function rounded(seconds: number): number {
  return Math.round(seconds * 1e6) / 1e6;
}
