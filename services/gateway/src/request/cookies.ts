import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from '@intake/rpc';
import { mediaTypeOf } from './body';

/** Cookie that holds the key of a session. API: auth.md section 4. */
const SESSION_COOKIE = 'sessionid';
/** Cookie whose value scripts of the site send as `X-CSRFToken`. */
const CSRF_COOKIE = 'csrftoken';

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/** The value of a cookie; undefined when it is not there or empty. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) || undefined;
}

/** The key of the session that a request belongs to. An Authorization header wins: then there is none. */
export function sessionOf({ authorization, cookie }: IncomingHttpHeaders): string | undefined {
  return authorization?.trim() ? undefined : readCookie(cookie, SESSION_COOKIE);
}

/** What begins a session in a browser: values of `Set-Cookie`. */
export function startSession(key: string, lifetimeS: number, isHttps: boolean): string[] {
  return makeCookies(key, csrfTokenOf(key), Math.floor(lifetimeS), isHttps);
}

/** What ends it. */
export function endSession(isHttps: boolean): string[] {
  return makeCookies('', '', 0, isHttps);
}

function makeCookies(key: string, csrfToken: string, lifetimeS: number, isHttps: boolean): string[] {
  const attributes = `Path=/; Max-Age=${lifetimeS}; SameSite=Lax${isHttps ? '; Secure' : ''}`;
  return [`${SESSION_COOKIE}=${key}; ${attributes}; HttpOnly`, `${CSRF_COOKIE}=${csrfToken}; ${attributes}`];
}

/** Bound to the session: a pair of cookie and header that somebody else has set is worth nothing. */
function csrfTokenOf(key: string): string {
  return createHash('sha256').update(`csrf ${key}`).digest('hex').slice(0, 40);
}

/**
 * Refuses what another site makes a browser send in a session: an unsafe request from a foreign origin, or one that is not JSON
 * and does not repeat the token of the session. Throws CSRF_FAILED. API: auth.md section 4.
 *
 * @param origins `host:port` of this service as the client sees it, and origins that may call
 */
export function checkCsrf(
  { headers, method }: { readonly headers: IncomingHttpHeaders; readonly method: string },
  sessionKey: string,
  { host, allowed }: { readonly host: string; readonly allowed: readonly string[] },
): void {
  if (SAFE_METHODS.includes(method)) return;
  const { origin } = headers;
  if (origin !== undefined && hostOf(origin) !== host && !allowed.includes(origin)) {
    throw new Refusal('CSRF_FAILED', { detail: 'CSRF Failed: this origin may not call.' });
  }
  if (mediaTypeOf({ headers }) === 'application/json') return;
  const token = csrfTokenOf(sessionKey);
  if (headers['x-csrftoken'] !== token || readCookie(headers.cookie, CSRF_COOKIE) !== token) {
    throw new Refusal('CSRF_FAILED');
  }
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

/** Whether clients see this service by HTTPS. */
export function isHttps({ root }: { readonly root: string }): boolean {
  return root.startsWith('https:');
}
