import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findExecutable } from './backing/resolve.mjs';
import { withLock } from './locks.mjs';
import { runCommand } from './processes.mjs';
import { reportProgress } from './progress.mjs';

/** Languages that documents are read in; names of Tesseract's data files, and of Debian's packages. */
const LANGUAGES = 'eng deu fra ces slk pol ita spa por nld dan swe nor fin hun ron'.split(' ');

/**
 * The programs that read documents. Without one the system runs, and a document that needs it fails with a reason.
 * @type {{name: string, purpose: string, packages: string[], duration: string, isThere: (env: NodeJS.ProcessEnv) => Promise<boolean>}[]}
 */
const PROGRAMS = [
  {
    name: 'tesseract',
    purpose: 'reads scans and photos',
    packages: ['tesseract-ocr', ...LANGUAGES.map((language) => `tesseract-ocr-${language}`)],
    duration: '33 MB, under a minute',
    isThere: async (env) => {
      if (!findExecutable('tesseract', env)) return false;
      const { output } = await runCommand('tesseract', ['--list-langs'], { timeoutMs: 10_000 });
      const installed = output.split('\n').map((line) => line.trim());
      return LANGUAGES.every((language) => installed.includes(language));
    },
  },
  {
    name: 'qpdf',
    purpose: 'repairs PDF files',
    packages: ['qpdf'],
    duration: 'seconds',
    isThere: async (env) => findExecutable('qpdf', env) !== undefined,
  },
  {
    name: 'heif-convert',
    purpose: 'reads HEIC and AVIF pictures',
    packages: ['libheif-examples'],
    duration: 'seconds',
    isThere: async (env) => findExecutable('heif-convert', env) !== undefined,
  },
  {
    name: 'soffice',
    purpose: 'reads office files',
    packages: ['libreoffice-writer-nogui', 'libreoffice-calc-nogui', 'fonts-liberation', 'fonts-dejavu-core'],
    duration: 'LibreOffice, 100 MB, one to three minutes',
    isThere: async (env) => findExecutable('soffice', env) !== undefined,
  },
];

const CHROMIUM = {
  name: 'chromium',
  purpose: 'tests that need a browser',
  packages: ['chromium', 'fonts-liberation'],
  duration: '100 MB, one to three minutes',
  isThere: async (env) => findExecutable('chromium', env) !== undefined,
};

/**
 * Uses the programs that are there; installs the others with Debian's packages where that needs no question (root, apt);
 * else names them with the command to run. Never fails: a missing program is only reported.
 * `INTAKE_SKIP_PROGRAMS=1` skips all of it.
 * @param {{env: NodeJS.ProcessEnv, cacheDir: string, log: (line: string) => void, chromium?: boolean}} options
 * @returns {Promise<string[]>} names of those that are missing still
 */
export async function ensurePrograms({ env, cacheDir, log, chromium = false }) {
  if (env.INTAKE_SKIP_PROGRAMS === '1') return [];
  const wanted = chromium ? [...PROGRAMS, CHROMIUM] : PROGRAMS;
  const missing = await findMissing(wanted, env);
  if (missing.length === 0) return [];
  if (!canInstall(env)) {
    reportMissing(missing, log);
    return missing.map((program) => program.name);
  }
  const onWait = (pid) => log(`Programs: process ${pid} is installing packages, waiting for that`);
  const still = await withLock(join(cacheDir, 'apt.lock'), onWait, () => installMissing(wanted, env, log));
  if (still.length > 0) reportMissing(still, log);
  return still.map((program) => program.name);
}

async function installMissing(wanted, env, log) {
  const missing = await findMissing(wanted, env);
  if (missing.length > 0) await runApt(['update'], `Programs: fetching Debian's package lists (seconds)`, log);
  for (const program of missing) {
    const args = ['install', '-y', '--no-install-recommends', ...program.packages];
    await runApt(args, `${program.name}: installing with apt-get (${program.duration})`, log);
  }
  return findMissing(missing, env);
}

async function runApt(args, label, log) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', NEEDRESTART_MODE: 'a' };
  const result = await reportProgress(log, label, (onLine) =>
    runCommand('apt-get', ['-o', 'DPkg::Lock::Timeout=300', ...args], { env, onLine }),
  );
  if (result.code !== 0) log(`apt-get ${args[0]} failed: ${result.output.trim().split('\n').slice(-2).join(' | ')}`);
}

async function findMissing(wanted, env) {
  const there = await Promise.all(wanted.map((program) => program.isThere(env)));
  return wanted.filter((_, index) => !there[index]);
}

function canInstall(env) {
  return process.getuid?.() === 0 && existsSync('/etc/debian_version') && findExecutable('apt-get', env) !== undefined;
}

function reportMissing(missing, log) {
  for (const { name, purpose } of missing) {
    const what = name === CHROMIUM.name ? 'Tests' : 'Documents';
    log(`Missing: ${name} (${purpose}). ${what} that need it will fail.`);
  }
  const packages = missing.flatMap((program) => program.packages).join(' ');
  log(`On Debian or Ubuntu: sudo apt-get install --no-install-recommends ${packages}`);
}
