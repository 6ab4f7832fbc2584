import { connectivityState, Client as GrpcClient, Metadata, type ServiceError } from '@grpc/grpc-js';
import { currentContext, currentTraceparent, type Runtime, withSpan } from '@intake/service';
import { SpanKind } from '@opentelemetry/api';
import { type Caller, signCaller } from './caller';
import { Refusal } from './errors';
import type { CallOptions, Client, Definition } from './methods';
import type { RpcSettings } from './settings';
import { toChannel } from './tls';
import { END_OF_REQUESTS, KEYS, MAX_MESSAGE_BYTES, refusalFromError, WINDOW_BYTES } from './wire';

/** How long an rpc may take when neither the call nor the request it serves says less. */
const DEFAULT_TIMEOUT_MS = 10_000;

/** How long a call waits for a connection that is being made. */
const CONNECT_MS = 5000;

/** Longest pause between two tries to reach a neighbour that refuses connections. */
const LONGEST_BACKOFF_MS = 500;

/** How long a call waits for a neighbour that refuses connections: for one try that is due after the longest pause. */
const RECONNECT_MS = 2 * LONGEST_BACKOFF_MS;

/** A name with several addresses has several replicas; each has its share of the calls. */
const SPREAD_OVER_REPLICAS = JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] });

/** How long a signed caller is sent again as it is; it is good for two minutes. */
const SIGNATURE_KEPT_MS = 30_000;

/** By what a service proves to others that it is one: the secret that all share, and its certificate where there is TLS. */
export type Identity = Pick<RpcSettings, 'secret'> & Partial<Pick<RpcSettings, 'tls'>>;

/**
 * Connects to a service. Each call carries its caller, request id and trace, and ends at the earliest of its own
 * time-out and the deadline of the request it serves. Errors are `Refusal`s; a service that cannot be reached is SERVICE_UNAVAILABLE.
 */
