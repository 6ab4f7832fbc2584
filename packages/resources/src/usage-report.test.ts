import { reporting } from '@intake/contracts';
import { apiUrls } from '@intake/urls';
import { usageReportToCsv, usageReportToJson } from './usage-report';

const urls = apiUrls('https://docs.example.com/api');
const names = {
  users: new Map([[11, 'jane@example.com']]),
  queues: new Map([[3, 'Invoices, paper']]),
  workspaces: new Map([[2, 'Accounting']]),
};
const HEADER =
  'Username,Workspace name,Queue name,User url,Queue url,Workspace url,Imported,Confirmed,Rejected,Rejected automatically,Rejected manually,Deleted,Exported,Net time\r\n';
const report = (series: Partial<reporting.Series>[]) => reporting.UsageReportResponse.fromPartial({ series });

describe('usageReportToCsv', () => {
  it('has a line for each group, imports without a user', () => {
    const imports = { queueId: 3, workspaceId: 2, values: reporting.Metrics.fromPartial({ importedCount: 5 }) };
    const work = {
      userId: 11,
      queueId: 3,
      workspaceId: 2,
      values: reporting.Metrics.fromPartial({
        confirmedCount: 1,
        rejectedCount: 5,
        rejectedAutomaticallyCount: 2,
        rejectedManuallyCount: 3,
        deletedCount: 4,
        exportedCount: 6,
        timeOverallS: 90.5,
      }),
    };
    expect(usageReportToCsv(report([imports, work]), names, urls)).toBe(
      `${HEADER},Accounting,"Invoices, paper",,https://docs.example.com/api/v1/queues/3,https://docs.example.com/api/v1/workspaces/2,5,0,0,0,0,0,0,0\r\n` +
        'jane@example.com,Accounting,"Invoices, paper",https://docs.example.com/api/v1/users/11,https://docs.example.com/api/v1/queues/3,https://docs.example.com/api/v1/workspaces/2,0,1,5,2,3,4,6,90.5\r\n',
    );
  });

  it('is the header without data, and leaves out names that are not known', () => {
    expect(usageReportToCsv(report([]), names, urls)).toBe(HEADER);
    const [, row] = usageReportToCsv(report([{ userId: 12, queueId: 4 }]), names, urls).split('\r\n');
    expect(row).toBe(
      ',,,https://docs.example.com/api/v1/users/12,https://docs.example.com/api/v1/queues/4,,0,0,0,0,0,0,0,0',
    );
  });
});

describe('usageReportToJson', () => {
  it('has averages over exported documents; without any they are null, and counts of a group too', () => {
    const values = reporting.Metrics.fromPartial({
      ...{ exportedCount: 4, exportedOnTimeCount: 3, exportedLateCount: 1 },
      ...{ turnaroundS: 10, timeOverallS: 6, timeActiveS: 2 },
    });
    const { series, totals } = usageReportToJson(
      reporting.UsageReportResponse.fromPartial({ series: [{ beginDate: '', endDate: '', values }] }),
      urls,
    );
    expect(series[0]?.values).toMatchObject({
      ...{ exported_count: 4, exported_on_time_count: 3, exported_late_count: 1, imported_count: null },
      ...{ turnaround_avg_s: 2.5, time_per_document_avg_s: 1.5, time_per_document_active_avg_s: 0.5 },
    });
    expect(totals).toMatchObject({ exported_on_time_count: 0, exported_late_count: 0, turnaround_avg_s: null });
  });
});
