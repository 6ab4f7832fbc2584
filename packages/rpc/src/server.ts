import { randomUUID } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import type { Http2Server, Settings } from 'node:http2';
import { isIPv6 } from 'node:net';
import {
  type Metadata,
  Server,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  type UntypedHandleCall,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import { operations, protoRoot } from '@intake/contracts';
import { contextFromTraceparent, type Runtime, runInContext, type StuckSource, withSpan } from '@intake/service';
import { SpanKind } from '@opentelemetry/api';
import { HealthImplementation } from 'grpc-health-check';
import { Histogram } from 'prom-client';
import { verifyCaller } from './caller';
import { Refusal } from './errors';
import type { Definition, Handlers } from './methods';
import { createOperations } from './operations';
import { type RpcTls, toServerCredentials } from './tls';
import { END_OF_REQUESTS, KEYS, MAX_MESSAGE_BYTES, refusalToStatus, WINDOW_BYTES } from './wire';

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
  /** Certificates of this and all other services; callers without one are not served. */
  readonly tls?: RpcTls;
  /** What may rest in the service, for `intake status`. */
  readonly stuck?: readonly StuckSource[];
  /** Recognises failures of the service's own backing services, which are worth a retry: SERVICE_UNAVAILABLE. */
  readonly isUnavailable?: (error: unknown) => boolean;
}

/** After this long a connection takes no further calls; those under way are finished. */
const CONNECTION_AGE_MS = 300_000;

/** What all calls of a connection may have sent together before the server says that it took some of it. */
const CONNECTION_WINDOW_BYTES = 16 * 1024 * 1024;

/** How long the calls in flight may take when the service stops, in milliseconds. */
const CALLS_MS = 20_000;

