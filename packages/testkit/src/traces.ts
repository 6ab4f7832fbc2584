import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** One span as a service sent it. */
export interface ReceivedSpan {
  /** `intake-<service>`. */
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** A server that services can send their traces to. */
export interface TraceReceiver {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly endpoint: string;
  readonly spans: readonly ReceivedSpan[];
  stop(): Promise<void>;
}

interface OtlpAttribute {
  key: string;
  value: Record<string, unknown>;
}
interface OtlpTraces {
  resourceSpans: {
    resource: { attributes: OtlpAttribute[] };
    scopeSpans: {
      spans: { name: string; traceId: string; spanId: string; parentSpanId?: string; attributes?: OtlpAttribute[] }[];
    }[];
  }[];
}

/** Receives traces by OTLP/HTTP (JSON), as a collector would. */
export async function receiveTraces(): Promise<TraceReceiver> {
  const spans: ReceivedSpan[] = [];
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.url !== '/v1/traces' || !request.headers['content-type']?.startsWith('application/json')) {
      response.statusCode = 415;
      response.end();
      return;
    }
    spans.push(...readSpans(JSON.parse(Buffer.concat(chunks).toString()) as OtlpTraces));
    response.setHeader('content-type', 'application/json');
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function readSpans({ resourceSpans }: OtlpTraces): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(readAttributes(resource.attributes)['service.name']);
    return scopeSpans.flatMap(({ spans }) =>
      spans.map(({ name, traceId, spanId, parentSpanId = '', attributes = [] }) => ({
        service,
        name,
        traceId,
        spanId,
        parentSpanId,
        attributes: readAttributes(attributes),
      })),
    );
  });
}

function readAttributes(attributes: readonly OtlpAttribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
