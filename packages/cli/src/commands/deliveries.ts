import { extension } from '@intake/contracts';
import { type Caller, type Client, connectRpc, Refusal, readRpcSettings, systemCaller } from '@intake/rpc';
import { createCommandRuntime, type Environment } from '@intake/service';
import { readId, UsageError } from '../arguments';
import type { Command } from '../command';
import { CommandError } from '../errors';

const MOST = 100;
const STATUSES = ['waiting', 'delivered', 'failed', 'cancelled'];
const options = { organization: 'id of the organization', hook: 'id of the hook' };

async function askAbout<T>(
  { organization, hook }: Readonly<Record<string, string>>,
  env: Environment,
  task: (client: Client<typeof extension.ExtensionServiceService>, hookId: number, caller: Caller) => Promise<T>,
): Promise<T> {
  const caller = systemCaller('cli', readId(organization, 'organization'));
  const hookId = readId(hook, 'hook');
  const rpc = readRpcSettings(env);
  const runtime = createCommandRuntime('cli');
  try {
    const client = connectRpc(runtime, extension.ExtensionServiceService, rpc.addressOf('extension'), rpc);
    return await task(client, hookId, caller);
  } catch (error) {
    if (!(error instanceof Refusal) || error.reason !== 'NOT_FOUND') throw error;
    throw new CommandError(`There is no hook ${hook} in organization ${organization}.`);
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
  run({ status, since, ...named }, _services, env) {
    if (status !== undefined && !STATUSES.includes(status)) {
      throw new UsageError(`--status must be one of ${STATUSES.join(', ')}.`);
    }
    const filter = { statuses: status === undefined ? [] : [status], createdAfter: readTime(since) };
    return askAbout(named, env, (client, hookId, caller) =>
      client.listDeliveries(
        extension.ListDeliveriesRequest.fromPartial({ hookId, ...filter, page: 1, pageSize: MOST }),
        caller,
      ),
    );
  },
};

/** Tells notifications of a hook again. */
export const deliveriesReplay: Command = {
  name: 'deliveries replay',
  about: 'deliver notifications of a hook again: one, or all that were not delivered since a time',
  options,
  optional: { id: 'request_id of the one', since: 'all not delivered, of events since this time (UTC)' },
  run({ id, since, ...named }, _services, env) {
    if ((id === undefined) === (since === undefined)) throw new UsageError('Give either --id or --since.');
    const wanted = { requestId: id, failedSince: readTime(since) };
    return askAbout(named, env, (client, hookId, caller) => client.replayDeliveries({ hookId, ...wanted }, caller));
  },
};
