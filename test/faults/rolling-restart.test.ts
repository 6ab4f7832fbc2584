import {
  Api,
  buildMail,
  buildPdf,
  invoiceLines,
  type Json,
  type Replica,
  sendMail,
  startSystem,
  type TestSystem,
  uniqueName,
} from '@intake/testkit';
import { ALL_FAULTS, expectAtRest, expectReviewedOnce, report } from './ledger';

/** F12: an upgrade. Two replicas of everything, ended and started again one after the other while people work. */

jest.setTimeout(600_000);

const ROUNDS = ALL_FAULTS ? 3 : 1;
const CLIENTS = 3;

let system: TestSystem;
let second: Replica;

beforeAll(async () => {
  system = await startSystem({ spread: true });
  second = await system.addReplica(system.services);
});
afterAll(() => system?.stop());

it('a rolling restart of everything under load: no request fails, and nothing is lost, twice or stuck', async () => {
  const first = await system.login();
  const other = new Api(second.baseUrl);
  other.token = first.token;
  /** What stands in front of the replicas sends nothing more to one that is about to end. */
  const serving = [first, other];
  let turn = 0;
  const next = () => serving[turn++ % serving.length] as Api;

  const requests = { count: 0, failures: [] as string[] };
  const names: string[] = [];
  const ask = async <T>(what: string, call: (api: Api) => Promise<T>): Promise<T | undefined> => {
    requests.count += 1;
    try {
      return await call(next());
    } catch (error) {
      requests.failures.push(`${what}: ${error}`);
      return undefined;
    }
  };
  const list = `/annotations?queue=${system.queueId}&status=to_review&page_size=3`;
  let over = false;
  const work = async () => {
    while (!over) {
      const marker = uniqueName('INV').replaceAll('_', '-').toUpperCase();
      const content = await buildPdf({ lines: invoiceLines(marker) });
      const files = [{ fileName: `${marker}.pdf`, content }];
      if (await ask('upload', (api) => api.upload(system.queueId, files))) names.push(`${marker}.pdf`);
      const page = await ask('list', (api) => api.get(list));
      for (const { id } of (page?.results ?? []) as Json[])
        await ask('content', (api) => api.get(`/annotations/${id}/content`));
    }
  };
  const working = Promise.all(Array.from({ length: CLIENTS }, work));

  for (let round = 0; round < ROUNDS; round++) {
    serving.splice(0, 2, other);
    await system.kill('gateway', 'SIGTERM');
    await system.restart('gateway');
    serving.splice(0, 1, first);
    await second.kill('SIGTERM');
    await second.restart();
    serving.splice(0, 1, first, other);
  }
  over = true;
  await working;
  expect(requests.failures).toEqual([]);
  expect(names.length).toBeGreaterThan(CLIENTS);

  const raw = await buildMail({ to: system.inboxEmail, subject: 'After', text: 'T' });
  expect(await sendMail(system.smtp, { raw, to: system.inboxEmail })).toMatch(/^250 /);
  await expectAtRest(system);
  await expectReviewedOnce(system);
  const { pagination } = await first.get(`/annotations?queue=${system.queueId}&page_size=1`);
  expect(pagination.total).toBe(names.length);
  report('F12', { restarts: 2 * ROUNDS, requests: requests.count, documents: names.length, failed: 0 });
});
