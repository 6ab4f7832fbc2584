import { backing, type PrivateServer, startNats, startSystem, type TestSystem, waitFor } from '@intake/testkit';
import { expectAtRest, expectReviewedOnce, Ledger } from './ledger';

jest.setTimeout(300_000);

let nats: PrivateServer;
let system: TestSystem;

beforeAll(async () => {
  nats = await startNats();
  system = await startSystem({ backing: { ...backing(), natsUrl: nats.url } });
});
afterAll(async () => {
  await system?.stop();
  await nats?.stop();
});

it('NATS killed, its data deleted, started again: uploads are taken all the time, and all arrive, once', async () => {
  const ledger = await Ledger.open(system);
  const before = await ledger.sendMany(15);
  await waitFor('some to be extracted', async () => (await ledger.count('to_review')) >= 2, { timeoutMs: 60_000 });
  await nats.kill();
  nats.wipe();
  const during = await ledger.sendMany(5);
  expect([...before, ...during].filter(({ status }) => status !== 202)).toEqual([]);

  await nats.restart();
  const after = await ledger.sendMany(3);
  expect(after.filter(({ status }) => status !== 202)).toEqual([]);
  await ledger.expectAllArrived();
  await ledger.expectNothingElse();
  await expectAtRest(system);
  await expectReviewedOnce(system);
});
