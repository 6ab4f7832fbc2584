import type { Caller } from './caller';

/** One method of a generated service definition. */
interface Method {
  readonly path: string;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: each method has its own message types, inferred below
  readonly requestSerialize: (value: any) => Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly requestDeserialize: (bytes: Buffer) => any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly responseSerialize: (value: any) => Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly responseDeserialize: (bytes: Buffer) => any;
}

/** A generated service definition (ts-proto, `outputServices=grpc-js`). */
export type Definition = Readonly<Record<string, Method>>;

type Request<M extends Method> = ReturnType<M['requestDeserialize']>;
type Response<M extends Method> = ReturnType<M['responseDeserialize']>;

/** What a service implements for each method: request(s) and verified caller in, response(s) out. */
export type Handlers<D extends Definition> = {
  readonly [K in keyof D]: D[K]['requestStream'] extends true
    ? (requests: AsyncIterable<Request<D[K]>>, caller: Caller) => Promise<Response<D[K]>>
    : D[K]['responseStream'] extends true
      ? (request: Request<D[K]>, caller: Caller) => AsyncIterable<Response<D[K]>>
      : (request: Request<D[K]>, caller: Caller) => Promise<Response<D[K]>>;
};

/** Options of one call. */
export interface CallOptions {
  /** Milliseconds to wait for this call, if the request it serves leaves as much. */
  readonly timeoutMs?: number;
}

/** What a neighbour calls: the same shapes as the handlers. Errors are `Refusal`s. */
export type Client<D extends Definition> = {
  readonly [K in keyof D]: D[K]['requestStream'] extends true
    ? (requests: AsyncIterable<Request<D[K]>>, caller: Caller, options?: CallOptions) => Promise<Response<D[K]>>
    : D[K]['responseStream'] extends true
      ? (request: Request<D[K]>, caller: Caller, options?: CallOptions) => AsyncIterable<Response<D[K]>>
      : (request: Request<D[K]>, caller: Caller, options?: CallOptions) => Promise<Response<D[K]>>;
};
