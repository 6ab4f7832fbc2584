import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolveBackingServices } from './backing/index.mjs';
import { withLock } from './locks.mjs';
import { runCommand } from './processes.mjs';
import { ensurePrograms } from './programs.mjs';
import { reportProgress } from './progress.mjs';
import { ROOT } from './settings.mjs';

const OLDEST_NODE = [20, 19];

/**
 * Everything a fresh clone needs before it can run: dependencies, build, backing services, programs. The installs go on
 * at the same time; what is there already costs no time.
 * @param {{env: NodeJS.ProcessEnv, cacheDir: string, log: (line: string) => void, chromium?: boolean}} options `chromium`: for tests
 * @throws {Error} with a message for the person at the terminal
 */
export async function prepare({ env, cacheDir, log, chromium }) {
  checkNode();
  const results = await Promise.allSettled([
    withLock(
      join(ROOT, '.data', 'setup.lock'),
      (pid) => log(`Process ${pid} is preparing this clone, waiting`),
      async () => {
        await installDependencies(env, log);
        await build(env, log);
      },
    ),
    resolveBackingServices({ env, cacheDir, log }),
    ensurePrograms({ env, cacheDir, log, chromium }),
  ]);
  const failures = results.filter((result) => result.status === 'rejected');
  if (failures.length > 0) throw new Error(failures.map(({ reason }) => reason.message).join('\n'));
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])) {
    throw new Error(`Intake needs Node ${OLDEST_NODE.join('.')} or newer; this is ${process.versions.node}`);
  }
}

async function installDependencies(env, log) {
  const lockFile = readFileSync(join(ROOT, 'package-lock.json'), 'utf8');
  const hash = createHash('sha256').update(lockFile).digest('hex');
  const stamp = join(ROOT, 'node_modules/.intake-lock-hash');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  if (!agreesWithInstalled(lockFile)) await runNpmCi(env, log);
  writeFileSync(stamp, hash);
}

/** npm keeps what it installed in a lock file of its own: after `npm install` of a new dependency nothing is to be done. */
function agreesWithInstalled(lockFile) {
  const file = join(ROOT, 'node_modules/.package-lock.json');
  if (!existsSync(file)) return false;
  const installed = JSON.parse(readFileSync(file, 'utf8')).packages;
  return Object.entries(JSON.parse(lockFile).packages).every(([path, wanted]) => {
    if (path === '') return true;
    const found = installed[path];
    return found ? found.version === wanted.version && found.integrity === wanted.integrity : wanted.optional === true;
  });
}

async function runNpmCi(env, log) {
  const npm = env.npm_execpath ? [process.execPath, env.npm_execpath] : ['npm'];
  const [command, ...args] = [...npm, 'ci', '--no-audit', '--no-fund', '--loglevel=warn'];
  // The CPU build of onnxruntime is in the package; its install script would fetch one for GPUs.
  const npmEnv = { ...env, ONNXRUNTIME_NODE_INSTALL: 'skip' };
  const result = await reportProgress(log, 'Dependencies: npm ci (about a minute)', (onLine) =>
    runCommand(command, args, { cwd: ROOT, env: npmEnv, onLine }),
  );
  if (result.code !== 0) throw new Error(`npm ci failed:\n${result.output.trim()}`);
}

async function build(env, log) {
  const turboEnv = { ...env, TURBO_TELEMETRY_DISABLED: '1', TURBO_NO_UPDATE_NOTIFIER: '1', FORCE_COLOR: '0' };
  const args = ['run', 'build', '--output-logs=new-only'];
  const result = await reportProgress(log, 'Build: turbo run build (about a minute the first time)', (onLine) =>
    runCommand(join(ROOT, 'node_modules/.bin/turbo'), args, { cwd: ROOT, env: turboEnv, onLine }),
  );
  if (result.code !== 0) throw new Error(`The build failed:\n${findErrors(result.output)}`);
}

/** The lines that say what is wrong, or the end when none can be told. */
function findErrors(output) {
  const lines = output.trim().split('\n');
  const errors = lines.filter((line) => /error|failed/i.test(line) && !line.includes('npm error'));
  return (errors.length > 0 ? errors : lines).slice(-40).join('\n');
}
