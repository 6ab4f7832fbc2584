import { operations } from '@intake/contracts';
import { connectRpc, Refusal, readRpcSettings, type ServiceName, systemCaller } from '@intake/rpc';
import { createCommandRuntime, type Environment } from '@intake/service';
import { UsageError } from '../arguments';
import type { Command } from '../command';
import { CommandError } from '../errors';

/** Services that keep something. */
const SERVICES: readonly ServiceName[] = [
  'auth',
  'queue',
  'document-storage',
  'annotation',
  'extraction',
  'mail-ingest',
  'extension',
  'reporting',
];
const MOST = 100;
const DEFAULT_S = 60;

async function withService<T>(
  env: Environment,
  service: ServiceName,
  task: (client: ReturnType<typeof connectOperations>) => Promise<T>,
): Promise<T> {
  const runtime = createCommandRuntime('cli');
  try {
    return await task(connectOperations(runtime, env, service));
  } finally {
    await runtime.stop();
  }
}

function connectOperations(runtime: Parameters<typeof connectRpc>[0], env: Environment, service: ServiceName) {
  const rpc = readRpcSettings(env);
  return connectRpc(runtime, operations.OperationsServiceService, rpc.addressOf(service), rpc);
}

/** Shows what rests, since when and why, over all services; one that cannot be asked is part of the answer. */
export const status: Command = {
  name: 'status',
  about: `what rests for more than a minute, since when, and why, in all services; exit code 1 when there is something`,
  options: {},
  optional: { seconds: `how long something has to rest, instead of ${DEFAULT_S}` },
  async run({ seconds = String(DEFAULT_S) }, _services, env) {
    if (!/^\d{1,9}$/.test(seconds)) throw new UsageError('--seconds must be a number.');
    const away: { service: string; reason: string }[] = [];
    const lists = await Promise.all(
      SERVICES.map((service) =>
        withService(env, service, async (client) => {
          try {
            const request = { seconds: Number(seconds), limit: MOST };
            const { stuck } = await client.listStuck(request, systemCaller('cli'));
            return stuck.map((one) => ({ service, ...one }));
          } catch (error) {
            if (!(error instanceof Refusal) || error.reason !== 'SERVICE_UNAVAILABLE') throw error;
            away.push({ service, reason: 'It cannot be reached.' });
            return [];
          }
        }),
      ),
    );
    const stuck = lists.flat().sort((a, b) => Number(a.since) - Number(b.since));
    return { away, stuck };
  },
  isFailure: (printed) => {
    const { away, stuck } = printed as { away: unknown[]; stuck: unknown[] };
    return away.length + stuck.length > 0;
  },
};

/** Tries something that rests again at once. */
export const retry: Command = {
  name: 'retry',
  about: 'try something that "status" shows again now (annotations, extractions; events are tried all the time)',
  options: { service: 'its service', kind: 'its kind', id: 'its id' },
  run({ service = '', kind = '', id = '' }, _services, env) {
    const found = SERVICES.find((name) => name === service);
    if (!found) throw new UsageError(`There is no service ${service}; there are ${SERVICES.join(', ')}.`);
    return withService(env, found, async (client) => {
      const { found: isThere } = await client.retryStuck({ kind, id }, systemCaller('cli'));
      if (!isThere)
        throw new CommandError(`There is no ${kind} ${id} that rests in ${service}, or it is tried by itself.`);
      return { service, kind, id };
    });
  },
};
