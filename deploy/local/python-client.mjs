import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './locks.mjs';
import { runCommand } from './processes.mjs';
import { reportProgress } from './progress.mjs';

/** The public client that must work against Intake unchanged. */
const CLIENT = 'rossum-api==3.17.0';

/**
 * A Python that has the client, for the test that uses it; made once in the cache.
 * @param {{cacheDir: string, log: (line: string) => void}} options
 * @returns {Promise<{INTAKE_TEST_PYTHON: string} | {INTAKE_TEST_PYTHON_PROBLEM: string}>} for the environment of the tests
 */
export async function preparePythonClient({ cacheDir, log }) {
  const folder = join(cacheDir, 'python', CLIENT.replace('==', '-'));
  const python = join(folder, 'bin/python');
  const finished = join(folder, '.finished');
  mkdirSync(join(cacheDir, 'python'), { recursive: true });
  try {
    await withLock(
      `${folder}.lock`,
      (pid) => log(`Python client: process ${pid} is installing it, waiting`),
      async () => {
        if (existsSync(finished)) return;
        rmSync(folder, { recursive: true, force: true }); // a virtual environment cannot be moved: it is marked when whole
        await reportProgress(log, `Python client: installing ${CLIENT} (under a minute)`, async (onLine) => {
          await run('python3', ['-m', 'venv', folder], onLine);
          await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', CLIENT], onLine);
        });
        writeFileSync(finished, '');
      },
    );
    return { INTAKE_TEST_PYTHON: python };
  } catch (error) {
    log(`Python client: ${error.message}`);
    return { INTAKE_TEST_PYTHON_PROBLEM: `Python 3 with venv is needed for this test: ${error.message}` };
  }
}

async function run(command, args, onLine) {
  const { code, output } = await runCommand(command, args, { onLine });
  if (code !== 0)
    throw new Error(`"${command} ${args.join(' ')}" failed: ${output.trim().split('\n').slice(-3).join(' | ')}`);
}
