import { type ChildProcess, fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { events } from '@intake/contracts';
import { createIndexes, isMongoUnavailable, transaction } from '@intake/mongo';
import {
  createCommandRuntime,
  currentRequestId,
  type RunningService,
  type Runtime,
  runInContext,
  runService,
} from '@intake/service';
import {
  dropTestData,
  findStored,
  freePorts,
  type PrivateServer,
  readTestVariable,
  receiveTraces,
  type ServiceEnv,
  serviceEnv,
  startMongo,
  startNats,
  startNatsCluster,
  startProgram,
  waitFor,
} from '@intake/testkit';
import { ROOT_CONTEXT } from '@opentelemetry/api';
import { connect, headers, nanos } from 'nats';
import {
  type Backbone,
  connectBackbone,
  connectBus,
  type EventHandlers,
  listDeadLetters,
  replayDeadLetter,
  startConsumer,
  startWorkers,
} from '.';

/** As in `bus-process.cjs`. */
const LOST_MS = 3000;
const PROCESS = join(__dirname, '../test/bus-process.cjs');

interface Running extends Backbone {
  readonly runtime: Runtime;
  readonly service: RunningService;
}

const running: RunningService[] = [];
const children: ChildProcess[] = [];
const environments: ServiceEnv[] = [];
const servers: Pick<PrivateServer, 'stop'>[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await Promise.all(running.splice(0).map((service) => service.stop()));
  for (const env of environments.splice(0)) await dropTestData(env);
  for (const server of servers.splice(0)) await server.stop();
});

function newEnv(overrides: ServiceEnv = {}): ServiceEnv {
  const env = serviceEnv(overrides);
  environments.push(env);
  return env;
}

async function startNode(name: string, env: ServiceEnv): Promise<Running> {
  let node: Omit<Running, 'service'> | undefined;
  const service = await runService(name, env, async (runtime) => {
    const backbone = await connectBackbone(runtime, env);
    await createIndexes(backbone.database);
    node = { ...backbone, runtime };
  });
  running.push(service);
  return { ...(node as Omit<Running, 'service'>), service };
}

/** Stops a node as a process would that ends in order. */
async function stopNode(node: Running): Promise<void> {
  running.splice(running.indexOf(node.service), 1);
  await node.service.stop();
}

async function startChild(
  mode: string,
  env: ServiceEnv,
): Promise<{ child: ChildProcess; next(what: string): Promise<Record<string, unknown>> }> {
  const child = fork(PROCESS, [mode], { env: { ...process.env, ...env } });
  children.push(child);
  const messages: Record<string, unknown>[] = [];
  child.on('message', (message) => messages.push(message as Record<string, unknown>));
  const next = (what: string) =>
    waitFor(`${what} from the child`, () => {
      if (child.exitCode !== null) throw new Error(`the child ended with ${child.exitCode}`);
      return messages.find((message) => what in message);
    });
  await next('ready');
  return { child, next };
}

const created = (id: number, version = 1) => ({
  subject: 'organization.created' as const,
  aggregate: `organization:${id}`,
  version,
  payload: events.OrganizationCreated.create({ organizationId: id, name: `v${version}` }),
});
const eventId = (id: number, version = 1) => `organization.created/organization:${id}:${version}`;

function emit(node: Running, ...many: ReturnType<typeof created>[]): Promise<void> {
  return transaction(node.database, async (session) => {
    for (const event of many) await node.emit(session, event);
  });
}

/** Handlers whose effect is a row in the consumer's own database, where it can be counted. */
function effectsOf(node: Running, before: (id: string) => Promise<void> | void = () => undefined) {
  const collection = node.database.connection.collection('effects');
  return {
    'organization.created': {
      on: async (event) => {
        await before(event.id);
        return async (session) => {
          await collection.insertOne({ event: event.id, requestId: currentRequestId() }, { session });
        };
      },
      giveUp: async (event, error, session) => {
        await collection.insertOne({ gaveUp: event.id, reason: error.message }, { session });
      },
    },
  } satisfies EventHandlers;
}

