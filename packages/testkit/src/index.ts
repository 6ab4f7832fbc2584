/** What tests need: real backing services, the whole system, builders of PDFs and mails, and waiting without sleeping. */
export { Api, ApiError, idOf, type Json, type RequestOptions, toForm, type Uploaded, type UploadFile } from './api';
export { type Backing, backing, readTestVariable } from './backing';
export { makeCertificate } from './certificate';
export {
  copyDatabases,
  countStored,
  dropDatabases,
  findStored,
  insertManyStored,
  insertStored,
  listDatabases,
  removeStored,
} from './databases.store';
export { copyBucket, countMessages, countWaiting, listObjects, putObject, removeObject } from './leftovers';
export { buildMail, type MailContent, type MailServer, sendMail } from './mail';
export { type MailReceiver, type ReceivedMail, startMailReceiver } from './mail-receiver';
export { type NameServer, startNameServer, type Zone } from './name-server';
export { buildOutlookMessage, type OutlookContent } from './outlook';
export { attachFiles, buildPdf, invoiceLines, type PdfContent } from './pdf';
export { freePorts } from './ports';
export {
  type MongoSet,
  type NatsCluster,
  type PrivateServer,
  type PrivateServerOptions,
  type ServerSecurity,
  startMinio,
  startMongo,
  startMongoSet,
  startNats,
  startNatsCluster,
} from './private-servers';
export { type Program, startProgram } from './processes';
export { type ReceivedCall, type Receiver, type ReceiverAnswer, startReceiver } from './receiver';
export { type MessageRepeater, repeatMessages } from './repeated-messages';
export { runCommand } from './run-command';
export { dropTestData, type ServiceEnv, serviceEnv, uniqueName } from './service-env';
export {
  type Login,
  type Organization,
  type Replica,
  type SystemOptions,
  startSystem,
  type TestSystem,
} from './system';
export { startTcpProxy, type TcpProxy } from './tcp-proxy';
export { type ReceivedSpan, receiveTraces, type TraceReceiver } from './traces';
export { type WaitOptions, waitFor } from './wait';
