import { type ChildProcess, fork } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCommandRuntime, type RunningService, type Runtime, runInContext, runService } from '@intake/service';
import {
  dropTestData,
  findStored,
  freePorts,
  type PrivateServer,
  readTestVariable,
  type ServiceEnv,
  serviceEnv,
  startMongo,
  startProgram,
  waitFor,
} from '@intake/testkit';
import { ROOT_CONTEXT } from '@opentelemetry/api';
import { Schema } from 'mongoose';
import {
  connectDatabase,
  createIds,
  createInbox,
  createIndexes,
  createLeases,
  createOutbox,
  type Database,
  FILLED,
  type Ids,
  type Inbox,
  isDuplicateKey,
  isMongoUnavailable,
  type Leases,
  type Outbox,
  startSweep,
  transaction,
} from '.';

const HOLDER = join(__dirname, '../test/hold-lease.cjs');

let env: ServiceEnv;
let service: RunningService;
let database: Database;

beforeAll(async () => {
  env = serviceEnv();
  [service, , database] = await connect(env.INTAKE_MONGODB_URL as string, 'sample-service');
});
afterAll(async () => {
  await service.stop();
  await dropTestData(env);
});

const connected: RunningService[] = [];
afterAll(() => Promise.all(connected.map((one) => one.stop())));

async function connect(url: string, name: string): Promise<[RunningService, Runtime, Database]> {
  let given: Runtime | undefined;
  let made: Database | undefined;
  const running = await runService(name, { INTAKE_LOG_LEVEL: 'silent' }, async (runtime) => {
    given = runtime;
    made = await connectDatabase(runtime, { url, prefix: env.INTAKE_MONGODB_PREFIX as string });
  });
  connected.push(running);
  return [running, given as Runtime, made as Database];
}

interface Thing {
  _id: number;
  value: number;
}

let things: ReturnType<typeof defineThings>;
const defineThings = (on: Database) =>
  on.connection.model<Thing>(
    'Thing',
    new Schema<Thing>({ _id: Number, value: Number }, { collection: 'things', versionKey: false }),
  );

describe('database', () => {
  it('is named after the installation and the service', () => {
    expect(database.name).toBe(`${env.INTAKE_MONGODB_PREFIX}_sample_service`);
  });

  it('makes the service ready', async () => {
    expect((await fetch(`http://127.0.0.1:${service.opsPort}/readyz`)).status).toBe(200);
  });
});

describe('a command that is written while its socket is being closed', () => {
  const sockets: Socket[] = [];
  const collect = (message: unknown) => void sockets.push((message as { socket: Socket }).socket);
  beforeAll(() => subscribe('net.client.socket', collect));
  afterAll(() => void unsubscribe('net.client.socket', collect));

  it('fails as unavailable instead of being waited for without end', async () => {
    const [, , own] = await connect(env.INTAKE_MONGODB_URL as string, 'closed-sockets');
    const rows = own.connection.collection('rows');
    await rows.insertOne({ name: 'before' });
    for (const socket of sockets) socket.destroy(); // that they are closed is told later
    // A write like this is not tried again by the driver.
    const error = await rows
      .aggregate([{ $out: 'copy' }])
      .toArray()
      .catch((problem) => problem);
    expect([isMongoUnavailable(error), error.message]).toEqual([true, expect.stringMatching(/closed$/)]);
    await waitFor('MongoDB to be used again', async () => (await rows.countDocuments({})) === 1);
  });
});

