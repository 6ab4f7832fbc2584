import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Caller, Refusal } from '@intake/rpc';
import { type RunningService, runService } from '@intake/service';
import { createApp } from '../app';
import type { Credentials } from '../auth';
import { createUrlsOf } from '../request/base-url';
import { readProxyTrust } from '../request/client-address';
import { GROUPS, may } from '../roles';
import type { Services } from '../services';
import { createRoutes } from './index';

/** Services that no request of these tests may reach. */
const unreachable = new Proxy({}, { get: () => new Proxy({}, { get: () => () => fail() }) }) as Services;
const reached: string[] = [];
function fail(): never {
  reached.push('a service');
  throw new Error('a service was called');
}

/** The token names the roles of its caller. */
const authenticator = {
  authenticate: async ({ headers: { authorization: header } }: Credentials): Promise<Caller> => {
    if (!header) throw new Refusal('NOT_AUTHENTICATED');
    const [, token = ''] = header.split(' ');
    if (token === 'bad') throw new Refusal('INVALID_TOKEN');
    return { kind: 'user', organizationId: 1, userId: 1, username: 'u', roles: token.split(','), queueIds: [] };
  },
  forget: () => undefined,
};
const events = { open: fail, checkUser: fail, close: fail };
const routes = createRoutes({
  services: unreachable,
  authenticator,
  events,
  domain: null,
  createKey: '',
  sessions: false,
});
const names = routes.map(({ method, path }) => [method, path] as const);

let service: RunningService;
let server: Server;
beforeAll(async () => {
  service = await runService('gateway-test', { INTAKE_LOG_LEVEL: 'silent' }, async (runtime) => {
    const urlsOf = createUrlsOf({ publicUrl: '', proxies: readProxyTrust('off') });
    const edge = {
      urlsOf,
      addressOf: () => 'here',
      quota: { take: () => undefined },
      sessions: false,
      reviewDir: '',
      embedOrigins: [],
      guard: async () => undefined,
    };
    server = createServer(createApp(runtime, { ...edge, authenticator, corsOrigins: [], routes }).callback());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await service.stop();
});

const send = async (method: string, path: string, token?: string) => {
  const { port } = server.address() as AddressInfo;
  const concrete = path.replace(/:(id|node)/g, '7').replace(/:\w+/g, 'name.pdf');
  const response = await fetch(`http://127.0.0.1:${port}/api/v1${concrete}`, {
    method,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });
  const text = await response.text();
  return { status: response.status, body: text ? (JSON.parse(text) as { code?: string }) : {} };
};

it('has every endpoint once, and only these for everybody', () => {
  expect(new Set(names.map(String)).size).toBe(names.length);
  expect(routes.filter(({ allow }) => allow === 'public').map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /',
    'POST /auth/login',
    'POST /auth/token',
    'POST /organizations/create',
    'POST /auth/password/reset',
    'POST /auth/password/reset/confirm',
    'POST /auth/password/score',
    'GET /oauth',
    'GET /oauth/login',
    'GET /oauth/code',
    'GET /emails/subscription',
    'GET /openapi.json',
  ]);
});

it('takes a user name and password only where API auth.md section 1 names it', () => {
  expect(routes.filter(({ basic }) => basic).map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /uploads',
    'POST /uploads/:filename',
    'POST /queues/:id/upload',
    'POST /queues/:id/upload/:filename',
    'POST /documents',
    'GET /queues/:id/export',
    'POST /queues/:id/export',
  ]);
});

const protectedRoutes = routes
  .filter(({ allow }) => allow !== 'public')
  .map((row) => [row.method, row.path, row] as const);

it.each(protectedRoutes)(
  '%s %s is for known callers of the right role only, before anything is read',
  async (method, path, { allow }) => {
    expect(await send(method, path)).toMatchObject({ status: 403, body: { code: 'not_authenticated' } });
    expect(await send(method, path, 'bad')).toMatchObject({ status: 401, body: { code: 'authentication_failed' } });
    for (const name of ['unheard-of', ...GROUPS.map((group) => group.name)]) {
      if (allow === 'public' || may([name], allow)) continue;
      expect(await send(method, path, name)).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
    }
    expect(reached).toEqual([]);
  },
);
