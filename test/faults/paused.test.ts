import { type Api, findStored, idOf, startSystem, type TestSystem, waitFor } from '@intake/testkit';
import { ALL_FAULTS, expectAtRest, expectReviewedOnce, Ledger, LOAD, report } from './ledger';

/** F6: an extraction worker stands still for longer than its claims last, and then goes on as if nothing had been. */

jest.setTimeout(600_000);

/** Three times as long as a claim lasts (`services/extraction/src/job/job.store.ts`); in `npm test` until others have its work. */
const PAUSE_MS = ALL_FAULTS ? 90_000 : 0;
const CLAIMED = { state: 'open', token: { $gte: 1 } };
const TAKEN_OVER = { token: { $gte: 2 } };

let system: TestSystem;
let api: Api;

beforeAll(async () => {
  system = await startSystem({ processes: true });
  api = await system.login();
});
afterAll(() => system?.stop());

it('what a worker held that stands still is done by another, and its late results change nothing', async () => {
  const ledger = await Ledger.open(system);
  const sending = ledger.sendLoad({ ...LOAD, reviews: 0 });
  await pauseWithWork();
  const pausedAt = Date.now();
  await sending; // to nobody but the one that stands still
  expect(await stored('extraction', 'jobs', CLAIMED)).not.toEqual([]);
  await system.addReplica(['extraction']);
  await ledger.expectAllArrived();
  const takenOver = (await stored('extraction', 'jobs', TAKEN_OVER)).map(({ annotationId }) => annotationId as number);
  expect(takenOver).not.toEqual([]);
  const takenOverMs = Date.now() - pausedAt;

  // Meanwhile they change: what comes late would now be seen.
  const home = await api.get(`/queues/${system.queueId}`);
  const other = await api.post('/queues', { name: 'Other', workspace: home.workspace, schema: home.schema });
  const moveTo = (queue: string) => Promise.all(takenOver.map((id) => api.patch(`/annotations/${id}`, { queue })));
  await moveTo(other.url);
  const before = await snapshot(takenOver);
  expect(new Set(before.pages.map(({ queueId }) => queueId))).toEqual(new Set([idOf(other.url)]));
  await waitFor('the pause to be over', () => Date.now() - pausedAt >= PAUSE_MS, { timeoutMs: PAUSE_MS + 10_000 });
  await system.kill('extraction', 'SIGCONT');
  await system.waitUntilReady('extraction');
  await ledger.sendMany(5);
  await system.kill('extraction', 'SIGTERM'); // it ends when it has done what it thinks is its work
  expect(await snapshot(takenOver)).toEqual(before);

  await moveTo(home.url);
  await ledger.expectAllArrived();
  await ledger.expectNothingElse();
  await expectAtRest(system);
  await expectReviewedOnce(system);
  report('F6', { documents: ledger.entries.length, takenOver: takenOver.length, takenOverMs });
});

/** Stops the only worker while it reads a document. */
async function pauseWithWork(): Promise<void> {
  await waitFor(
    'the worker to be stopped in the middle of a document',
    async () => {
      if (!(await isReading())) return false;
      await system.kill('extraction', 'SIGSTOP');
      if ((await stored('extraction', 'jobs', CLAIMED)).length > 0) return true;
      await system.kill('extraction', 'SIGCONT');
      return false;
    },
    { timeoutMs: 60_000 },
  );
}

/** Whether there is a document that was fetched and is not read. */
async function isReading(): Promise<boolean> {
  const metrics = await (await fetch(`http://127.0.0.1:${system.opsPortOf('extraction')}/metrics`)).text();
  const count = (stage: string) =>
    Number(
      new RegExp(`^intake_extraction_stage_seconds_count{.*stage="${stage}".*} (\\d+)`, 'm').exec(metrics)?.[1] ?? 0,
    );
  return count('fetch') > count('read');
}

/** All that is stored of annotations. */
async function snapshot(ids: readonly number[]) {
  const among = { $in: ids };
  const inOrder = (rows: Record<string, unknown>[]) => rows.sort((a, b) => Number(a._id) - Number(b._id));
  return {
    annotations: inOrder(await stored('annotation', 'annotations', { _id: among })),
    history: (await stored('annotation', 'history', { annotationId: among })).length,
    pages: inOrder(await stored('document_storage', 'pages', { annotationId: among })),
    contents: await Promise.all(ids.map(async (id) => (await api.get(`/annotations/${id}/content`)).content)),
  };
}

function stored(service: string, collection: string, filter: Record<string, unknown>) {
  const { INTAKE_MONGODB_URL: url = '', INTAKE_MONGODB_PREFIX: prefix } = system.env;
  return findStored(url, `${prefix}_${service}`, collection, filter);
}
