import { spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A process as remembered in a file: the start time tells it from a later one with the same number.
 * @typedef {{pid: number, identity: string}} ProcessMark
 */

const LOG_LIMIT_BYTES = 50_000_000;

/** Short commands of this launcher that still run; they must not survive it. */
const running = new Set();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * Something that no other process with this pid will ever answer, or undefined when no such process runs.
 * @param {number} pid
 * @returns {string | undefined}
 */
export function identifyProcess(pid) {
  if (existsSync('/proc/self/stat')) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return fields[0] === 'Z' ? undefined : `start:${fields[19]}`; // proc(5): state is field 3, starttime field 22
    } catch {
      return undefined;
    }
  }
  const answer = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  return answer.stdout?.trim() || undefined;
}

/** @param {ProcessMark} mark */
export function isSameProcess(mark) {
  const identity = mark.pid > 0 ? identifyProcess(mark.pid) : undefined;
  return identity !== undefined && identity === mark.identity;
}

/**
 * Runs a command to its end without a terminal on its input. Its output is returned, never printed.
 * @param {string} command
 * @param {string[]} args
 * @param {{cwd?: string, env?: NodeJS.ProcessEnv, timeoutMs?: number, onLine?: (line: string) => void}} [options]
 * @returns {Promise<{code: number, output: string}>} code 127 when the program does not exist, 124 after the time-out
 */
export function runCommand(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    let output = '';
    let timedOut = false;
    const collect = (chunk) => {
      output = (output + chunk).slice(-200_000);
      const lines = String(chunk)
        .split('\n')
        .filter((line) => line.trim());
      if (lines.length > 0) options.onLine?.(lines[lines.length - 1].trim());
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    const timer = options.timeoutMs
      ? setTimeout(() => {
          timedOut = true;
          child.kill('SIGKILL');
        }, options.timeoutMs)
      : undefined;
    const finish = (code, text) => {
      clearTimeout(timer);
      running.delete(child);
      if (timedOut) resolve({ code: 124, output: `${text}\nIt took longer than ${options.timeoutMs / 1000} seconds.` });
      else resolve({ code, output: text });
    };
    child.once('error', (error) => finish(127, error.message));
    child.once('close', (code) => finish(code ?? 1, output));
  });
}

/**
 * Starts a long-lived process in a process group of its own, so that Ctrl-C in the terminal does not reach it
 * before what depends on it has stopped.
 * @param {{command: string, args: string[], env?: NodeJS.ProcessEnv, logFile: string, markFile: string}} options
 *   `markFile` remembers the process for a later start that finds it left over
 * @returns {import('node:child_process').ChildProcess}
 */
export function startDetached({ command, args, env, logFile, markFile }) {
  const log = openLog(logFile);
  const child = spawn(command, args, { detached: true, stdio: ['ignore', log.fd, log.fd], env: env ?? process.env });
  log.close();
  child.on('error', () => {}); // seen by whoever waits for readiness, as exitCode or a time-out
  if (child.pid) rememberProcess(markFile, child.pid);
  child.once('exit', () => rmSync(markFile, { force: true }));
  return child;
}

/**
 * Opens a log file for appending; one that grew large is put aside as `<file>.1`.
 * @param {string} file
 * @returns {{fd: number, close(): void}}
 */
export function openLog(file) {
  mkdirSync(dirname(file), { recursive: true });
  if (existsSync(file) && statSync(file).size > LOG_LIMIT_BYTES) renameSync(file, `${file}.1`);
  const fd = openSync(file, 'a', 0o600);
  return { fd, close: () => closeSync(fd) };
}

/**
 * @param {string} markFile
 * @param {number} pid
 */
export function rememberProcess(markFile, pid) {
  mkdirSync(dirname(markFile), { recursive: true });
  writeFileSync(markFile, JSON.stringify({ pid, identity: identifyProcess(pid) ?? '' }));
}

/**
 * Stops what an earlier launcher left running when it was killed.
 * @param {string} markFile
 * @param {(line: string) => void} log
 */
export async function stopLeftover(markFile, log) {
  let mark;
  try {
    mark = JSON.parse(readFileSync(markFile, 'utf8'));
  } catch {
    return;
  }
  if (isSameProcess(mark)) {
    log(`Stopping process ${mark.pid}, left over from an earlier run`);
    await stopProcess(mark, 30_000);
  }
  rmSync(markFile, { force: true });
}

/**
 * Asks a process to end and waits; kills it when it does not.
 * @param {ProcessMark} mark
 * @param {number} [graceMs]
 */
export async function stopProcess(mark, graceMs = 10_000) {
  const deadline = Date.now() + graceMs;
  signal(mark.pid, 'SIGTERM');
  while (isSameProcess(mark)) {
    if (Date.now() > deadline) signal(mark.pid, 'SIGKILL');
    await sleep(50);
  }
}

/**
 * Calls back when the npm that runs this process was killed: nobody would stop us any more.
 * @param {() => void} callback
 */
export function onNpmKilled(callback) {
  const { env } = process;
  if (!env.npm_lifecycle_event) return;
  const npm = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(timer);
    callback();
  }, 1000);
  timer.unref();
}

/**
 * @param {number} pid
 * @returns {ProcessMark}
 */
export function markProcess(pid) {
  return { pid, identity: identifyProcess(pid) ?? '' };
}

function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}
