/**
 * `npm test [-- path ...]`: sets up what the tests need, then lint, quick tests, and tests with real processes.
 * With a path, only the tests there run. The last line is `N passed, N failed`.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ensureBackingServices } from './backing/index.mjs';
import { PROGRAMS } from './backing/programs.mjs';
import { resolveProgram } from './backing/resolve.mjs';
import { onNpmKilled, runCommand } from './processes.mjs';
import { preparePythonClient } from './python-client.mjs';
import { ROOT, readSettings } from './settings.mjs';
import { prepare } from './setup.mjs';

/** Beside those of `npm start`, so that both can run. */
const PREFERRED_PORTS = { mongodb: 27118, nats: 4323, minio: 9101 };
const REAL_PROCESSES = '\\.it\\.test\\.ts$';
/** One file after the other, each in a process of its own: what one leaves open cannot disturb the next. */
const ONE_BY_ONE = { maxWorkers: 1, workerIdleMemoryLimit: '1MB' };

const require = createRequire(import.meta.url);
const log = (line) => console.log(line);
const { env } = process;
const { dataDir, cacheDir } = readSettings(env);
const testDir = join(dataDir, 'test');
const counts = { passed: 0, failed: 0 };
const undo = [];
let interrupted = false;

/** @type {import('node:child_process').ChildProcess | undefined} */
let jest;

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, interrupt);
onNpmKilled(interrupt);

function interrupt() {
  interrupted = true;
  jest?.kill('SIGTERM');
  if (undo.length === 0) process.exit(130);
}

async function main() {
  await prepare({ env, cacheDir, log });
  const paths = process.argv.slice(2);
  if (paths.length > 0) return runJest('chosen', paths, await startBackingServices(), ONE_BY_ONE);

  await lint();
  const testFolder = `${escapePattern(ROOT)}/test/`;
  const notQuick = ['/node_modules/', REAL_PROCESSES, testFolder];
  await runJest('quick', ['--passWithNoTests', '--testPathIgnorePatterns', ...notQuick], env);
  if (interrupted) return;
  const real = ['--passWithNoTests', '--testPathPatterns', REAL_PROCESSES, testFolder];
  await runJest('real', real, await startBackingServices(), ONE_BY_ONE);
}

async function lint() {
  const { code, output } = await runCommand(join(ROOT, 'node_modules/.bin/biome'), ['check', '.'], { cwd: ROOT });
  log(code === 0 ? 'Lint: no findings' : `Lint failed:\n${output}`);
  count(code === 0);
}

/** One set of backing services for all tests, empty at the start, with the environment that leads tests to it. */
async function startBackingServices() {
  for (const name of ['mongodb', 'nats', 'minio']) rmSync(join(testDir, name), { recursive: true, force: true });
  const backing = await ensureBackingServices({ dataDir: testDir, cacheDir, env, log, ports: PREFERRED_PORTS });
  undo.push(backing.stop);
  return {
    ...env,
    INTAKE_TEST_MONGODB_URL: backing.mongodbUrl,
    INTAKE_TEST_NATS_URL: backing.natsUrl,
    INTAKE_TEST_S3_URL: backing.s3.url,
    INTAKE_TEST_S3_ACCESS_KEY: backing.s3.accessKey,
    INTAKE_TEST_S3_SECRET_KEY: backing.s3.secretKey,
    ...(await findProgramsToBreak()),
    ...(await preparePythonClient({ cacheDir, log })),
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

async function runJest(part, args, jestEnv, options = {}) {
  mkdirSync(testDir, { recursive: true });
  const report = join(testDir, `jest-${part}.json`);
  rmSync(report, { force: true });
  const config = { ...require(join(ROOT, 'jest.config.js')), rootDir: ROOT, ...options };
  const all = ['--config', JSON.stringify(config), '--json', '--outputFile', report, ...args];
  const code = await new Promise((resolve) => {
    jest = spawn(join(ROOT, 'node_modules/.bin/jest'), all, {
      cwd: ROOT,
      env: { ...jestEnv, FORCE_COLOR: env.FORCE_COLOR ?? (process.stdout.isTTY ? '1' : '0') },
      stdio: ['ignore', 'ignore', 'inherit'], // its report goes to stderr, the JSON on stdout is in the file too
    });
    jest.once('error', () => resolve(1));
    jest.once('exit', (exitCode) => resolve(exitCode ?? 1));
  });
  addReport(report, code);
}

function addReport(report, code) {
  try {
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(readFileSync(report, 'utf8'));
    counts.passed += numPassedTests;
    counts.failed += numFailedTests + numRuntimeErrorTestSuites;
    if (code !== 0 && numFailedTests + numRuntimeErrorTestSuites === 0) count(false);
  } catch {
    count(false);
  }
}

function count(passed) {
  counts[passed ? 'passed' : 'failed'] += 1;
}

function escapePattern(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

try {
  await main();
} catch (error) {
  console.error(`\n${error.message}`);
  count(false);
}
for (const step of undo.splice(0)) await step();
log(`${counts.passed} passed, ${counts.failed} failed`);
process.exit(counts.failed > 0 || interrupted ? 1 : 0);