/** Callers whose signature was found good are not checked again for a moment. */
const VERIFIED_KEPT_MS = 5000;
const MOST_VERIFIED = 1000;

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

  const verified = new Map<string, { caller: ReturnType<typeof verifyCaller>; until: number }>();
  const identify = (signed: string) => {
    const kept = verified.get(signed);
    if (kept && kept.until > Date.now()) return kept.caller;
    const caller = verifyCaller(signed, secret);
    if (verified.size >= MOST_VERIFIED) verified.clear();
    verified.set(signed, { caller, until: Date.now() + VERIFIED_KEPT_MS });
    return caller;
  };

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
    call: EventEmitter,
    fn: (caller: ReturnType<typeof verifyCaller>) => Promise<void>,
  ): Promise<Refusal | undefined> => {
    const end = duration.startTimer({ method: path });
    const text = (key: string) => metadata.get(key)[0]?.toString();
    const gone = new AbortController();
    const abort = () => gone.abort();
    call.once('cancelled', abort);
    const context = {
      requestId: text(KEYS.requestId) ?? randomUUID(),
      otel: contextFromTraceparent(text(KEYS.traceparent)),
      deadline: Number.isFinite(Number(deadline)) ? new Date(deadline) : undefined,
      signal: gone.signal,
    };
    return runInContext(context, async () => {
      try {
        const caller = identify(text(KEYS.caller) ?? '');
        await withSpan(runtime.tracer, `rpc ${path}`, SpanKind.SERVER, () => fn(caller));
        end({ reason: 'OK' });
        return undefined;
      } catch (error) {
        const refusal = toRefusal(error, path);
        end({ reason: refusal.reason });
        return refusal;
      } finally {
        call.off('cancelled', abort); // it is also raised when the call has ended
      }
    });
  };

  const implement = (own: Definition, ownHandlers: Record<string, unknown>) => {
    const served: Record<string, Definition[string]> = {};
    const implementation: Record<string, UntypedHandleCall> = {};
    for (const [name, method] of Object.entries(own)) {
      served[name] = method.requestStream ? withEndOfRequests(method) : method;
      // biome-ignore lint/suspicious/noExplicitAny: the pairing of definition and handler is checked by Handlers<D>
      const handler = ownHandlers[name] as any;
      if (method.responseStream) {
        implementation[name] = async (call: ServerWritableStream<unknown, unknown>) => {
          const refusal = await within(method.path, call.metadata, call.getDeadline(), call, async (caller) => {
            for await (const response of handler(call.request, caller)) {
              if (call.cancelled) return;
              if (!call.write(response)) await waitForRoom(call);
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
          const refusal = await within(method.path, call.metadata, call.getDeadline(), call, async (caller) => {
            response = await handler(method.requestStream ? readRequests(call) : call.request, caller);
          });
          answer(refusal ? refusalToStatus(refusal) : null, response);
        }) as unknown as UntypedHandleCall;
      }
    }

    return { served, implementation };
  };

  const server = withWindows(
    new Server({
      'grpc.enable_channelz': 0,
      'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
      'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
      // Clients look their addresses up again when a connection ends, and so find replicas that are new.
      'grpc.max_connection_age_ms': CONNECTION_AGE_MS,
      // What a client was sending that the network has swallowed breaks off, and is cleaned up.
      'grpc.keepalive_time_ms': 20_000,
      'grpc.keepalive_timeout_ms': 10_000,
    }),
  );
  const add = ({ served, implementation }: ReturnType<typeof implement>) => {
    // biome-ignore lint/suspicious/noExplicitAny: grpc-js names the same shape differently
    server.addService(served as any, implementation);
  };
  add(implement(definition, handlers));
  add(implement(operations.OperationsServiceService, createOperations(options.stuck ?? [])));
  const service = Object.values(definition)[0]?.path.split('/')[1] ?? '';
  const health = new HealthImplementation({ '': 'SERVING', [service]: 'SERVING' });
  health.addToServer(server);
  new ReflectionService(loadSync(options.proto, { includeDirs: [protoRoot] })).addToServer(server);

  const port = await new Promise<number>((resolve, reject) => {
    const host = isIPv6(options.host) ? `[${options.host}]` : options.host;
    server.bindAsync(`${host}:${options.port}`, toServerCredentials(options.tls), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  runtime.onStop('rpc server', async () => {
    health.setStatus('', 'NOT_SERVING');
    health.setStatus(service, 'NOT_SERVING');
    const force = setTimeout(() => server.forceShutdown(), CALLS_MS);
    await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
    clearTimeout(force);
  });
  return port;
}

/**
 * Has a server take more than the 64 kB of HTTP/2's default before it says that it took them: all calls of a client share a
 * connection, and with many processes on few cores files came in at 2 MB/s. grpc-js has an option of this for clients only.
 */
function withWindows(server: Server): Server {
  const inner = server as unknown as {
    commonServerOptions: { settings?: Settings };
    createHttp2Server(credentials: unknown): Http2Server;
  };
  inner.commonServerOptions.settings = { ...inner.commonServerOptions.settings, initialWindowSize: WINDOW_BYTES };
  const create = inner.createHttp2Server.bind(server);
  inner.createHttp2Server = (credentials) =>
    create(credentials).on('session', (session) => session.setLocalWindowSize(CONNECTION_WINDOW_BYTES));
  return server;
}

/** Waits until a stream takes more, or nobody listens any longer. */
function waitForRoom(call: EventEmitter): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      for (const event of ['drain', 'cancelled', 'error']) call.off(event, go);
      resolve();
    };
    for (const event of ['drain', 'cancelled', 'error']) call.on(event, go);
  });
}

/** The method, with its mark at the end of the requests read as such. */
function withEndOfRequests(method: Definition[string]): Definition[string] {
  const requestDeserialize = (bytes: Buffer) =>
    bytes.equals(END_OF_REQUESTS) ? END_OF_REQUESTS : method.requestDeserialize(bytes);
  return { ...method, requestDeserialize };
}

/** What the caller streams. A caller that breaks off is an error, never an end or a silence. */
async function* readRequests(call: ServerReadableStream<unknown, unknown>): AsyncGenerator<unknown> {
  const brokenOff = () => new Refusal('SERVICE_UNAVAILABLE', { cause: 'the caller broke off' });
  let complete = false;
  call.on('error', () => undefined);
  call.once('cancelled', () => call.destroy(brokenOff()));
  for await (const request of call) {
    if (request === END_OF_REQUESTS) complete = true;
    else yield request;
  }
  if (!complete) throw brokenOff();
}
