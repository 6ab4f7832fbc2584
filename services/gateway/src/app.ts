import { randomUUID } from 'node:crypto';
import { readShape } from '@intake/resources';
import { type Caller, createShare, Refusal, systemCaller } from '@intake/rpc';
import { contextFromTraceparent, type Runtime, runInContext, withSpan } from '@intake/service';
import type { ApiUrls } from '@intake/urls';
import Router from '@koa/router';
import { SpanKind } from '@opentelemetry/api';
import Koa, { type Context, type Middleware } from 'koa';
import { Histogram } from 'prom-client';
import type { Authenticator } from './auth';
import type { EmbeddedGuard } from './embedded';
import { toErrorReply } from './errors';
import { serveDocs } from './openapi/docs-page';
import { servePage } from './page/serve-page';
import type { Quota } from './quota/quota';
import { readBody } from './request/body';
import { checkCsrf, sessionOf } from './request/cookies';
import { allowOrigins } from './request/cors';
import { may } from './roles';
import { Answer, ApiRequest, type Route, readParameters } from './route';

const PREFIX = '/api/v1';
/** How long the rest of a body is thrown away after its request was refused, so that the client reads the answer. */
const LINGER_MS = 5000;

/** What the app is made of. */
export interface AppOptions {
  readonly authenticator: Authenticator;
  readonly urlsOf: (request: Context['req']) => ApiUrls;
  /** Address of the client, as it is counted. */
  readonly addressOf: (request: Context['req']) => string;
  readonly quota: Quota;
  readonly corsOrigins: readonly string[];
  /** Whether browsers may come with the cookies of a session. */
  readonly sessions: boolean;
  /** Folder of the built review page. */
  readonly reviewDir: string;
  /** Origins whose pages may show a document for review in a frame. */
  readonly embedOrigins: readonly string[];
  readonly guard: EmbeddedGuard;
  readonly routes: readonly Route[];
}

/** The HTTP side: everything that is the same for every route, and the routes. */
export function createApp(runtime: Runtime, options: AppOptions): Koa {
  const app = new Koa();
  app.use(observe(runtime));
  app.use(allowOrigins(options.corsOrigins, options.sessions));
  app.use(serveDocs());
  app.use(servePage(options.reviewDir, options.embedOrigins));
  app.use(findRoute(options.routes, (row) => serve(runtime, row, options)));
  app.use(answerOtherMethods);
  app.on('error', (error) => {
    if (error?.code !== 'ERR_STREAM_PREMATURE_CLOSE' && error?.code !== 'ECONNRESET') {
      runtime.log.warn({ err: error }, 'an answer broke off');
    }
  });
  return app;
}

/**
 * Serves each route by its row. Those whose paths begin with the same word have a router of their own: one router would try the
 * patterns of all, which for most requests is half of the gateway's work.
 */
function findRoute(rows: readonly Route[], serveRow: (row: Route) => Middleware): Middleware {
  const firstWord = (path: string) => path.split('/')[1] ?? '';
  const routers = new Map<string, Router>();
  for (const row of rows) {
    const word = firstWord(row.path);
    const router = routers.get(word) ?? new Router({ prefix: PREFIX, sensitive: true });
    routers.set(word, router);
    router.register(row.path, [row.method.toLowerCase()], serveRow(row));
  }
  const served = new Map([...routers].map(([word, router]) => [word, router.routes() as Middleware]));
  return (ctx, next) => served.get(firstWord(ctx.path.slice(PREFIX.length)))?.(ctx, next) ?? next();
}

/** Gives each request its id; turns errors into answers; measures and logs. */
function observe(runtime: Runtime): Middleware {
  const { log, metrics } = runtime;
  const duration = new Histogram({
    name: 'intake_http_seconds',
    help: 'Time until a request was answered, by route and status; files may take longer to be sent',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
    registers: [metrics],
  });
  return async (ctx, next) => {
    const started = performance.now();
    const requestId = randomUUID();
    ctx.state.requestId = requestId;
    ctx.set('X-Request-Id', requestId);
    try {
      await next();
    } catch (error) {
      const reply = toErrorReply(error, requestId, (ctx.state.route as Route | undefined)?.basic);
      // Who has gone away made it fail; `req.destroyed` would also say so of every request that was read to its end.
      if (reply.status >= 500 && ctx.writable) {
        log[reply.status === 503 ? 'warn' : 'error']({ err: error, requestId, path: ctx.path }, 'request failed');
      }
      ctx.status = reply.status;
      ctx.set(reply.headers);
      ctx.body = reply.body;
    }
    if (!ctx.req.complete) discardRest(ctx);
    const ms = performance.now() - started;
    const route = (ctx.state.route as Route | undefined)?.path ?? 'none';
    duration.observe({ method: ctx.method, route, status: ctx.status }, ms / 1000);
    // Reads that went well are most of the traffic: their lines are written only where somebody wants them.
    const level = ctx.status < 400 && (ctx.method === 'GET' || ctx.method === 'HEAD') ? 'debug' : 'info';
    if (log.isLevelEnabled(level)) {
      const { method, path, status } = ctx;
      log[level]({ requestId, userId: ctx.state.userId, method, path, status, ms: Math.round(ms) }, 'request');
    }
  };
}

