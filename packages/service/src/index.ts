/** Runs a service: settings, logs, metrics, traces, health and drain. */
export { type CommandRuntime, createCommandRuntime, runAsCommand } from './command';
export {
  ConfigError,
  count,
  type Environment,
  flag,
  list,
  mailDomain,
  milliseconds,
  namePrefix,
  port,
  positive,
  publicUrl,
  readConfig,
  relayUrl,
  type Setting,
  text,
  textLike,
} from './config';
export { currentContext, currentRequestId, type RequestContext, runInContext } from './context';
export { createLog, type Logger } from './log';
export { createReceivingFirst, type ReceivingFirst } from './receiving-first';
export { type RunningService, type Runtime, runAsProcess, runService } from './run';
export type { Stuck, StuckSource } from './stuck';
export {
  contextFromTraceparent,
  continueRequest,
  createTracing,
  currentTraceparent,
  type RequestOrigin,
  withSpan,
} from './tracing';
