import { join } from 'node:path';
import { runCommand } from './processes.mjs';
import { ROOT } from './settings.mjs';

/**
 * Makes the first organization, its admin, workspace, invoice queue and inbox, unless they are there.
 * @param {NodeJS.ProcessEnv} env of the services
 * @returns {Promise<{organizationId: number, queueId: number, inboxEmail: string}>}
 */
export async function runFirstSetup(env) {
  const { code, output } = await runCommand(process.execPath, [join(ROOT, 'packages/cli/dist/index.js'), 'setup'], {
    cwd: ROOT,
    env,
    timeoutMs: 180_000,
  });
  const line = output.split('\n').find((one) => one.startsWith('{"') && one.includes('"queueId"'));
  if (code !== 0 || !line) throw new Error(`The first set-up failed:\n${output.trim()}`);
  return JSON.parse(line);
}
