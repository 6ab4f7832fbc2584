/**
 * `npm run intake|demo|bench|bench-review|torture|load -- arguments`: runs a command with the environment of the system that runs here
 * (`run.json` in the data folder), else with the environment given.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, readSettings } from './settings.mjs';

const COMMANDS = {
  intake: 'packages/cli/dist/index.js',
  demo: 'deploy/local/demo.mjs',
  bench: 'test/bench/bench.mjs',
  'bench-review': 'test/bench/review-page.mjs',
  torture: 'test/torture/torture.mjs',
  load: 'test/load/load.mjs',
};

const [name, ...args] = process.argv.slice(2);
const script = COMMANDS[name];
if (!script || !existsSync(join(ROOT, script))) {
  console.error(
    script ? `${script} is not there; run "npm run build" first` : `Usage: run.mjs ${Object.keys(COMMANDS).join('|')}`,
  );
  process.exit(2);
}
const child = spawn(process.execPath, [join(ROOT, script), ...args], { stdio: 'inherit', env: findEnvironment() });
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.once('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));

function findEnvironment() {
  const file = join(readSettings(process.env).dataDir, 'run.json');
  if (!existsSync(file)) return process.env;
  const run = JSON.parse(readFileSync(file, 'utf8'));
  const facts = { INTAKE_BASE_URL: run.baseUrl, INTAKE_SMTP_ADDRESS: run.smtp, INTAKE_RUN_FILE: file };
  const setup = run.queueId ? { INTAKE_QUEUE_ID: String(run.queueId), INTAKE_INBOX_EMAIL: run.inboxEmail } : {};
  return { ...process.env, ...run.env, ...facts, ...setup };
}
