import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Tracer } from '@opentelemetry/api';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { ConfigError, type Environment, port, readConfig, text, textLike } from './config';
import { createLog, type Logger } from './log';
import { createTracing } from './tracing';

/** What every service is given to work with. */
export interface Runtime {
  readonly name: string;
  readonly log: Logger;
  readonly metrics: Registry;
  readonly tracer: Tracer;
  /** Adds a condition of readiness; it throws or rejects when the service cannot serve now. */
  addReadiness(what: string, check: () => Promise<void> | void): void;
  /** Registers what must be closed; closed in the reverse order, each with what remains of the 25 seconds of the drain. */
  onStop(what: string, close: () => Promise<void> | void): void;
}

/** A service that is up. */
export interface RunningService {
  readonly name: string;
  /** Port of `/healthz`, `/readyz` and `/metrics`. */
  readonly opsPort: number;
  /** Not ready any more, finishes what is in flight (25 s at most), closes everything. */
  stop(): Promise<void>;
}

const logLevel = textLike(
  /^(trace|debug|info|warn|error|fatal|silent)$/,
  'trace, debug, info, warn, error, fatal or silent',
);
const httpUrl = textLike(/^https?:\/\/[^/\s]+/, 'a URL such as http://host:4318');

const DRAIN_MS = 25_000;
/** How long the last traces may take to be sent. */
const TRACES_MS = 3000;

/**
 * Runs one service: log, metrics, traces, the ops port, then `build`, which connects and serves.
 * When `build` fails, what was opened is closed again and the error is thrown on.
 */
export async function runService(
  name: string,
  env: Environment,
  build: (runtime: Runtime) => Promise<void>,
): Promise<RunningService> {
  const config = readConfig(env, {
    level: logLevel('INTAKE_LOG_LEVEL', 'least severe log lines that are written', 'info'),
    host: text('INTAKE_HOST', 'address to listen on', '127.0.0.1'),
    opsPort: port('INTAKE_OPS_PORT', 'port of /healthz, /readyz and /metrics; 0 picks a free one', 0),
    otlp: httpUrl('OTEL_EXPORTER_OTLP_ENDPOINT', 'where traces are sent by OTLP/HTTP', ''),
  });
  const log = createLog(name, config.level);
  const metrics = new Registry();
  metrics.setDefaultLabels({ service: name });
  const tracing = createTracing(name, config.otlp);
  const readiness: { what: string; check: () => Promise<void> | void }[] = [];
  const closers: { what: string; close: () => Promise<void> | void }[] = [];
  let state: 'starting' | 'up' | 'stopping' = 'starting';

  const runtime: Runtime = {
    name,
    log,
    metrics,
    tracer: tracing.tracer,
    addReadiness: (what, check) => void readiness.push({ what, check }),
    onStop: (what, close) => void closers.push({ what, close }),
  };

  const findProblems = async (): Promise<string[]> => {
    if (state !== 'up') return [state];
    const results = await Promise.allSettled(readiness.map(async ({ check }) => check()));
    return results.flatMap((result, i) =>
      result.status === 'rejected'
        ? [`${readiness[i]?.what}: ${(result.reason as Error)?.message ?? result.reason}`]
        : [],
    );
  };

  const sendMetrics = async (response: http.ServerResponse): Promise<void> => {
    try {
      const body = await metrics.metrics();
      response.setHeader('content-type', metrics.contentType);
      response.end(body);
    } catch (error) {
      log.error({ err: error }, 'metrics cannot be read');
      response.statusCode = 500;
      response.end();
    }
  };

  const ops = http.createServer(async (request, response) => {
    if (request.url === '/healthz') {
      response.end('ok\n');
    } else if (request.url === '/readyz') {
      const problems = await findProblems();
      response.statusCode = problems.length > 0 ? 503 : 200;
      response.end(problems.length > 0 ? `${problems.join('\n')}\n` : 'ok\n');
    } else if (request.url === '/metrics') {
      await sendMetrics(response);
    } else {
      response.statusCode = 404;
      response.end();
    }
  });

  const drain = async (): Promise<void> => {
    state = 'stopping';
    const end = Date.now() + DRAIN_MS;
    for (const { what, close } of closers.reverse()) {
      const closed = await within(Math.max(end - Date.now(), 500), async () => close()).catch((error) => {
        log.error({ err: error, what }, 'closing failed');
        return true;
      });
      if (!closed) log.warn({ what }, 'closing took too long, going on');
    }
    const sent = await within(TRACES_MS, () => tracing.close()).catch(() => false);
    if (!sent) log.warn('last traces were not sent');
    ops.closeAllConnections();
    await new Promise<void>((resolve) => ops.close(() => resolve()));
    log.info('stopped');
  };
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= drain();
    return stopped;
  };

  await new Promise<void>((resolve, reject) => {
    ops.once('error', reject);
    ops.listen(config.opsPort, config.host, resolve);
  });
  const opsPort = (ops.address() as AddressInfo).port;
  collectDefaultMetrics({ register: metrics });
  try {
    await build(runtime);
  } catch (error) {
    await stop();
    throw error;
  }
  state = 'up';
  log.info({ opsPort }, 'started');
  return { name, opsPort, stop };
}

/** For a service's own entry: starts it from the process environment, stops it on SIGTERM or SIGINT. */
export async function runAsProcess(start: (env: Environment) => Promise<RunningService>): Promise<void> {
  let service: RunningService;
  try {
    service = await start(process.env);
  } catch (error) {
    const isConfig = error instanceof ConfigError;
    process.stderr.write(`${isConfig ? `${error.name}: ${error.message}` : ((error as Error).stack ?? error)}\n`);
    process.exit(1);
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => void service.stop().then(() => process.exit(0)));
  }
}

async function within(ms: number, task: () => Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([task().then(() => true as const), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
