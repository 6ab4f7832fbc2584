import { extension } from '@intake/contracts';
import { type Client, connectRpc, readRpcSettings, systemCaller } from '@intake/rpc';
import { createCommandRuntime, type Environment } from '@intake/service';
import { readId, UsageError } from '../arguments';
import type { Command } from '../command';

const MOST = 100;
const STATUSES = ['waiting', 'delivered', 'failed', 'cancelled'];
const options = { organization: 'id of the organization', hook: 'id of the hook' };

async function withExtension<T>(
  env: Environment,
  task: (client: Client<typeof extension.ExtensionServiceService>) => Promise<T>,
): Promise<T> {
  const rpc = readRpcSettings(env);
  const runtime = createCommandRuntime('cli');
  try {
    return await task(connectRpc(runtime, extension.ExtensionServiceService, rpc.addressOf('extension'), rpc));
  } finally {
    await runtime.stop();
  }
}

function readTime(value: string | undefined): Date | undefined {
  if (value === undefined) return undefined;
  const time = /^\d{4}-\d{2}-\d{2}/.test(value) ? new Date(value) : undefined;
  if (!time || Number.isNaN(time.getTime())) {
    throw new UsageError('--since must be a time such as 2026-01-31 or 2026-01-31T08:00:00Z.');
  }
  return time;
}

/** Shows what became of the notifications of a hook. */
export const deliveriesList: Command = {
  name: 'deliveries list',
  about: `show notifications of a hook and what became of them, the newest ${MOST} of the last 30 days`,
  options,
  optional: { status: `one of ${STATUSES.join(', ')}`, since: 'those of events since this time (UTC)' },
  run({ organization, hook, status, since }, _services, env) {
    if (status !== undefined && !STATUSES.includes(status)) {
      throw new UsageError(`--status must be one of ${STATUSES.join(', ')}.`);
    }
    const caller = systemCaller('cli', readId(organization, 'organization'));
    const request = extension.ListDeliveriesRequest.fromPartial({
      hookId: readId(hook, 'hook'),
      statuses: status === undefined ? [] : [status],
      createdAfter: readTime(since),
      page: 1,
      pageSize: MOST,
    });
    return withExtension(env, (client) => client.listDeliveries(request, caller));
  },
};

/** Tells notifications of a hook again. */
export const deliveriesReplay: Command = {
  name: 'deliveries replay',
  about: 'deliver notifications of a hook again: one, or all that were not delivered since a time',
  options,
  optional: { id: 'request_id of the one', since: 'all not delivered, of events since this time (UTC)' },
  run({ organization, hook, id, since }, _services, env) {
    if ((id === undefined) === (since === undefined)) throw new UsageError('Give either --id or --since.');
    const caller = systemCaller('cli', readId(organization, 'organization'));
    const request = { hookId: readId(hook, 'hook'), requestId: id, failedSince: readTime(since) };
    return withExtension(env, (client) => client.replayDeliveries(request, caller));
  },
};
