import { connectBackbone } from '@intake/bus';
import { queue } from '@intake/contracts';
import { createIndexes, isMongoUnavailable } from '@intake/mongo';
import { readRpcSettings, serveRpc } from '@intake/rpc';
import { type Environment, runAsProcess, runService } from '@intake/service';
import { readQueueConfig } from './config';
import { createInboxStore } from './inbox/inbox.store';
import { createQueueStore } from './queue/queue.store';
import { createRpc } from './rpc';
import { createSchemaStore } from './schema/schema.store';
import { createWorkspaceStore } from './workspace/workspace.store';

/** Starts the service of workspaces, queues, schemas and inboxes. */
export const start = (env: Environment) =>
  runService('queue', env, async (runtime) => {
    const rpc = readRpcSettings(env);
    const { mailDomain } = readQueueConfig(env);
    const backbone = await connectBackbone(runtime, env);
    const workspaces = createWorkspaceStore(backbone);
    const queues = createQueueStore(backbone);
    const schemas = createSchemaStore(backbone);
    const inboxes = createInboxStore(backbone);
    await createIndexes(backbone.database);
    await serveRpc(runtime, {
      definition: queue.QueueServiceService,
      proto: 'intake/queue/v1/queue.proto',
      handlers: createRpc({ backbone, workspaces, queues, schemas, inboxes, mailDomain }),
      ...rpc,
      isUnavailable: isMongoUnavailable,
    });
  });

if (require.main === module) void runAsProcess(start);
