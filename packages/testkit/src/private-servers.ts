import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type ConnectionOptions, connect } from 'nats';
import { type Backing, readTestVariable } from './backing';
import { runAdminCommand } from './databases.store';
import { freePorts } from './ports';
import { type Program, startProgram } from './processes';
import { ROOT } from './root';
import { waitFor } from './wait';

/** A backing service of a test's own, which it may break. It keeps its port and, unless wiped, its data. */
export interface PrivateServer {
  /** `mongodb://`, `nats://` or `http://`. */
  readonly url: string;
  readonly dataDir: string;
  readonly pid: number;
  /** Ends it at once (SIGKILL) or in order (SIGTERM). */
  kill(signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Starts it again on its port; waits until it answers. */
  restart(): Promise<void>;
  /** Deletes its data. It must not run. */
  wipe(): void;
  /** Stops it from doing anything, as a hanging machine would, until `resume`; it stands still when this is done. */
  pause(): Promise<void>;
  resume(): void;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

/** Where the data goes; a new folder below the system's temporary one when not given. */
export interface PrivateServerOptions {
  readonly dataDir?: string;
}

interface Description {
  readonly name: string;
  readonly variable: string;
  readonly options: PrivateServerOptions;
  readonly args: (port: number, dataDir: string) => string[];
  readonly env?: Record<string, string>;
  readonly urlOf: (port: number) => string;
  readonly isUp: (port: number) => Promise<boolean>;
}

const REPLICA_SET = 'intake';
/** How long a member that has stepped down does not want to be the primary again. */
const STEPPED_DOWN_S = 60;

/** MongoDB as a replica set of one, as `npm start` runs it; with `security` only for its user, over TLS. */
export function startMongo(options: PrivateServerOptions & { security?: ServerSecurity } = {}): Promise<PrivateServer> {
  const { security } = options;
  const tls = security ? `&tls=true&tlsCAFile=${encodeURIComponent(security.certFile)}` : '';
  const login = security ? `${security.user}:${encodeURIComponent(security.password)}@` : '';
  return startServer({
    ...MONGO,
    options,
    args: (port, dataDir) => [...MONGO.args(port, dataDir), ...(security ? secureMongo(security) : [])],
    urlOf: (port) =>
      `mongodb://${login}127.0.0.1:${port}/?replicaSet=${REPLICA_SET}${login && '&authSource=admin'}${tls}`,
    isUp: async (port) => {
      // Before there is a user, everything is allowed from this machine.
      const url = `${directUrl(port)}${tls}`;
      const { isWritablePrimary } = await runAdminCommand(url, { hello: 1 });
      if (isWritablePrimary) {
        if (security) await makeUser(url, security);
        return true;
      }
      await initiate(url, [`127.0.0.1:${port}`]).catch(() => undefined); // it may have been done before
      return false;
    },
  });
}

/** MongoDB as a replica set of three, of which any one may be missing. */
export interface MongoSet {
  readonly url: string;
  /** The member that takes writes now; waits until there is one. */
  primary(): Promise<PrivateServer>;
  /** The primary gives its place to another member. */
  stepDown(): Promise<void>;
  /** Ends all members and removes their data. */
  stop(): Promise<void>;
}

/** Starts three members and waits until one of them takes writes. */
export async function startMongoSet(): Promise<MongoSet> {
  const members: PrivateServer[] = [];
  const stop = async () => void (await Promise.all(members.map((member) => member.stop())));
  const isPrimary = ({ url }: PrivateServer) =>
    runAdminCommand(url, { hello: 1 }).then(
      ({ isWritablePrimary }) => isWritablePrimary === true,
      () => false,
    );
  const primary = () =>
    waitFor(
      'a primary',
      async () => {
        const are = await Promise.all(members.map(isPrimary));
        return members.find((_, i) => are[i]);
      },
      { timeoutMs: 60_000 },
    );
  try {
    for (let i = 0; i < 3; i++)
      members.push(
        await startServer({
          ...MONGO,
          options: {},
          urlOf: directUrl,
          isUp: async (port) => {
            await runAdminCommand(directUrl(port), { ping: 1 });
            return true;
          },
        }),
      );
    const hosts = members.map(({ url }) => new URL(url).host);
    await initiate((members[0] as PrivateServer).url, hosts);
    await primary();
    const stepDown = async () => {
      await runAdminCommand((await primary()).url, { replSetStepDown: STEPPED_DOWN_S });
    };
    return { url: `mongodb://${hosts.join(',')}/?replicaSet=${REPLICA_SET}`, primary, stepDown, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const MONGO = {
  name: 'mongodb',
  variable: 'INTAKE_TEST_MONGOD',
  args: (port: number, dataDir: string): string[] => [
    ...['--dbpath', dataDir, '--port', String(port), '--bind_ip', '127.0.0.1', '--replSet', REPLICA_SET],
    ...['--oplogSize', '128', '--wiredTigerCacheSizeGB', '0.25', '--nounixsocket'],
    // A process that is killed leaves its transaction open for so long.
    ...['--setParameter', 'transactionLifetimeLimitSeconds=10'],
  ],
} as const;

/** One member, whatever it is in its replica set. */
const directUrl = (port: number) => `mongodb://127.0.0.1:${port}/?directConnection=true`;

/** Makes a replica set of servers that are none yet. */
async function initiate(url: string, hosts: readonly string[]): Promise<void> {
  const members = hosts.map((host, _id) => ({ _id, host }));
  await runAdminCommand(url, { replSetInitiate: { _id: REPLICA_SET, members } });
}

/** Options of mongod for TLS and users. The members of a replica set know each other by a key file. */
function secureMongo({ certFile, keyFile }: ServerSecurity): string[] {
  const folder = dirname(certFile);
  const [both, members] = [join(folder, 'mongod.pem'), join(folder, 'mongod.key')];
  writeFileSync(both, readFileSync(keyFile, 'utf8') + readFileSync(certFile, 'utf8'), { mode: 0o600 });
  writeFileSync(members, randomBytes(48).toString('base64'), { mode: 0o600 });
  return [
    ...['--tlsMode', 'requireTLS', '--tlsCertificateKeyFile', both, '--tlsCAFile', certFile],
    ...['--tlsAllowConnectionsWithoutCertificates', '--keyFile', members],
  ];
}

async function makeUser(url: string, { user, password }: ServerSecurity): Promise<void> {
  try {
    await runAdminCommand(url, { createUser: user, pwd: password, roles: ['root'] });
  } catch (error) {
    if (!/requires authentication|already exists/.test((error as Error).message)) throw error; // after a restart it is there
  }
}

/** Who may use a server, and the PEM files of its certificate: connections are then encrypted. */
export interface ServerSecurity {
  readonly user: string;
  readonly password: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** NATS with JetStream and the settings of `deploy/nats.conf`. */
export function startNats(options: PrivateServerOptions & { security?: ServerSecurity } = {}): Promise<PrivateServer> {
  const { security } = options;
  const login = security && { user: security.user, pass: security.password };
  return startServer({
    ...NATS,
    options,
    args: (port, dataDir) => [
      ...NATS.args(port, dataDir),
      ...(security
        ? ['--user', security.user, '--pass', security.password, '--tls', '--tlscert', security.certFile]
        : []),
      ...(security ? ['--tlskey', security.keyFile] : []),
    ],
    urlOf: (port) =>
      security
        ? `tls://${security.user}:${encodeURIComponent(security.password)}@127.0.0.1:${port}`
        : `nats://127.0.0.1:${port}`,
    isUp: (port) =>
      isJetStreamUp({
        servers: `127.0.0.1:${port}`,
        ...(security && { ...login, tls: { caFile: security.certFile } }),
      }),
  });
}

/** NATS with JetStream as a cluster of servers. */
export interface NatsCluster {
  /** All addresses, separated by commas. */
  readonly url: string;
  readonly servers: readonly PrivateServer[];
  /** Ends all servers and removes their data. */
  stop(): Promise<void>;
}

/** Starts servers and waits until they work together. Of three, any one may be missing then. */
export async function startNatsCluster(count = 3): Promise<NatsCluster> {
  const ports = await freePorts(count);
  const routes = ports.map((port) => `nats://127.0.0.1:${port}`);
  const servers: PrivateServer[] = [];
  const stop = async () => void (await Promise.all(servers.map((server) => server.stop())));
  const startOne = (route: string) =>
    startServer({
      ...NATS,
      options: {},
      args: (port, dataDir) => [
        ...NATS.args(port, dataDir),
        ...['--name', `n${port}`, '--cluster_name', 'intake', '--cluster', route, '--routes', routes.join(',')],
      ],
      urlOf: (port) => `nats://127.0.0.1:${port}`,
      isUp: async (port) => {
        // JetStream answers only when more than one of them is there.
        const nats = await connect({ servers: `127.0.0.1:${port}`, timeout: 1000, reconnect: false });
        await nats.close();
        return true;
      },
    });
  try {
    for (const route of routes) servers.push(await startOne(route));
    const url = servers.map((server) => server.url).join(',');
    await waitFor('the cluster to work', () => isJetStreamUp({ servers: url.split(',') }), { timeoutMs: 30_000 });
    return { url, servers, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const NATS = {
  name: 'nats',
  variable: 'INTAKE_TEST_NATS_SERVER',
  args: (port: number, dataDir: string): string[] => [
    ...['-c', join(ROOT, 'deploy/nats.conf'), '-a', '127.0.0.1', '-p', String(port), '-js', '-sd', dataDir],
  ],
} as const;

async function isJetStreamUp(options: ConnectionOptions): Promise<boolean> {
  const nats = await connect({ timeout: 1000, reconnect: false, ...options });
  await (await nats.jetstreamManager()).getAccountInfo().finally(() => nats.close());
  return true;
}

/** MinIO on one folder, with its credentials. */
export async function startMinio(
  options: PrivateServerOptions = {},
): Promise<PrivateServer & { readonly s3: Backing['s3'] }> {
  const accessKey = 'intake-test';
  const secretKey = 'intake-test-secret';
  const server = await startServer({
    name: 'minio',
    variable: 'INTAKE_TEST_MINIO',
    options,
    args: (port, dataDir) => ['server', '--address', `127.0.0.1:${port}`, dataDir],
    env: {
      MINIO_ROOT_USER: accessKey,
      MINIO_ROOT_PASSWORD: secretKey,
      MINIO_BROWSER: 'off',
      MINIO_UPDATE: 'off',
    },
    urlOf: (port) => `http://127.0.0.1:${port}`,
    isUp: async (port) => (await fetch(`http://127.0.0.1:${port}/minio/health/cluster`)).ok,
  });
  return Object.assign(server, { s3: { url: server.url, accessKey, secretKey } });
}

async function startServer({ name, variable, options, args, env, urlOf, isUp }: Description): Promise<PrivateServer> {
  const binary = readTestVariable(variable);
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), `intake-${name}-`));
  const [port] = (await freePorts(1)) as [number];
  let program: Program;

  const start = async () => {
    mkdirSync(dataDir, { recursive: true });
    program = startProgram(binary, args(port, dataDir), {
      env: { ...process.env, ...env },
      logFile: `${dataDir}.log`,
    });
    try {
      await waitFor(
        `${name} on port ${port}`,
        () => {
          if (program.ended) return true;
          return isUp(port);
        },
        { timeoutMs: 30_000 },
      );
      if (program.ended) throw new Error(`${name} ended while starting`);
    } catch (error) {
      await program.stop();
      throw new Error(`${(error as Error).message}\n${program.readLog()}`);
    }
  };

  try {
    await start();
  } catch (error) {
    rmSync(dataDir, { recursive: true, force: true });
    throw error;
  }
  return {
    url: urlOf(port),
    dataDir,
    get pid() {
      return program.pid;
    },
    kill: (signal = 'SIGKILL') => program.kill(signal),
    restart: start,
    wipe() {
      if (!program.ended) throw new Error(`${name} runs: kill it before its data are deleted`);
      rmSync(dataDir, { recursive: true, force: true });
    },
    pause: () => program.kill('SIGSTOP'),
    resume: () => void program.kill('SIGCONT'),
    async stop() {
      await program.kill('SIGKILL');
      rmSync(dataDir, { recursive: true, force: true });
      rmSync(`${dataDir}.log`, { force: true });
    },
  };
}
