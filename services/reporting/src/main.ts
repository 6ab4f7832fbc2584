import { connectBackbone, startConsumer } from '@intake/bus';
import { annotation, queue, reporting } from '@intake/contracts';
import { createIndexes, isMongoUnavailable } from '@intake/mongo';
import { connectRpc, readRpcSettings, serveRpc } from '@intake/rpc';
import { type Environment, runAsProcess, runService } from '@intake/service';
import { Counter } from 'prom-client';
import { createConsumers } from './consumers';
import { createFactStore } from './fact/fact.store';
import { createRebuilding } from './rebuild/rebuilding';
import { createRpc } from './rpc';

/** Starts the reporting service. */
export const start = (env: Environment) =>
  runService('reporting', env, async (runtime) => {
    const rpc = readRpcSettings(env);
    const backbone = await connectBackbone(runtime, env);
    const facts = createFactStore(backbone.database);
    await createIndexes(backbone.database);
    const queues = connectRpc(runtime, queue.QueueServiceService, rpc.addressOf('queue'), rpc);
    const annotations = connectRpc(runtime, annotation.AnnotationServiceService, rpc.addressOf('annotation'), rpc);
    const rebuilding = createRebuilding({ annotations, facts, database: backbone.database });
    await serveRpc(runtime, {
      stuck: [backbone.stuck],
      definition: reporting.ReportingServiceService,
      proto: 'intake/reporting/v1/reporting.proto',
      handlers: createRpc({ facts, queues, rebuilding }),
      ...rpc,
      isUnavailable: isMongoUnavailable,
    });
    const changes = new Counter({
      name: 'intake_annotation_changes_total',
      help: 'Annotations that came to a state, by state and whether automation brought them there',
      labelNames: ['status', 'automated'],
      registers: [runtime.metrics],
    });
    const note = (status: string, automated: boolean) => changes.inc({ status, automated: String(automated) });
    startConsumer(runtime, { ...backbone, handlers: createConsumers(facts, note) });
  });

if (require.main === module) void runAsProcess(start);
