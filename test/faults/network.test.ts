import { startSystem, type TcpProxy, type TestSystem, waitFor } from '@intake/testkit';
import { type Answer, describeLong, expectAtRest, expectReviewedOnce, Ledger, report } from './ledger';

/** F5: networks that are slow, deaf or cut between the services. */

jest.setTimeout(600_000);

/** No request takes longer, whatever happens behind the gateway. */
const DEADLINE_MS = 15_000;

describeLong('F5', () => {
  let system: TestSystem;
  let storage: TcpProxy;
  let ledger: Ledger;

  beforeAll(async () => {
    system = await startSystem({ through: ['document-storage', 'annotation', 'queue'] });
    storage = system.proxyOf('document-storage');
    ledger = await Ledger.open(system);
  });
  afterAll(() => system?.stop());

  const slowest = (answers: readonly Answer[]) => Math.max(...answers.map(({ ms }) => ms));
  const untilTaken = () =>
    waitFor('an upload to be taken', async () => (await ledger.send()).status === 202, { timeoutMs: 60_000 });

  it('half a second of latency: everything is taken', async () => {
    for (const service of ['document-storage', 'annotation', 'queue']) system.proxyOf(service).delay(500);
    const answers = await ledger.sendMany(20);
    expect(answers.filter(({ status }) => status !== 202)).toEqual([]);
    expect(slowest(answers)).toBeLessThan(DEADLINE_MS);
    for (const service of ['document-storage', 'annotation', 'queue']) system.proxyOf(service).mend();
    report('F5 latency', { uploads: answers.length, slowestMs: slowest(answers) });
  });

  it.each(['cut', 'freeze'] as const)(
    '%s for half a minute: every request ends in time, and it recovers by itself',
    async (what) => {
      storage[what]();
      const until = Date.now() + 30_000;
      const answers: Answer[] = [];
      while (Date.now() < until) answers.push(...(await ledger.sendMany(3, 3)));
      expect(answers.filter(({ status }) => status !== 503)).toEqual([]);
      expect(slowest(answers)).toBeLessThan(DEADLINE_MS);
      storage.mend();
      const mended = Date.now();
      await untilTaken();
      report(`F5 ${what}`, { refused: answers.length, slowestMs: slowest(answers), recoveredMs: Date.now() - mended });
    },
  );

  it('nothing is lost, twice or stuck after all of this', async () => {
    await ledger.expectAllArrived();
    await ledger.expectNothingElse();
    await expectAtRest(system);
    await expectReviewedOnce(system);
  });
});
