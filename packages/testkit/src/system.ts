import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Api } from './api';
import { type Backing, backing } from './backing';
import { freePortBlock } from './ports';
import { type Program, startProgram } from './processes';
import { ROOT } from './root';
import { dropTestData, type ServiceEnv, serviceEnv } from './service-env';
import { startTcpProxy, type TcpProxy } from './tcp-proxy';
import { waitFor } from './wait';

const run = promisify(execFile);

/** User name and password. */
export interface Login {
  readonly username: string;
  readonly password: string;
}

/** What the first set-up makes in an organization. */
export interface Organization {
  readonly organizationId: number;
  readonly admin: Login;
  readonly queueId: number;
  readonly inboxEmail: string;
}

/** What runs, and on what. */
export interface SystemOptions {
  /** A process per service, so that one can be killed; otherwise one process for all, which starts faster. */
  readonly processes?: boolean;
  /** All services when not given. The first organization is made only when auth and queue are among them. */
  readonly services?: readonly string[];
  /** Settings beside those of `serviceEnv`. */
  readonly env?: ServiceEnv;
  /** Backing services of the test's own; those of `npm test` when not given. */
  readonly backing?: Backing;
  /** Services that the others reach through a proxy, which the test may disturb. */
  readonly through?: readonly string[];
  /** Calls between services are spread over them and the first replica that is added. */
  readonly spread?: boolean;
}

/** Intake as it runs for its users, on real processes. */
export interface TestSystem extends Organization {
  /** `http://127.0.0.1:<port>/api` */
  readonly baseUrl: string;
  readonly smtp: { readonly host: string; readonly port: number };
  readonly env: ServiceEnv;
  readonly services: readonly string[];
  /** Process of a service. */
  pidOf(service: string): number;
  /** Port of the service's `/healthz`, `/readyz` and `/metrics`. */
  opsPortOf(service: string): number;
  /** Ends the process of a service (in one process: of all). */
  kill(service: string, signal?: NodeJS.Signals): Promise<void>;
  /** Starts the ended process of a service again and waits until it is ready. */
  restart(service: string): Promise<void>;
  waitUntilReady(service: string): Promise<void>;
  /** A further replica of services (of the gateway when none are named), in a process of its own; it ends with the system. */
  addReplica(services?: readonly string[]): Promise<Replica>;
  /** The way to a service that was named in `through`. */
  proxyOf(service: string): TcpProxy;
  /** A client of the API, logged in as the admin of the first organization or as somebody else. */
  login(as?: Login): Promise<Api>;
  /** A further organization with an admin, a queue and an inbox. */
  createOrganization(name: string): Promise<Organization>;
  /** Last log lines of all processes. */
  readLogs(lines?: number): string;
  /** Drains and ends all processes, and removes their databases, streams and bucket. */
  stop(): Promise<void>;
}

/** A further replica of services. */
export interface Replica {
  /** `http://127.0.0.1:<port>/api`; answers when the gateway is among its services. */
  readonly baseUrl: string;
  readonly pid: number;
  /** Sends a signal; with SIGKILL or SIGTERM waits for the end. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Ends it at once, starts it again and waits until it is ready. */
  restart(): Promise<void>;
}

interface Plan {
  readonly env: Record<string, string>;
  readonly services: Record<string, { readonly rpc?: number; readonly ops: number }>;
}

/** Offsets from the base port: rpc, ops (`deploy/local/services.mjs`), then REST and SMTP. */
const REST_OFFSET = 80;
const SMTP_OFFSET = 81;
const OFFSETS = [...Array(10).keys(), ...[...Array(10).keys()].map((i) => 50 + i), REST_OFFSET, SMTP_OFFSET];
const READY_MS = 120_000;

