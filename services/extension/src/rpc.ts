import type { extension } from '@intake/contracts';
import { type Handlers, requireAdmin, requireSystem } from '@intake/rpc';
import type { WaitedFor } from './content/waited-for';
import type { LogRecord, LogStore } from './log/log.store';
import type { ManualCalls } from './manual/manual-calls';
import { callUploadHooks } from './upload-hooks/upload-hooks';

/** Maps rpcs to the domain; no rules here. */
export function createRpc({
  logs,
  waitedFor,
  manualCalls,
}: {
  readonly logs: LogStore;
  readonly waitedFor: WaitedFor;
  readonly manualCalls: ManualCalls;
}): Handlers<typeof extension.ExtensionServiceService> {
  return {
    async callUploadHooks({ files }, caller) {
      requireSystem(caller);
      return { files: callUploadHooks(files) };
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