async function listEffects(env: ServiceEnv, name = 'sample'): Promise<Record<string, unknown>[]> {
  return findStored(env.INTAKE_MONGODB_URL as string, `${env.INTAKE_MONGODB_PREFIX}_${name}`, 'effects');
}
const effectIds = async (env: ServiceEnv, name?: string) => (await listEffects(env, name)).map(({ event }) => event);

async function waitForEffects(env: ServiceEnv, count: number, name?: string): Promise<unknown[]> {
  return waitFor(
    `${count} effects`,
    async () => {
      const ids = await effectIds(env, name);
      if (ids.length < count) throw new Error(`there are ${ids.length}`);
      return ids;
    },
    { timeoutMs: 40_000 },
  );
}

/** Everything delivered is acted on: nothing waits and nothing is in work. */
async function waitForQuiet(node: Running, durable: string): Promise<void> {
  await waitFor('the consumer to have nothing left', async () => {
    const manager = await node.bus.ensureStreams();
    const info = await manager.consumers.info(node.bus.streamName('events'), durable);
    return info.num_pending === 0 && info.num_ack_pending === 0;
  });
}

async function publishRaw(node: Running, data: string, id: string, extra: Record<string, string> = {}): Promise<void> {
  const h = headers();
  for (const [key, value] of Object.entries({ 'Intake-Aggregate': 'raw:1', ...extra })) h.set(key, value);
  await (await node.bus.jetstream()).publish(node.bus.subjectOf('organization.created'), data, {
    headers: h,
    msgID: id,
  });
}

async function readMetric(node: Running, name: string, labels: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${node.service.opsPort}/metrics`)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${name}{`) && one.includes(labels));
  return line ? Number(line.split(' ').pop()) : 0;
}

describe('an event', () => {
  it('goes from the outbox of one service to the database of another, with its request id and trace', async () => {
    const receiver = await receiveTraces();
    const env = newEnv({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint });
    const [source, target] = [await startNode('source', env), await startNode('sample', env)];
    startConsumer(target.runtime, { ...target, handlers: effectsOf(target) });
    await runInContext({ requestId: 'the-one', otel: ROOT_CONTEXT }, () => emit(source, created(1)));
    await waitForEffects(env, 1);
    expect(await listEffects(env)).toMatchObject([{ event: eventId(1), requestId: 'the-one' }]);
    await stopNode(target);
    await receiver.stop();
    expect(receiver.spans).toContainEqual(
      expect.objectContaining({ name: 'consume organization.created', attributes: { 'intake.request_id': 'the-one' } }),
    );
  });

  it('of which nobody made the change is not published', async () => {
    const env = newEnv();
    const node = await startNode('sample', env);
    startConsumer(node.runtime, { ...node, handlers: effectsOf(node) });
    const failing = transaction(node.database, async (session) => {
      await node.emit(session, created(1));
      throw new Error('no change');
    });
    await expect(failing).rejects.toThrow('no change');
    await emit(node, created(2));
    await waitForEffects(env, 1);
    expect(await effectIds(env)).toEqual([eventId(2)]);
  });

  it('takes effect once, however often it is published and delivered', async () => {
    const env = newEnv();
    const node = await startNode('sample', env);
    let calls = 0;
    startConsumer(node.runtime, {
      ...node,
      handlers: effectsOf(node, () => {
        calls += 1;
        if (calls === 1) throw new Error('once more, please');
      }),
    });
    await emit(node, created(1));
    await waitForEffects(env, 1);
    // The stream's own window of duplicates is made short, then the relay believes that the bus lost everything.
    const manager = await node.bus.ensureStreams();
    const stream = node.bus.streamName('events');
    const { config } = await manager.streams.info(stream);
    await manager.streams.update(stream, { ...config, duplicate_window: nanos(100) });
    await waitFor('two copies in the stream', async () => {
      await node.outbox.markUnsentSince(new Date(0));
      await waitFor('the row to be published again', async () => (await node.outbox.findUnsent(1)).length === 0);
      return (await manager.streams.info(stream)).state.messages >= 3;
    });
    await waitForQuiet(node, 'sample');
    expect(await effectIds(env)).toEqual([eventId(1)]);
    expect(await readMetric(node, 'intake_bus_events_total', 'outcome="repeated"')).toBeGreaterThanOrEqual(2);
    expect(calls).toBe(2);
  });

  it('is acted on again when the process dies in the middle, and takes effect once', async () => {
    const mongo = await startMongo();
    servers.push(mongo);
    const env = newEnv({ INTAKE_MONGODB_URL: mongo.url });
    const source = await startNode('source', env);
    const { child, next } = await startChild('consume', env);
    await emit(source, created(1));
    expect(await next('event')).toEqual({ event: eventId(1) });
    child.kill('SIGKILL');
    await waitFor('its end', () => child.signalCode === 'SIGKILL');
    expect(await effectIds(env)).toEqual([]); // what it had written was never committed
    const node = await startNode('sample', env);
    startConsumer(node.runtime, { ...node, delays: { lost: LOST_MS }, handlers: effectsOf(node) });
    expect(await waitForEffects(env, 1)).toEqual([eventId(1)]);
  });

  it('of one aggregate comes after the one before it, although others overtake', async () => {
    const env = newEnv();
    const node = await startNode('sample', env);
    const order: string[] = [];
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    startConsumer(node.runtime, {
      ...node,
      handlers: effectsOf(node, async (id) => {
        if (id === eventId(1, 1)) await gate;
        order.push(id);
      }),
    });
    for (let version = 1; version <= 5; version++) await emit(node, created(1, version));
    await emit(node, created(2), created(3));
    await waitFor('the others', () => order.length === 2);
    expect(order.sort()).toEqual([eventId(2), eventId(3)]);
    release();
    await waitForEffects(env, 7);
    expect(order.slice(2)).toEqual([1, 2, 3, 4, 5].map((version) => eventId(1, version)));
  });
});

