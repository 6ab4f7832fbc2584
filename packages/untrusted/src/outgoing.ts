import { promises as dns, type LookupAddress } from 'node:dns';
import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { urlToHttpOptions } from 'node:url';
import { judgeAddress, type Network } from './networks';
import { OutgoingError, toOutgoingError } from './outgoing-error';

/** A call to a URL that somebody outside chose. */
export interface OutgoingRequest {
  readonly url: string | URL;
  /** GET when not given. */
  readonly method?: string;
  /** `Host`, `Content-Length` and what else belongs to the connection is set by the call, whatever stands here. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** For everything together: name, connection, answer. 30 seconds when not given. */
  readonly timeoutMs?: number;
  /** Largest body of the answer, in bytes. 10 MB when not given. */
  readonly maxBytes?: number;
  /** Plain http is called everywhere; otherwise only in listed networks. */
  readonly allowPlainHttp?: boolean;
  /** Proves who calls, PEM. */
  readonly clientCertificate?: { readonly cert: string; readonly key: string };
  /** Certificates, PEM, that are trusted instead of the system's. */
  readonly ca?: string;
  /** The server's certificate is not checked. */
  readonly anyCertificate?: boolean;
  readonly signal?: AbortSignal;
}

/** What came back, whatever the status; a redirect is not followed. */
export interface OutgoingResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Calls a URL that somebody outside chose. Throws OutgoingError and nothing else. */
export type Outgoing = (request: OutgoingRequest) => Promise<OutgoingResponse>;

/** What the calls of a service have in common. */
export interface OutgoingOptions {
  /** Networks beside the public ones that may be called (`INTAKE_OUTGOING_ALLOW`). */
  readonly allow: readonly Network[];
  /** Finds the addresses of a name; the system's resolver when not given. */
  readonly lookup?: (host: string) => Promise<readonly LookupAddress[]>;
}

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 10 * 1024 * 1024;
/** Set by the call itself: others would split the request, or ask another name's certificate. */
const OWN_HEADERS = ['host', 'connection', 'content-length', 'transfer-encoding', 'expect', 'upgrade', 'te', 'trailer'];

/**
 * Makes the function through which every call to a URL from outside goes. A name is resolved once and one of the addresses that
 * were checked is called, so another answer of the name server meanwhile changes nothing. API: hooks-and-connectors.md section 7.4.
 */
export function createOutgoing({ allow, lookup = lookUp }: OutgoingOptions): Outgoing {
  const findAddresses = async (url: URL, host: string, allowPlainHttp: boolean) => {
    const found = isIP(host) ? [{ address: host, family: isIP(host) }] : await lookup(host);
    const judged = found.map((one) => ({ ...one, verdict: judgeAddress(one.address, allow) }));
    const callable = judged.filter(({ verdict }) => verdict !== 'refused');
    if (callable.length === 0) {
      const message = `${host} is in a network that is not public. An operator can allow it by INTAKE_OUTGOING_ALLOW.`;
      throw new OutgoingError('REFUSED_ADDRESS', message);
    }
    if (url.protocol === 'https:' || allowPlainHttp) return callable;
    const listed = callable.filter(({ verdict }) => verdict === 'listed');
    if (listed.length === 0) throw new OutgoingError('NEEDS_HTTPS', `${host} must be called by https.`);
    return listed;
  };

  return async (request) => {
    const { timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES, allowPlainHttp = false } = request;
    const url = readUrl(request.url);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const tooLate = AbortSignal.timeout(timeoutMs);
    const signal = request.signal ? AbortSignal.any([tooLate, request.signal]) : tooLate;
    try {
      const addresses = await untilAborted(findAddresses(url, host, allowPlainHttp), signal);
      const response = await send(url, request, addresses, signal);
      const { statusCode: status = 0, headers } = response;
      return { status, headers, body: await readBody(response, maxBytes) };
    } catch (error) {
      if (tooLate.aborted) {
        throw new OutgoingError('TIMEOUT', `${host} did not answer within ${timeoutMs / 1000} seconds.`, error);
      }
      if (signal.aborted) throw new OutgoingError('ABORTED', `The call to ${host} was given up.`, error);
      throw toOutgoingError(error, host);
    }
  };
}

function lookUp(host: string): Promise<LookupAddress[]> {
  return dns.lookup(host, { all: true });
}

function readUrl(given: string | URL): URL {
  const url = URL.canParse(String(given)) ? new URL(given) : null;
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new OutgoingError('INVALID_REQUEST', 'The URL must be one of https or http.');
  return url;
}

function send(
  url: URL,
  { method = 'GET', headers = {}, body, clientCertificate, ca, anyCertificate }: OutgoingRequest,
  addresses: readonly LookupAddress[],
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const [first] = addresses;
  const checked: LookupFunction = (_host, { all }, done) => {
    if (all) done(null, [...addresses]);
    else done(null, first?.address ?? '', first?.family);
  };
  const sent = Object.entries(headers).filter(([name]) => !OWN_HEADERS.includes(name.toLowerCase()));
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)({
      ...urlToHttpOptions(url),
      method,
      headers: Object.fromEntries([['Accept-Encoding', 'identity'], ...sent]),
      lookup: checked,
      // A connection that was kept would go to an address that was checked for another call.
      agent: false,
      signal,
      ...clientCertificate,
      ca,
      rejectUnauthorized: !anyCertificate,
    });
    request.once('response', resolve);
    request.once('upgrade', (_response, socket) => {
      socket.destroy();
      reject(new OutgoingError('BROKEN_ANSWER', `${url.hostname} wants to speak another protocol.`));
    });
    request.on('error', reject);
    request.end(body);
  });
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = () => new OutgoingError('TOO_LARGE', `The answer is larger than ${maxBytes} bytes.`);
  const chunks: Buffer[] = [];
  let size = 0;
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) {
    response.destroy();
    throw tooLarge();
  }
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The system's resolver cannot be stopped: it is only not waited for any longer. */
function untilAborted<T>(task: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    task.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
