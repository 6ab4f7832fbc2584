import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './locks.mjs';
import { runCommand } from './processes.mjs';
import { reportProgress } from './progress.mjs';

/**
 * A Python in the cache that has these packages; made once.
 * @param {readonly string[]} packages as pip names them, with their versions
 * @param {{cacheDir: string, log: (line: string) => void, what: string}} options `what`: what lines of the log begin with
 * @returns {Promise<string>} its path
 * @throws {Error} with what went wrong
 */
export async function ensurePython(packages, { cacheDir, log, what }) {
  const folder = join(cacheDir, 'python', packages.join('+').replaceAll('==', '-'));
  const python = join(folder, 'bin/python');
  const finished = join(folder, '.finished');
  mkdirSync(join(cacheDir, 'python'), { recursive: true });
  await withLock(
    `${folder}.lock`,
    (pid) => log(`${what}: process ${pid} is installing it, waiting`),
    async () => {
      if (existsSync(finished)) return;
      rmSync(folder, { recursive: true, force: true }); // a virtual environment cannot be moved: it is marked when whole
      await reportProgress(log, `${what}: installing ${packages[0]} (under a minute)`, async (onLine) => {
        await run('python3', ['-m', 'venv', folder], onLine);
        await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages], onLine);
      });
      writeFileSync(finished, '');
    },
  );
  return python;
}

async function run(command, args, onLine) {
  const { code, output } = await runCommand(command, args, { onLine });
  if (code !== 0)
    throw new Error(`"${command} ${args.join(' ')}" failed: ${output.trim().split('\n').slice(-3).join(' | ')}`);
}