describe('effects of several events', () => {
  /** Events that are all in the stream before the consumer starts, so that they come together. */
  const emitBefore = async (node: Running, ...many: ReturnType<typeof created>[]) => {
    await emit(node, ...many);
    await waitFor('the events to be published', async () => (await node.outbox.findUnsent(1)).length === 0);
  };

  it('are taken together, each in its own request, and once', async () => {
    const env = newEnv();
    const node = await startNode('sample', env);
    const collection = node.database.connection.collection('effects');
    for (const id of [1, 2, 3, 4])
      await runInContext({ requestId: `request ${id}`, otel: ROOT_CONTEXT }, () => emitBefore(node, created(id)));
    const sizes: number[] = [];
    startConsumer(node.runtime, {
      ...node,
      handlers: {
        'organization.created': {
          together: async (session, arrivals) => {
            sizes.push(arrivals.length);
            const rows = arrivals.map(({ event, within }) => ({
              event: event.id,
              requestId: within(() => currentRequestId()),
            }));
            await collection.insertMany(rows, { session });
          },
        },
      },
    });
    await waitForEffects(env, 4);
    await waitForQuiet(node, 'sample');
    expect(sizes.length).toBeLessThan(4);
    const rows = await listEffects(env);
    expect(rows.map(({ requestId }) => requestId).sort()).toEqual([1, 2, 3, 4].map((id) => `request ${id}`));
  });

  it('are taken one by one when one of them fails, and the others do not suffer', async () => {
    const env = newEnv();
    const node = await startNode('sample', env);
    const collection = node.database.connection.collection('effects');
    await emitBefore(node, ...[1, 2, 3, 4].map((id) => created(id)));
    const failed: string[] = [];
    startConsumer(node.runtime, {
      ...node,
      delays: { failures: [20, 20], away: 20 },
      handlers: {
        'organization.created': {
          on:
            ({ id }) =>
            async (session) => {
              await collection.insertOne({ event: id }, { session });
              if (id !== eventId(2)) return;
              failed.push(id);
              throw new Error('always');
            },
        },
      },
    });
    await waitFor('the dead letter', async () => (await listDeadLetters(node.bus)).length === 1);
    expect((await waitForEffects(env, 3)).sort()).toEqual([1, 3, 4].map((id) => eventId(id)));
    expect(failed.length).toBeGreaterThanOrEqual(3);
    await waitForQuiet(node, 'sample');
  });

  it('of an aggregate are never in one transaction, so that each sees the one before', async () => {
    const env = newEnv();
    const node = await startNode('sample', env);
    const collection = node.database.connection.collection<{ _id: string; version: number }>('latest');
    const many = [1, 2].flatMap((id) => [1, 2, 3].map((version) => created(id, version)));
    await emitBefore(node, ...many);
    const seen: string[] = [];
    startConsumer(node.runtime, {
      ...node,
      handlers: {
        'organization.created': {
          together: async (session, arrivals) => {
            expect(new Set(arrivals.map(({ event }) => event.aggregate)).size).toBe(arrivals.length);
            for (const { event } of arrivals) {
              const before = await collection.findOne({ _id: event.aggregate }, { session });
              seen.push(`${event.aggregate}: ${before?.version ?? 0} -> ${event.version}`);
              const change = { $set: { version: event.version } };
              await collection.updateOne({ _id: event.aggregate }, change, { upsert: true, session });
            }
          },
        },
      },
    });
    await waitFor('all of them', () => seen.length === 6);
    for (const id of [1, 2])
      expect(seen.filter((line) => line.startsWith(`organization:${id}:`))).toEqual(
        [1, 2, 3].map((version) => `organization:${id}: ${version - 1} -> ${version}`),
      );
  });
});

