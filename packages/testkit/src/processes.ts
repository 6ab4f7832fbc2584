import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { waitFor } from './wait';

/** A child process of a test. */
export interface Program {
  readonly pid: number;
  /** True once it has ended. */
  readonly ended: boolean;
  readonly logFile: string;
  /** Sends a signal; with SIGKILL or SIGTERM waits for the end, with SIGSTOP until every thread stands still. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Ends it: SIGTERM, and SIGKILL when that takes longer than `graceMs`. */
  stop(graceMs?: number): Promise<void>;
  /** Last lines of its output. */
  readLog(lines?: number): string;
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts a program with its output in a file. It is killed at the latest when the test process ends. */
export function startProgram(
  command: string,
  args: readonly string[],
  { env, cwd, logFile, ipc = false }: { env?: NodeJS.ProcessEnv; cwd?: string; logFile: string; ipc?: boolean },
): Program {
  mkdirSync(dirname(logFile), { recursive: true });
  const log = openSync(logFile, 'a');
  const child = spawn(command, args, {
    cwd,
    env: env ?? process.env,
    stdio: ipc ? ['ignore', log, log, 'ipc'] : ['ignore', log, log],
  });
  closeSync(log);
  running.add(child);
  const exited = new Promise<void>((resolve) => {
    const finish = () => {
      running.delete(child);
      resolve();
    };
    child.once('exit', finish);
    child.once('error', finish);
  });
  const isEnded = () => child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  return {
    pid: child.pid ?? -1,
    get ended() {
      return isEnded();
    },
    logFile,
    async kill(signal) {
      if (isEnded()) return;
      child.kill(signal);
      if (signal === 'SIGKILL' || signal === 'SIGTERM') await exited;
      if (signal === 'SIGSTOP')
        await waitFor(`${command} to stand still`, () => isEnded() || isStopped(child.pid as number));
    },
    async stop(graceMs = 10_000) {
      if (isEnded()) return;
      child.kill('SIGCONT');
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
      await exited;
      clearTimeout(timer);
    },
    readLog: (lines = 40) => readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-lines).join('\n'),
  };
}

/** Whether all threads of a process are stopped. A signal is sent at once, but threads on other cores run on for a moment. */
function isStopped(pid: number): boolean {
  return readdirSync(`/proc/${pid}/task`).every((thread) => {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
    // The state follows the program's name, which may hold brackets itself.
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T');
  });
}
