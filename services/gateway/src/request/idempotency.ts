import { Refusal } from '@intake/rpc';
import type { ApiRequest } from '../route';

/**
 * The `Idempotency-Key` of a request, made one of its path: the same key on another path is another key (API: README.md section 5).
 * Throws INVALID when it is too long.
 */
export function readIdempotencyKey(request: Pick<ApiRequest, 'header' | 'path'>): string | undefined {
  const key = request.header('idempotency-key');
  if (key === undefined) return undefined;
  if (key.length < 1 || key.length > 255) {
    throw new Refusal('INVALID', { detail: 'The Idempotency-Key header must have 1 to 255 characters.' });
  }
  return `${request.path} ${key}`;
}
