import { randomInt } from 'node:crypto';
import { connectBackbone } from '@intake/bus';
import { createIndexes, type Database, transaction } from '@intake/mongo';
import { type Caller, systemCaller } from '@intake/rpc';
import { runService } from '@intake/service';
import { dropTestData, serviceEnv } from '@intake/testkit';
import { createQueueDeletionStore } from '../queue-deletion/queue-deletion.store';
import { createAnnotationStore } from './annotation.store';
import { type Annotation, FRESH } from './annotation.types';
import { historyOf } from './changes';
import { createHistoryStore } from './history.store';
import { createStatusCounts } from './status-counts.store';

const ORGANIZATION = 7;
const caller = systemCaller('annotation', ORGANIZATION);
const STATUSES = ['importing', 'to_review', 'reviewing', 'confirmed', 'exported'] as const;
const QUEUES = [1, 2];

const annotationOf = (id: number): Annotation =>
  ({
    ...FRESH,
    ...{ id, organizationId: ORGANIZATION, queueId: QUEUES[id % 2], status: 'importing', version: 1 },
    ...{ documentId: id, fileName: 'a.pdf', messages: [], createdAt: new Date() },
  }) as unknown as Annotation;

function makeStores(database: Database) {
  const store = createAnnotationStore(database);
  const history = createHistoryStore(database);
  const deletions = createQueueDeletionStore(database);
  const log = { warn: (problem: unknown) => Promise.reject(problem) } as never;
  const counts = createStatusCounts({ database, store, history, log, largeFrom: 1 });

  const open = (id: number) =>
    transaction(database, async (session) => {
      const annotation = annotationOf(id);
      await store.insert(session, annotation);
      await history.add(session, historyOf(annotation, null, 'open', caller, annotation.createdAt));
    });
  const change = (id: number, patch: Partial<Annotation>) =>
    transaction(database, async (session) => {
      const before = await store.get(caller, id, session);
      const after = { ...before, ...patch, version: before.version + 1 };
      await store.replace(session, after, before);
      await history.add(session, historyOf(after, before, 'update', caller, new Date()));
    });
  /** Annotations come, change their status and move, many at a time, and are counted meanwhile. */
  const live = async (from: number, to: number) => {
    const ids = Array.from({ length: to - from }, (_, i) => from + i);
    await Promise.all(
      ids.map(async (id) => {
        await open(id);
        for (let i = 0; i < 4; i++) {
          await change(id, { status: STATUSES[randomInt(STATUSES.length)] });
          await change(id, { queueId: QUEUES[randomInt(2)] });
          await counts.list(caller, QUEUES);
        }
      }),
    );
    await counts.settle();
  };
  const remove = (id: number) => transaction(database, (session) => deletions.removeAnnotation(session, id));
  return { store, counts, live, change, remove };
}

const inOrder = (found: readonly { queueId: number; status: string; count: number }[]) =>
  found.map(({ queueId, status, count }) => `${queueId} ${status} ${count}`).sort();

it('annotations of large queues are counted exactly, without counting all of them each time', async () => {
  const env = serviceEnv();
  const alone = await runService('annotation', env, async (runtime) => {
    const { database } = await connectBackbone(runtime, env);
    const { store, counts, live, change, remove } = makeStores(database);
    await createIndexes(database);
    const rowsOf = (name: string) => database.connection.collection(name);
    const expectExact = async () =>
      expect(inOrder(await counts.list(caller, QUEUES))).toEqual(inOrder(await store.countByStatus(caller, QUEUES)));
    /** As if all that has happened had done so an hour ago, and both queues were counted for the first time. */
    const anHourLater = async () => {
      await rowsOf('history').updateMany({ countedAt: { $type: 'date' } }, [
        { $set: { countedAt: { $subtract: ['$countedAt', 3_600_000] } } },
      ]);
      await rowsOf('status_counts').deleteMany({});
      await counts.list(caller, QUEUES);
      await counts.settle();
    };

    await live(1, 15);
    await expectExact();
    await anHourLater();
    const bases = await rowsOf('status_counts').find().toArray();
    const counted = bases.flatMap((base) => Object.values(base.counts as Record<string, number>));
    expect([bases.length, counted.reduce((sum, count) => sum + count, 0)]).toEqual([2, 14]);
    await expectExact();
    // It is they that are added to: nothing is counted beside them.
    const pretend = (count: number) =>
      rowsOf('status_counts').updateOne({ _id: 1 as never }, { $inc: { 'counts.deleted': count } });
    await pretend(1000);
    expect(inOrder(await counts.list(caller, [1]))).toContain('1 deleted 1000');
    await pretend(-1000);

    // From here on there are bases, and changes since.
    await live(15, 25);
    await expectExact();
    await change(20, { queueId: 1, status: 'deleted' });
    expect(inOrder(await counts.list(caller, [1]))).toContain('1 deleted 1');
    await change(20, { status: 'to_review' });
    expect((await counts.list(caller, [1])).map(({ status }) => status)).not.toContain('deleted');

    // What is removed takes its history with it.
    await remove(3);
    await expectExact();
    await remove(20);
    await expectExact();

    // Nobody learns of other queues and organizations.
    const only: Caller = { ...caller, kind: 'user', userId: 3, username: 'a', roles: ['annotator'], queueIds: [2] };
    const seen = await counts.list(only, QUEUES);
    expect([...new Set(seen.map(({ queueId }) => queueId))]).toEqual([2]);
    expect(await counts.list(systemCaller('annotation', 8), QUEUES)).toEqual([]);
    await counts.settle();
  });
  await alone.stop();
  await dropTestData(env);
});
