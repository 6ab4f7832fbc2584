import type { reporting } from '@intake/contracts';
import type { ApiUrls } from '@intake/urls';

/** API: usage-report.md section 3. Averages are not measured yet and null, as for a period without documents. */
export function usageReportToJson({ series, totals }: reporting.UsageReportResponse, urls: ApiUrls) {
  return {
    series: series.map(({ beginDate, endDate, queueId, workspaceId, userId, values }) => ({
      begin_date: beginDate,
      end_date: endDate,
      ...(queueId !== undefined && { queue: urls.queue(queueId) }),
      ...(workspaceId !== undefined && { workspace: urls.workspace(workspaceId) }),
      ...(userId !== undefined && { user: urls.user(userId) }),
      values: { ...metricsToJson(values, (value) => value || null), time_and_corrections_per_field: [] },
    })),
    totals: metricsToJson(totals, (value) => value),
  };
}

/** In a group a count of nothing is null, in the totals it is 0. */
function metricsToJson(counts: reporting.Metrics | undefined, count: (value: number) => number | null) {
  return {
    imported_count: count(counts?.importedCount ?? 0),
    confirmed_count: count(counts?.confirmedCount ?? 0),
    rejected_count: count(counts?.rejectedCount ?? 0),
    rejected_automatically_count: count(counts?.rejectedAutomaticallyCount ?? 0),
    rejected_manually_count: count(counts?.rejectedManuallyCount ?? 0),
    deleted_count: count(counts?.deletedCount ?? 0),
    exported_count: count(counts?.exportedCount ?? 0),
    turnaround_avg_s: null,
    corrections_per_document_avg: null,
    exported_on_time_count: null,
    exported_late_count: null,
    time_per_document_avg_s: null,
    time_per_document_active_avg_s: null,
  };
}