describe('failures', () => {
  it('are tried again by the table, then given up with a note for the user, parked, and replayed', async () => {
    const env = newEnv();
    const node = await startNode('sample', env);
    let broken = true;
    const tries: number[] = [];
    startConsumer(node.runtime, {
      ...node,
      delays: { failures: [20, 40, 80], away: 20 },
      handlers: effectsOf(node, () => {
        tries.push(Date.now());
        if (broken) throw new Error('does  not\nwork');
      }),
    });
    await emit(node, created(1));
    const [letter] = await waitFor('the dead letter', async () => {
      const letters = await listDeadLetters(node.bus);
      return letters.length > 0 && letters;
    });
    expect(tries).toHaveLength(4);
    expect(letter).toMatchObject({
      consumer: 'sample',
      eventId: eventId(1),
      subject: node.bus.subjectOf('organization.created'),
      reason: 'does not work',
    });
    expect(await listEffects(env)).toMatchObject([{ gaveUp: eventId(1), reason: 'does  not\nwork' }]);
    await waitForQuiet(node, 'sample');

    broken = false;
    await replayDeadLetter(node.bus, letter?.sequence ?? 0);
    await waitForEffects(env, 2);
    expect((await effectIds(env)).filter(Boolean)).toEqual([`${eventId(1)}#replay-${letter?.sequence}`]);
    expect(await listDeadLetters(node.bus)).toEqual([]);
  });

  it('hold up what comes after in the same aggregate, and nothing else', async () => {
    const env = newEnv();
    const node = await startNode('sample', env);
    let failures = 2;
    const seen: string[] = [];
    const sample = (version: number) =>
      ({
        subject: 'organization.created',
        aggregate: 'organization:1',
        version,
        payload: events.OrganizationCreated.create({ organizationId: 1 }),
      }) as const;
    startConsumer(node.runtime, {
      ...node,
      delays: { failures: [300, 300, 300], away: 300 },
      handlers: {
        'organization.created': {
          on: ({ aggregate, version }) => {
            if (aggregate === 'organization:1' && version === 1 && failures-- > 0) throw new Error('not yet');
            return async () => void seen.push(`${aggregate}:${version}`);
          },
        },
      },
    });
    await emit(node, sample(1), sample(2), sample(3), created(2));
    await waitFor('all of them', () => seen.length === 4);
    expect(seen).toEqual(['organization:2:1', 'organization:1:1', 'organization:1:2', 'organization:1:3']);
  });

  it('of giving up leave neither note nor dead letter, and are tried again', async () => {
    const env = newEnv();
    const node = await startNode('sample', env);
    let givenUp = 0;
    const handlers = effectsOf(node, () => {
      throw new Error('broken');
    })['organization.created'];
    startConsumer(node.runtime, {
      ...node,
      delays: { failures: [], away: 20 },
      handlers: {
        'organization.created': {
          on: handlers.on,
          giveUp: async (event, error, session) => {
            givenUp += 1;
            await handlers.giveUp(event, error, session);
            if (givenUp === 1) throw new Error('cannot even give up');
          },
        },
      },
    });
    await emit(node, created(1));
    await waitFor('the dead letter', async () => (await listDeadLetters(node.bus)).length === 1);
    expect(givenUp).toBe(2);
    expect(await listEffects(env)).toHaveLength(1);
  });

  it("that are somebody else's are never parked, and do not use up the tries", async () => {
    const env = newEnv();
    const node = await startNode('sample', env);
    class Away extends Error {}
    let calls = 0;
    startConsumer(node.runtime, {
      ...node,
      delays: { failures: [20], away: 20 },
      isAway: (error) => error instanceof Away,
      handlers: effectsOf(node, () => {
        calls += 1;
        if (calls <= 12) throw new Away('the neighbour sleeps');
        if (calls === 13) throw new Error('a mistake');
      }),
    });
    await emit(node, created(1));
    expect(await waitForEffects(env, 1)).toEqual([eventId(1)]);
    expect(calls).toBe(14);
    expect(await listDeadLetters(node.bus)).toEqual([]);
  });

  it('a message that is no event is parked at once and holds nothing up', async () => {
    const env = newEnv();
    const node = await startNode('sample', env);
    startConsumer(node.runtime, { ...node, handlers: effectsOf(node) });
    await node.bus.ensureStreams();
    await publishRaw(node, 'not json', 'strange');
    await emit(node, created(1));
    await waitForEffects(env, 1);
    const letters = await waitFor('the dead letter', async () => {
      const found = await listDeadLetters(node.bus);
      return found.length > 0 && found;
    });
    expect(letters).toMatchObject([{ eventId: 'strange', consumer: 'sample' }]);
    await waitForQuiet(node, 'sample');
  });
});

