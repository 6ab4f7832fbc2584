import { backing, type MongoSet, startMongoSet, startSystem, type TestSystem, waitFor } from '@intake/testkit';
import { Ledger, LOAD, report } from './ledger';

/** F3 with three members: another one takes over. */

jest.setTimeout(600_000);

let mongo: MongoSet;
let system: TestSystem;

beforeAll(async () => {
  mongo = await startMongoSet();
  system = await startSystem({ backing: { ...backing(), mongodbUrl: mongo.url } });
});
afterAll(async () => {
  await system?.stop();
  await mongo?.stop();
});

it('the primary of MongoDB steps down, the next one is killed: all goes on by itself, nothing lost, twice or stuck', async () => {
  const ledger = await Ledger.open(system);
  const untilTaken = async () => {
    const began = Date.now();
    const isTaken = async () => (await ledger.send()).status === 202;
    await waitFor('an upload to be taken', isTaken, { timeoutMs: 60_000 });
    return Date.now() - began;
  };
  const load = ledger.sendLoad(LOAD);
  await ledger.waitForSome(2);
  await mongo.stepDown();
  const steppedDownMs = await untilTaken();
  const killed = await mongo.primary();
  await killed.kill();
  const killedMs = await untilTaken();
  await killed.restart();
  await load;
  await ledger.expectAllWell();
  report('F3, three members', { documents: ledger.entries.length, retries: ledger.retries, steppedDownMs, killedMs });
});
