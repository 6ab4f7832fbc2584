import { join, relative } from 'node:path';
import { SERVICES } from './services.mjs';

/**
 * Says what runs and how to use it.
 * @param {{
 *   run: {baseUrl: string, smtp: string, env: NodeJS.ProcessEnv}, names: string[], seconds: number, dataDir: string,
 *   setup: {queueId: number, inboxEmail: string} | undefined, log: (line: string) => void,
 * }} what
 */
export function printWelcome({ run, setup, names, seconds, dataDir, log }) {
  const { INTAKE_ADMIN_EMAIL: email, INTAKE_ADMIN_PASSWORD: password } = run.env;
  const logs = relative(process.cwd(), join(dataDir, 'logs')) || '.';
  log(`\nIntake is ready (${seconds.toFixed(1)} s). Logs: ${logs}. Ctrl-C stops it.\n`);
  if (names.length < SERVICES.length) log(`  Services   ${names.join(', ')}`);
  if (names.includes('gateway')) log(`  Review     ${run.baseUrl.replace(/\/api$/, '')}`);
  if (names.includes('gateway')) log(`  Base URL   ${run.baseUrl}`);
  if (names.includes('mail-ingest')) log(`  SMTP       ${run.smtp}`);
  if (!setup) return;
  log(`  Login      ${email}  ${password}`);
  log(`  Inbox      ${setup.inboxEmail}`);
  if (!names.includes('gateway')) return;
  const url = `${run.baseUrl}/v1/uploads?queue=${setup.queueId}`;
  log('\nUpload the sample invoice:\n');
  log(`  curl -u ${quote(`${email}:${password}`)} -F content=@test/samples/invoice-en.pdf "${url}"\n`);
}

/** For a POSIX shell. */
function quote(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
