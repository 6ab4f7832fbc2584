import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { choosePort } from '../ports.mjs';
import { markProcess, startDetached, stopLeftover, stopProcess } from '../processes.mjs';

/**
 * Where and with what a backing service runs.
 * @typedef {object} Place
 * @property {string} root the project's folder
 * @property {string} dataDir
 * @property {number} port
 * @property {boolean} inContainer
 * @property {NodeJS.ProcessEnv} env
 */

/**
 * One that runs.
 * @typedef {object} Running
 * @property {string} name
 * @property {any} address
 * @property {number} pid
 * @property {Promise<void>} exited
 * @property {() => Promise<void>} stop
 * @property {() => Promise<Running>} again starts it where it was, after it has ended
 */

/**
 * Starts one backing service on loopback and waits until it answers.
 * @param {typeof import('./mongodb.mjs').mongodb} service
 * @param {import('./resolve.mjs').Runnable} runnable
 * @param {{root: string, dataDir: string, env: NodeJS.ProcessEnv, port?: number, fresh?: boolean, log: (line: string) => void}} options
 * @returns {Promise<Running>}
 */
export async function startLocally(service, runnable, { root, dataDir, env, port: preferred, fresh, log }) {
  await stopLeftover(markFileOf(service, dataDir), log);
  if (fresh) rmSync(join(dataDir, service.name), { recursive: true, force: true });
  const port = await choosePort(dataDir, service.name, preferred ?? service.defaultPort, log);
  return runAt({ root, dataDir, port, env, inContainer: runnable.kind === 'container' }, service, runnable);
}

const markFileOf = ({ name }, dataDir) => join(dataDir, 'pids', `${name}.json`);

/** @returns {Promise<Running>} */
async function runAt(/** @type {Place} */ place, service, runnable) {
  const { dataDir } = place;
  const run = service.describeRun(place);
  const logFile = join(dataDir, 'logs', `${service.name}.log`);
  const markFile = markFileOf(service, dataDir);
  const child = startDetached({ ...buildCommand(runnable, run, place), logFile, markFile });
  const exited = new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const stop = async () => {
    if (child.pid && child.exitCode === null) await stopProcess(markProcess(child.pid));
    await exited;
  };
  try {
    await waitUntilListening(service, place, child, logFile);
    const address = await service.finish(place);
    const pid = /** @type {number} */ (child.pid);
    return { name: service.name, address, pid, exited, stop, again: () => runAt(place, service, runnable) };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function waitUntilListening(service, place, child, logFile) {
  const deadline = Date.now() + 60_000;
  while (!(await service.isListening(place))) {
    if (child.exitCode !== null || child.signalCode !== null || !child.pid) {
      throw new Error(`${service.program.title} ended while starting; see ${logFile}`);
    }
    if (Date.now() > deadline) throw new Error(`${service.program.title} did not answer within 60 s; see ${logFile}`);
    await sleep(50);
  }
}

/** In a container the client of the engine is our child; it passes SIGTERM on and ends with its container. */
function buildCommand(runnable, run, place) {
  if (runnable.kind === 'program') {
    return { command: runnable.path, args: run.args, env: { ...process.env, ...run.env } };
  }
  const user =
    process.getuid && runnable.engine === 'docker' ? ['--user', `${process.getuid()}:${process.getgid?.()}`] : [];
  const args = [
    ...['run', '--rm', '--init', ...user, '--publish', `127.0.0.1:${place.port}:${run.containerPort}`],
    ...run.volumes.flatMap(([from, to]) => ['--volume', `${from}:${to}`]),
    ...Object.keys(run.env).flatMap((name) => ['--env', name]), // the values come from our environment, not the command line
    ...[runnable.image, ...run.args],
  ];
  return { command: runnable.engine, args, env: { ...process.env, ...run.env } };
}
