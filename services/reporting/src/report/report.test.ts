import type { FactCount } from '../fact/fact.store';
import { type Counts, makeReport, planReport, type ReportRequest, toGrouping } from './report';

const NOW = new Date('2025-03-31T10:00:00Z');
const request = (rest: Partial<ReportRequest> = {}): ReportRequest => ({
  queueIds: [],
  userIds: [],
  begin: new Date('2024-12-01T00:00:00Z'),
  beginExclusive: false,
  end: new Date('2025-02-01T00:00:00Z'),
  groupBy: [],
  ...rest,
});
const row = (count: number, rest: Partial<FactCount> = {}): FactCount => ({
  queueId: null,
  userId: null,
  period: null,
  count,
  ...rest,
});
const counts = (given: Partial<Counts>): Counts => ({
  imported: [],
  confirmed: [],
  rejectedAutomatically: [],
  rejectedManually: [],
  deleted: [],
  exported: [],
  ...given,
});
const zero = {
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

describe('planReport', () => {
  it('takes the last 12 months when nothing is said', () => {
    expect(planReport(request({ begin: undefined, end: undefined }), NOW)).toEqual({
      filter: {
        queueIds: [],
        userIds: [],
        begin: new Date('2024-03-31T00:00:00Z'),
        beginExclusive: false,
        end: NOW,
        onTimeS: 86_400,
      },
      groups: new Set(),
      period: null,
    });
    const leapDay = new Date('2024-02-29T01:00:00Z');
    expect(planReport(request({ begin: undefined, end: undefined }), leapDay).filter.begin).toEqual(
      new Date('2023-02-28T00:00:00Z'),
    );
  });

  it('begins a year ago whatever the end, but never after it', () => {
    const beginFor = (end: string) =>
      planReport(request({ begin: undefined, end: new Date(end) }), NOW).filter.begin.toISOString();
    expect(beginFor('2025-01-15T00:00:00Z')).toBe('2024-03-31T00:00:00.000Z');
    expect(beginFor('2023-01-15T10:00:00Z')).toBe('2022-01-15T00:00:00.000Z');
  });

  it('groups by queue for a workspace, and by one period', () => {
    expect(toGrouping(planReport(request({ groupBy: ['workspace', 'week'] }), NOW))).toEqual({
      queue: true,
      user: false,
      period: 'week',
    });
  });

  it.each([
    [{ groupBy: ['user', 'year'] }, { group_by: { 1: ['"year" is not a valid choice.'] } }],
    [{ groupBy: ['month', 'day'] }, { group_by: ['Only one of month, week and day can be used.'] }],
    [{ begin: new Date('2025-02-01T00:00:01Z') }, { non_field_errors: ['begin_date must not be after end_date.'] }],
  ])('refuses %j', (rest, fields) => {
    expect(() => planReport(request(rest), NOW)).toThrow(expect.objectContaining({ reason: 'INVALID', fields }));
  });
});

describe('makeReport', () => {
  it('is one series without grouping, dated as asked for', () => {
    const plan = planReport(request(), NOW);
    const given = { imported: [row(7)], rejectedAutomatically: [row(1)], rejectedManually: [row(2)] };
    const values = {
      ...zero,
      importedCount: 7,
      rejectedCount: 3,
      rejectedAutomaticallyCount: 1,
      rejectedManuallyCount: 2,
    };
    expect(makeReport(plan, counts(given), new Map())).toEqual({
      series: [{ beginDate: '2024-12-01', endDate: '2025-01-31', values, fields: [] }],
      totals: values,
    });
  });

  it('is empty, with totals, when there is no data', () => {
    expect(makeReport(planReport(request(), NOW), counts({}), new Map())).toEqual({ series: [], totals: zero });
  });

  it('joins the metrics of a group and orders the groups', () => {
    const plan = planReport(request({ groupBy: ['user', 'queue', 'month'] }), NOW);
    const december = new Date('2024-12-01T00:00:00Z');
    const january = new Date('2025-01-01T00:00:00Z');
    const { series, totals } = makeReport(
      plan,
      counts({
        imported: [row(2, { queueId: 3, period: january }), row(4, { queueId: 3, period: december })],
        exported: [
          row(1, { queueId: 3, userId: 9, period: december }),
          row(1, { queueId: 2, userId: 9, period: december }),
        ],
        confirmed: [row(3, { queueId: 3, userId: 9, period: december })],
      }),
      new Map(),
    );
    expect(series.map(({ values, fields, ...keys }) => keys)).toEqual([
      { beginDate: '2024-12-01', endDate: '2025-01-01', queueId: 2, userId: 9 },
      { beginDate: '2024-12-01', endDate: '2025-01-01', queueId: 3 },
      { beginDate: '2024-12-01', endDate: '2025-01-01', queueId: 3, userId: 9 },
      { beginDate: '2025-01-01', endDate: '2025-02-01', queueId: 3 },
    ]);
    expect(series[2]?.values).toEqual({ ...zero, exportedCount: 1, confirmedCount: 3 });
    expect(totals).toEqual({ ...zero, importedCount: 6, exportedCount: 2, confirmedCount: 3 });
  });

  it('adds up what exported documents took', () => {
    const spent = { onTime: 2, turnaroundS: 30, overallS: 20, activeS: 10, corrected: 3 };
    const exported = [row(3, { userId: 1, spent }), row(1, { userId: 2, spent: { ...spent, onTime: 0 } })];
    const { series, totals } = makeReport(
      planReport(request({ groupBy: ['user'] }), NOW),
      counts({ exported }),
      new Map(),
    );
    expect(series.map(({ values }) => [values.exportedOnTimeCount, values.exportedLateCount])).toEqual([
      [2, 1],
      [0, 1],
    ]);
    expect(totals).toEqual({
      ...zero,
      ...{ exportedCount: 4, exportedOnTimeCount: 2, exportedLateCount: 2 },
      ...{ turnaroundS: 60, timeOverallS: 40, timeActiveS: 20, correctedCount: 6 },
    });
  });

  it('adds up the fields of a group, in the order of its newest schema', () => {
    const plan = planReport(request({ groupBy: ['workspace'] }), NOW);
    const field = (queueId: number, name: string, newestSchemaId: number, total: number) => ({
      ...{ queueId, userId: null, period: null, field: name, newestSchemaId },
      ...{ total, corrected: 1, timeS: 2 },
    });
    const labelsOf = (...labels: string[]) =>
      new Map(labels.map((label, index) => [label.toLowerCase(), { label, index }] as const));
    const { series } = makeReport(
      plan,
      counts({ exported: [row(1, { queueId: 3 }), row(1, { queueId: 4 })] }),
      new Map([
        [3, 8],
        [4, 8],
      ]),
      [
        field(3, 'date', 1, 5),
        field(3, 'old', 1, 1),
        field(4, 'date', 2, 6),
        field(4, 'total', 2, 1),
        field(4, 'button', 2, 1),
        field(3, 'gone', 9, 1),
      ],
      new Map([
        [1, labelsOf('Old', 'Date')],
        [2, labelsOf('Total', 'Date')],
      ]),
    );
    expect(series.map(({ fields }) => fields)).toEqual([
      [
        { schemaId: 'gone', label: 'gone', totalCount: 1, correctedCount: 1, timeSpentS: 2 },
        { schemaId: 'total', label: 'Total', totalCount: 1, correctedCount: 1, timeSpentS: 2 },
        { schemaId: 'date', label: 'Date', totalCount: 11, correctedCount: 2, timeSpentS: 4 },
        { schemaId: 'old', label: 'Old', totalCount: 1, correctedCount: 1, timeSpentS: 2 },
      ],
    ]);
  });

  it('adds up the queues of a workspace', () => {
    const plan = planReport(request({ groupBy: ['workspace'] }), NOW);
    const imported = [row(1, { queueId: 3 }), row(2, { queueId: 4 }), row(4, { queueId: 5 })];
    const { series } = makeReport(
      plan,
      counts({ imported }),
      new Map([
        [3, 8],
        [4, 8],
        [5, 9],
      ]),
    );
    expect(series.map(({ workspaceId, queueId, values }) => [workspaceId, queueId, values.importedCount])).toEqual([
      [8, undefined, 3],
      [9, undefined, 4],
    ]);
  });

  it.each([
    ['day', '2024-12-31', '2025-01-01'],
    ['week', '2024-12-30', '2025-01-06'],
    ['month', '2024-12-01', '2025-01-01'],
  ])('ends a %s with the first day after it', (period, begin, end) => {
    const imported = [row(1, { period: new Date(`${begin}T00:00:00Z`) })];
    const { series } = makeReport(planReport(request({ groupBy: [period] }), NOW), counts({ imported }), new Map());
    expect(series[0]).toMatchObject({ beginDate: begin, endDate: end });
  });
});
