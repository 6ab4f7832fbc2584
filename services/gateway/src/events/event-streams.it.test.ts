import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { type Bus, connectBus } from '@intake/bus';
import { events } from '@intake/contracts';
import { type Caller, Refusal } from '@intake/rpc';
import { type RunningService, runService } from '@intake/service';
import { dropTestData, serviceEnv, waitFor } from '@intake/testkit';
import { apiUrls } from '@intake/urls';
import { createEventStreams, type EventStreams } from './event-streams';

/** What clients that do not read cost; all else is told by test/api/events.test.ts. */

const USER_ID = 7;
const CALLER: Caller = {
  kind: 'user',
  organizationId: 1,
  userId: USER_ID,
  username: 'jane',
  roles: ['annotator'],
  queueIds: 'all',
};

const env = serviceEnv();
let service: RunningService;
let streams: EventStreams;
let bus: Bus;

beforeAll(async () => {
  service = await runService('gateway', env, async (runtime) => {
    bus = connectBus(runtime, { url: env.INTAKE_NATS_URL!, prefix: env.INTAKE_NATS_PREFIX! });
    streams = createEventStreams(runtime, bus);
  });
  await (await bus.connected()).flush();
});
afterAll(async () => {
  streams.close();
  await service.stop();
  await dropTestData(env);
});

const open = (identify = async () => CALLER): Readable =>
  streams.open({ caller: CALLER, urls: apiUrls('http://intake.example/api/v1'), lastEventId: undefined, identify });
const changed = events.AnnotationContentChanged.fromPartial({
  ...{ annotationId: 3, organizationId: 1, queueId: 4, reviewerId: USER_ID },
});
/** Tells as many changes on the bus, and waits until NATS has them all. */
const say = async (count: number): Promise<void> => {
  const nats = await bus.connected();
  const payload = JSON.stringify(events.AnnotationContentChanged.toJSON(changed));
  for (let at = 0; at < count; at++) nats.publish(bus.subjectOf('annotation.content_changed'), payload);
  await nats.flush();
};

it('cuts off who does not read what waits for it, and nobody else', async () => {
  const [idle, reader] = [open(), open()];
  const problems: Error[] = [];
  idle.on('error', (error) => problems.push(error));
  const cut = once(idle, 'close');
  let heard = 0;
  reader.on('data', (chunk: Buffer) => {
    heard += chunk.toString().split('event: content').length - 1;
  });
  let said = 0;
  while (!idle.destroyed && said < 5000) {
    await say(100);
    said += 100;
  }
  await cut;
  await waitFor('the reader has heard all', () => heard === said);
  expect(idle.readableLength).toBeLessThan(512 * 1024);
  expect(problems).toEqual([]);
  expect(reader.destroyed).toBe(false);
  reader.destroy();
});

it('closes who does not read when its credentials are not good any more', async () => {
  let wasAsked: (() => void) | undefined;
  const asked = new Promise<void>((resolve) => {
    wasAsked = resolve;
  });
  const stream = open(async () => {
    wasAsked?.();
    throw new Refusal('INVALID_TOKEN');
  });
  const problems: Error[] = [];
  stream.on('error', (error) => problems.push(error));
  const closed = once(stream, 'close');
  streams.checkUser(USER_ID);
  await asked;
  await say(1);
  await closed;
  expect(problems).toEqual([]);
});
