import { backing, type PrivateServer, startMongo, startSystem, type TestSystem, waitFor } from '@intake/testkit';
import { expectAtRest, expectReviewedOnce, Ledger } from './ledger';

jest.setTimeout(300_000);

let mongo: PrivateServer;
let system: TestSystem;

beforeAll(async () => {
  mongo = await startMongo();
  system = await startSystem({ backing: { ...backing(), mongodbUrl: mongo.url } });
});
afterAll(async () => {
  await system?.stop();
  await mongo?.stop();
});

it('MongoDB killed: uploads answer 503 at once, nothing is half made, and the service recovers by itself', async () => {
  const ledger = await Ledger.open(system);
  await ledger.sendMany(3);
  const inFlight = ledger.sendMany(12, 6);
  await waitFor('some of them to be taken', () => ledger.entries.length >= 6);
  await mongo.kill();
  const cutOff = await inFlight;
  for (const { status } of cutOff) expect([202, 503]).toContain(status);

  const refused = await ledger.sendMany(6, 3);
  for (const { status, ms } of refused) {
    expect(status).toBe(503);
    expect(ms).toBeLessThan(2000);
  }
  expect((await fetch(`http://127.0.0.1:${system.opsPortOf('document-storage')}/readyz`)).status).toBe(503);

  await mongo.restart();
  await Promise.all(system.services.map((service) => system.waitUntilReady(service)));
  await waitFor('an upload to be taken again', async () => (await ledger.send()).status === 202);
  await ledger.expectAllArrived();
  // The commit of an upload whose answer was a 503 may have reached the disk: it is then whole.
  await ledger.expectNothingElse(cutOff.filter(({ status }) => status === 503).length);
  await expectAtRest(system);
  await expectReviewedOnce(system);
});
