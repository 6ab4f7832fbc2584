import { type Logger, pino } from 'pino';
import { currentRequestId } from './context';

export type { Logger } from 'pino';

/** Structured log of one service, on standard output; each line carries the request id where there is one. */
export function createLog(service: string, level: string): Logger {
  return pino({
    level,
    base: { service },
    mixin: () => {
      const requestId = currentRequestId();
      return requestId ? { requestId } : {};
    },
    redact: { paths: ['password', '*.password', 'authorization', '*.authorization', 'key'], censor: '[redacted]' },
    timestamp: pino.stdTimeFunctions.isoTime,
  });
}
