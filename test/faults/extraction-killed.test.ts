import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Json, startSystem, type TestSystem, waitFor } from '@intake/testkit';
import { expectAtRest, expectReviewedOnce, Ledger } from './ledger';

jest.setTimeout(300_000);

let system: TestSystem;

beforeAll(async () => {
  system = await startSystem({ processes: true });
});
afterAll(() => system?.stop());

it('extraction killed with kill -9 in the middle of 20 documents: all arrive, once', async () => {
  const ledger = await Ledger.open(system);
  expect((await ledger.sendMany(20)).filter(({ status }) => status !== 202)).toEqual([]);
  await waitFor('some to be extracted', async () => (await ledger.count('to_review')) >= 3, { timeoutMs: 60_000 });
  const readers = childrenOf(system.pidOf('extraction'));
  await system.kill('extraction');
  expect(await ledger.count('to_review')).toBeLessThan(20);
  await waitFor('its readers of documents to end with it', () => readers.every((pid) => !existsSync(`/proc/${pid}`)));

  const { code, printed } = await intake('status', '--seconds', '0');
  expect([code, printed.away]).toEqual([1, [{ service: 'extraction', reason: 'It cannot be reached.' }]]);
  const resting = printed.stuck.filter(({ kind }: Json) => kind === 'annotation');
  expect(resting[0]).toMatchObject({ service: 'annotation', reason: expect.stringContaining('importing') });
  expect(Date.parse(resting[0].since)).toBeLessThan(Date.now());
  const again = ['retry', '--service', 'annotation', '--kind', 'annotation', '--id'];
  expect((await intake(...again, resting[0].id)).code).toBe(0);
  expect((await intake(...again, '999999')).code).toBe(1);

  await system.restart('extraction');
  await ledger.expectAllArrived();
  await ledger.expectNothingElse();
  await expectAtRest(system);
  await expectReviewedOnce(system);
  // A job that was done and not yet ended when its worker was killed is looked at once more when its claim is over.
  const status = () => intake('status', '--seconds', '0');
  await waitFor('claims to be over', async () => (await status()).code === 0, { timeoutMs: 60_000 });
  expect((await status()).printed).toEqual({ away: [], stuck: [] });
});

/** A command of operators: its exit code and what it printed. */
function intake(...args: string[]): Promise<{ code: number; printed: Json }> {
  return new Promise((resolve) => {
    const command = [join(__dirname, '../../packages/cli/dist/index.js'), ...args];
    execFile(process.execPath, command, { env: { ...process.env, ...system.env } }, (error, stdout) =>
      resolve({ code: error ? Number(error.code) : 0, printed: stdout === '' ? null : JSON.parse(stdout) }),
    );
  });
}

/** Child processes, where the operating system tells (Linux). */
function childrenOf(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  return existsSync(file) ? readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number) : [];
}