describe('indexes', () => {
  const COLLECTION = 'indexed';
  /** The model as one version of the service has it. */
  const define = async (version: string, index: (schema: Schema) => void) => {
    const [, , own] = await connect(env.INTAKE_MONGODB_URL as string, version);
    const schema = new Schema({ _id: Number, fileId: Number, name: String, at: Date }, { collection: COLLECTION });
    index(schema);
    const model = own.connection.useDb(database.name).model('Indexed', schema);
    const made = { ...own, connection: model.db };
    await createIndexes(made);
    return { model, again: () => createIndexes(made) };
  };
  const usedBy = (plan: unknown): unknown =>
    JSON.stringify(plan)
      .match(/"indexName":"(\w+)"|"(COLLSCAN)"/)
      ?.slice(1)
      .find(Boolean);

  it('of filled fields alone are used for what is equal to something, and for times that say so', async () => {
    const { model } = await define('filled', (schema) => {
      schema.index({ fileId: 1 }, { partialFilterExpression: { fileId: FILLED.id } });
      schema.index({ name: 1 }, { partialFilterExpression: { name: FILLED.text } });
      schema.index({ at: 1 }, { partialFilterExpression: { at: FILLED.date } });
    });
    const planOf = async (filter: object) =>
      usedBy((await model.collection.find(filter).explain('queryPlanner')).queryPlanner.winningPlan);
    expect(await planOf({ fileId: 4 })).toBe('fileId_1');
    expect(await planOf({ fileId: { $in: [4, 5] } })).toBe('fileId_1');
    expect(await planOf({ name: 'a' })).toBe('name_1');
    expect(await planOf({ at: { ...FILLED.date, $lt: new Date() } })).toBe('at_1');
    expect(await planOf({ fileId: null })).toBe('COLLSCAN');
  });

  it('that an earlier version made otherwise are made anew, others stay as they are', async () => {
    const { model } = await define('earlier', (schema) => {
      schema.index({ fileId: 1 }, { partialFilterExpression: { fileId: { $type: 'number' } } });
      schema.index({ at: 1 }, { expireAfterSeconds: 60 });
    });
    await model.collection.createIndex({ name: -1 }, { name: 'by_an_operator' });
    const indexes = () => model.collection.aggregate([{ $indexStats: {} }, { $sort: { name: 1 } }]).toArray();
    const later = await define('later', (schema) => {
      schema.index({ fileId: 1 }, { partialFilterExpression: { fileId: FILLED.id } });
      schema.index({ at: 1 }, { expireAfterSeconds: 60 });
    });
    const there = await indexes();
    expect(there.map(({ name }) => name)).toEqual(expect.arrayContaining(['at_1', 'by_an_operator', 'fileId_1']));
    expect(there.find(({ name }) => name === 'fileId_1')?.spec.partialFilterExpression).toEqual({ fileId: FILLED.id });
    await later.again();
    const since = (found: typeof there) => found.map(({ name, accesses }) => [name, accesses.since]);
    expect(since(await indexes())).toEqual(since(there));
  });
});

