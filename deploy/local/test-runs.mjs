import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ROOT } from './settings.mjs';

/** @typedef {{passed: number, failed: number}} Counts a file that cannot even be run counts as one failure */

const require = createRequire(import.meta.url);
/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();

/** Ends the test run that goes on. */
export function interruptRuns() {
  for (const child of running) child.kill('SIGTERM');
}

/**
 * @param {string[]} args
 * @param {{env: NodeJS.ProcessEnv, report: string, options?: object}} how `report`: file for the result; `options`: added to
 *   jest.config.js
 * @returns {Promise<Counts>}
 */
export async function runJest(args, { env, report, options = {} }) {
  const config = { ...require(join(ROOT, 'jest.config.js')), rootDir: ROOT, ...options };
  const all = ['--config', JSON.stringify(config), '--json', '--outputFile', report, ...args];
  mkdirSync(dirname(report), { recursive: true });
  rmSync(report, { force: true });
  // Its report for people goes to stderr; the JSON on stdout is in the file too.
  const code = await run(join(ROOT, 'node_modules/.bin/jest'), all, env, ['ignore', 'ignore', 'inherit']);
  const { numPassedTests = 0, numFailedTests = 0, numRuntimeErrorTestSuites = 0 } = readJson(report);
  const failed = numFailedTests + numRuntimeErrorTestSuites;
  return { passed: numPassedTests, failed: code !== 0 && failed === 0 ? 1 : failed };
}

/**
 * Runs the tests of the launcher itself with Node's own runner.
 * @param {(name: string) => boolean} isWanted chooses files by name
 * @param {{env: NodeJS.ProcessEnv, report: string}} how
 * @returns {Promise<Counts>}
 */
export async function runLauncherTests(isWanted, { env, report }) {
  const folder = join(ROOT, 'deploy/local');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => name.endsWith('.test.mjs') && isWanted(name)).map((name) => join(folder, name));
  if (files.length === 0) return { passed: 0, failed: 0 };
  mkdirSync(dirname(report), { recursive: true });
  rmSync(report, { force: true });
  const reporters = [
    ...['--test-reporter', 'dot', '--test-reporter-destination', 'stderr'],
    ...['--test-reporter', 'tap', '--test-reporter-destination', report],
  ];
  const code = await run(process.execPath, ['--test', ...reporters, ...files], env, ['ignore', 'inherit', 'inherit']);
  const tap = readText(report);
  if (code !== 0) process.stderr.write(tap);
  const sum = (/** @type {string} */ name) => Number(new RegExp(`^# ${name} (\\d+)`, 'm').exec(tap)?.[1] ?? 0);
  const failed = sum('fail') + sum('cancelled');
  return { passed: sum('pass'), failed: code !== 0 && failed === 0 ? 1 : failed };
}

function run(command, args, env, stdio) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      env: { ...env, FORCE_COLOR: env.FORCE_COLOR ?? (process.stdout.isTTY ? '1' : '0') },
      stdio,
    });
    running.add(child);
    const finish = (code) => {
      running.delete(child);
      resolve(code);
    };
    child.once('error', () => finish(1));
    child.once('exit', (code) => finish(code ?? 1));
  });
}

function readText(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function readJson(file) {
  return JSON.parse(readText(file) || '{}');
}
