import { type Receiver, repeatMessages, startReceiver, startSystem, type TestSystem } from '@intake/testkit';
import { Ledger, LOAD, report } from './ledger';

/** Faults that need no process to die. */

jest.setTimeout(900_000);

/** Every twentieth answer: 5 %. */
const LOST = 20;

let sink: Receiver;
let system: TestSystem;

beforeEach(async () => {
  sink = await startReceiver();
  system = await startSystem({
    env: { INTAKE_OUTGOING_ALLOW: '127.0.0.1' },
    through: ['document-storage', 'annotation', 'queue'],
  });
});
afterEach(async () => {
  await system?.stop();
  await sink?.stop();
});

it('F7: one of twenty answers between services is lost after the work was done: nothing lost, twice or stuck', async () => {
  const ledger = await Ledger.open(system, sink);
  const proxies = ['document-storage', 'annotation', 'queue'].map((service) => system.proxyOf(service));
  for (const proxy of proxies) proxy.loseAnswers(LOST);
  await ledger.sendLoad(LOAD);
  for (const proxy of proxies) proxy.mend();
  const lost = proxies.reduce((sum, proxy) => sum + proxy.lost, 0);
  expect(lost).toBeGreaterThan(LOAD.uploads / LOST);
  await ledger.expectAllWell();
  report('F7', { ...LOAD, documents: ledger.entries.length, lost, retries: ledger.retries });
});

it('F8: every message comes twice, the second time late and in another order: nothing lost, twice or stuck', async () => {
  const ledger = await Ledger.open(system, sink);
  const { INTAKE_NATS_URL: url = '', INTAKE_NATS_PREFIX: prefix = '' } = system.env;
  const repeater = await repeatMessages(url, prefix);
  await ledger.sendLoad(LOAD);
  await ledger.expectAllArrived();
  await repeater.stop();
  expect(repeater.count).toBeGreaterThan(ledger.entries.length);
  await ledger.expectAllWell();
  report('F8', { ...LOAD, documents: ledger.entries.length, repeated: repeater.count });
});
