/** Why an outgoing call failed. */
export type OutgoingReason =
  /** The URL, a header or the method cannot be sent. */
  | 'INVALID_REQUEST'
  /** The address is in a network that is not called. */
  | 'REFUSED_ADDRESS'
  /** Plain http to a network that is not listed, where https is wanted. */
  | 'NEEDS_HTTPS'
  | 'UNKNOWN_NAME'
  /** No connection, or it broke before the answer was complete. */
  | 'UNREACHABLE'
  /** The server's certificate is not trusted, or TLS failed otherwise. */
  | 'TLS_FAILED'
  | 'TIMEOUT'
  | 'TOO_LARGE'
  /** It is not HTTP. */
  | 'BROKEN_ANSWER'
  /** The caller gave up. */
  | 'ABORTED';

/** An outgoing call failed. The message is for the person who set up the URL: it names the host, but no address. */
export class OutgoingError extends Error {
  override readonly name = 'OutgoingError';
  constructor(
    readonly reason: OutgoingReason,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/** Turns an error of the connection to `host` into one for people. */
export function toOutgoingError(error: unknown, host: string): OutgoingError {
  if (error instanceof OutgoingError) return error;
  const code = String((error as NodeJS.ErrnoException).code ?? '');
  const fail = (reason: OutgoingReason, message: string) => new OutgoingError(reason, message, error);
  if (/^(ENOTFOUND|ENODATA|ESERVFAIL|EAI_)/.test(code)) return fail('UNKNOWN_NAME', `The name ${host} is not known.`);
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|UNABLE_TO|SELF_SIGNED|HOSTNAME_MISMATCH|EPROTO|ERR_OSSL)/.test(code))
    return fail('TLS_FAILED', `No trusted TLS connection to ${host} (${code}).`);
  if (/^(ERR_INVALID|ERR_UNESCAPED|ERR_HTTP_INVALID)/.test(code))
    return fail('INVALID_REQUEST', `The request to ${host} cannot be sent (${code}).`);
  if (code.startsWith('HPE_')) return fail('BROKEN_ANSWER', `The answer of ${host} is not HTTP (${code}).`);
  return fail('UNREACHABLE', `No connection to ${host} (${code || (error as Error).message}).`);
}
