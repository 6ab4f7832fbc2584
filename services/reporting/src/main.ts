import { connectBackbone, startConsumer } from '@intake/bus';
import { queue, reporting } from '@intake/contracts';
import { createIndexes, isMongoUnavailable } from '@intake/mongo';
import { connectRpc, readRpcSettings, serveRpc } from '@intake/rpc';
import { type Environment, runAsProcess, runService } from '@intake/service';
import { createConsumers } from './consumers';
import { createFactStore } from './fact/fact.store';
import { createRpc } from './rpc';

/** Starts the reporting service. */
export const start = (env: Environment) =>
  runService('reporting', env, async (runtime) => {
    const rpc = readRpcSettings(env);
    const backbone = await connectBackbone(runtime, env);
    const facts = createFactStore(backbone.database);
    await createIndexes(backbone.database);
    const queues = connectRpc(runtime, queue.QueueServiceService, rpc.addressOf('queue'), rpc);
    await serveRpc(runtime, {
      definition: reporting.ReportingServiceService,
      proto: 'intake/reporting/v1/reporting.proto',
      handlers: createRpc({ facts, queues }),
      ...rpc,
      isUnavailable: isMongoUnavailable,
    });
    startConsumer(runtime, { ...backbone, handlers: createConsumers(facts) });
  });

if (require.main === module) void runAsProcess(start);
