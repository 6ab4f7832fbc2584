/**
 * `npm start [-- names of services] [--processes]`: sets everything up and runs Intake on this machine until Ctrl-C.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBackingServices } from './backing/index.mjs';
import { runFirstSetup } from './first-setup.mjs';
import { tryLock } from './locks.mjs';
import { isPortFree } from './ports.mjs';
import { ensurePpocr } from './ppocr.mjs';
import { onNpmKilled, stopLeftover } from './processes.mjs';
import { keepSecrets, writePrivately } from './secrets.mjs';
import { describeEnvironment, portsOf, SERVICES } from './services.mjs';
import { readSettings } from './settings.mjs';
import { prepare } from './setup.mjs';
import { superviseServices, waitUntilReady } from './supervise.mjs';
import { printWelcome } from './welcome.mjs';

const log = (line) => console.log(line);
const READY_TIMEOUT_MS = 90_000;

/** What to undo at the end, in reverse order. */
const undo = [];
let phase = 'preparing';
let stopAskedAt = 0;
/** @type {() => void} */
let askToStop;
const stopAsked = new Promise((resolve) => {
  askToStop = () => resolve(undefined);
});

process.stdout.on('error', () => {}); // a closed terminal must not keep the services from draining
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, onSignal);
onNpmKilled(onSignal);

function onSignal() {
  if (phase === 'preparing') process.exit(130);
  // npm passes on the Ctrl-C that the terminal has sent us already: only a later one means "now".
  if (stopAskedAt && Date.now() - stopAskedAt > 2000) process.exit(130);
  if (stopAskedAt) return;
  stopAskedAt = Date.now();
  log('Stopping: services first, then the backing services (Ctrl-C again: at once) ...');
  askToStop();
}

async function main() {
  const started = Date.now();
  const { names, processes } = readArguments(process.argv.slice(2));
  const settings = readSettings(process.env);
  const { dataDir, cacheDir } = settings;
  takeDataFolder(dataDir);
  await stopLeftoverServices(dataDir);
  await checkPorts(names, settings);
  const [, ppocr] = await Promise.all([
    prepare({ env: process.env, cacheDir, log }),
    ensurePpocr({ env: process.env, cacheDir, log }),
  ]);

  phase = 'starting';
  const backing = await ensureBackingServices({ dataDir, cacheDir, env: process.env, log, restarts: true });
  undo.push(backing.stop);
  backing.onExit = (name) => {
    if (!stopAskedAt) log(`${name} ended by itself and is started again; see ${join(dataDir, 'logs', `${name}.log`)}`);
  };

  if (stopAskedAt) return;
  // The review page comes with the cookies of a session.
  const wanted = { INTAKE_SESSION_AUTH: 'on', ...process.env, INTAKE_PPOCR_PYTHON: ppocr };
  const env = describeEnvironment(wanted, settings, backing, readSecrets(dataDir));
  const run = { baseUrl: `http://127.0.0.1:${settings.port}/api`, smtp: `127.0.0.1:${settings.smtpPort}`, env };
  const services = startServices({ names, processes, settings, env, backing, run });
  undo.push(services.stop);
  backing.onRestart = (name) => {
    log(`${name} is ready again`);
    services.remember({ backing: backing.processes });
  };
  await waitForServices(names, settings, services);
  if (stopAskedAt) return;
  services.settle();

  const wantsSetup = names.includes('auth') && names.includes('queue');
  const setup = wantsSetup ? await Promise.race([runFirstSetup(env), stopAsked]) : undefined;
  if (stopAskedAt) return;
  services.remember(setup);
  printWelcome({ run, setup, names, seconds: (Date.now() - started) / 1000, dataDir, log });
  await stopAsked;
}

function readArguments(args) {
  const names = args.filter((arg) => !arg.startsWith('--'));
  const unknown = names.filter((name) => !SERVICES.includes(name));
  const flags = args.filter((arg) => arg.startsWith('--'));
  if (unknown.length > 0) throw new Error(`Unknown service: ${unknown.join(', ')}. There are: ${SERVICES.join(', ')}`);
  if (flags.some((flag) => flag !== '--processes'))
    throw new Error(`Unknown option: ${flags.join(' ')}. There is: --processes`);
  return { names: names.length > 0 ? [...new Set(names)] : SERVICES, processes: flags.length > 0 };
}

