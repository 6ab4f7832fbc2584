import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts, startProgram, waitFor } from '@intake/testkit';

/** How the provider is to behave; see run-provider.mjs. */
export interface Behaviour {
  /** Login -> claims. */
  readonly accounts?: Readonly<Record<string, object>>;
  readonly idToken?: object;
  readonly foreignKey?: boolean;
  readonly codeTtlS?: number;
}

/** A real provider of OpenID Connect in a process of its own. */
export interface TestProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  behave(behaviour: Behaviour): Promise<void>;
  /** What it logged. */
  readLog(): string;
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a provider whose one client comes back to `redirectUri` and proves who it is by `method`. */
export async function startProvider(redirectUri: string, method = 'client_secret_basic'): Promise<TestProvider> {
  const [port] = await freePorts(1);
  const issuer = `http://127.0.0.1:${port}`;
  const client = { clientId: 'intake', clientSecret: 'a secret: with /reserved& characters' };
  const folder = mkdtempSync(join(tmpdir(), 'intake-provider-'));
  const launch = () =>
    startProgram(
      process.execPath,
      [join(__dirname, 'run-provider.mjs'), String(port), redirectUri, client.clientId, client.clientSecret, method],
      { logFile: join(folder, 'provider.log') },
    );
  let program = launch();
  const waitUntilThere = () =>
    waitFor('the provider', async () => {
      if (program.ended) throw new Error(program.readLog());
      return (await fetch(`${issuer}/.well-known/openid-configuration`)).ok;
    });
  await waitUntilThere();
  return {
    issuer,
    ...client,
    async behave(behaviour) {
      const response = await fetch(`${issuer}/behave`, { method: 'POST', body: JSON.stringify(behaviour) });
      if (response.status !== 204) throw new Error(`the provider does not behave: ${response.status}`);
    },
    readLog: () => program.readLog(1000),
    kill: () => program.kill('SIGKILL'),
    async start() {
      program = launch();
      await waitUntilThere();
    },
    async stop() {
      await program.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
