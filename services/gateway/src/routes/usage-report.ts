import { Readable } from 'node:stream';
import type { reporting } from '@intake/contracts';
import {
  answers,
  listOf,
  number,
  type ReportNames,
  reference,
  string,
  usageReportToCsv,
  usageReportToJson,
} from '@intake/resources';
import { type Caller, Refusal } from '@intake/rpc';
import { z } from 'zod';
import { answersObject } from '../openapi/named-schema';
import { parseTime } from '../request/query';
import { Answer, type ApiRequest, type QueryParameter, route } from '../route';
import type { RouteContext } from './index';
import { distinct } from './lookups';

const DAY_MS = 24 * 3600 * 1000;
const GROUPS = ['user', 'workspace', 'queue', 'month', 'week', 'day'] as const;
const PERIODS: readonly string[] = ['month', 'week', 'day'];

const TIME_MESSAGE = 'Enter a valid date/time.';

/** A bound of a period. As a day it counts whole, as a moment it is outside (API: usage-report.md section 2). */
interface Bound {
  readonly date: Date;
  readonly isDay: boolean;
}

function readBound(text: string): Bound | null {
  const date = parseTime(text);
  return date && { date, isDay: /^\d{4}-\d{2}-\d{2}$/.test(text.trim()) };
}

/** The first moment behind a period. */
const endOf = ({ date, isDay }: Bound): Date => new Date(date.getTime() + (isDay ? DAY_MS : 0));

const isAfter = (begin: Bound, end: Bound): boolean => (end.isDay ? begin.date >= endOf(end) : begin.date > end.date);

const CSV: QueryParameter = { name: 'format', schema: { type: 'string', enum: ['json', 'csv'], default: 'json' } };
const BOUNDS: readonly QueryParameter[] = ['from', 'to'].map((name) => ({
  name,
  schema: { type: 'string' },
  description: 'A date, or a date with a time.',
}));
const report = (...query: readonly QueryParameter[]) =>
  answersObject(
    'What came in and went out, by group; CSV with format=csv',
    { series: listOf(answers.object), totals: answers.object },
    { query, media: 'text/csv' },
  );

const time = string(40).transform((text, context): Bound => {
  const bound = readBound(text);
  if (bound) return bound;
  context.addIssue({ code: 'custom', message: TIME_MESSAGE });
  return z.NEVER;
});

const reportBody = z.object({
  filter: z
    .object({
      users: z.array(reference('users')).nullish(),
      queues: z.array(reference('queues')).nullish(),
      begin_date: time.nullish(),
      end_date: time.nullish(),
    })
    .nullish(),
  exported_on_time_threshold_s: number
    .refine((value) => value >= 0, 'Ensure this value is greater than or equal to 0.')
    .nullish(),
  group_by: z
    .array(z.enum(GROUPS))
    .refine((groups) => groups.filter((group) => PERIODS.includes(group)).length <= 1, 'Only one of month, week, day.')
    .nullish(),
});

interface Wanted {
  readonly begin: Bound | null | undefined;
  readonly end: Bound | null | undefined;
  readonly queueIds: number[];
  readonly userIds: number[];
  readonly groupBy: string[];
  /** Seconds. */
  readonly onTimeS?: number | undefined;
}

interface Report {
  readonly report: reporting.UsageReportResponse;
  /** Only for a table. */
  readonly names?: ReportNames;
}

/** API: usage-report.md. */
export function usageReportRoutes({ services, lookups }: RouteContext) {
  const makeReport = async ({ query }: ApiRequest, wanted: Wanted, caller: Caller): Promise<Report> => {
    const isTable = query.get('format')?.toLowerCase() === 'csv';
    const { begin, end, queueIds, userIds } = wanted;
    if (begin && end && isAfter(begin, end)) {
      throw new Refusal('INVALID', { fields: { non_field_errors: ['begin_date must not be after end_date.'] } });
    }
    const report = await services.reporting.usageReport(
      {
        begin: begin?.date,
        beginExclusive: begin?.isDay === false,
        end: end ? endOf(end) : undefined,
        queueIds,
        userIds,
        groupBy: isTable ? ['user', 'workspace', 'queue'] : wanted.groupBy,
        onTimeThresholdS: wanted.onTimeS,
      },
      caller,
    );
    return isTable ? { report, names: await readNames(report, caller) } : { report };
  };

  const readNames = async ({ series }: reporting.UsageReportResponse, caller: Caller): Promise<ReportNames> => {
    const [users, queues, workspaces] = await Promise.all([
      lookups.users(distinct(series.map(({ userId }) => userId)), caller),
      lookups.queues(distinct(series.map(({ queueId }) => queueId)), caller),
      lookups.workspaces(distinct(series.map(({ workspaceId }) => workspaceId)), caller),
    ]);
    return {
      users: new Map(users.map(({ id, username }) => [id, username])),
      queues: new Map(queues.map(({ id, name }) => [id, name])),
      workspaces: new Map(workspaces.map(({ id, name }) => [id, name])),
    };
  };

  const reply = ({ report, names }: Report, { urls }: ApiRequest): object | Answer =>
    names
      ? new Answer(
          200,
          {
            'Content-Type': 'text/csv; charset=utf-8',
            'Content-Disposition': 'attachment; filename="usage_report.csv"',
            'X-Content-Type-Options': 'nosniff',
          },
          Readable.from([usageReportToCsv(report, names, urls)], { objectMode: false }),
        )
      : usageReportToJson(report, urls);

  const requireKnown = async (
    field: string,
    ids: readonly number[],
    find: () => Promise<readonly { id: number }[]>,
  ) => {
    if (ids.length === 0) return;
    const known = (await find()).map(({ id }) => id);
    if (!ids.every((id) => known.includes(id))) {
      throw new Refusal('INVALID', {
        fields: { filter: { [field]: ['Invalid hyperlink - Object does not exist.'] } },
      });
    }
  };

  return [
    route('GET', '/annotations/usage_report', {
      allow: 'readUsage',
      doc: report(CSV, ...BOUNDS),
      call: (request, caller) => {
        const { query } = request;
        const readTime = (name: string): Bound | null | undefined => {
          const text = query.get(name);
          return text === undefined ? undefined : (readBound(text) ?? query.refuse(name, TIME_MESSAGE));
        };
        const [begin, end] = [readTime('from'), readTime('to')];
        query.check();
        return makeReport(request, { begin, end, queueIds: [], userIds: [], groupBy: ['user', 'queue'] }, caller);
      },
      reply,
    }),
    route('POST', '/annotations/usage_report', {
      allow: 'readUsage',
      doc: report(CSV),
      body: reportBody,
      call: async (request, caller) => {
        const { filter, group_by, exported_on_time_threshold_s: onTimeS } = request.body;
        const queueIds = filter?.queues ?? [];
        const userIds = filter?.users ?? [];
        await requireKnown('queues', queueIds, () => lookups.queues(queueIds, caller));
        await requireKnown('users', userIds, () => lookups.users(userIds, caller));
        const { begin_date: begin, end_date: end } = filter ?? {};
        return makeReport(
          request,
          { begin, end, queueIds, userIds, groupBy: group_by ?? [], onTimeS: onTimeS ?? undefined },
          caller,
        );
      },
      reply,
    }),
  ];
}
