import { join } from 'node:path';
import { runCommand } from './processes.mjs';
import { ROOT } from './settings.mjs';

/** The first set-up takes seconds; on a busy machine, minutes. */
const TIMEOUT_MS = 180_000;
const SETUP = [join(ROOT, 'packages/cli/dist/index.js'), 'setup'];

/**
 * Makes the first organization, its admin, workspace, invoice queue and inbox, unless they are there.
 * @param {NodeJS.ProcessEnv} env of the services
 * @param {{command?: string[], timeoutMs?: number}} [options] `command`: what Node runs
 * @returns {Promise<{organizationId: number, queueId: number, inboxEmail: string}>}
 */
export async function runFirstSetup(env, { command = SETUP, timeoutMs = TIMEOUT_MS } = {}) {
  const { code, output } = await runCommand(process.execPath, command, { cwd: ROOT, env, timeoutMs });
  const line = output.split('\n').find((one) => one.startsWith('{"') && one.includes('"queueId"'));
  if (code !== 0 || !line) throw new Error(`The first set-up failed:\n${output.trim()}`);
  return JSON.parse(line);
}
