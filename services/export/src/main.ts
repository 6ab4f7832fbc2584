import { annotation, auth, documentStorage, exporting, queue } from '@intake/contracts';
import { connectRpc, readRpcSettings, serveRpc } from '@intake/rpc';
import { type Environment, runAsProcess, runService } from '@intake/service';
import { createRpc } from './rpc';

/** Starts the export service. */
export const start = (env: Environment) =>
  runService('export', env, async (runtime) => {
    const rpc = readRpcSettings(env);
    const neighbours = {
      annotations: connectRpc(runtime, annotation.AnnotationServiceService, rpc.addressOf('annotation'), rpc),
      documents: connectRpc(
        runtime,
        documentStorage.DocumentStorageServiceService,
        rpc.addressOf('document-storage'),
        rpc,
      ),
      queues: connectRpc(runtime, queue.QueueServiceService, rpc.addressOf('queue'), rpc),
      users: connectRpc(runtime, auth.AuthServiceService, rpc.addressOf('auth'), rpc),
    };
    await serveRpc(runtime, {
      definition: exporting.ExportServiceService,
      proto: 'intake/export/v1/export.proto',
      handlers: createRpc(neighbours),
      ...rpc,
    });
  });

if (require.main === module) void runAsProcess(start);
