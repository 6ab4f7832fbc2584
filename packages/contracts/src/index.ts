/** The contracts of every service, generated from `proto/`: one namespace for each `.proto` file. */
import path from 'node:path';

export * as annotation from './gen/intake/annotation/v1/annotation';
export * as auth from './gen/intake/auth/v1/auth';
export * as documentStorage from './gen/intake/document_storage/v1/document_storage';
export * as events from './gen/intake/events/v1/events';
export * as exporting from './gen/intake/export/v1/export';
export * as extension from './gen/intake/extension/v1/extension';
export * as extraction from './gen/intake/extraction/v1/extraction';
export * as mailIngest from './gen/intake/mail_ingest/v1/mail_ingest';
export * as operations from './gen/intake/operations/v1/operations';
export * as queue from './gen/intake/queue/v1/queue';
export * as reporting from './gen/intake/reporting/v1/reporting';

/** Folder of the `.proto` files, for server reflection. */
export const protoRoot = path.resolve(__dirname, '../../../proto');
