import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { tryLock } from '../locks.mjs';
import { ROOT } from '../settings.mjs';
import { checkAnswers } from './given.mjs';
import { startGuard } from './guard.mjs';
import { startLocally } from './local.mjs';
import { minio } from './minio.mjs';
import { mongodb } from './mongodb.mjs';
import { nats } from './nats.mjs';
import { resolveProgram } from './resolve.mjs';

const SERVICES = [mongodb, nats, minio];

const RESTART_AFTER_MS = 1000;

/**
 * Makes sure that every backing service without an address in the environment can be run: found or installed.
 * Needs nothing but Node, so it can go on while dependencies are installed. The installs run at the same time.
 * @param {{env: NodeJS.ProcessEnv, cacheDir: string, log: (line: string) => void}} options
 * @returns {Promise<Record<string, import('./resolve.mjs').Runnable | undefined>>} by name; undefined where an address is given
 * @throws {Error} naming every way out
 */
export async function resolveBackingServices({ env, cacheDir, log }) {
  const resolved = await settleAll(
    SERVICES.map(async (service) => {
      if (service.fromEnvironment(env)) return [service.name, undefined];
      return [service.name, await resolveProgram(service.program, { env, cacheDir, log })];
    }),
  );
  return Object.fromEntries(resolved);
}

/**
 * @typedef {object} BackingServices
 * @property {string} mongodbUrl
 * @property {string} natsUrl
 * @property {{url: string, accessKey: string, secretKey: string, bucket: string}} s3
 * @property {{name: string, pid: number}[]} processes those that this call started
 * @property {(name: string) => void} onExit set by the caller: told when one ends by itself
 * @property {(name: string) => void} onRestart set by the caller: told when that one is there again
 * @property {ReturnType<typeof startGuard>} guard ends them even when this process is killed; tell it who depends on them
 * @property {() => Promise<void>} stop ends those that this call started; leaves nothing
 */

/**
 * Gives a MongoDB, a NATS and a MinIO to work with: from the environment, else run here on loopback.
 * @param {{
 *   dataDir: string, cacheDir: string, env: NodeJS.ProcessEnv, log: (line: string) => void,
 *   ports?: {mongodb?: number, nats?: number, minio?: number}, fresh?: boolean, restarts?: boolean,
 * }} options `ports`: those to use when they are free; `fresh`: forget the data and the ports of earlier runs; `restarts`: start one again
 *   that ends by itself
 * @returns {Promise<BackingServices>}
 */
export async function ensureBackingServices({
  dataDir: folder,
  cacheDir,
  env,
  log,
  ports = {},
  fresh = false,
  restarts = false,
}) {
  const dataDir = resolve(folder);
  const runnables = await resolveBackingServices({ env, cacheDir, log });
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const lock = tryLock(join(dataDir, 'backing.lock'));
  if ('holder' in lock)
    throw new Error(`Process ${lock.holder} already runs the backing services of ${dataDir}; stop it first`);

  if (fresh) rmSync(join(dataDir, 'ports.json'), { force: true });

  /** @type {Map<string, import('./local.mjs').Running>} */
  const started = new Map();
  let stopping = false;
  const guard = startGuard();
  const stop = async () => {
    stopping = true;
    await Promise.all([...started.values()].map((one) => one.stop()));
    guard.dismiss();
    lock.release();
  };
  try {
    const start = async (service) => {
      const given = service.fromEnvironment(env);
      if (given) return checkAnswers(service, given, log);
      const runnable = /** @type {import('./resolve.mjs').Runnable} */ (runnables[service.name]);
      const one = await startLocally(service, runnable, {
        root: ROOT,
        dataDir,
        env,
        port: ports[service.name],
        fresh,
        log,
      });
      started.set(one.name, one);
      guard.watch(one.pid);
      log(`${service.program.title} is ready at ${one.address.url} (${describeRunnable(runnable)})`);
      return one.address;
    };
    const [mongoAddress, natsAddress, s3] = await settleAll(SERVICES.map(start));
    const services = {
      mongodbUrl: mongoAddress.url,
      natsUrl: natsAddress.url,
      s3,
      get processes() {
        return [...started.values()].map(({ name, pid }) => ({ name, pid }));
      },
      onExit: (/** @type {string} */ _name) => {},
      onRestart: (/** @type {string} */ _name) => {},
      guard,
      stop,
    };
    const follow = async (/** @type {import('./local.mjs').Running} */ one) => {
      await one.exited;
      guard.forget(one.pid);
      services.onExit(one.name);
      while (restarts && !stopping) {
        await sleep(RESTART_AFTER_MS);
        if (stopping) return;
        try {
          const next = await one.again();
          started.set(next.name, next);
          guard.watch(next.pid);
          if (stopping) return void (await next.stop());
          services.onRestart(next.name);
          return void follow(next);
        } catch (error) {
          log(`${error.message}; it is tried again`);
        }
      }
    };
    for (const one of started.values()) void follow(one);
    return services;
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Unlike Promise.all, waits for all before it fails: nothing goes on behind the caller's back. */
async function settleAll(promises) {
  const results = await Promise.allSettled(promises);
  const failures = results.filter((result) => result.status === 'rejected').map((result) => result.reason);
  if (failures.length > 0)
    throw new Error(failures.map((failure) => failure.message).join('\n'), { cause: failures[0] });
  return results.map((result) => /** @type {PromiseFulfilledResult<any>} */ (result).value);
}

function describeRunnable(runnable) {
  return runnable.kind === 'program' ? runnable.path : `${runnable.image} in ${runnable.engine}`;
}
