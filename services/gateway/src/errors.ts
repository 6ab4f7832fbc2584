import { type FieldErrors, Refusal } from '@intake/rpc';

/** An error as it goes to the client. */
export interface ErrorReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/** Seconds after which a client may try again when a service is away. */
const RETRY_AFTER_S = 2;

/**
 * The answer to an error: field errors as they are, everything else as `detail` and `code` (API: README.md section 8). An error that
 * is not a refusal tells the client nothing but the id under which the log has it.
 *
 * @param takesBasic whether the endpoint takes basic auth, so that a 401 says so
 */
export function toErrorReply(error: unknown, requestId: string, takesBasic = false): ErrorReply {
  const refusal = error instanceof Refusal ? error : new Refusal('INTERNAL', { cause: error });
  return {
    status: refusal.httpStatus,
    headers: headersOf(refusal, takesBasic),
    body: bodyOf(refusal, requestId),
  };
}

function headersOf({ httpStatus, retryAfterS }: Refusal, takesBasic: boolean): Record<string, string> {
  if (httpStatus === 401) return { 'WWW-Authenticate': takesBasic ? 'Bearer, Basic realm="api"' : 'Bearer' };
  if (httpStatus === 503) return { 'Retry-After': String(retryAfterS ?? RETRY_AFTER_S) };
  if (retryAfterS !== undefined) return { 'Retry-After': String(retryAfterS) };
  return {};
}

function bodyOf(refusal: Refusal, requestId: string): object {
  const { fields, detail, code, extra, httpStatus } = refusal;
  if (fields) return fields satisfies FieldErrors;
  const body = { detail, code, ...extra };
  return httpStatus === 500 ? { ...body, request_id: requestId } : body;
}
