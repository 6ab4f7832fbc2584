import type { queue, reporting } from '@intake/contracts';
import type { Caller, Client, Handlers } from '@intake/rpc';
import type { FactStore, Metric } from './fact/fact.store';
import { type Counts, makeReport, planReport, toGrouping } from './report/report';

/** What the rpcs stand on. */
export interface RpcOptions {
  readonly facts: FactStore;
  readonly queues: Pick<Client<typeof queue.QueueServiceService>, 'getQueues'>;
}

const METRICS: readonly Metric[] = [
  'imported',
  'confirmed',
  'rejectedAutomatically',
  'rejectedManually',
  'deleted',
  'exported',
];

/** The rpcs of the reporting service. */
export function createRpc({ facts, queues }: RpcOptions): Handlers<typeof reporting.ReportingServiceService> {
  const readWorkspaces = async (counts: Counts, caller: Caller): Promise<Map<number, number>> => {
    const rows = Object.values(counts).flat();
    const ids = [...new Set(rows.flatMap(({ queueId }) => queueId ?? []))];
    if (ids.length === 0) return new Map();
    const found = await queues.getQueues({ ids }, caller);
    return new Map(
      found.queues.flatMap(({ id, workspaceId }) => (workspaceId === undefined ? [] : [[id, workspaceId]])),
    );
  };

  return {
    async usageReport(request, caller) {
      const plan = planReport(request, new Date());
      const grouping = toGrouping(plan);
      const counted = await Promise.all(
        METRICS.map(async (metric) => [metric, await facts.count(caller, metric, plan.filter, grouping)] as const),
      );
      const counts = Object.fromEntries(counted) as unknown as Counts;
      const workspaces = plan.groups.has('workspace') ? await readWorkspaces(counts, caller) : new Map();
      const { series, totals } = makeReport(plan, counts, workspaces);
      return {
        totals,
        series: series.map((item) => ({ workspaceId: undefined, queueId: undefined, userId: undefined, ...item })),
      };
    },
  };
}
