import type { Middleware } from 'koa';

const METHODS = 'GET, POST, PUT, PATCH, DELETE, OPTIONS, HEAD';
const REQUEST_HEADERS =
  'authorization, content-type, content-disposition, x-csrftoken, accept, origin, user-agent, x-requested-with, idempotency-key';
const RESPONSE_HEADERS = 'Location, Retry-After, Content-Disposition';

/**
 * Lets browsers call from the given origins, `*` from everywhere. With the cookies of a session only from origins that are given by
 * name (API: README.md section 5). Answers
 * nothing itself: a preflight goes on to the routes, which know the methods.
 */
export function allowOrigins(origins: readonly string[], sessions: boolean): Middleware {
  const everywhere = origins.includes('*');
  return (ctx, next) => {
    const origin = ctx.headers.origin;
    if (!everywhere) ctx.vary('Origin');
    if (origin === undefined || !(everywhere || origins.includes(origin))) return next();
    ctx.set('Access-Control-Allow-Origin', everywhere ? '*' : origin);
    if (sessions && !everywhere) ctx.set('Access-Control-Allow-Credentials', 'true');
    ctx.set('Access-Control-Expose-Headers', RESPONSE_HEADERS);
    if (ctx.method === 'OPTIONS') {
      ctx.set('Access-Control-Allow-Methods', METHODS);
      ctx.set('Access-Control-Allow-Headers', REQUEST_HEADERS);
      ctx.set('Access-Control-Max-Age', '86400');
    }
    return next();
  };
}
