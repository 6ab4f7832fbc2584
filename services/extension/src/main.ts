import { connectBackbone, startConsumer } from '@intake/bus';
import { annotation, auth, documentStorage, extension, mailIngest, queue } from '@intake/contracts';
import { createIndexes, isMongoUnavailable, startSweep } from '@intake/mongo';
import { connectRpc, type Definition, isNeighbourAway, readRpcSettings, type ServiceName, serveRpc } from '@intake/rpc';
import { type Environment, runAsProcess, runService } from '@intake/service';
import { createOutgoing } from '@intake/untrusted';
import { apiUrls } from '@intake/urls';
import { createArrivals } from './arrival/arrivals';
import { createAskHooks } from './arrival/ask-hooks';
import { readExtensionConfig } from './config';
import { createConnectors } from './connector/connectors';
import { createConsumers } from './consumers';
import { createContentEvents } from './content/content-events';
import { createWaitedFor } from './content/waited-for';
import { createHooks } from './hook/hook';
import { createLegs } from './leg/legs';
import { createLogStore } from './log/log.store';
import { createManualCalls } from './manual/manual-calls';
import { createDeliveries } from './notification/deliveries';
import { createNotifications } from './notification/notifications';
import { createReceiverStore } from './notification/receiver.store';
import { createAnnotationPayloads } from './payload/annotation-payload';
import { createArrivalPayloads } from './payload/arrival-payloads';
import { createSideloads } from './payload/sideloads';
import { createRpc } from './rpc';
import { createSchedules } from './schedule/schedules';
import { createWebhooks } from './webhook/webhooks';
import { createWorkStore } from './work/work.store';
import { startWorker } from './work/worker';

/** How often it is looked which hooks are to be called by the clock. */
const SCHEDULES_MS = 5000;

/** Starts the extension service. */
export const start = (env: Environment) =>
  runService('extension', env, async (runtime) => {
    const { origin, outgoingAllow } = readExtensionConfig(env);
    const rpc = readRpcSettings(env);
    const backbone = await connectBackbone(runtime, env);
    const { database } = backbone;
    const logs = createLogStore(database);
    const work = createWorkStore(database);
    const receivers = createReceiverStore(database);
    await createIndexes(database);

    const connect = <D extends Definition>(definition: D, name: ServiceName) =>
      connectRpc(runtime, definition, rpc.addressOf(name), rpc);
    const annotations = connect(annotation.AnnotationServiceService, 'annotation');
    const storage = connect(documentStorage.DocumentStorageServiceService, 'document-storage');
    const queues = connect(queue.QueueServiceService, 'queue');
    const mail = connect(mailIngest.MailIngestServiceService, 'mail-ingest');
    const accounts = connect(auth.AuthServiceService, 'auth');

    const urls = apiUrls(`${origin}/api`);
    const outgoing = createOutgoing({ allow: outgoingAllow });
    const hooks = createHooks(queues);
    const webhooks = createWebhooks({ outgoing, auth: accounts, logs, origin, urls });
    const sideloads = createSideloads({ annotations, storage, queues, auth: accounts, mail, urls });
    const payloads = createAnnotationPayloads({ annotations, storage, mail, sideloads, urls });
    const notifications = createNotifications({
      ...{ hooks, payloads, webhooks, work, logs, receivers, log: runtime.log },
      hasActedOn: (start) => backbone.inbox.hasAny(runtime.name, start),
    });

    const contentEvents = createContentEvents({ annotations, hooks, payloads, webhooks, logs });
    const connectors = createConnectors({
      ...{ outgoing, urls, annotations, storage, queues, contentEvents },
      auth: accounts,
    });
    const legs = createLegs({ annotations, connectors, contentEvents, work });
    const waitedFor = createWaitedFor({ annotations, connectors, contentEvents });
    const arrivalPayloads = createArrivalPayloads({ storage, mail, urls });
    const manualCalls = createManualCalls({ hooks, payloads, arrivalPayloads, webhooks });
    const arrivals = createArrivals({
      ...{ backbone, hooks, webhooks, work, logs },
      askHooks: createAskHooks({ webhooks, logs }),
      payloads: arrivalPayloads,
    });
    const deliveries = createDeliveries({ hooks, work });
    const schedules = createSchedules({ database, queues, hooks, webhooks, work });

    await serveRpc(runtime, {
      stuck: [backbone.stuck],
      definition: extension.ExtensionServiceService,
      proto: 'intake/extension/v1/extension.proto',
      handlers: createRpc({ logs, arrivals, waitedFor, manualCalls, deliveries }),
      ...rpc,
      isUnavailable: isMongoUnavailable,
    });
    startConsumer(runtime, {
      ...backbone,
      handlers: createConsumers(notifications, legs),
      isAway: isNeighbourAway,
    });
    startWorker(runtime, work, {
      ...{ notification: { run: notifications.deliver }, ...legs.handlers },
      ...{ ...arrivals.handlers, ...schedules.handlers },
    });
    startSweep(runtime, backbone.leases, 'scheduled-hooks', SCHEDULES_MS, () => schedules.callDue(new Date()));
  });

if (require.main === module) void runAsProcess(start);
