import { reporting } from '@intake/contracts';
import { connectRpc, readRpcSettings, systemCaller } from '@intake/rpc';
import { createCommandRuntime } from '@intake/service';
import type { Command } from '../command';

/** All annotations of a large installation may take long. */
const LONGEST_MS = 24 * 3600 * 1000;

/** Makes what the usage report counts anew. */
export const reportingRebuild: Command = {
  name: 'reporting rebuild',
  about: 'make the figures of the usage report anew from the history of all annotations; it can run at any time',
  options: {},
  async run(_options, _services, env) {
    const rpc = readRpcSettings(env);
    const runtime = createCommandRuntime('cli');
    try {
      const client = connectRpc(runtime, reporting.ReportingServiceService, rpc.addressOf('reporting'), rpc);
      return await client.rebuild({}, systemCaller('cli'), { timeoutMs: LONGEST_MS });
    } finally {
      await runtime.stop();
    }
  },
};
