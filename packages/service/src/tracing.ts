import { randomUUID } from 'node:crypto';
import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOffSampler, BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { currentContext, runInContext } from './context';

/** How long sending a batch of spans may take, tries included, in milliseconds. */
const SEND_MS = 2000;
const propagator = new W3CTraceContextPropagator();

/** Traces of one service, sent by OTLP/HTTP to `endpoint` (`/v1/traces` is added); without one, ids are made but nothing is sent. */
export function createTracing(service: string, endpoint: string): { tracer: Tracer; close(): Promise<void> } {
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': `intake-${service}` }),
    sampler: endpoint ? undefined : new AlwaysOffSampler(),
    spanProcessors: endpoint
      ? [
          new BatchSpanProcessor(
            new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces`, timeoutMillis: SEND_MS }),
            {
              scheduledDelayMillis: 1000,
            },
          ),
        ]
      : [],
  });
  return { tracer: provider.getTracer('intake'), close: () => provider.shutdown() };
}

/** Runs `fn` inside a span that is a child of the current one; an error marks the span and is thrown on. */
export async function withSpan<T>(tracer: Tracer, name: string, kind: SpanKind, fn: () => Promise<T>): Promise<T> {
  const parent = currentContext();
  const span = tracer.startSpan(name, { kind, attributes: { 'intake.request_id': parent.requestId } }, parent.otel);
  try {
    return await runInContext({ ...parent, otel: trace.setSpan(parent.otel, span) }, fn);
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: (error as Error).message });
    throw error;
  } finally {
    span.end();
  }
}

/** Where a request came from that goes on later: what an event or a job carries. */
export interface RequestOrigin {
  readonly requestId?: string;
  readonly traceparent?: string;
}

/** Runs `fn` as a later part of a request that was begun elsewhere, inside a span of its own. */
export function continueRequest<T>(
  tracer: Tracer,
  name: string,
  { requestId, traceparent }: RequestOrigin,
  fn: () => Promise<T>,
): Promise<T> {
  const context = { requestId: requestId ?? randomUUID(), otel: contextFromTraceparent(traceparent) };
  return runInContext(context, () => withSpan(tracer, name, SpanKind.CONSUMER, fn));
}

/** `traceparent` of the current span (W3C Trace Context), or undefined outside a span. */
export function currentTraceparent(): string | undefined {
  const carrier: Record<string, string> = {};
  propagator.inject(currentContext().otel, carrier, {
    set: (target, key, value) => Object.assign(target, { [key]: value }),
  });
  return carrier.traceparent;
}

/** The context that a received `traceparent` stands for. */
export function contextFromTraceparent(traceparent: string | undefined): Context {
  if (!traceparent) return ROOT_CONTEXT;
  const carrier = { traceparent };
  return propagator.extract(ROOT_CONTEXT, carrier, {
    get: (source, key) => (source as Record<string, string>)[key],
    keys: (source) => Object.keys(source),
  });
}
