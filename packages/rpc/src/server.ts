import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  type Metadata,
  Server,
  ServerCredentials,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  type UntypedHandleCall,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import { protoRoot } from '@intake/contracts';
import { contextFromTraceparent, type Runtime, runInContext, withSpan } from '@intake/service';
import { SpanKind } from '@opentelemetry/api';
import { HealthImplementation } from 'grpc-health-check';
import { Histogram } from 'prom-client';
import { verifyCaller } from './caller';
import { Refusal } from './errors';
import type { Definition, Handlers } from './methods';
import { KEYS, MAX_MESSAGE_BYTES, refusalToStatus } from './wire';

/** How a service offers its rpcs. */
export interface ServeOptions<D extends Definition> {
  readonly definition: D;
  readonly handlers: Handlers<D>;
  /** The `.proto` file below `proto/`, for reflection. */
  readonly proto: string;
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Shared by all services; proves that a caller was verified by one of them. */
  readonly secret: string;
  /** Recognises failures of the service's own backing services, which are worth a retry: SERVICE_UNAVAILABLE. */
  readonly isUnavailable?: (error: unknown) => boolean;
}

/**
 * Serves rpcs: verifies the caller, keeps the deadline and request id for what the handler calls, turns `Refusal`s into
 * statuses, hides unknown errors behind INTERNAL and logs them. Adds health (grpc.health.v1) and reflection.
 * Returns the port. Stops by itself with the runtime, after the calls in flight.
 */
export async function serveRpc<D extends Definition>(runtime: Runtime, options: ServeOptions<D>): Promise<number> {
  const { definition, handlers, secret, isUnavailable = () => false } = options;
  const duration = new Histogram({
    name: 'intake_rpc_server_seconds',
    help: 'Time an rpc took on the server, by method and outcome',
    labelNames: ['method', 'reason'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [runtime.metrics],
  });

  const toRefusal = (error: unknown, path: string): Refusal => {
    if (error instanceof Refusal) {
      if (error.httpStatus >= 500) runtime.log.warn({ err: error, rpc: path }, 'rpc refused');
      return error;
    }
    if (isUnavailable(error)) {
      runtime.log.warn({ err: error, rpc: path }, 'a backing service is away');
      return new Refusal('SERVICE_UNAVAILABLE', { cause: error });
    }
    runtime.log.error({ err: error, rpc: path }, 'rpc failed');
    return new Refusal('INTERNAL', { cause: error });
  };

  const within = async (
    path: string,
    metadata: Metadata,
    deadline: Date | number,
    fn: (caller: ReturnType<typeof verifyCaller>) => Promise<void>,
  ): Promise<Refusal | undefined> => {
    const end = duration.startTimer({ method: path });
    const text = (key: string) => metadata.get(key)[0]?.toString();
    const context = {
      requestId: text(KEYS.requestId) ?? randomUUID(),
      otel: contextFromTraceparent(text(KEYS.traceparent)),
      deadline: Number.isFinite(Number(deadline)) ? new Date(deadline) : undefined,
    };
    return runInContext(context, async () => {
      try {
        const caller = verifyCaller(text(KEYS.caller), secret);
        await withSpan(runtime.tracer, `rpc ${path}`, SpanKind.SERVER, () => fn(caller));
        end({ reason: 'OK' });
        return undefined;
      } catch (error) {
        const refusal = toRefusal(error, path);
        end({ reason: refusal.reason });
        return refusal;
      }
    });
  };

  const implementation: Record<string, UntypedHandleCall> = {};
  for (const [name, method] of Object.entries(definition)) {
    // biome-ignore lint/suspicious/noExplicitAny: the pairing of definition and handler is checked by Handlers<D>
    const handler = handlers[name] as any;
    if (method.responseStream) {
      implementation[name] = async (call: ServerWritableStream<unknown, unknown>) => {
        const refusal = await within(method.path, call.metadata, call.getDeadline(), async (caller) => {
          for await (const response of handler(call.request, caller)) {
            if (call.cancelled) return;
            if (!call.write(response)) await Promise.race([once(call, 'drain'), once(call, 'cancelled')]);
          }
        });
        if (refusal) call.emit('error', refusalToStatus(refusal));
        else call.end();
      };
    } else {
      implementation[name] = (async (
        call: ServerUnaryCall<unknown, unknown> & ServerReadableStream<unknown, unknown>,
        answer: sendUnaryData<unknown>,
      ) => {
        let response: unknown;
        const refusal = await within(method.path, call.metadata, call.getDeadline(), async (caller) => {
          response = await handler(method.requestStream ? call : call.request, caller);
        });
        answer(refusal ? refusalToStatus(refusal) : null, response);
      }) as unknown as UntypedHandleCall;
    }
  }

  const server = new Server({
    'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
  });
  // biome-ignore lint/suspicious/noExplicitAny: grpc-js names the same shape differently
  server.addService(definition as any, implementation);
  const service = Object.values(definition)[0]?.path.split('/')[1] ?? '';
  const health = new HealthImplementation({ '': 'SERVING', [service]: 'SERVING' });
  health.addToServer(server);
  new ReflectionService(loadSync(options.proto, { includeDirs: [protoRoot] })).addToServer(server);

  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`${options.host}:${options.port}`, ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  runtime.onStop('rpc server', async () => {
    health.setStatus('', 'NOT_SERVING');
    health.setStatus(service, 'NOT_SERVING');
    const force = setTimeout(() => server.forceShutdown(), 10_000);
    await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
    clearTimeout(force);
  });
  return port;
}
