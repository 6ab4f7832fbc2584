/**
 * `npm test [-- path ...]`: sets up what the tests need, then lint, quick tests, and tests with real processes.
 * With a path, only the tests there run. The last line is `N passed, N failed`.
 */
import { join } from 'node:path';
import { ensureBackingServices } from './backing/index.mjs';
import { installProgram } from './backing/install.mjs';
import { HELM, PROGRAMS } from './backing/programs.mjs';
import { findExecutable, resolveProgram } from './backing/resolve.mjs';
import { holdPorts } from './ports.mjs';
import { onNpmKilled, runCommand } from './processes.mjs';
import { preparePythonClients } from './python-clients.mjs';
import { ROOT, readSettings } from './settings.mjs';
import { prepare } from './setup.mjs';
import { interruptRuns, runJest, runLauncherTests } from './test-runs.mjs';

const REAL_PROCESSES = '\\.it\\.test\\.ts$';
/** One file after the other, each in a process of its own: what one leaves open cannot disturb the next. */
const ONE_BY_ONE = { maxWorkers: 1, workerIdleMemoryLimit: '1MB' };

const log = (line) => console.log(line);
const { env } = process;
const { dataDir, cacheDir } = readSettings(env);
const testDir = join(dataDir, 'test');
const counts = { passed: 0, failed: 0 };
const failedChecks = [];
const undo = [];
let interrupted = false;

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, interrupt);
onNpmKilled(interrupt);

function interrupt() {
  interrupted = true;
  interruptRuns();
  if (undo.length === 0) process.exit(130);
}

async function main() {
  await prepare({ env, cacheDir, log, chromium: true });
  const paths = process.argv.slice(2);
  if (paths.length > 0) return runChosen(paths);

  await check('Lint', 'biome', ['check', '.']);
  await check('Types of the tests', 'tsc', ['-p', 'tsconfig.test.json']);
  const testFolder = `${escapePattern(ROOT)}/test/`;
  const notQuick = ['/node_modules/', REAL_PROCESSES, testFolder];
  add(await runJest(['--passWithNoTests', '--testPathIgnorePatterns', ...notQuick], { env, report: report('quick') }));
  add(await runLauncherTests((name) => !name.includes('.it.'), { env, report: report('launcher-quick') }));
  if (interrupted) return;

  add(await runLauncherTests((name) => name.includes('.it.'), { env, report: report('launcher') }));
  const real = ['--testPathPatterns', REAL_PROCESSES, testFolder];
  const testEnv = await startBackingServices();
  add(await runJest(real, { env: testEnv, report: report('real'), options: ONE_BY_ONE }));
}

async function runChosen(paths) {
  if (paths.every((path) => path.startsWith('deploy/'))) {
    const isChosen = (/** @type {string} */ name) => paths.some((path) => `deploy/local/${name}`.startsWith(path));
    return add(await runLauncherTests(isChosen, { env, report: report('launcher') }));
  }
  const testEnv = await startBackingServices();
  add(await runJest(paths, { env: testEnv, report: report('chosen'), options: ONE_BY_ONE }));
}

function report(part) {
  return join(testDir, 'reports', part);
}

async function check(/** @type {string} */ name, /** @type {string} */ program, /** @type {string[]} */ args) {
  const { code, output } = await runCommand(join(ROOT, 'node_modules/.bin', program), args, { cwd: ROOT });
  log(code === 0 ? `${name}: no findings` : `${name} failed:\n${output}`);
  if (code !== 0) failedChecks.push(name);
  add(code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 });
}

/** One set of backing services for all tests, empty at the start, with the environment that leads tests to it. */
async function startBackingServices() {
  const ports = await holdPorts();
  const backing = await ensureBackingServices({ dataDir: testDir, cacheDir, env, log, ports, fresh: true });
  undo.push(backing.stop);
  return {
    ...env,
    INTAKE_TEST_MONGODB_URL: backing.mongodbUrl,
    INTAKE_TEST_NATS_URL: backing.natsUrl,
    INTAKE_TEST_S3_URL: backing.s3.url,
    INTAKE_TEST_S3_ACCESS_KEY: backing.s3.accessKey,
    INTAKE_TEST_S3_SECRET_KEY: backing.s3.secretKey,
    ...(await findProgramsToBreak()),
    ...(await preparePythonClients({ cacheDir, log })),
    ...(await findHelm()),
  };
}

/** Fault tests run backing services of their own, which they may kill. */
async function findProgramsToBreak() {
  const variables = { mongodb: 'INTAKE_TEST_MONGOD', nats: 'INTAKE_TEST_NATS_SERVER', minio: 'INTAKE_TEST_MINIO' };
  const found = {};
  for (const [name, variable] of Object.entries(variables)) {
    const runnable = await resolveProgram(PROGRAMS[name], { env, cacheDir, log }).catch(() => undefined);
    if (runnable?.kind === 'program') found[variable] = runnable.path;
  }
  return found;
}

/** Helm, for the tests of the chart: on the PATH, else built once into the cache. */
async function findHelm() {
  try {
    return { INTAKE_TEST_HELM: findExecutable('helm', env) ?? (await installProgram(HELM, cacheDir, log)) };
  } catch (error) {
    return {
      INTAKE_TEST_HELM_PROBLEM: `Helm 4 on the PATH, or Go to build it, is needed for this test: ${error.message}`,
    };
  }
}

function add({ passed, failed }) {
  counts.passed += passed;
  counts.failed += failed;
}

function escapePattern(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

try {
  await main();
} catch (error) {
  console.error(`\n${error.message}`);
  counts.failed += 1;
}
for (const step of undo.splice(0)) await step();
for (const name of failedChecks) log(`${name} failed: the findings are at the beginning.`);
log(`${counts.passed} passed, ${counts.failed} failed`);
process.exit(counts.failed > 0 || interrupted ? 1 : 0);
