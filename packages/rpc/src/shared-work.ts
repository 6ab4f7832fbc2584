import { currentContext, runInContext } from '@intake/service';
import { trace } from '@opentelemetry/api';

/** Does work that several requests wait for: it does not end with the request that was first. */
export function withoutEnd<T>(work: () => Promise<T>): Promise<T> {
  return runInContext({ ...currentContext(), deadline: undefined, signal: undefined }, work);
}

/** True while the trace of the request is recorded; such requests share nothing, so that their trace is whole. */
export function isTraced(): boolean {
  return trace.getSpan(currentContext().otel)?.isRecording() === true;
}
