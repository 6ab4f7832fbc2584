import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { tryLock, withLock } from './locks.mjs';

const folder = mkdtempSync(join(tmpdir(), 'intake-locks-'));
const path = join(folder, 'one.lock');
const LOCKS = new URL('./locks.mjs', import.meta.url).href;

after(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => rmSync(path, { force: true }));

/** A process that takes the lock, says so, and lives on. */
async function startHolder() {
  const script = `import { tryLock } from '${LOCKS}'; tryLock('${path}'); console.log('held'); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

test('a lock is taken once until it is released', () => {
  const lock = tryLock(path);
  assert.ok('release' in lock);
  assert.deepEqual(tryLock(path), { holder: process.pid });
  lock.release();
  assert.ok('release' in tryLock(path));
});

test('the lock of a living process is respected, that of a killed one is not', async () => {
  const child = await startHolder();
  assert.deepEqual(tryLock(path), { holder: child.pid });
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.ok('release' in tryLock(path));
});

test('a lock of another process that now has the same number is stale', () => {
  writeFileSync(path, JSON.stringify({ pid: process.pid, identity: 'start:1' }));
  assert.ok('release' in tryLock(path));
});

test('an unreadable lock file is stale', () => {
  writeFileSync(path, '{"pid":');
  assert.ok('release' in tryLock(path));
});

test('whoever waits works after the holder, and nothing is left over', async () => {
  const order = [];
  const first = withLock(path, assert.fail, async () => {
    order.push('first begins');
    await new Promise((resolve) => setImmediate(resolve));
    order.push('first ends');
  });
  const second = withLock(
    path,
    () => order.push('second waits'),
    async () => order.push('second'),
  );
  await Promise.all([first, second]);
  assert.deepEqual(order, ['first begins', 'second waits', 'first ends', 'second']);
  assert.equal(existsSync(path), false);
  assert.deepEqual(readdirSync(folder), []);
});