/** A refused upload: the client is still sending and would miss the answer if the connection were cut at once. */
function discardRest({ req }: Context): void {
  const timer = setTimeout(() => req.socket.destroy(), LINGER_MS);
  req.once('close', () => clearTimeout(timer));
  req.once('end', () => clearTimeout(timer));
  req.unpipe();
  setImmediate(() => req.resume());
}

/** Serves one row: who calls, may they, what do they send, and within which time. */
function serve({ tracer }: Runtime, row: Route, options: AppOptions): Middleware {
  const { authenticator, urlsOf, addressOf, quota, sessions, corsOrigins } = options;
  const spanName = `${row.method} ${row.path}`;
  const share = createShare<string>();
  const keyOf = numberCallers();
  const nobody = systemCaller('gateway');

  const identify = async (ctx: Context, address: string): Promise<Caller> => {
    if (row.quota) quota.take(row.quota, address);
    if (row.allow === 'public') {
      quota.take('requests', address);
      return nobody;
    }
    const { headers } = ctx;
    const caller = await authenticator.authenticate({ headers, address }, row.basic).catch((error) => {
      if (error instanceof Refusal && error.httpStatus < 500) quota.take('requests', address);
      throw error;
    });
    quota.take('requests', `user ${caller.userId}`);
    ctx.state.userId = caller.userId;
    const session = sessions ? sessionOf(headers) : undefined;
    if (session) checkCsrf(ctx, session, { host: new URL(urlsOf(ctx.req).root).host, allowed: corsOrigins });
    if (!may(caller.roles, row.allow)) throw new Refusal('PERMISSION_DENIED');
    return caller;
  };

  const ask = async (request: ApiRequest, caller: Caller): Promise<object | Answer> => {
    const result = await row.call(request, caller);
    return row.reply === 204 ? new Answer(204) : row.reply(result, request);
  };

  const answer = async (ctx: Context): Promise<void> => {
    const address = addressOf(ctx.req);
    const caller = await identify(ctx, address);
    const parameters = readParameters(ctx.params as Record<string, string>);
    // `/hooks/:id` matches `/hooks/logs` too.
    if (!parameters) return answerOtherMethods(ctx);
    const path = ctx.path.slice(PREFIX.length).replace(/\/$/, '');
    const requestWith = (body: unknown) =>
      new ApiRequest(ctx.req, path, ctx.querystring, parameters, body, urlsOf(ctx.req), address);
    const isRead = row.body && !row.ignoresBody?.(requestWith(undefined));
    const request = requestWith(isRead ? readShape(row.body!, await readBody(ctx)) : undefined);
    await options.guard(row, request, caller);
    if (row.shared?.(request)) {
      const key = `${keyOf(caller)} ${request.url}?${ctx.querystring}`;
      ctx.type = 'json';
      ctx.body = await share(key, async () => JSON.stringify(await ask(request, caller)));
    } else send(ctx, await ask(request, caller));
  };

  return (ctx) => {
    ctx.state.route = row;
    const context = {
      requestId: ctx.state.requestId as string,
      otel: contextFromTraceparent(ctx.get('traceparent') || undefined),
      deadline: new Date(Date.now() + row.timeoutMs),
      signal: signalOf(ctx),
    };
    return runInContext(context, () => withSpan(tracer, spanName, SpanKind.SERVER, () => answer(ctx)));
  };
}

/** A number for each caller as it was authenticated: with other rights, or anew, it is another one. */
function numberCallers(): (caller: Caller) => number {
  const numbers = new WeakMap<Caller, number>();
  let last = 0;
  return (caller) => {
    const number = numbers.get(caller) ?? ++last;
    numbers.set(caller, number);
    return number;
  };
}

/** Aborted when the client goes away before it has its answer. */
function signalOf({ res }: Context): AbortSignal {
  const controller = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) controller.abort();
  });
  return controller.signal;
}

function send(ctx: Context, reply: object | Answer): void {
  if (!(reply instanceof Answer)) {
    ctx.body = reply;
    return;
  }
  ctx.status = reply.status;
  if (reply.body !== null) ctx.body = reply.body;
  for (const [name, value] of Object.entries(reply.headers))
    ctx.set(name, typeof value === 'string' ? value : [...value]);
}

/** What the router knows of a path that matches, whatever its methods. */
interface Matched {
  readonly methods: readonly string[];
  captures(path: string): string[];
  params(path: string, captures: string[]): Record<string, string>;
}

/** What no route has answered: OPTIONS, a method the path does not have, a path that is none. */
function answerOtherMethods(ctx: Context): void {
  const { matched = [], path } = ctx as unknown as { matched?: readonly Matched[]; path: string };
  const own = matched.filter((layer) => readParameters(layer.params(path, layer.captures(path))));
  const methods = new Set(own.flatMap((layer) => layer.methods));
  if (methods.size === 0) throw new Refusal('NOT_FOUND');
  const allow = [...new Set([...methods, 'OPTIONS'])].join(', ');
  ctx.set('Allow', allow);
  if (ctx.method !== 'OPTIONS') {
    throw new Refusal('METHOD_NOT_ALLOWED', { detail: `Method "${ctx.method}" not allowed.` });
  }
  ctx.status = 200;
  ctx.body = '';
}
