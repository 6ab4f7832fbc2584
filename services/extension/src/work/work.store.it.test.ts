import { type Backbone, connectBackbone } from '@intake/bus';
import { createIndexes, transaction } from '@intake/mongo';
import { type RunningService, runService } from '@intake/service';
import { dropTestData, serviceEnv, waitFor } from '@intake/testkit';
import { type Claim, createWorkStore, type NewWork, type WorkStore } from './work.store';

const MINUTE_MS = 60_000;
const env = serviceEnv();
let probe: RunningService;
let backbone: Backbone;
let store: WorkStore;

beforeAll(async () => {
  probe = await runService('extension', env, async (runtime) => {
    backbone = await connectBackbone(runtime, env);
    store = createWorkStore(backbone.database);
    await createIndexes(backbone.database);
  });
});
afterAll(async () => {
  await probe.stop();
  await dropTestData(env);
});

const notification = (lane: string, sequence: number, after: readonly string[] = []): NewWork => ({
  id: `${lane}/${sequence}`,
  kind: 'notification',
  organizationId: 1,
  queueId: 1,
  annotationId: 1,
  hookId: 1,
  group: lane,
  lane,
  sequence,
  after,
  data: {},
  createdAt: new Date(),
});
const add = (...works: NewWork[]) => transaction(backbone.database, (session) => store.add(session, works));
const claim = async (id: string): Promise<Claim> => {
  const found = await waitFor(`a claim of ${id}`, () => store.claim([]));
  expect((found as Claim).work.id).toBe(id);
  return found as Claim;
};
const waitsUntil = async (id: string) => ((await store.find(id))?.nextAt.getTime() ?? 0) - Date.now();

it('gives the works of a lane one after the other', async () => {
  await add(notification('order', 2), notification('order', 1));
  const first = await claim('order/1');
  expect(await store.claim([])).toBeNull();
  await store.finish(first, 'done');
  await store.finish(await claim('order/2'), 'done');
  expect(await store.claim([])).toBeNull();
});

it('a long queue in front of a dead receiver is not looked at again and again, and delays nobody', async () => {
  await add(notification('dead', 1));
  const call = await claim('dead/1');
  for (let sequence = 2; sequence <= 40; sequence++) await add(notification('dead', sequence));
  await add(notification('alive', 1));
  await store.finish(await claim('alive/1'), 'done');
  expect(await store.claim([])).toBeNull();
  for (const sequence of [2, 20, 40]) expect(await waitsUntil(`dead/${sequence}`)).toBeGreaterThan(MINUTE_MS);
  // Nor while it is tried again.
  await store.putOff(call, 16_000, false);
  expect(await store.claim([])).toBeNull();
  expect(await waitsUntil('dead/2')).toBeGreaterThan(MINUTE_MS);
});

it('the next of a lane is woken when the one before it ends, whatever its end is', async () => {
  await add(notification('ends', 1));
  await add(notification('ends', 2));
  await add(notification('ends', 3));
  await store.finish(await claim('ends/1'), 'parked');
  await store.finish(await claim('ends/2'), 'cancelled');
  await store.finish(await claim('ends/3'), 'done');
});

it('is there at once when what was before it ended while it was being added', async () => {
  await add(notification('race', 1));
  const first = await claim('race/1');
  await transaction(backbone.database, async (session) => {
    await store.add(session, [notification('race', 2)]);
    // Of the transaction nobody else sees anything yet.
    await store.finish(first, 'done');
  });
  await store.finish(await claim('race/2'), 'done');
});

it('waits for what it stands after, which may be decided before it is done', async () => {
  await add(notification('asked', 1), notification('told', 1, ['asked/1']));
  const asked = await claim('asked/1');
  expect(await store.claim([])).toBeNull();
  await store.putOff(asked, 30 * MINUTE_MS, true);
  await store.finish(await claim('told/1'), 'done');
});

it('restarted work is done again before what came later', async () => {
  const ofHook = { organizationId: 1, hookId: 1, kind: 'notification', annotationIds: [] } as const;
  await add(notification('again', 1));
  await store.finish(await claim('again/1'), 'parked');
  expect(await store.restart({ ...ofHook, id: 'again/1', states: ['parked'] })).toBe(1);
  await add(notification('again', 2));
  await store.finish(await claim('again/1'), 'done');
  await store.finish(await claim('again/2'), 'done');
});

it('what waits for a hook that is gone is cancelled at once, and what stands after it goes on', async () => {
  const gone = (sequence: number) => ({ ...notification('gone', sequence), hookId: 7 });
  await add(...Array.from({ length: 1500 }, (_, i) => gone(i + 1)), notification('left', 1, ['gone/1500']));
  const first = await claim('gone/1');
  await store.cancelOfHook(2, 7);
  expect((await store.find('gone/2'))?.state).toBe('waiting');
  await store.cancelOfHook(1, 7);
  for (const sequence of [2, 1500]) expect((await store.find(`gone/${sequence}`))?.state).toBe('cancelled');
  expect((await store.find('gone/1'))?.state).toBe('waiting');
  await store.finish(await claim('left/1'), 'done');
  await store.finish(first, 'cancelled');
});