function takeDataFolder(dataDir) {
  const lock = tryLock(join(dataDir, 'start.lock'));
  if ('holder' in lock) {
    throw new Error(
      `Intake already runs on ${dataDir} (process ${lock.holder}). Stop it, or set INTAKE_DATA_DIR to another folder.`,
    );
  }
  undo.push(async () => lock.release());
}

/** When a launcher is killed its services drain and end by themselves; until then they hold their ports. */
async function stopLeftoverServices(dataDir) {
  const folder = join(dataDir, 'pids');
  const marks = existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('services-')) : [];
  await Promise.all(marks.map((name) => stopLeftover(join(folder, name), log)));
}

async function checkPorts(names, { host, port, smtpPort, basePort }) {
  const wanted = names.flatMap((name) => {
    const { rpc, ops } = portsOf(name, basePort);
    return [rpc, ops].filter(Boolean).map((one) => [one, 'INTAKE_LOCAL_BASE_PORT', name]);
  });
  if (names.includes('gateway')) wanted.push([port, 'INTAKE_PORT', 'gateway']);
  if (names.includes('mail-ingest')) wanted.push([smtpPort, 'INTAKE_SMTP_PORT', 'mail-ingest']);
  for (const [one, variable, name] of wanted) {
    if (!(await isPortFree(one, host))) {
      throw new Error(
        `Port ${one} (${name}) is in use on ${host}. Stop what uses it, or set ${variable} to a free one.`,
      );
    }
  }
}

/** What the user gives wins and is kept too, so that a later start without it still knows the login. */
function readSecrets(dataDir) {
  const names = ['INTAKE_ADMIN_EMAIL', 'INTAKE_ADMIN_PASSWORD', 'INTAKE_RPC_SECRET'];
  const given = Object.fromEntries(names.filter((name) => process.env[name]).map((name) => [name, process.env[name]]));
  const generate = () => ({
    INTAKE_ADMIN_EMAIL: 'admin@example.com',
    INTAKE_ADMIN_PASSWORD: randomBytes(12).toString('base64url'),
    INTAKE_RPC_SECRET: randomBytes(32).toString('hex'),
  });
  return keepSecrets(join(dataDir, 'secrets.json'), generate, given);
}

function startServices({ names, processes, settings, env, backing, run }) {
  const runFile = join(settings.dataDir, 'run.json');
  let known = { ...run, launcher: process.pid, backing: backing.processes };
  const remember = (more) => {
    known = { ...known, ...more };
    if (!stopAskedAt) writePrivately(runFile, known);
  };
  undo.push(async () => rmSync(runFile, { force: true }));
  log(
    `Starting ${names.length} service${names.length > 1 ? 's' : ''} in ${processes ? 'a process each' : 'one process'} ...`,
  );
  const supervised = superviseServices({
    groups: processes ? names.map((name) => [name]) : [names],
    env,
    dataDir: settings.dataDir,
    log,
    onChange: (services) => remember({ services }),
    onStart: backing.guard.waitFor,
    onEnd: backing.guard.forget,
  });
  return { ...supervised, remember };
}

async function waitForServices(names, settings, services) {
  const isCancelled = () => stopAskedAt > 0;
  const late = await Promise.race([
    waitUntilReady(names, settings, READY_TIMEOUT_MS, isCancelled),
    services.startFailure,
    stopAsked.then(() => []),
  ]);
  if (late.length === 0) return;
  if (names.length === SERVICES.length) throw new Error(`Not ready in time: ${late.join('; ')}`);
  log(`Not ready yet (they may wait for services that were not asked for): ${late.join('; ')}`);
}

let code = 0;
try {
  await main();
} catch (error) {
  code = stopAskedAt ? 0 : 1;
  if (!stopAskedAt) console.error(`\n${error.message}`);
}
phase = 'stopping';
stopAskedAt ||= Date.now();
for (const step of undo.reverse()) {
  try {
    await step();
  } catch (error) {
    code = 1;
    console.error(error.message);
  }
}
process.exit(code);
