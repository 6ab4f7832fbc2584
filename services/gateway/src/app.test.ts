import { once } from 'node:events';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Caller } from '@intake/rpc';
import { currentContext, type RequestContext, type RunningService, runService } from '@intake/service';
import { z } from 'zod';
import { createApp } from './app';
import { createUrlsOf } from './request/base-url';
import { readProxyTrust } from './request/client-address';
import { Answer, route } from './route';

const CALLER: Caller = {
  kind: 'user',
  organizationId: 1,
  userId: 7,
  username: 'jane',
  roles: ['annotator'],
  queueIds: 'all',
};

let service: RunningService;
let server: Server;
let base: string;
let seen: RequestContext | undefined;
let abandoned: Promise<void>;
let asked = 0;
let open: (() => void) | undefined;

const routes = [
  route('GET', '/context', {
    allow: 'public',
    timeoutMs: 5000,
    call: async () => {
      seen = currentContext();
    },
    reply: () => ({}),
  }),
  route('GET', '/failure', {
    allow: 'public',
    call: async () => {
      throw new TypeError('the password is hunter2');
    },
    reply: 204,
  }),
  route('GET', '/slow', {
    allow: 'public',
    call: () => {
      const { signal } = currentContext();
      return new Promise<void>((_, reject) => {
        abandoned = new Promise((resolve) => {
          signal?.addEventListener('abort', () => {
            resolve();
            reject(new Error('abandoned'));
          });
        });
        server.emit('slow');
      });
    },
    reply: 204,
  }),
  route('GET', '/shared', {
    allow: 'review',
    shared: () => true,
    call: async ({ query }) => {
      const number = ++asked;
      server.emit('asked');
      await new Promise<void>((resolve) => {
        open = resolve;
      });
      return { number, q: query.get('q') };
    },
    reply: (result) => result,
  }),
  route('POST', '/things/:id', {
    allow: 'review',
    body: z.object({ name: z.string() }),
    call: async ({ parameters, body, url, urls }, caller) => ({ parameters, body, url, root: urls.root, caller }),
    reply: (result) => new Answer(201, { 'X-Thing': 'yes' }, result),
  }),
  route('GET', '/admins', { allow: 'writeConfiguration', call: async () => undefined, reply: 204 }),
  route('GET', '/nothing', { allow: 'public', call: async () => undefined, reply: 204 }),
];

beforeAll(async () => {
  service = await runService('gateway-test', { INTAKE_LOG_LEVEL: 'silent' }, async (runtime) => {
    const authenticator = { authenticate: async () => CALLER, forget: () => undefined };
    const urlsOf = createUrlsOf({ publicUrl: '', proxies: readProxyTrust('off') });
    const edge = {
      urlsOf,
      addressOf: () => 'here',
      quota: { take: () => undefined },
      sessions: true,
      reviewDir: '',
      embedOrigins: [],
      guard: async () => undefined,
    };
    server = createServer(
      createApp(runtime, { ...edge, authenticator, corsOrigins: ['https://ui'], routes }).callback(),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
  });
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await service.stop();
});

const postJson = (body: string) => ({ method: 'POST', body, headers: { 'content-type': 'application/json' } });

it('gives what a request causes its id and its deadline', async () => {
  const { headers } = await fetch(`${base}/context`);
  expect(seen?.requestId).toBe(headers.get('x-request-id'));
  const left = (seen?.deadline?.getTime() ?? 0) - Date.now();
  expect(left).toBeGreaterThan(3000);
  expect(left).toBeLessThanOrEqual(5000);
});

it('takes part in the trace of the client', async () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  await fetch(`${base}/context`, { headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } });
  const { trace } = await import('@opentelemetry/api');
  expect(seen && trace.getSpanContext(seen.otel)?.traceId).toBe(traceId);
});

it('tells nothing of a failure but the id of the request', async () => {
  const response = await fetch(`${base}/failure`);
  expect([response.status, await response.json()]).toEqual([
    500,
    { detail: 'Server error.', code: 'error', request_id: response.headers.get('x-request-id') },
  ]);
});

it('says at once what is waiting when the client has gone', async () => {
  const begun = once(server, 'slow');
  const request = httpRequest(`${base}/slow`).end();
  request.on('error', () => undefined);
  await begun;
  request.destroy();
  await abandoned;
});

it('asks once for those who ask the same meanwhile, and for nobody before he asked', async () => {
  const get = (q: string) => fetch(`${base}/shared?q=${q}`);
  const arrived = async (count: number) => {
    for (let at = 0; at < count; at++) await once(server, 'request');
    await new Promise(setImmediate);
  };
  const ask = async (q: string) => {
    const begun = once(server, 'asked');
    const response = get(q);
    await begun;
    return { response, end: open! };
  };
  const first = await ask('x');
  const other = await ask('y');
  const all = arrived(3);
  const others = [get('x'), get('x'), get('x')];
  await all;
  const second = once(server, 'asked');
  first.end();
  expect(await (await first.response).json()).toEqual({ number: 1, q: 'x' });
  await second;
  open!();
  const responses = await Promise.all(others);
  expect(responses.map(({ headers }) => headers.get('content-type'))).toEqual(
    Array(3).fill('application/json; charset=utf-8'),
  );
  expect(await Promise.all(responses.map((response) => response.json()))).toEqual(Array(3).fill({ number: 3, q: 'x' }));
  other.end();
  expect(await (await other.response).json()).toEqual({ number: 2, q: 'y' });
});

it('gives a row its parameters, body, URLs and caller, and sends its answer', async () => {
  const response = await fetch(`${base}/things/5/?x=1`, postJson('{"name": "n", "more": 1}'));
  expect([response.status, response.headers.get('x-thing')]).toEqual([201, 'yes']);
  expect(await response.json()).toEqual({
    parameters: { id: 5 },
    body: { name: 'n' },
    url: `${base}/things/5`,
    root: base,
    caller: CALLER,
  });
});

it('looks at the role before anything else', async () => {
  expect((await fetch(`${base}/admins`)).status).toBe(403);
});

it('knows a path by its exact letters, with or without a slash at the end', async () => {
  const statuses = await Promise.all(
    ['/nothing', '/nothing/', '/nothing//', '/NOTHING', '/nothin', '/nothing/x', '/%E0%A4%A'].map(
      async (path) => (await fetch(base + path)).status,
    ),
  );
  expect(statuses).toEqual([204, 204, 404, 404, 404, 404, 404]);
});

it('sends no body where there is none', async () => {
  const response = await fetch(`${base}/nothing`);
  expect([response.status, await response.text(), response.headers.get('content-type')]).toEqual([204, '', null]);
});

it('lets the named origins call, with credentials, and no other', async () => {
  const from = async (origin: string) => (await fetch(`${base}/context`, { headers: { origin } })).headers;
  const [named, other] = [await from('https://ui'), await from('https://evil')];
  expect(named.get('access-control-allow-origin')).toBe('https://ui');
  expect(named.get('access-control-allow-credentials')).toBe('true');
  expect([other.get('access-control-allow-origin'), other.get('vary')]).toEqual([null, 'Origin']);
});

it('measures by route, not by path', async () => {
  await fetch(`${base}/things/123`, postJson('{"name": "n"}'));
  const metrics = await (await fetch(`http://127.0.0.1:${service.opsPort}/metrics`)).text();
  expect(metrics).toMatch(/intake_http_seconds_count\{[^}]*route="\/things\/:id",status="201"[^}]*\} \d/);
  expect(metrics).not.toContain('123"');
});