export function connectRpc<D extends Definition>(
  runtime: Runtime,
  definition: D,
  address: string,
  { secret, tls }: Identity,
): Client<D> {
  const channel = toChannel(tls, address);
  const grpc = new GrpcClient(address, channel.credentials, {
    ...channel.options,
    'grpc.service_config': SPREAD_OVER_REPLICAS,
    'grpc.enable_channelz': 0,
    'grpc.service_config_disable_resolution': 1,
    'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    'grpc-node.flow_control_window': WINDOW_BYTES,
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': LONGEST_BACKOFF_MS,
    // A neighbour that the network has swallowed is noticed after ten seconds, however long a stream may take.
    'grpc.keepalive_time_ms': 5000,
    'grpc.keepalive_timeout_ms': 5000,
  });
  runtime.onStop(`rpc client ${address}`, () => grpc.close());

  const signatures = new WeakMap<Caller, { text: string; until: number }>();
  const signatureOf = (caller: Caller): string => {
    const kept = signatures.get(caller);
    if (kept && kept.until > Date.now()) return kept.text;
    const text = signCaller(caller, secret);
    signatures.set(caller, { text, until: Date.now() + SIGNATURE_KEPT_MS });
    return text;
  };
  const metadataFor = (caller: Caller): Metadata => {
    // What a server that is about to end has refused goes to another one, or waits for it.
    const metadata = new Metadata({ waitForReady: true });
    metadata.set(KEYS.caller, signatureOf(caller));
    metadata.set(KEYS.requestId, currentContext().requestId);
    const traceparent = currentTraceparent();
    if (traceparent) metadata.set(KEYS.traceparent, traceparent);
    return metadata;
  };
  const optionsFor = (options?: CallOptions) => {
    const own = Date.now() + (options?.timeoutMs ?? DEFAULT_TIMEOUT_MS);
    const edge = currentContext().deadline?.getTime() ?? Number.POSITIVE_INFINITY;
    return { deadline: new Date(Math.min(own, edge)) };
  };
  /** A request may make many calls: it lets go of each when that has ended. */
  const cancelWithCaller = (call: { cancel(): void; once(event: 'status', listener: () => void): unknown }): void => {
    const { signal } = currentContext();
    const cancel = () => call.cancel();
    if (signal?.aborted) cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    call.once('status', () => signal?.removeEventListener('abort', cancel));
  };
  /**
   * A call may take minutes, but not because nobody answers at the other end; and while replicas are replaced one after the
   * other, the one that is back may not be found yet when the other goes. Throws SERVICE_UNAVAILABLE.
   */
  const awaitConnection = async (path: string, { deadline }: { deadline: Date }): Promise<void> => {
    const channel = grpc.getChannel();
    const started = Date.now();
    for (;;) {
      const state = channel.getConnectivityState(true);
      if (state === connectivityState.READY || state === connectivityState.SHUTDOWN) return;
      const patience = state === connectivityState.TRANSIENT_FAILURE ? RECONNECT_MS : CONNECT_MS;
      const until = Math.min(started + patience, deadline.getTime());
      await new Promise<void>((resolve, reject) =>
        channel.watchConnectivityState(state, until, (error) =>
          error
            ? reject(new Refusal('SERVICE_UNAVAILABLE', { cause: new Error(`${path}: no connection`) }))
            : resolve(),
        ),
      );
    }
  };
  const span = <T>(path: string, fn: () => Promise<T>) => withSpan(runtime.tracer, `rpc ${path}`, SpanKind.CLIENT, fn);

  const methods = Object.entries(definition).map(([name, method]) => {
    const { path, requestSerialize, responseDeserialize } = method;

    const unary = (request: unknown, caller: Caller, options?: CallOptions) =>
      span(path, async () => {
        const given = optionsFor(options);
        await awaitConnection(path, given);
        return new Promise((resolve, reject) => {
          const call = grpc.makeUnaryRequest(
            path,
            requestSerialize,
            responseDeserialize,
            request,
            metadataFor(caller),
            given,
            (error, response) => (error ? reject(refusalFromError(error, path)) : resolve(response)),
          );
          cancelWithCaller(call);
        });
      });

    async function* serverStream(request: unknown, caller: Caller, options?: CallOptions) {
      const given = optionsFor(options);
      await awaitConnection(path, given);
      const call = grpc.makeServerStreamRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        metadataFor(caller),
        given,
      );
      cancelWithCaller(call);
      call.on('error', () => undefined); // the status of a call that nobody reads any more
      try {
        yield* call;
      } catch (error) {
        throw refusalFromError(error as ServiceError, path);
      } finally {
        call.cancel();
      }
    }

    const clientStream = (requests: AsyncIterable<unknown>, caller: Caller, options?: CallOptions) =>
      span(path, async () => {
        const given = optionsFor(options);
        await awaitConnection(path, given);
        let finish!: (error: ServiceError | null, response: unknown) => void;
        const answer = new Promise((resolve, reject) => {
          finish = (error, response) => (error ? reject(refusalFromError(error, path)) : resolve(response));
        });
        const untilAnswered = untilSettled(answer);
        const call = grpc.makeClientStreamRequest(
          path,
          (message: unknown) => (message === END_OF_REQUESTS ? END_OF_REQUESTS : requestSerialize(message)),
          responseDeserialize,
          metadataFor(caller),
          given,
          (error, response) => finish(error, response),
        );
        cancelWithCaller(call);
        const source = requests[Symbol.asyncIterator]();
        try {
          for (;;) {
            // The answer may come before the source has ended, or while it says nothing: a refusal, or the deadline.
            const next = await untilAnswered(source.next());
            if (next === SETTLED) {
              void source.return?.()?.catch(() => undefined);
              break;
            }
            if (next.done) {
              call.write(END_OF_REQUESTS);
              break;
            }
            // One after the other: the stream would take sixteen, however large they are.
            await untilAnswered(new Promise<void>((resolve) => call.write(next.value, () => resolve())));
          }
        } catch (error) {
          call.cancel();
          await answer.catch(() => undefined);
          throw error;
        }
        call.end();
        return answer;
      });

    return [name, method.requestStream ? clientStream : method.responseStream ? serverStream : unary];
  });
  return Object.fromEntries(methods) as Client<D>;
}

const SETTLED = Symbol('settled');

/**
 * Makes a function that waits for a task, or until `promise` is settled. `Promise.race` with a promise that lives long would keep
 * the results of all the tasks for as long: here, every chunk of a file.
 */
function untilSettled(promise: Promise<unknown>) {
  let isSettled = false;
  let wake = () => {};
  const settle = () => {
    isSettled = true;
    wake();
  };
  promise.then(settle, settle);
  return <T>(task: Promise<T>): Promise<T | typeof SETTLED> =>
    new Promise((resolve, reject) => {
      wake = () => resolve(SETTLED);
      if (isSettled) wake();
      task.then(resolve, reject);
    });
}
