import { connectBackbone, startConsumer } from '@intake/bus';
import { documentStorage, extension, queue } from '@intake/contracts';
import { type EngineJobs, engineWorker } from '@intake/engine';
import { createIndexes, isMongoUnavailable } from '@intake/mongo';
import { connectRpc, Refusal, serveRpc, systemCaller } from '@intake/rpc';
import { type Environment, runAsProcess, runService } from '@intake/service';
import { ChildPool } from '@intake/untrusted';
import { readSettings } from './config';
import { createConsumers } from './consumers';
import { createDocumentStore } from './document/document.store';
import { createFiles } from './file/file';
import { createFileStore } from './file/file.store';
import { createObjectStore } from './object-store/object-store';
import { createPageStore } from './page/page.store';
import { createPageImages } from './page/page-image';
import { createRpc } from './rpc';
import { startSweeps } from './sweeps';
import { createTaskStore } from './task/task.store';
import { createCreateUpload } from './upload/create-upload';
import { createImportUpload } from './upload/import-upload';
import { createSubmissionStore } from './upload/submission.store';
import { createUploadStore } from './upload/upload.store';

/** Starts the service. */
export const start = (env: Environment) =>
  runService('document-storage', env, async (runtime) => {
    const { rpc, objectStore, drawers } = readSettings(env);
    const backbone = await connectBackbone(runtime, env);
    const { database } = backbone;
    const fileStore = createFileStore(database);
    const documents = createDocumentStore(database);
    const uploads = createUploadStore(database);
    const tasks = createTaskStore(database);
    const submissions = createSubmissionStore(database);
    const pages = createPageStore(database, backbone.ids);
    await createIndexes(database);

    const objects = createObjectStore(objectStore);
    runtime.addReadiness('object store', objects.check);
    await objects.check().catch((error) => runtime.log.warn({ err: error }, 'the object store is away'));
    const engine = new ChildPool<EngineJobs>({ worker: engineWorker, size: drawers });
    runtime.onStop('page drawers', () => engine.close());

    const queues = connectRpc(runtime, queue.QueueServiceService, rpc.addressOf('queue'), rpc.secret);
    const hooks = connectRpc(runtime, extension.ExtensionServiceService, rpc.addressOf('extension'), rpc.secret);
    const files = createFiles(fileStore, objects, runtime.log);
    const importUpload = createImportUpload({
      backbone,
      documents,
      uploads,
      tasks,
      callHooks: async ({ id, organizationId, queueId }, list) => {
        const request = { uploadId: id, queueId, files: list.map((file) => ({ ...file, values: { ...file.values } })) };
        const answer = await hooks.callUploadHooks(request, systemCaller('document-storage', organizationId));
        return answer.files;
      },
    });
    const createUpload = createCreateUpload({
      backbone,
      files,
      fileStore,
      documents,
      uploads,
      tasks,
      submissions,
      findQueue: async (caller, id) => (await queues.getQueues({ ids: [id] }, caller)).queues[0] ?? null,
    });
    const drawPage = createPageImages({ pages, documents, objects, engine, log: runtime.log });

    await serveRpc(runtime, {
      definition: documentStorage.DocumentStorageServiceService,
      proto: 'intake/document_storage/v1/document_storage.proto',
      handlers: createRpc({
        ...{ files, fileStore, objects, documents, uploads, tasks, pages },
        ...{ createUpload, importUpload, drawPage },
      }),
      ...rpc,
      isUnavailable: isMongoUnavailable,
    });
    startConsumer(runtime, {
      ...backbone,
      handlers: createConsumers(importUpload),
      isAway: (error) => error instanceof Refusal && error.reason === 'SERVICE_UNAVAILABLE',
    });
    startSweeps(runtime, backbone, { files, importUpload });
  });

if (require.main === module) void runAsProcess(start);