describe('a consumer that was changed', () => {
  it('hears of new subjects, and keeps its place in the stream', async () => {
    const env = newEnv();
    const before = await startNode('sample', env);
    startConsumer(before.runtime, { ...before, handlers: effectsOf(before) });
    await emit(before, created(1));
    await waitForEffects(env, 1);
    await waitForQuiet(before, 'sample');
    await stopNode(before);

    const after = await startNode('sample', env);
    const seen: string[] = [];
    const on = (event: { id: string }) => async () => void seen.push(event.id);
    startConsumer(after.runtime, { ...after, handlers: { 'organization.created': { on }, 'queue.deleted': { on } } });
    const deleted = events.QueueDeleted.create({ queueId: 5, organizationId: 1 });
    await transaction(after.database, async (session) =>
      after.emit(session, { subject: 'queue.deleted', aggregate: 'queue:5', version: 1, payload: deleted }),
    );
    await emit(after, created(2));
    await waitFor('both', () => seen.length === 2);
    expect(seen.sort()).toEqual([eventId(2), 'queue.deleted/queue:5:1']);
  });
});

describe('when NATS is away', () => {
  it('a service starts, and stops, without ever reaching it', async () => {
    const env = newEnv({ INTAKE_NATS_URL: 'nats://127.0.0.1:9' });
    const service = await runService('sample', env, async (runtime) => {
      const backbone = await connectBackbone(runtime, env);
      await createIndexes(backbone.database);
      startConsumer(runtime, {
        ...backbone,
        handlers: { 'organization.created': { on: () => async () => undefined } },
      });
    });
    const started = Date.now();
    await service.stop();
    expect(Date.now() - started).toBeLessThan(3000);
    environments.splice(0);
  });

  it('events wait in the outbox and are published when it is back', async () => {
    const nats = await startNats();
    servers.push(nats);
    const env = newEnv({ INTAKE_NATS_URL: nats.url });
    environments.splice(0);
    const node = await startNode('sample', env);
    startConsumer(node.runtime, { ...node, handlers: effectsOf(node) });
    await emit(node, created(1));
    await waitForEffects(env, 1);
    await nats.kill();
    await emit(node, created(2), created(3));
    await waitFor('two events to wait', async () => (await node.outbox.findUnsent(10)).length === 2);
    await nats.restart();
    expect(new Set(await waitForEffects(env, 3))).toEqual(new Set([1, 2, 3].map((id) => eventId(id))));
    await waitFor('the lag to be over', async () => (await readMetric(node, 'intake_outbox_lag_seconds', '')) === 0);
  });

  it('and its data are deleted, what was not done arrives and what was done is not repeated', async () => {
    const nats = await startNats();
    servers.push(nats);
    const env = newEnv({ INTAKE_NATS_URL: nats.url });
    environments.splice(0);
    const [source, node] = [await startNode('source', env), await startNode('sample', env)];
    let blocked = true;
    const acted: string[] = [];
    startConsumer(node.runtime, {
      ...node,
      handlers: effectsOf(node, (id) => {
        acted.push(id);
        if (blocked && id !== eventId(1)) throw new Error('not now');
      }),
    });
    await emit(source, created(1));
    await waitForEffects(env, 1);
    await waitForQuiet(node, 'sample');
    acted.length = 0;
    await emit(source, ...[2, 3, 4].map((id) => created(id)));
    await waitFor('the others to be delivered in vain', () => new Set(acted).size === 3);
    await waitFor('the outbox to be empty', async () => (await source.outbox.findUnsent(10)).length === 0);

    await nats.kill();
    nats.wipe();
    blocked = false;
    await nats.restart();
    const ids = await waitForEffects(env, 4);
    expect([...ids].sort()).toEqual([1, 2, 3, 4].map((id) => eventId(id)));
    await waitForQuiet(node, 'sample');
    expect(await effectIds(env)).toHaveLength(4);
    expect(acted).not.toContain(eventId(1));
  });

  it('only as a stream that somebody deleted, the consumer and the relay go on', async () => {
    const env = newEnv();
    const [source, node] = [await startNode('source', env), await startNode('sample', env)];
    startConsumer(node.runtime, { ...node, handlers: effectsOf(node) });
    await emit(source, created(1));
    await waitForEffects(env, 1);
    const manager = await node.bus.ensureStreams();
    await manager.streams.delete(node.bus.streamName('events'));
    await emit(source, created(2));
    expect(new Set(await waitForEffects(env, 2))).toEqual(new Set([eventId(1), eventId(2)]));
  });

  it('a consumer waits without turning in circles', async () => {
    const nats = await startNats();
    servers.push(nats);
    const env = newEnv({ INTAKE_NATS_URL: nats.url });
    environments.splice(0);
    const node = await startNode('sample', env);
    startConsumer(node.runtime, { ...node, handlers: effectsOf(node) });
    await emit(node, created(1));
    await waitForEffects(env, 1);
    await nats.kill();
    const before = process.cpuUsage();
    const started = Date.now();
    await waitFor('three seconds', () => Date.now() - started > 3000);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(1500);
    await nats.restart();
    await emit(node, created(2));
    await waitForEffects(env, 2);
  });
});

