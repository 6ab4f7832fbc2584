import type { reporting } from '@intake/contracts';
import { type Caller, invalidField } from '@intake/rpc';
import { z } from 'zod';
import { parseTime } from '../request/query';
import { number, reference, string, unknownReference } from '../request/shapes';
import { usageReportToJson } from '../resources/usage-report';
import { formatDate } from '../resources/values';
import { route } from '../route';
import type { RouteContext } from './index';

const DAY_MS = 24 * 3600 * 1000;
const GROUPS = ['user', 'workspace', 'queue', 'month', 'week', 'day'] as const;
const PERIODS: readonly string[] = ['month', 'week', 'day'];

const time = string(40).transform((text, context) => {
  const date = parseTime(text);
  if (date) return { date, isDay: /^\d{4}-\d{2}-\d{2}$/.test(text.trim()) };
  context.addIssue({ code: 'custom', message: 'Enter a valid date/time.' });
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

interface Period {
  readonly begin: Date;
  readonly end: Date;
}

/** API: usage-report.md. */
export function usageReportRoutes({ services, lookups }: RouteContext) {
  const report = (wanted: Omit<reporting.UsageReportRequest, 'begin' | 'end'> & Period, caller: Caller) => {
    if (wanted.begin > wanted.end) throw invalidField('non_field_errors', 'begin_date may not be after end_date.');
    return services.reporting.usageReport(wanted, caller);
  };

  const requireKnown = async (
    field: string,
    ids: readonly number[],
    find: () => Promise<readonly { id: number }[]>,
  ) => {
    if (ids.length === 0) return;
    const known = (await find()).map(({ id }) => id);
    if (!ids.every((id) => known.includes(id))) {
      throw unknownReference(field);
    }
  };

  return [
    route('GET', '/annotations/usage_report', {
      allow: 'readUsage',
      call: async ({ query }, caller) => {
        if (query.get('format')?.toLowerCase() === 'csv') query.refuse('format', 'CSV is not available.');
        const from = query.time('from');
        const to = query.time('to');
        query.check();
        const end = to ? new Date(to.getTime() + DAY_MS) : new Date();
        const begin = from ?? aYearBefore(end);
        return report({ begin, end, queueIds: [], userIds: [], groupBy: ['user', 'queue'] }, caller);
      },
      reply: (result, { urls }) => usageReportToJson(result, urls),
    }),
    route('POST', '/annotations/usage_report', {
      allow: 'readUsage',
      body: reportBody,
      call: async ({ query, body: { filter, group_by } }, caller) => {
        if (query.get('format')?.toLowerCase() === 'csv') query.refuse('format', 'CSV is not available.');
        query.check();
        const queueIds = filter?.queues ?? [];
        const userIds = filter?.users ?? [];
        await requireKnown('queues', queueIds, () => lookups.queues(queueIds, caller));
        await requireKnown('users', userIds, () => lookups.users(userIds, caller));
        const last = filter?.end_date;
        // A day as the end counts whole.
        const end = last ? new Date(last.date.getTime() + (last.isDay ? DAY_MS : 0)) : new Date();
        const begin = filter?.begin_date?.date ?? aYearBefore(end);
        return report({ begin, end, queueIds, userIds, groupBy: group_by ?? [] }, caller);
      },
      reply: (result, { urls }) => usageReportToJson(result, urls),
    }),
  ];
}

function aYearBefore(date: Date): Date {
  const day = new Date(`${formatDate(date)}T00:00:00Z`);
  day.setUTCMonth(day.getUTCMonth() - 12);
  return day;
}