describe('ids', () => {
  let ids: Ids;
  beforeAll(() => {
    ids = createIds(database);
  });

  it('are unique and without gaps under 50 parallel takers, from the first on', async () => {
    const taken = await Promise.all(Array.from({ length: 50 }, () => ids.next('parallel')));
    expect(taken.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
  });

  it('come in rows', async () => {
    const firsts = await Promise.all([ids.next('rows', 5), ids.next('rows', 3), ids.next('rows')]);
    expect(await ids.next('rows')).toBe(10);
    expect(new Set(firsts).size).toBe(3);
  });

  it('of one sequence do not touch another', async () => {
    await ids.next('left', 7);
    expect(await ids.next('right')).toBe(1);
  });
});

describe('transaction', () => {
  beforeAll(async () => {
    things = defineThings(database);
    await createIndexes(database);
  });

  it('is made from its start again on a conflict, and loses no change', async () => {
    await things.create({ _id: 1, value: 0 });
    let runs = 0;
    const add = () =>
      transaction(database, async (session) => {
        runs += 1;
        const before = await things.findById(1).session(session).lean();
        await things.updateOne({ _id: 1 }, { $set: { value: (before?.value ?? 0) + 1 } }, { session });
      });
    await Promise.all(Array.from({ length: 10 }, add));
    expect((await things.findById(1).lean())?.value).toBe(10);
    expect(runs).toBeGreaterThan(10);
  });

  it('is also made again when a bulk write meets the conflict', async () => {
    await things.create({ _id: 4, value: 0 });
    let runs = 0;
    const add = () =>
      transaction(database, async (session) => {
        runs += 1;
        await things.findById(4).session(session).lean();
        const update = { updateOne: { filter: { _id: 4 }, update: { $inc: { value: 1 } } } };
        await things.bulkWrite([update], { session });
      });
    await Promise.all(Array.from({ length: 10 }, add));
    expect((await things.findById(4).lean())?.value).toBe(10);
    expect(runs).toBeGreaterThan(10);
  });

  it('answers what it found', async () => {
    await expect(transaction(database, async () => 'found')).resolves.toBe('found');
  });

  it('leaves nothing when it fails', async () => {
    const failing = transaction(database, async (session) => {
      await things.create([{ _id: 2, value: 1 }], { session });
      throw new Error('changed its mind');
    });
    await expect(failing).rejects.toThrow('changed its mind');
    expect(await things.findById(2).lean()).toBeNull();
  });

  it('says when a key is taken, and that this is no reason to wait for MongoDB', async () => {
    await things.create({ _id: 3, value: 1 });
    const error = await transaction(database, async (session) => {
      await things.create([{ _id: 3, value: 2 }], { session });
    }).catch((reason) => reason);
    expect(isDuplicateKey(error)).toBe(true);
    expect(isMongoUnavailable(error)).toBe(false);
    expect(isMongoUnavailable(new Error('a mistake of ours'))).toBe(false);
    const closed = Object.assign(new Error('This socket has been ended by the other party'), { code: 'EPIPE' });
    expect(isMongoUnavailable(closed)).toBe(true);
  });
});

describe('outbox', () => {
  let outbox: Outbox;
  beforeAll(async () => {
    outbox = createOutbox(database);
    await createIndexes(database);
  });
  beforeEach(async () => {
    await database.connection.collection('outbox').deleteMany({});
  });
  const add = (aggregate: string, version: number) =>
    transaction(database, async (session) =>
      outbox.add(session, { id: `${aggregate}:${version}`, subject: 's', payload: { version }, aggregate, version }),
    );
  const unsent = async () => (await outbox.findUnsent(100)).map(({ _id }) => _id);

  it('keeps the order in which things happened', async () => {
    for (const [aggregate, version] of [
      ['a', 1],
      ['b', 1],
      ['a', 2],
      ['c', 1],
      ['b', 2],
    ] as const)
      await add(aggregate, version);
    expect(await unsent()).toEqual(['a:1', 'b:1', 'a:2', 'c:1', 'b:2']);
  });

  it('puts the versions of an aggregate in order although the clocks of replicas differ', async () => {
    for (const version of [1, 2, 3]) await add('a', version);
    const late = new Date(Date.now() + 5000);
    await database.connection.collection('outbox').updateOne({ _id: 'a:1' } as object, { $set: { at: late } });
    await add('b', 1);
    const order = await unsent();
    expect(order.filter((id) => id.startsWith('a'))).toEqual(['a:1', 'a:2', 'a:3']);
    expect(order).toContain('b:1');
  });

  it('knows an event once, and only when its change was made', async () => {
    await add('a', 1);
    await add('a', 1);
    const failing = transaction(database, async (session) => {
      await outbox.add(session, { id: 'x:1', subject: 's', payload: {}, aggregate: 'x', version: 1 });
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await unsent()).toEqual(['a:1']);
  });

  it('keeps payload and request id', async () => {
    await runInContext({ requestId: 'r-9', otel: ROOT_CONTEXT }, () => add('a', 1));
    expect(await outbox.findUnsent(10)).toMatchObject([{ payload: { version: 1 }, requestId: 'r-9', aggregate: 'a' }]);
  });

  it('forgets nothing that was not sent, and sends again on demand', async () => {
    await add('a', 1);
    await add('a', 2);
    expect(await outbox.lagSeconds()).toBeGreaterThan(0);
    await outbox.markSent([
      { id: 'a:1', sequence: 7 },
      { id: 'a:2', sequence: 8 },
    ]);
    expect(await unsent()).toEqual([]);
    expect(await outbox.lagSeconds()).toBe(0);
    expect(await outbox.markUnsentSince(new Date(Date.now() + 1000))).toBe(0);
    expect(await outbox.markUnsentSince(new Date(Date.now() - 60_000))).toBe(2);
    expect(await unsent()).toEqual(['a:1', 'a:2']);
  });

  it('tells of added rows after the commit, and not of those that were rolled back', async () => {
    let told = 0;
    outbox.onAdded(() => {
      told += 1;
    });
    const failing = transaction(database, async (session) => {
      outbox.add(session, { id: 'r:1', subject: 's', payload: {}, aggregate: 'r', version: 1 });
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(told).toBe(0);
    await add('w', 1);
    expect(told).toBe(1);
  });

  it('remembers when a stream was created', async () => {
    expect(await outbox.readCreation('S')).toBeNull();
    await outbox.writeCreation('S', 'then');
    await outbox.writeCreation('S', 'later');
    expect(await outbox.readCreation('S')).toBe('later');
  });

  it('knows what was sent last, and where in its stream it is', async () => {
    const since = new Date(Date.now() - 60_000);
    expect(await outbox.findLastSent(/^jobs/, since)).toBeNull();
    for (const version of [1, 2, 3]) await add('a', version);
    await outbox.markSent([
      { id: 'a:2', sequence: 12 },
      { id: 'a:1', sequence: 11 },
    ]);
    expect(await outbox.findLastSent(/^jobs/, since)).toEqual({ id: 'a:2', sequence: 12 });
    expect(await outbox.findLastSent(/^s$/, since)).toBeNull();
    expect(await outbox.findLastSent(/^jobs/, new Date(Date.now() + 1000))).toBeNull();
  });
});

describe('inbox', () => {
  let inbox: Inbox;
  beforeAll(async () => {
    inbox = createInbox(database);
    await createIndexes(database);
  });

  it('lets an event be claimed once by each consumer, also when many try together', async () => {
    const claim = (consumer: string, ...ids: string[]) =>
      transaction(database, (session) => inbox.claim(session, consumer, ids));
    const claims = await Promise.all(Array.from({ length: 10 }, () => claim('one', 'e:1')));
    expect(claims.flat().filter(Boolean)).toHaveLength(1);
    expect(await claim('two', 'e:0', 'e:1')).toEqual([true, true]);
    expect(await claim('one', 'e:0', 'e:1', 'e:0')).toEqual([true, false, false]);
    expect([await inbox.has('one', 'e:1'), await inbox.has('one', 'e:2')]).toEqual([true, false]);
    expect([await inbox.hasAny('one', 'e:'), await inbox.hasAny('one', 'f:')]).toEqual([true, false]);
    expect(await inbox.hasAny('one', 'e:1:')).toBe(false);
  });

  it('does not keep the claim of a transaction that failed', async () => {
    const failing = transaction(database, async (session) => {
      await inbox.claim(session, 'one', ['e:3']);
      throw new Error('effect failed');
    });
    await expect(failing).rejects.toThrow();
    expect(await inbox.has('one', 'e:3')).toBe(false);
  });

  it('counts failures of an event for each consumer', async () => {
    const counts = [];
    for (const consumer of ['one', 'one', 'two']) counts.push(await inbox.countFailure(consumer, 'e:4'));
    expect(counts).toEqual([1, 2, 1]);
  });
});

describe('leases', () => {
  let leases: Leases;
  beforeAll(() => {
    leases = createLeases(database);
  });

  it('have one holder under contention, and a token that grows', async () => {
    const tokens: number[] = [];
    for (let round = 0; round < 3; round++) {
      const taken = await Promise.all(Array.from({ length: 20 }, () => leases.acquire('contended', 60_000)));
      const [holder, ...others] = taken.filter((lease) => lease !== null);
      expect(others).toEqual([]);
      tokens.push(holder?.token ?? 0);
      await holder?.release();
    }
    expect(tokens).toEqual([1, 2, 3]);
  });

  it('are kept by renewing and lost when another holder came', async () => {
    const first = await leases.acquire('renewed', 400);
    expect(await first?.renew()).toBe(true);
    expect(await leases.acquire('renewed', 400)).toBeNull();
    const second = await waitFor('the lease to expire', () => leases.acquire('renewed', 60_000));
    expect(second.token).toBe((first?.token ?? 0) + 1);
    expect(await first?.renew()).toBe(false);
    await first?.release(); // a late release must not free what another holds
    expect(await leases.acquire('renewed', 400)).toBeNull();
  });

  it('cannot be renewed once released', async () => {
    const lease = await leases.acquire('released', 60_000);
    await lease?.release();
    expect(await lease?.renew()).toBe(false);
    expect(await leases.acquire('released', 60_000)).not.toBeNull();
  });

  it('expire by the clock of MongoDB after their holder was killed', async () => {
    const holder = await holdInChild('killed', 1500);
    expect(await leases.acquire('killed', 1000)).toBeNull();
    holder.kill('SIGKILL');
    const after = await waitFor('the lease of the dead', () => leases.acquire('killed', 1000));
    expect(after.token).toBe(2);
  });

  it('are not moved by a clock of the holder that is an hour late', async () => {
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000);
    try {
      expect(await leases.acquire('clock', 60_000)).not.toBeNull();
    } finally {
      clock.mockRestore();
    }
    expect(await leases.acquire('clock', 60_000)).toBeNull();
  });
});

describe('sweep', () => {
  it('runs again and again, goes on after a failure, and lets its last run finish', async () => {
    const [other, given, mine] = await connect(env.INTAKE_MONGODB_URL as string, 'sweeping');
    let started = 0;
    let ended = 0;
    startSweep(given, createLeases(mine), 'dust', 50, async () => {
      started += 1;
      if (started === 1) throw new Error('broom broke');
      await mine.connection.db?.command({ ping: 1 });
      ended += 1;
    });
    await waitFor('three turns', () => started >= 3);
    await other.stop();
    expect(ended).toBe(started - 1);
  });

  it('warns of a failure, and calls it an error when it lasts', async () => {
    const [other, given, mine] = await connect(env.INTAKE_MONGODB_URL as string, 'failing');
    const levels: string[] = [];
    const note = (level: string) => (_: unknown, text: string) => text === 'sweep failed' && levels.push(level);
    const runtime = { ...given, log: { ...given.log, warn: note('warn'), error: note('error') } } as unknown as Runtime;
    let [isBroken, done] = [true, 0];
    const task = async () => {
      if (isBroken) throw new Error('broom broke');
      done += 1;
    };
    startSweep(runtime, createLeases(mine), 'dust', 50, task, 300);
    await waitFor('an error', () => levels.includes('error'));
    expect(levels[0]).toBe('warn');
    isBroken = false;
    await waitFor('a turn that succeeds', () => done > 0);
    const before = levels.length;
    isBroken = true;
    await waitFor('another failure', () => levels.length > before);
    expect(levels[before]).toBe('warn');
    await other.stop();
  });
});

describe('when MongoDB is killed', () => {
  let mongo: PrivateServer | undefined;
  afterAll(() => mongo?.stop());

  it('operations and transactions fail in under two seconds as unavailable, and work again by themselves', async () => {
    const server = await startMongo();
    mongo = server;
    const [other, , mine] = await connect(server.url, 'killed');
    const model = defineThings(mine);
    await createIndexes(mine);
    await model.create({ _id: 1, value: 0 });
    const ids = createIds(mine);
    const write = () =>
      transaction(mine, async (session) => {
        await model.updateOne({ _id: 1 }, { $inc: { value: 1 } }, { session });
      });
    const attempts: Record<string, () => Promise<unknown>> = {
      read: () => model.findById(1).lean(),
      write: () => model.updateOne({ _id: 1 }, { $inc: { value: 1 } }),
      ids: () => ids.next('x'),
      'bulk write': () => model.bulkWrite([{ updateOne: { filter: { _id: 1 }, update: { $inc: { value: 1 } } } }]),
      transaction: write,
      'transaction in its middle': () =>
        transaction(mine, async (session) => {
          await model.findById(1).session(session);
          await model.updateOne({ _id: 1 }, { $inc: { value: 1 } }, { session });
        }),
    };
    await Promise.all(Array.from({ length: 20 }, () => model.findById(1).lean())); // connections that will break
    await server.kill();
    for (const [name, attempt] of Object.entries(attempts)) {
      const started = Date.now();
      const error = await attempt().then(
        () => new Error(`${name} succeeded`),
        (reason) => reason,
      );
      expect([name, isMongoUnavailable(error), error.message]).toEqual([name, true, error.message]);
      expect([name, Date.now() - started < 2000]).toEqual([name, true]);
    }
    expect((await fetch(`http://127.0.0.1:${other.opsPort}/readyz`)).status).toBe(503);
    await server.restart();
    await waitFor('writes to work again', () => write().then(() => true));
    expect((await model.findById(1).lean())?.value).toBe(1);
    await waitFor('readiness', async () => (await fetch(`http://127.0.0.1:${other.opsPort}/readyz`)).status === 200);
    await other.stop();
  });

  it('a transaction that loses it in the middle leaves nothing and fails fast', async () => {
    const server = mongo as PrivateServer;
    const [other, , mine] = await connect(server.url, 'killed');
    const model = defineThings(mine);
    let killedAt = 0;
    const failing = transaction(mine, async (session) => {
      await model.create([{ _id: 50, value: 1 }], { session });
      if (killedAt === 0) {
        await server.kill();
        killedAt = Date.now();
      }
      await model.create([{ _id: 51, value: 1 }], { session });
    });
    const error = await failing.catch((reason) => reason);
    expect(isMongoUnavailable(error)).toBe(true);
    expect(Date.now() - killedAt).toBeLessThan(2000);
    await server.restart();
    const rest = await findStored(server.url, mine.name, 'things', { _id: { $in: [50, 51] } });
    expect(rest).toEqual([]);
    await other.stop();
  });
});

/** A process of its own that takes a lease and keeps it until it is killed. */
async function holdInChild(name: string, ttlMs: number): Promise<ChildProcess> {
  const child = fork(HOLDER, [
    env.INTAKE_MONGODB_URL as string,
    env.INTAKE_MONGODB_PREFIX as string,
    name,
    String(ttlMs),
  ]);
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve());
    child.once('exit', (code) => reject(new Error(`the holder ended with ${code}`)));
  });
  return child;
}

it('a MongoDB that stands alone is refused at the start: every transaction would fail', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'intake-alone-'));
  const [port] = await freePorts(1);
  const args = ['--dbpath', folder, '--port', String(port), '--bind_ip', '127.0.0.1'];
  const mongod = startProgram(readTestVariable('INTAKE_TEST_MONGOD'), args, { logFile: `${folder}.log` });
  const runtime = createCommandRuntime('alone');
  try {
    const connecting = connectDatabase(runtime, { url: `mongodb://127.0.0.1:${port}/`, prefix: 'alone' });
    await expect(connecting).rejects.toThrow(/^INTAKE_MONGODB_URL: this MongoDB is no replica set/);
  } finally {
    await runtime.stop();
    await mongod.stop();
    rmSync(folder, { recursive: true, force: true });
    rmSync(`${folder}.log`, { force: true });
  }
});
