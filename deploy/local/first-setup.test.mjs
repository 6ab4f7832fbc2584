import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runFirstSetup } from './first-setup.mjs';

test('a first set-up that takes too long is ended, and says so', async () => {
  const slow = ['-e', 'setInterval(() => {}, 1000)'];
  const started = Date.now();
  await assert.rejects(runFirstSetup({ ...process.env }, { command: slow, timeoutMs: 500 }), {
    message: 'The first set-up failed:\nIt took longer than 0.5 seconds.',
  });
  assert.ok(Date.now() - started < 10_000);
});