describe('when NATS is a cluster', () => {
  async function connectTo(count: number) {
    const cluster = await startNatsCluster(count);
    servers.push(cluster);
    const env = newEnv({ INTAKE_NATS_URL: cluster.url });
    environments.splice(0);
    const { bus } = await startNode('sample', env);
    const manager = await waitFor('streams to be made', () => bus.ensureStreams());
    const find = async () => (await manager.streams.info(bus.streamName('events'))).config;
    return { bus, manager, find };
  }

  it('of three servers, streams have three replicas, also those that had fewer', async () => {
    const { bus, manager, find } = await connectTo(3);
    const config = await find();
    expect(config.num_replicas).toBe(3);
    await manager.streams.update(config.name, { ...config, num_replicas: 1 });
    await bus.ensureStreams();
    expect((await find()).num_replicas).toBe(3);
  });

  it('of two servers, streams have one replica', async () => {
    const { find } = await connectTo(2);
    expect((await find()).num_replicas).toBe(1);
  });
});

describe('when MongoDB is away', () => {
  it('events are kept by the bus, tried again and not parked', async () => {
    const mongo = await startMongo();
    servers.push(mongo);
    const env = newEnv();
    const own = { ...env, INTAKE_MONGODB_URL: mongo.url };
    const [source, node] = [await startNode('source', env), await startNode('sample', own)];
    let failures = 0;
    startConsumer(node.runtime, {
      ...node,
      delays: { failures: [], away: 200 },
      isAway: (error) => {
        if (!isMongoUnavailable(error)) failures += 1;
        return false;
      },
      handlers: effectsOf(node),
    });
    await emit(source, created(1));
    await waitForEffects(own, 1);
    await mongo.kill();
    await emit(source, created(2));
    await waitFor('a try that failed', () => readMetric(node, 'intake_bus_events_total', 'outcome="retried"'));
    await mongo.restart();
    expect(new Set(await waitForEffects(own, 2))).toEqual(new Set([eventId(1), eventId(2)]));
    expect(failures).toBe(0);
    expect(await listDeadLetters(source.bus)).toEqual([]);
  });
});

