import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { type Context, ROOT_CONTEXT } from '@opentelemetry/api';

/** What travels with one request, from the edge through every rpc and event it causes. */
export interface RequestContext {
  /** UUID made at the edge; in every log line and in the `X-Request-Id` header. */
  readonly requestId: string;
  /** OpenTelemetry context whose active span is the parent of what happens next. */
  readonly otel: Context;
  /** When the caller stops waiting; rpcs made on its behalf end by then. */
  readonly deadline?: Date;
  /** Aborted when the caller has gone; rpcs made on its behalf are cancelled. */
  readonly signal?: AbortSignal;
}

const storage = new AsyncLocalStorage<RequestContext>();

/** Runs `fn` as part of a request. */
export function runInContext<T>(context: RequestContext, fn: () => T): T {
  return storage.run(context, fn);
}

/** The request that is being served, or a new one when nothing is (start-up, timers). */
export function currentContext(): RequestContext {
  return storage.getStore() ?? { requestId: randomUUID(), otel: ROOT_CONTEXT };
}

/** Id of the request that is being served, if there is one. */
export function currentRequestId(): string | undefined {
  return storage.getStore()?.requestId;
}
