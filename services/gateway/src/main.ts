import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connectBus } from '@intake/bus';
import { readRpcSettings } from '@intake/rpc';
import { type Environment, type Runtime, runAsProcess, runService } from '@intake/service';
import { createApp } from './app';
import { createAuthenticator } from './auth';
import { readGatewayConfig } from './config';
import { createEmbeddedGuard } from './embedded';
import { createEventStreams } from './events/event-streams';
import { createQuota } from './quota/quota';
import { createUrlsOf } from './request/base-url';
import { clientAddressOf } from './request/client-address';
import { createRoutes } from './routes';
import { connectServices } from './services';

/** Longer than the usual time-out of a proxy's idle connections, so that the proxy is the one that closes them. */
const KEEP_ALIVE_MS = 75_000;
/** A slow client with a large file. */
const REQUEST_MS = 600_000;

/** Starts the gateway. */
export const start = (env: Environment) =>
  runService('gateway', env, async (runtime) => {
    const config = readGatewayConfig(env);
    const services = connectServices(runtime, readRpcSettings(env));
    const authenticator = createAuthenticator(services.auth, config.sessions);
    const bus = connectBus(runtime, config.bus);
    const events = createEventStreams(runtime, bus);
    bus.listen('auth.revoked', (revoked) => {
      authenticator.forget(revoked);
      events.checkUser(revoked.userId);
    });
    const domain = config.publicUrl ? new URL(config.publicUrl).host : null;
    const app = createApp(runtime, {
      authenticator,
      urlsOf: createUrlsOf(config),
      addressOf: (request) => clientAddressOf(request, config.proxies),
      quota: createQuota(bus, config.limits),
      corsOrigins: config.corsOrigins,
      sessions: config.sessions,
      reviewDir: config.reviewDir,
      embedOrigins: config.embedOrigins,
      guard: createEmbeddedGuard({ services }),
      routes: createRoutes({
        services,
        authenticator,
        events,
        domain,
        createKey: config.createKey,
        sessions: config.sessions,
      }),
    });
    await listen(runtime, app.callback(), config);
    runtime.onStop('event streams', () => events.close());
  });

async function listen(
  runtime: Runtime,
  handle: Parameters<typeof createServer>[1] & object,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<void> {
  let draining = false;
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: REQUEST_MS }, (request, response) => {
    if (draining) response.setHeader('Connection', 'close');
    handle(request, response);
  });
  server.listen(port, host);
  await once(server, 'listening');
  runtime.log.info({ port: (server.address() as AddressInfo).port }, 'serving the API');
  runtime.onStop('HTTP server', async () => {
    draining = true;
    const closed = once(server, 'close');
    server.close();
    // Connections become idle one by one, as what is in flight ends.
    const closing = setInterval(() => server.closeIdleConnections(), 50);
    await closed;
    clearInterval(closing);
  });
}

if (require.main === module) void runAsProcess(start);
