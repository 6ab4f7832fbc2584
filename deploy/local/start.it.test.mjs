import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isPortFree } from './ports.mjs';
import { isSameProcess, markProcess } from './processes.mjs';
import { portsOf, SERVICES } from './services.mjs';

const START = fileURLToPath(new URL('./start.mjs', import.meta.url));
const dataDir = mkdtempSync(join(tmpdir(), 'intake-start-'));
const runFile = join(dataDir, 'run.json');
const PORT = 18_080;
const BASE_PORT = 17_400;
const env = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^INTAKE_(MONGODB|NATS|S3|ADMIN)_/.test(name))),
  INTAKE_DATA_DIR: dataDir,
  INTAKE_PORT: String(PORT),
  INTAKE_SMTP_PORT: '12525',
  INTAKE_LOCAL_BASE_PORT: String(BASE_PORT),
};

after(() => rmSync(dataDir, { recursive: true, force: true }));

async function waitFor(what, probe, timeoutMs = 90_000) {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const answer = await probe();
    if (answer) return answer;
    assert.ok(Date.now() < deadline, `waited ${timeoutMs} ms in vain for ${what}`);
    await sleep(50);
  }
}

function runStart(args = [], settings = {}) {
  const child = spawn(process.execPath, [START, ...args], {
    env: { ...env, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const run = { child, output: '', exited: once(child, 'exit') };
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      run.output += chunk;
    });
  }
  return run;
}

async function startIntake(args) {
  const run = runStart(args);
  await waitFor('Intake to be ready', () => run.output.includes('Intake is ready') || run.child.exitCode !== null);
  assert.equal(run.child.exitCode, null, run.output);
  return run;
}

function readRun() {
  return JSON.parse(readFileSync(runFile, 'utf8'));
}

function markAll({ services, backing }) {
  return [...new Set([...Object.values(services), ...backing.map(({ pid }) => pid)])].map(markProcess);
}

async function isReady(name) {
  const url = `http://127.0.0.1:${portsOf(name, BASE_PORT).ops}/readyz`;
  return fetch(url).then(
    (answer) => answer.ok,
    () => false,
  );
}

test('everything comes up, survives the death of its services and of what they stand on, and Ctrl-C leaves nothing', async () => {
  const run = await startIntake();
  const { baseUrl, queueId, env: settings } = readRun();
  assert.equal(statSync(runFile).mode & 0o077, 0);
  assert.ok(run.output.includes(baseUrl) && run.output.includes(settings.INTAKE_ADMIN_PASSWORD), run.output);
  assert.ok(run.output.includes(`queue=${queueId}`), run.output);

  const login = await fetch(`${baseUrl}/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: settings.INTAKE_ADMIN_EMAIL, password: settings.INTAKE_ADMIN_PASSWORD }),
  });
  assert.equal(login.status, 200);

  const second = runStart();
  assert.equal((await second.exited)[0], 1);
  assert.match(second.output, /already runs/);

  const before = readRun().services.gateway;
  process.kill(before, 'SIGKILL');
  await waitFor('a new process', () => readRun().services.gateway !== before);
  await waitFor('the gateway', () => isReady('gateway'));

  const pidsOfBacking = () => readRun().backing.map(({ pid }) => pid);
  const killed = pidsOfBacking();
  for (const pid of killed) process.kill(pid, 'SIGKILL');
  await waitFor('new backing services', () => !pidsOfBacking().some((pid) => killed.includes(pid)));
  await waitFor('what stands on them', () => isReady('document-storage'));

  const marks = markAll(readRun());
  process.kill(run.child.pid, 'SIGINT');
  assert.deepEqual(await run.exited, [0, null], run.output);
  assert.deepEqual(marks.filter(isSameProcess), []);
  assert.equal(existsSync(runFile), false);
  for (const port of [PORT, ...SERVICES.map((name) => portsOf(name, BASE_PORT).ops)]) assert.ok(await isPortFree(port));
});

test('after kill -9 of the launcher nothing stays, and the next start finds its data and login', async () => {
  const first = await startIntake(['--processes']);
  const before = readRun();
  assert.equal(new Set(Object.values(before.services)).size, SERVICES.length);
  const marks = markAll(before);
  first.child.kill('SIGKILL');
  const again = await startIntake(['auth', 'queue']);
  assert.deepEqual(marks.filter(isSameProcess), []);
  const after = readRun();
  assert.deepEqual(Object.keys(after.services), ['auth', 'queue']);
  assert.equal(after.queueId, before.queueId);
  assert.equal(after.env.INTAKE_ADMIN_PASSWORD, before.env.INTAKE_ADMIN_PASSWORD);
  again.child.kill('SIGTERM');
  assert.deepEqual(await again.exited, [0, null], again.output);
});

test('a port in use is named with the variable that changes it', async () => {
  const squatter = createServer().listen(PORT, '127.0.0.1');
  await once(squatter, 'listening');
  try {
    const run = runStart();
    assert.equal((await run.exited)[0], 1);
    assert.match(run.output, new RegExp(`Port ${PORT} .*INTAKE_PORT`));
  } finally {
    squatter.close();
  }
});

test('an unknown service is named', async () => {
  const run = runStart(['gateway', 'nonsense']);
  assert.equal((await run.exited)[0], 1);
  assert.match(run.output, /Unknown service: nonsense/);
});

test('a setting that a service misses is told without a stack trace', async () => {
  const run = runStart([], { INTAKE_SMTP_RELAY_URL: 'smtp://127.0.0.1:1025' });
  assert.equal((await run.exited)[0], 1);
  assert.match(run.output, /^auth did not start: INTAKE_PUBLIC_URL is missing: .*$/m);
  assert.doesNotMatch(run.output, /^ +at /m);
});
