import {
  type Api,
  type Json,
  type Receiver,
  startReceiver,
  startSystem,
  type TestSystem,
  waitFor,
} from '@intake/testkit';
import { describeLong, Ledger, report } from './ledger';

/** F9: receivers of webhooks that are slow, broken, gone or endless beside one that is well. Single cases: `test/api/webhooks.test.ts`. */

jest.setTimeout(600_000);

const DOCUMENTS = 30;

describeLong('F9', () => {
  let system: TestSystem;
  let api: Api;
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await startReceiver();
    system = await startSystem({ env: { INTAKE_OUTGOING_ALLOW: '127.0.0.1' } });
    api = await system.login();
  });
  afterAll(async () => {
    await system?.stop();
    await receiver?.stop();
  });

  const addHook = (url: string): Promise<Json> =>
    api.post('/hooks', {
      name: url,
      queues: [`${system.baseUrl}/v1/queues/${system.queueId}`],
      events: ['annotation_status'],
      config: { url },
    });
  /** Time from the change to its notification at the healthy receiver, of 95 in 100, over the calls since `from`. */
  const p95Since = (from: number): number => {
    const times = receiver.at('/healthy').slice(from);
    const sorted = times.map(({ at, body }) => at.getTime() - Date.parse(body.timestamp)).sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN;
  };
  const sendAndHear = async (ledger: Ledger): Promise<number> => {
    const before = receiver.at('/healthy').length;
    await ledger.sendMany(DOCUMENTS);
    await ledger.expectAllArrived();
    await waitFor('all to be told', () => receiver.at('/healthy').length >= before + 2 * DOCUMENTS, {
      timeoutMs: 120_000,
    });
    return p95Since(before);
  };

  it('the healthy one is told as fast as without them, 410 is not called again, and tries follow their schedule', async () => {
    receiver.answer('/slow', { write: (response) => void setTimeout(() => response.end('{}'), 29_000) });
    receiver.answer('/failing', { status: 500 });
    receiver.answer('/gone', { status: 410 });
    receiver.answer('/redirect', { status: 302, headers: { Location: `${receiver.url}/elsewhere` } });
    receiver.answer('/endless', {
      write(response) {
        const timer = setInterval(() => response.write('x'.repeat(65_536)), 5);
        response.once('close', () => clearInterval(timer));
      },
    });
    const ledger = await Ledger.open(system);
    await addHook(`${receiver.url}/healthy`);
    const aloneMs = await sendAndHear(ledger);

    for (const path of ['/slow', '/failing', '/redirect', '/endless']) await addHook(`${receiver.url}${path}`);
    await addHook('http://nobody.invalid/');
    const gone = await addHook(`${receiver.url}/gone`);
    const besideMs = await sendAndHear(ledger);
    report('F9', { documents: 2 * DOCUMENTS, p95AloneMs: aloneMs, p95BesideMs: besideMs });
    expect(besideMs).toBeLessThan(2 * aloneMs + 1000);

    await waitFor('the hook of 410 to be off', async () => (await api.get(gone.url)).active === false);
    expect(receiver.at('/elsewhere')).toEqual([]);
    const [first] = receiver.at('/failing');
    const tries = await waitFor(
      'the tries of one notification',
      () => {
        const own = receiver.at('/failing').filter(({ body }) => body.request_id === first?.body.request_id);
        return own.length >= 3 && own;
      },
      { timeoutMs: 60_000 },
    );
    const gaps = tries.slice(1).map(({ at }, i) => at.getTime() - (tries[i]?.at.getTime() ?? 0));
    expect(gaps).toEqual([...gaps].sort((a, b) => a - b));
  });
});
