import { connectBackbone, startConsumer } from '@intake/bus';
import { queue } from '@intake/contracts';
import { createIndexes, isMongoUnavailable } from '@intake/mongo';
import { isNeighbourAway, readRpcSettings, serveRpc } from '@intake/rpc';
import { type Environment, runAsProcess, runService } from '@intake/service';
import { readQueueConfig } from './config';
import { createConnectorStore } from './connector/connector.store';
import { createConsumers } from './consumers';
import { createEmailTemplateStore } from './email-template/email-template.store';
import { createHookStore } from './hook/hook.store';
import { createInboxStore } from './inbox/inbox.store';
import { createLabelStore } from './label/label.store';
import { createQueueStore } from './queue/queue.store';
import { createQueueDeletion, startQueueDeletion } from './queue/queue-deletion';
import { createRpc } from './rpc';
import { createSchemaStore } from './schema/schema.store';
import { createVault } from './secrets';
import { createWorkspaceStore } from './workspace/workspace.store';

/** Starts the service of everything that configures an organization. */
export const start = (env: Environment) =>
  runService('queue', env, async (runtime) => {
    const rpc = readRpcSettings(env);
    const { mailDomain, encryptionKey, previousEncryptionKey } = readQueueConfig(env);
    const backbone = await connectBackbone(runtime, env);
    const vault = createVault(encryptionKey || rpc.secret, [previousEncryptionKey, rpc.secret].filter(Boolean));
    const workspaces = createWorkspaceStore(backbone);
    const queues = createQueueStore(backbone);
    const schemas = createSchemaStore(backbone);
    const inboxes = createInboxStore(backbone);
    const connectors = createConnectorStore(backbone, vault);
    const hooks = createHookStore(backbone, vault);
    const labels = createLabelStore(backbone);
    const templates = createEmailTemplateStore(backbone);
    await createIndexes(backbone.database);
    for (const store of [hooks, connectors]) await store.reseal();
    const stores = { workspaces, queues, schemas, inboxes, connectors, hooks, labels, templates };
    const deletion = createQueueDeletion(runtime, { queues, inboxes, templates, backbone });
    await serveRpc(runtime, {
      stuck: [backbone.stuck],
      definition: queue.QueueServiceService,
      proto: 'intake/queue/v1/queue.proto',
      handlers: createRpc({ backbone, ...stores, deletion, mailDomain }),
      ...rpc,
      isUnavailable: isMongoUnavailable,
    });
    startConsumer(runtime, { ...backbone, handlers: createConsumers(deletion), isAway: isNeighbourAway });
    startQueueDeletion(runtime, backbone, deletion);
  });

if (require.main === module) void runAsProcess(start);