describe('relay', () => {
  it('is handed over when its holder is killed', async () => {
    const env = newEnv();
    const { child } = await startChild('relay', env);
    const node = await startNode('sample', env);
    startConsumer(node.runtime, { ...node, handlers: effectsOf(node) });
    await emit(node, created(1));
    await waitForEffects(env, 1);
    child.kill('SIGKILL');
    await emit(node, created(2));
    expect(await waitForEffects(env, 2)).toHaveLength(2);
  });

  it('of the other replicas only looks now and then for its turn, however many events they tell the holder of', async () => {
    const env = newEnv();
    await startChild('relay', env);
    const node = await startNode('sample', env);
    startConsumer(node.runtime, { ...node, handlers: effectsOf(node) });
    const { db } = node.database.connection;
    await db?.command({ profile: 2 });
    const started = Date.now();
    for (let id = 1; id <= 30; id++) {
      await emit(node, created(id));
      await waitForEffects(env, id);
    }
    await db?.command({ profile: 0 });
    const looks = await db?.collection('system.profile').countDocuments({ 'command.findAndModify': 'leases' });
    const seconds = (Date.now() - started) / 1000;
    expect(looks).toBeLessThanOrEqual(seconds + 2);
  });

  it('publishes the versions of an aggregate in order, also out of a long outbox', async () => {
    const env = newEnv();
    const node = await startNode('sample', env);
    const many = Array.from({ length: 500 }, (_, i) => created(i % 5, Math.floor(i / 5) + 1));
    await emit(node, ...many);
    await waitFor('the outbox to be empty', async () => (await node.outbox.findUnsent(1)).length === 0);
    const nats = await connect({ servers: env.INTAKE_NATS_URL as string });
    const consumer = await nats.jetstream().consumers.get(node.bus.streamName('events'));
    const versions = new Map<string, number[]>();
    let count = 0;
    for await (const message of await consumer.fetch({ max_messages: 500, expires: 5000 })) {
      const aggregate = message.headers?.get('Intake-Aggregate') ?? '';
      versions.set(aggregate, [...(versions.get(aggregate) ?? []), Number(message.headers?.get('Intake-Version'))]);
      count += 1;
    }
    await nats.close();
    expect(count).toBe(500);
    for (const own of versions.values()) expect(own).toEqual(Array.from({ length: 100 }, (_, i) => i + 1));
  });
});

