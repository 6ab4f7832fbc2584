import type { queue, reporting } from '@intake/contracts';
import {
  type Caller,
  type Client,
  type Handlers,
  organizationOf,
  Refusal,
  requireSystem,
  systemCaller,
} from '@intake/rpc';
import { childrenOf, type SchemaContent, type SchemaNode } from '@intake/schema';
import type { FactStore, Metric } from './fact/fact.store';
import type { Rebuilding } from './rebuild/rebuilding';
import { type Counts, type Labels, makeReport, planReport, toGrouping } from './report/report';

/** What the rpcs stand on. */
export interface RpcOptions {
  readonly facts: FactStore;
  readonly queues: Pick<Client<typeof queue.QueueServiceService>, 'getQueues' | 'getSchema'>;
  readonly rebuilding: Rebuilding;
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
export function createRpc({
  facts,
  queues,
  rebuilding,
}: RpcOptions): Handlers<typeof reporting.ReportingServiceService> {
  const readWorkspaces = async (counts: Counts, caller: Caller): Promise<Map<number, number>> => {
    const rows = Object.values(counts).flat();
    const ids = [...new Set(rows.flatMap(({ queueId }) => queueId ?? []))];
    if (ids.length === 0) return new Map();
    const found = await queues.getQueues({ ids }, caller);
    return new Map(
      found.queues.flatMap(({ id, workspaceId }) => (workspaceId === undefined ? [] : [[id, workspaceId]])),
    );
  };

  const readLabels = async (schemaIds: Iterable<number>, caller: Caller): Promise<Map<number, Labels>> => {
    const system = systemCaller('reporting', organizationOf(caller));
    const read = [...new Set(schemaIds)].map(async (id) => {
      try {
        const { contentJson } = await queues.getSchema({ id }, system);
        return [[id, labelsOf(JSON.parse(contentJson) as SchemaContent)] as const];
      } catch (error) {
        if (error instanceof Refusal && error.reason === 'NOT_FOUND') return [];
        throw error;
      }
    });
    return new Map((await Promise.all(read)).flat());
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
      const fields = await facts.countFields(caller, plan.filter, grouping);
      const labels = await readLabels(
        fields.map(({ newestSchemaId }) => newestSchemaId),
        caller,
      );
      const { series, totals } = makeReport(plan, counts, workspaces, fields, labels);
      return {
        totals,
        series: series.map(({ fields, ...item }) => ({
          ...{ workspaceId: undefined, queueId: undefined, userId: undefined },
          ...item,
          fields: [...fields],
        })),
      };
    },
    async rebuild(_request, caller) {
      requireSystem(caller);
      return { annotations: await rebuilding.run() };
    },
  };
}

/** The datapoints of a schema that hold values, depth first. */
function labelsOf(content: SchemaContent): Labels {
  const labels = new Map<string, { label: string; index: number }>();
  const visit = (node: SchemaNode): void => {
    if (node.category !== 'datapoint') childrenOf(node).forEach(visit);
    else if (node.type !== 'button') labels.set(node.id, { label: node.label, index: labels.size });
  };
  content.forEach(visit);
  return labels;
}
