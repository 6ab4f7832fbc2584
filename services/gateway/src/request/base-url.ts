import type { IncomingMessage } from 'node:http';
import { Refusal } from '@intake/rpc';
import { type ApiUrls, apiUrls } from '@intake/urls';
import type { ProxyTrust } from './client-address';

/** Host name or address with an optional port: nothing that could leave its place in a URL. */
const HOST = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,253})|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;
const MOST_KEPT = 200;

/** How the base of the URLs in answers is found. */
export interface BaseUrlOptions {
  /** Wins over what the request says; empty: not given. */
  readonly publicUrl: string;
  readonly proxies: ProxyTrust;
}

/**
 * Makes the function that gives the URLs for the answer to a request: they begin with what the client itself used
 * (API: README.md section 2). A Host header that is none is refused.
 */
export function createUrlsOf({ publicUrl, proxies }: BaseUrlOptions): (request: IncomingMessage) => ApiUrls {
  const known = new Map<string, ApiUrls>();
  const urlsAt = (origin: string): ApiUrls => {
    let urls = known.get(origin);
    if (!urls) {
      if (known.size >= MOST_KEPT) known.clear();
      urls = apiUrls(`${origin}/api`);
      known.set(origin, urls);
    }
    return urls;
  };
  return (request) => urlsAt(publicUrl || originOf(request, proxies.believes(request.socket?.remoteAddress ?? '')));
}

/** Scheme, host and port that a client used. Throws INVALID for a Host header that is none. */
export function originOf({ headers }: Pick<IncomingMessage, 'headers'>, trustProxy: boolean): string {
  const scheme = (trustProxy && firstOf(headers['x-forwarded-proto'])) || 'http';
  const host = (trustProxy && firstOf(headers['x-forwarded-host'])) || headers.host || '';
  if (!HOST.test(host)) throw new Refusal('INVALID', { detail: 'Invalid Host header.' });
  return `${scheme.toLowerCase() === 'https' ? 'https' : 'http'}://${host}`;
}

/** A chain of proxies appends: the first entry is what the client used. */
function firstOf(header: string | string[] | undefined): string | undefined {
  return (Array.isArray(header) ? header[0] : header)?.split(',', 1)[0]?.trim();
}
