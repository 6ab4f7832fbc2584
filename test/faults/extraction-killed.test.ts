import { existsSync, readFileSync } from 'node:fs';
import { startSystem, type TestSystem, waitFor } from '@intake/testkit';
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

  await system.restart('extraction');
  await ledger.expectAllArrived();
  await ledger.expectNothingElse();
  await expectAtRest(system);
  await expectReviewedOnce(system);
});

/** Child processes, where the operating system tells (Linux). */
function childrenOf(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  return existsSync(file) ? readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number) : [];
}