describe('work queue', () => {
  const ticket = (id: number) => ({
    subject: 'jobs.extraction' as const,
    aggregate: `annotation:${id}`,
    version: 1,
    payload: events.ExtractionTicket.create({ annotationId: id }),
  });
  const order = (node: Running, id: number) =>
    transaction(node.database, async (session) => node.emit(session, ticket(id)));
  const depth = async (node: Running) => {
    const manager = await node.bus.ensureStreams();
    return (await manager.streams.info(node.bus.streamName('jobs'))).state.messages;
  };

  it('gives each ticket to one worker, again after a failure or when it is not used up, and is empty at the end', async () => {
    const env = newEnv();
    const [one, two] = [await startNode('sample', env), await startNode('sample', env)];
    const done: number[] = [];
    let failures = 0;
    let putOff = 0;
    for (const node of [one, two])
      startWorkers(node.runtime, node.bus, 'jobs.extraction', 2, async ({ payload }) => {
        if (payload.annotationId === 3 && failures === 0) {
          failures += 1;
          throw new Error('try again');
        }
        if (payload.annotationId === 5 && putOff === 0) {
          putOff += 1;
          return false;
        }
        done.push(payload.annotationId);
        return true;
      });
    for (let id = 1; id <= 10; id++) await order(one, id);
    await waitFor('all tickets', () => done.length === 10);
    expect(done.sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect([failures, putOff]).toEqual([1, 1]);
    await waitFor('the queue to be empty', async () => (await depth(one)) === 0);
  });

  it('gives a ticket to another when its worker dies', async () => {
    const env = newEnv();
    const { child, next } = await startChild('work', env);
    const node = await startNode('sample', env);
    await order(node, 7);
    expect(await next('ticket')).toEqual({ ticket: 7 });
    child.kill('SIGKILL');
    const done: number[] = [];
    startWorkers(
      node.runtime,
      node.bus,
      'jobs.extraction',
      1,
      async ({ payload }) => done.push(payload.annotationId) > 0,
      LOST_MS,
    );
    await waitFor('the ticket', () => done.length > 0, { timeoutMs: 45_000 });
    expect(done).toEqual([7]);
    await waitFor('the queue to be empty', async () => (await depth(node)) === 0);
  });

  it('a stop lets the work in hand end', async () => {
    const env = newEnv();
    const node = await startNode('sample', env);
    let started = false;
    let finish: () => void = () => undefined;
    let ended = false;
    startWorkers(node.runtime, node.bus, 'jobs.extraction', 1, async () => {
      started = true;
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      ended = true;
      return true;
    });
    await order(node, 1);
    await waitFor('the work', () => started);
    const stopped = stopNode(node);
    finish();
    await stopped;
    expect(ended).toBe(true);
  });
});

it('a NATS without JetStream is named as what it is', async () => {
  const [port] = await freePorts(1);
  const logFile = join(tmpdir(), `intake-nats-plain-${port}.log`);
  const args = ['-a', '127.0.0.1', '-p', String(port)];
  const nats = startProgram(readTestVariable('INTAKE_TEST_NATS_SERVER'), args, { logFile });
  const runtime = createCommandRuntime('plain');
  try {
    const bus = connectBus(runtime, { url: `nats://127.0.0.1:${port}`, prefix: 'plain' });
    await expect(bus.ensureStreams()).rejects.toThrow(/its JetStream does not/);
  } finally {
    await runtime.stop();
    await nats.stop();
    rmSync(logFile, { force: true });
  }
});
