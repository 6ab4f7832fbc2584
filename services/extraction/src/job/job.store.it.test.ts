import { type Backbone, connectBackbone } from '@intake/bus';
import { createIndexes, transaction } from '@intake/mongo';
import { type RunningService, runService } from '@intake/service';
import { dropTestData, serviceEnv, waitFor } from '@intake/testkit';
import { ClaimLost, requireClaim } from './claim';
import type { Job } from './job';
import { createJobStore, type JobStore } from './job.store';

const LEASE_MS = 700;
const env = serviceEnv();
let probe: RunningService;
let backbone: Backbone;
let store: JobStore;

beforeAll(async () => {
  probe = await runService('extraction', env, async (runtime) => {
    backbone = await connectBackbone(runtime, env);
    store = createJobStore(backbone.database, LEASE_MS);
    await createIndexes(backbone.database);
  });
});

afterAll(async () => {
  await probe.stop();
  await dropTestData(env);
});

async function add(organizationId: number, annotationId: number): Promise<void> {
  const job = {
    id: `${annotationId}/p`,
    annotationId,
    rirPollId: 'p',
    organizationId,
    queueId: 1,
    documentId: 1,
    mimeType: 'application/pdf',
    locale: 'en_GB',
  };
  await transaction(backbone.database, (session) => store.add(session, [job]));
}

async function finishAll(): Promise<Job[]> {
  const done: Job[] = [];
  for (let job = await store.claim(); job; job = await store.claim()) {
    await store.finish(job);
    done.push(job);
  }
  return done;
}

it('notes a job once', async () => {
  await add(1, 1);
  await add(1, 1);
  expect((await finishAll()).map(({ annotationId }) => annotationId)).toEqual([1]);
  await add(1, 1);
  expect(await store.claim()).toBeNull();
});

it('takes turns between organizations, so that a large backlog keeps nobody waiting', async () => {
  for (let i = 0; i < 20; i++) await add(1, 100 + i);
  await add(2, 200);
  await add(3, 300);
  const order = (await finishAll()).map(({ organizationId }) => organizationId);
  expect(order).toHaveLength(22);
  expect(order.indexOf(2)).toBeLessThan(3);
  expect(order.indexOf(3)).toBeLessThan(3);
});

it('gives each job to one of many workers', async () => {
  for (let i = 0; i < 30; i++) await add(4, 400 + i);
  const claims: Job[] = [];
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let job = await store.claim(); job; job = await store.claim()) {
        claims.push(job);
        await store.finish(job);
      }
    }),
  );
  expect(new Set(claims.map(({ id }) => id)).size).toBe(30);
  expect(claims).toHaveLength(30);
});

it('gives the job of a worker that died to another, and takes nothing more from the first', async () => {
  await add(5, 500);
  const first = (await store.claim()) as Job;
  expect(await store.claim()).toBeNull();
  const second = (await waitFor('the claim to end', () => store.claim())) as Job;
  expect(second).toMatchObject({ id: first.id, token: first.token + 1 });
  expect(await store.renew(first)).toBe(false);
  await expect(requireClaim(store, first)).rejects.toThrow(ClaimLost);
  await store.finish(first);
  expect(await store.countOpen()).toBe(1);
  expect(await store.renew(second)).toBe(true);
  await requireClaim(store, second);
  await store.finish(second);
  expect(await store.countOpen()).toBe(0);
  await expect(requireClaim(store, second)).rejects.toThrow(ClaimLost);
});

it('counts failures of the document, not of neighbours, and waits before the next try', async () => {
  await add(6, 600);
  const first = (await store.claim()) as Job;
  await store.release(first, 0, false);
  const second = (await store.claim()) as Job;
  expect(second.failures).toBe(0);
  await store.release(second, 300, true);
  expect(await store.claim()).toBeNull();
  const third = (await waitFor('the wait to end', () => store.claim())) as Job;
  expect(third.failures).toBe(1);
  await store.finish(third);
});
