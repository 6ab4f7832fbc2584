import type { extension } from '@intake/contracts';
import { type Handlers, requireAdmin, requireSystem } from '@intake/rpc';
import type { LogRecord, LogStore } from './log/log.store';
import { callUploadHooks } from './upload-hooks/upload-hooks';

/** Maps rpcs to the domain; no rules here. */
export function createRpc({ logs }: { readonly logs: LogStore }): Handlers<typeof extension.ExtensionServiceService> {
  return {
    async callUploadHooks({ files }, caller) {
      requireSystem(caller);
      return { files: callUploadHooks(files) };
    },
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
