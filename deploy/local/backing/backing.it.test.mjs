import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { canConnect, holdPorts } from '../ports.mjs';
import { isSameProcess, markProcess } from '../processes.mjs';

const BACKING_UP = fileURLToPath(new URL('../backing-up.mjs', import.meta.url));
const dataDir = mkdtempSync(join(tmpdir(), 'intake-backing-'));
const addressFile = join(dataDir, 'backing.json');

/** Away from the ports of a system that runs on this machine, and of other runs. */
writeFileSync(join(dataDir, 'ports.json'), JSON.stringify(await holdPorts()));
after(() => rmSync(dataDir, { recursive: true, force: true }));

async function waitFor(what, probe, timeoutMs = 60_000) {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const answer = await probe();
    if (answer) return answer;
    assert.ok(Date.now() < deadline, `waited ${timeoutMs} ms in vain for ${what}`);
    await sleep(50);
  }
}

async function startBacking() {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^INTAKE_(MONGODB|NATS|S3)_/.test(name)),
  );
  const child = spawn(process.execPath, [BACKING_UP, dataDir], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  await waitFor(`the addresses; ${output}`, () => output.includes('Addresses:') || child.exitCode !== null);
  assert.equal(child.exitCode, null, output);
  const backing = JSON.parse(readFileSync(addressFile, 'utf8'));
  return { child, ...backing, marks: backing.processes.map(({ pid }) => markProcess(pid)) };
}

function portOf(url) {
  return Number(new URL(url.replace(/^mongodb|^nats/, 'http')).port);
}

async function areGone(marks) {
  return waitFor('the processes to end', () => !marks.some(isSameProcess), 20_000);
}

test('they answer on loopback, keep their credentials to the owner, and end on SIGTERM', async () => {
  const first = await startBacking();
  assert.equal(first.processes.length, 3);
  for (const url of [first.mongodbUrl, first.natsUrl, first.s3.url])
    assert.ok(await canConnect('127.0.0.1', portOf(url)), url);
  for (const name of ['backing.json', 'minio-credentials.json'])
    assert.equal(statSync(join(dataDir, name)).mode & 0o077, 0);
  first.child.kill('SIGTERM');
  assert.deepEqual(await once(first.child, 'exit'), [0, null]);
  assert.ok(await areGone(first.marks));
});

test('killed with SIGKILL, the launcher leaves no process', async () => {
  const first = await startBacking();
  first.child.kill('SIGKILL');
  assert.ok(await areGone(first.marks));
});

test('a taken port is left alone, and MongoDB works on another one with its data', async () => {
  const before = await startBacking();
  before.child.kill('SIGTERM');
  await once(before.child, 'exit');
  const squatter = createServer().listen(portOf(before.mongodbUrl), '127.0.0.1');
  await once(squatter, 'listening');
  try {
    const moved = await startBacking();
    assert.notEqual(portOf(moved.mongodbUrl), portOf(before.mongodbUrl));
    assert.deepEqual(moved.s3, before.s3);
    moved.child.kill('SIGTERM');
    await once(moved.child, 'exit');
  } finally {
    squatter.close();
  }
});

test('a second one on the same data folder is refused', async () => {
  const first = await startBacking();
  const second = spawn(process.execPath, [BACKING_UP, dataDir], { stdio: ['ignore', 'ignore', 'pipe'] });
  let message = '';
  second.stderr.on('data', (chunk) => (message += chunk));
  assert.notEqual((await once(second, 'exit'))[0], 0);
  assert.match(message, /already runs the backing services/);
  first.child.kill('SIGTERM');
  await once(first.child, 'exit');
});
