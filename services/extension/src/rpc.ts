import type { extension } from '@intake/contracts';
import { type Handlers, requireAdmin, requireSystem } from '@intake/rpc';
import type { Arrivals } from './arrival/arrivals';
import type { WaitedFor } from './content/waited-for';
import type { LogRecord, LogStore } from './log/log.store';
import type { ManualCalls } from './manual/manual-calls';
import type { Deliveries } from './notification/deliveries';

/** Maps rpcs to the domain; no rules here. */
export function createRpc({
  logs,
  arrivals,
  waitedFor,
  manualCalls,
  deliveries,
}: {
  readonly logs: LogStore;
  readonly arrivals: Arrivals;
  readonly waitedFor: WaitedFor;
  readonly manualCalls: ManualCalls;
  readonly deliveries: Deliveries;
}): Handlers<typeof extension.ExtensionServiceService> {
  return {
    async callUploadHooks(request, caller) {
      requireSystem(caller);
      return arrivals.ofUpload(caller, request);
    },
    async callEmailHooks(request, caller) {
      requireSystem(caller);
      return arrivals.ofEmail(caller, request);
    },
    async runContentEvents(request, caller) {
      requireSystem(caller);
      return waitedFor.runContentEvents(caller, request);
    },
    async saveToConnector({ annotationId }, caller) {
      requireSystem(caller);
      return waitedFor.saveToConnector(caller, annotationId);
    },
    testHook: (request, caller) => manualCalls.test(caller, request),
    invokeHook: (request, caller) => manualCalls.invoke(caller, request),
    generatePayload: (request, caller) => manualCalls.generate(caller, request),
    listDeliveries: (request, caller) => deliveries.list(caller, request),
    replayDeliveries: (request, caller) => deliveries.replay(caller, request),
    async listHookLogs({ limit, ...filter }, caller) {
      requireAdmin(caller);
      return { logs: (await logs.list(caller, filter, limit)).map(toLog) };
    },
  };
}

function toLog({
  queueId,
  annotationId,
  emailId,
  end,
  request,
  response,
  statusCode,
  ...record
}: LogRecord): extension.HookLog {
  return {
    ...record,
    settings: { ...record.settings },
    queueId: queueId ?? undefined,
    annotationId: annotationId ?? undefined,
    emailId: emailId ?? undefined,
    end: end ?? undefined,
    request: request ?? undefined,
    response: response ?? undefined,
    statusCode: statusCode ?? undefined,
  };
}
