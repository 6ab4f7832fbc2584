import { type Receiver, startReceiver, startSystem, type TestSystem } from '@intake/testkit';
import { ALL_FAULTS, Ledger, LOAD, report } from './ledger';

/** F1: `kill -9` of every service, again and again in `npm run faults`. */

jest.setTimeout(900_000);

const ROUNDS = ALL_FAULTS ? 5 : 1;
const READY_MS = 10_000;

let sink: Receiver;
let system: TestSystem;

beforeAll(async () => {
  sink = await startReceiver();
  system = await startSystem({ processes: true, env: { INTAKE_OUTGOING_ALLOW: '127.0.0.1' } });
});
afterAll(async () => {
  await system?.stop();
  await sink?.stop();
});

it('every service killed while documents come by REST and e-mail, are reviewed and exported: nothing lost, twice or stuck', async () => {
  const ledger = await Ledger.open(system, sink);
  let done = false;
  const load = ledger.sendLoad(LOAD).finally(() => {
    done = true;
  });
  const readyMs: number[] = [];
  let kills = 0;
  const killAll = async () => {
    for (const service of shuffle(system.services)) {
      await ledger.waitForSome(Math.min(1 + kills, LOAD.uploads / 4)).catch(() => undefined); // what answers may be killed
      await system.kill(service);
      kills += 1;
      const started = Date.now();
      await system.restart(service);
      readyMs.push(Date.now() - started);
    }
  };
  for (let round = 0; round < ROUNDS && !(round > 0 && done); round++) await killAll();
  await load;
  await ledger.expectAllWell();
  readyMs.sort((a, b) => a - b);
  report('F1', {
    ...LOAD,
    documents: ledger.entries.length,
    kills,
    retries: ledger.retries,
    medianReadyMs: readyMs[Math.floor(readyMs.length / 2)],
    slowestReadyMs: readyMs.at(-1),
  });
  expect(readyMs[Math.floor(readyMs.length / 2)]).toBeLessThan(READY_MS);
});

function shuffle<T>(list: readonly T[]): T[] {
  return list
    .map((item) => [Math.random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}