/** Starts Intake on free ports with data of its own. When it does not come up, the error shows the end of the logs. */
export async function startSystem(options: SystemOptions = {}): Promise<TestSystem> {
  const addresses = options.backing ?? backing();
  const admin: Login = { username: 'admin@example.com', password: randomBytes(12).toString('base64url') };
  const basePort = await freePortBlock(OFFSETS);
  const own = serviceEnv(
    {
      INTAKE_LOG_LEVEL: process.env.INTAKE_TEST_LOG_LEVEL ?? 'warn',
      INTAKE_MAIL_DOMAIN: 'localhost',
      // Tests ask no name server but their own.
      INTAKE_MAIL_CHECK_SENDER: 'off',
      INTAKE_ADMIN_EMAIL: admin.username,
      INTAKE_ADMIN_PASSWORD: admin.password,
      INTAKE_RATE_LIMIT_PER_MINUTE: '0',
      ...options.env,
    },
    addresses,
  );
  const plan = await readPlan(own, basePort, addresses);
  const reserved = options.spread ? await freePortBlock(OFFSETS) : undefined;
  const proxies = await startProxies(plan, options.through ?? []);
  const env: ServiceEnv = {
    ...plan.env,
    ...(reserved && addressesOver(plan, reserved - basePort)),
    ...Object.fromEntries([...proxies].map(([name, { port }]) => [addressVariable(name), `127.0.0.1:${port}`])),
  };
  const services = options.services ?? Object.keys(plan.services);
  const groups = options.processes ? services.map((service) => [service]) : [[...services]];
  const logDir = mkdtempSync(join(tmpdir(), 'intake-logs-'));
  // What a process that is killed leaves goes with the system.
  const temporary = join(logDir, 'tmp');
  mkdirSync(temporary);
  const processEnv = { ...inherited(), TMPDIR: temporary, ...env };
  const programs = new Map<string, Program>();
  const replicas: string[] = [];

  const start = (names: readonly string[]) => {
    const program = startProgram(process.execPath, [join(ROOT, 'deploy/local/host.mjs'), ...names], {
      cwd: ROOT,
      env: processEnv,
      logFile: join(logDir, `${names.length === 1 ? names[0] : 'intake'}.log`),
      ipc: true, // it ends by itself when this process is gone
    });
    for (const name of names) programs.set(name, program);
  };
  const programOf = (service: string): Program => {
    const program = programs.get(service);
    if (!program) throw new Error(`${service} was not started; there are ${services.join(', ')}`);
    return program;
  };
  const opsPortOf = (service: string): number => {
    const found = plan.services[service];
    if (!found) throw new Error(`there is no service ${service}`);
    return found.ops;
  };
  const waitUntilReady = async (service: string): Promise<void> => {
    const url = `http://127.0.0.1:${opsPortOf(service)}/readyz`;
    const problem = await waitFor(
      `${service} to be ready`,
      async () => {
        if (programOf(service).ended) return 'its process ended';
        const answer = await fetch(url, { signal: AbortSignal.timeout(2000) });
        if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
        return 'ready';
      },
      { timeoutMs: READY_MS },
    );
    if (problem !== 'ready') throw new Error(`${service}: ${problem}`);
  };
  const addReplica = async (hosted: readonly string[] = ['gateway']): Promise<Replica> => {
    const isFirst = replicas.length === 0 && reserved !== undefined;
    const ownBase = isFirst ? reserved : await freePortBlock(OFFSETS);
    const port = ownBase + REST_OFFSET;
    const name = `replica ${ownBase}`;
    const names = hosted.map((service) => `${service} of ${name}`);
    for (const [i, service] of hosted.entries())
      plan.services[names[i] as string] = { ops: opsPortOf(service) - basePort + ownBase };
    const ports = { INTAKE_LOCAL_BASE_PORT: ownBase, INTAKE_PORT: port, INTAKE_SMTP_PORT: ownBase + SMTP_OFFSET };
    let program: Program | undefined;
    const startReplica = async () => {
      const started = startProgram(process.execPath, [join(ROOT, 'deploy/local/host.mjs'), ...hosted], {
        cwd: ROOT,
        env: { ...processEnv, ...mapValues(ports, String) },
        logFile: join(logDir, `${name}.log`),
        ipc: true,
      });
      program = started;
      for (const one of names) programs.set(one, started);
      await withLogs(() => Promise.all(names.map(waitUntilReady)));
    };
    await startReplica();
    replicas.push(name);
    return {
      baseUrl: `http://127.0.0.1:${port}/api`,
      get pid() {
        return program?.pid ?? -1;
      },
      kill: async (signal) => program?.kill(signal),
      async restart() {
        await program?.kill('SIGKILL');
        await startReplica();
      },
    };
  };
  const readLogs = (lines = 30) =>
    [...new Set(programs.values())].map((program) => `--- ${program.logFile}\n${program.readLog(lines)}`).join('\n');
  const stopPrograms = async () => {
    await Promise.all([...new Set(programs.values())].map((program) => program.stop(30_000)));
  };
  const withLogs = async <T>(task: () => Promise<T>): Promise<T> => {
    try {
      return await task();
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${readLogs()}`, { cause: error });
    }
  };
  const setup = async (args: readonly string[], by: Login): Promise<Organization> => {
    const { stdout } = await run(process.execPath, [join(ROOT, 'packages/cli/dist/index.js'), ...args], {
      cwd: ROOT,
      env: processEnv,
      timeout: READY_MS,
    });
    const line = stdout.split('\n').find((one) => one.startsWith('{') && one.includes('"queueId"'));
    if (!line) throw new Error(`intake ${args[0]} printed no ids: ${stdout}`);
    const made = JSON.parse(line) as { organizationId: number; queueId: number; inboxEmail: string };
    return { organizationId: made.organizationId, queueId: made.queueId, inboxEmail: made.inboxEmail, admin: by };
  };

  try {
    for (const names of groups) start(names);
    await withLogs(() => Promise.all(services.map(waitUntilReady)));
    const complete = services.includes('auth') && services.includes('queue');
    const first = complete
      ? await withLogs(() => setup(['setup'], admin))
      : { organizationId: 0, queueId: 0, inboxEmail: '', admin };
    const baseUrl = `http://127.0.0.1:${basePort + REST_OFFSET}/api`;
    return {
      ...first,
      baseUrl,
      smtp: { host: '127.0.0.1', port: basePort + SMTP_OFFSET },
      env,
      services,
      opsPortOf,
      waitUntilReady,
      readLogs,
      addReplica,
      proxyOf(service) {
        const proxy = proxies.get(service);
        if (!proxy) throw new Error(`${service} was not named in "through"`);
        return proxy;
      },
      pidOf: (service) => programOf(service).pid,
      kill: (service, signal = 'SIGKILL') => programOf(service).kill(signal),
      async restart(service) {
        const names = groups.find((group) => group.includes(service)) ?? [];
        await programOf(service).stop();
        start(names);
        await withLogs(() => Promise.all(names.map(waitUntilReady)));
      },
      login: (as = first.admin) => Api.login(baseUrl, as.username, as.password),
      createOrganization(name) {
        const by = { username: `${name.toLowerCase()}@example.com`, password: randomBytes(12).toString('base64url') };
        const args = ['--name', name, '--admin-email', by.username, '--admin-password', by.password];
        return withLogs(() => setup(['organization', 'create', ...args], by));
      },
      async stop() {
        await stopPrograms();
        await Promise.all([...proxies.values()].map((proxy) => proxy.stop()));
        rmSync(logDir, { recursive: true, force: true });
        await dropTestData(env).catch((error) => {
          if (!options.backing) throw error; // a server of the test's own may be down, and takes its data along
        });
      },
    };
  } catch (error) {
    await stopPrograms();
    await Promise.all([...proxies.values()].map((proxy) => proxy.stop()));
    rmSync(logDir, { recursive: true, force: true });
    throw error;
  }
}

/** A proxy before each of the services. */
async function startProxies({ services }: Plan, names: readonly string[]): Promise<Map<string, TcpProxy>> {
  const proxies = new Map<string, TcpProxy>();
  for (const name of names) {
    const port = services[name]?.rpc;
    if (port === undefined) throw new Error(`${name} has no rpc server`);
    proxies.set(name, await startTcpProxy(port));
  }
  return proxies;
}

/** Addresses of services that have a second replica, whose ports are higher by a distance. */
function addressesOver({ services }: Plan, distance: number): Record<string, string> {
  return Object.fromEntries(
    Object.entries(services).flatMap(([name, { rpc }]) =>
      rpc === undefined ? [] : [[addressVariable(name), `ipv4:127.0.0.1:${rpc},127.0.0.1:${rpc + distance}`]],
    ),
  );
}

function addressVariable(service: string): string {
  return `INTAKE_${service.toUpperCase().replaceAll('-', '_')}_ADDRESS`;
}

function mapValues<T, U>(map: Readonly<Record<string, T>>, fn: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, fn(value)]));
}

/** Ports and addresses as the launcher gives them out (`deploy/local/services.mjs`, the only place that knows them). */
async function readPlan(own: ServiceEnv, basePort: number, addresses: Backing): Promise<Plan> {
  const settings = {
    host: '127.0.0.1',
    port: basePort + REST_OFFSET,
    smtpPort: basePort + SMTP_OFFSET,
    basePort,
  };
  const script = `
    const { SERVICES, portsOf, describeEnvironment } = await import(process.argv[1]);
    const { own, settings, backing } = JSON.parse(process.argv[2]);
    const env = describeEnvironment(own, settings, backing, {});
    const services = Object.fromEntries(SERVICES.map((name) => [name, portsOf(name, settings.basePort)]));
    console.log(JSON.stringify({ env, services }));`;
  const input = JSON.stringify({
    own,
    settings,
    backing: { ...addresses, s3: { ...addresses.s3, bucket: own.INTAKE_S3_BUCKET } },
  });
  const file = join(ROOT, 'deploy/local/services.mjs');
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script, file, input]);
  return JSON.parse(stdout) as Plan;
}

/** Of this process's environment only what is not a setting of Intake. */
function inherited(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(INTAKE|OTEL)_/.test(name)));
}
