import { connectBackbone, startConsumer } from '@intake/bus';
import { annotation, extension } from '@intake/contracts';
import { createIndexes, isMongoUnavailable } from '@intake/mongo';
import { connectRpc, Refusal, readRpcSettings, serveRpc } from '@intake/rpc';
import { type Environment, runAsProcess, runService } from '@intake/service';
import { createConsumers } from './consumers';
import { createRpc } from './rpc';

/** Starts the extension service. */
export const start = (env: Environment) =>
  runService('extension', env, async (runtime) => {
    const rpc = readRpcSettings(env);
    const backbone = await connectBackbone(runtime, env);
    await createIndexes(backbone.database);
    const annotations = connectRpc(
      runtime,
      annotation.AnnotationServiceService,
      rpc.addressOf('annotation'),
      rpc.secret,
    );
    await serveRpc(runtime, {
      definition: extension.ExtensionServiceService,
      proto: 'intake/extension/v1/extension.proto',
      handlers: createRpc(),
      ...rpc,
      isUnavailable: isMongoUnavailable,
    });
    startConsumer(runtime, {
      ...backbone,
      handlers: createConsumers(annotations),
      isAway: (error) => error instanceof Refusal && error.reason === 'SERVICE_UNAVAILABLE',
    });
  });

if (require.main === module) void runAsProcess(start);
