import {
  annotation,
  auth,
  documentStorage,
  exporting,
  extension,
  extraction,
  mailIngest,
  queue,
  reporting,
} from '@intake/contracts';
import { connectRpc, type Definition, type RpcSettings, type ServiceName } from '@intake/rpc';
import type { Runtime } from '@intake/service';

/** Connects the neighbours that the API is made of. */
export function connectServices(runtime: Runtime, rpc: RpcSettings) {
  const connect = <D extends Definition>(definition: D, name: ServiceName) =>
    connectRpc(runtime, definition, rpc.addressOf(name), rpc);
  return {
    auth: connect(auth.AuthServiceService, 'auth'),
    queue: connect(queue.QueueServiceService, 'queue'),
    storage: connect(documentStorage.DocumentStorageServiceService, 'document-storage'),
    annotation: connect(annotation.AnnotationServiceService, 'annotation'),
    mail: connect(mailIngest.MailIngestServiceService, 'mail-ingest'),
    extraction: connect(extraction.ExtractionServiceService, 'extraction'),
    extension: connect(extension.ExtensionServiceService, 'extension'),
    exporting: connect(exporting.ExportServiceService, 'export'),
    reporting: connect(reporting.ReportingServiceService, 'reporting'),
  };
}

/** The neighbours, each with the rpcs of its contract. */
export type Services = ReturnType<typeof connectServices>;
