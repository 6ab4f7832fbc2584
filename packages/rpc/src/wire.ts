import { Metadata, type ServiceError, type StatusObject, status } from '@grpc/grpc-js';
import { isReason, Refusal } from './errors';

/** Metadata keys of Intake's rpcs. */
export const KEYS = {
  caller: 'intake-caller',
  requestId: 'intake-request-id',
  traceparent: 'traceparent',
  refusal: 'intake-refusal-bin',
} as const;

/** Largest message either side sends or takes, in bytes. Files are streamed in chunks, so only content trees come near it. */
export const MAX_MESSAGE_BYTES = 128 * 1024 * 1024;

/** What a call may have sent before its other end says that it took some of it. HTTP/2's own default is 64 kB. */
export const WINDOW_BYTES = 128 * 1024;

/**
 * Last message of every stream of requests: a field that no message has. HTTP/2 as Node speaks it closes the stream in order
 * before it resets it, so without this mark a caller that broke off would look like one that was done.
 */
export const END_OF_REQUESTS = Buffer.from([0xf8, 0xff, 0xff, 0xff, 0x0f, 0x01]);

/** A refusal as the status and trailers of a gRPC answer. */
export function refusalToStatus(refusal: Refusal): Partial<StatusObject> {
  const metadata = new Metadata();
  const { reason, detail, fields, extra, retryAfterS } = refusal;
  metadata.set(KEYS.refusal, Buffer.from(JSON.stringify({ reason, detail, fields, extra, retryAfterS })));
  return { code: refusal.grpcStatus, details: reason, metadata };
}

/** The refusal that a failed call stands for. A neighbour that cannot be reached, or not in time, is SERVICE_UNAVAILABLE. */
export function refusalFromError(error: ServiceError, path: string): Refusal {
  const packed = error.metadata?.get(KEYS.refusal)[0];
  if (packed) {
    const { reason, ...details } = JSON.parse(packed.toString()) as { reason: string } & Record<string, never>;
    return new Refusal(isReason(reason) ? reason : 'INTERNAL', { ...details, cause: error });
  }
  if (error.code === status.UNAVAILABLE || error.code === status.DEADLINE_EXCEEDED || error.code === status.CANCELLED) {
    return new Refusal('SERVICE_UNAVAILABLE', { cause: new Error(`${path}: ${error.message}`) });
  }
  return new Refusal('INTERNAL', { cause: new Error(`${path}: ${error.message}`) });
}
