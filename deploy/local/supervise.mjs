import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { markProcess, openLog, rememberProcess, stopProcess } from './processes.mjs';
import { portsOf, reachableHost } from './services.mjs';
import { ROOT } from './settings.mjs';

/** Requests live shortly: with room for those of all services, the collector has a third of the work (16 MB is Node's own choice). */
const ALL_IN_ONE = ['--max-semi-space-size=64'];

const RESTART_AFTER_MS = 1000;
const DRAIN_MS = 30_000;

/**
 * glibc keeps what threads have freed for themselves, and after large uploads that is as much again as is in use: two arenas, and large
 * pieces given back at once. As in deploy/Dockerfile.
 */
const ALLOCATOR = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072', MALLOC_MMAP_THRESHOLD_: '65536' };

/**
 * Runs the services, grouped into processes, and starts a process again when it ends by itself.
 * @param {{
 *   groups: string[][], env: NodeJS.ProcessEnv, dataDir: string, log: (line: string) => void,
 *   onChange: (pids: Record<string, number>) => void, onStart: (pid: number) => void, onEnd: (pid: number) => void,
 * }} options `groups`: the services of each process; `onChange` is told the pid of each service
 */
export function superviseServices({ groups, env, dataDir, log, onChange, onStart, onEnd }) {
  let stopping = false;
  let settled = false;
  /** @type {Set<import('node:child_process').ChildProcess>} */
  const children = new Set();
  /** @type {Record<string, number>} */
  const pids = {};
  /** @type {(error: Error) => void} */
  let fail;
  /** Rejected when a process ends before everything was ready once: starting it again would not help. */
  const startFailure = new Promise((_, reject) => {
    fail = reject;
  });
  startFailure.catch(() => {});

  const run = (/** @type {string[]} */ names) => {
    if (stopping) return;
    const label = groups.length === 1 ? 'intake' : names.join('-');
    const logFile = join(dataDir, 'logs', `${label}.log`);
    const logFd = openLog(logFile);
    const options = groups.length === 1 ? ALL_IN_ONE : [];
    const child = spawn(process.execPath, [...options, join(ROOT, 'deploy/local/host.mjs'), ...names], {
      cwd: ROOT,
      env: { ...ALLOCATOR, ...env },
      detached: true, // Ctrl-C reaches the launcher only, which then stops everything in order
      stdio: ['ignore', logFd.fd, logFd.fd, 'ipc'],
    });
    logFd.close();
    const pid = /** @type {number} */ (child.pid);
    const markFile = join(dataDir, 'pids', `services-${label}.json`);
    rememberProcess(markFile, pid);
    children.add(child);
    onStart(pid);
    for (const name of names) pids[name] = pid;
    onChange(pids);
    child.once('exit', (code, signal) => {
      children.delete(child);
      onEnd(pid);
      rmSync(markFile, { force: true });
      if (stopping) return;
      const how = signal ?? `code ${code}`;
      if (!settled)
        return fail(new Error(`${label} ended while starting (${how}); the end of ${logFile}:\n${readEnd(logFile)}`));
      log(`${label} (process ${pid}) ended with ${how}; starting it again in ${RESTART_AFTER_MS / 1000} s`);
      setTimeout(run, RESTART_AFTER_MS, names);
    });
  };

  for (const names of groups) run(names);
  return {
    startFailure,
    /** From now on a process that ends is started again. */
    settle: () => {
      settled = true;
    },
    /** Lets all services drain; kills what takes longer than 30 s. */
    async stop() {
      stopping = true;
      await Promise.all(
        [...children].map((child) => stopProcess(markProcess(/** @type {number} */ (child.pid)), DRAIN_MS)),
      );
    },
  };
}

/**
 * Waits until each service says that it is ready.
 * @param {string[]} names
 * @param {{host: string, basePort: number}} settings
 * @param {number} timeoutMs
 * @param {() => boolean} isCancelled
 * @returns {Promise<string[]>} what is not ready after that time, with the answers
 */
export async function waitUntilReady(names, { host, basePort }, timeoutMs, isCancelled) {
  const deadline = Date.now() + timeoutMs;
  const waitFor = async (name) => {
    const url = `http://${reachableHost(host)}:${portsOf(name, basePort).ops}/readyz`;
    for (;;) {
      const answer = await askReady(url);
      if (answer === 'ready' || isCancelled()) return [];
      if (Date.now() > deadline) return [`${name} (${url}: ${answer})`];
      await sleep(100);
    }
  };
  return (await Promise.all(names.map(waitFor))).flat();
}

async function askReady(url) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(3000) });
    const text = await response.text();
    return response.ok ? 'ready' : `${response.status} ${text.slice(0, 300)}`;
  } catch (error) {
    return String(error.cause?.code ?? error.message);
  }
}

function readEnd(file) {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-12).join('\n');
}
