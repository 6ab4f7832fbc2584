import { reporting } from '@intake/contracts';
import { apiUrls } from '@intake/urls';
import { usageReportToCsv } from './usage-report';

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
      }),
    };
    expect(usageReportToCsv(report([imports, work]), names, urls)).toBe(
      `${HEADER},Accounting,"Invoices, paper",,https://docs.example.com/api/v1/queues/3,https://docs.example.com/api/v1/workspaces/2,5,0,0,0,0,0,0,\r\n` +
        'jane@example.com,Accounting,"Invoices, paper",https://docs.example.com/api/v1/users/11,https://docs.example.com/api/v1/queues/3,https://docs.example.com/api/v1/workspaces/2,0,1,5,2,3,4,6,\r\n',
    );
  });

  it('is the header without data, and leaves out names that are not known', () => {
    expect(usageReportToCsv(report([]), names, urls)).toBe(HEADER);
    const [, row] = usageReportToCsv(report([{ userId: 12, queueId: 4 }]), names, urls).split('\r\n');
    expect(row).toBe(
      ',,,https://docs.example.com/api/v1/users/12,https://docs.example.com/api/v1/queues/4,,0,0,0,0,0,0,0,',
    );
  });
});
