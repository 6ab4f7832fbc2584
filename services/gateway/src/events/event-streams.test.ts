import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { Bus } from '@intake/bus';
import { events } from '@intake/contracts';
import { type Caller, Refusal } from '@intake/rpc';
import { type RunningService, runService } from '@intake/service';
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

let service: RunningService;
let streams: EventStreams;
let say: (changed: events.AnnotationContentChanged) => void;

beforeAll(async () => {
  const handlers = new Map<string, (event: unknown, again: boolean) => void>();
  const listen: Bus['listen'] = (subject, handle) => void handlers.set(subject, handle as never);
  service = await runService('gateway', { INTAKE_OPS_PORT: '0', INTAKE_LOG_LEVEL: 'fatal' }, async (runtime) => {
    streams = createEventStreams(runtime, { listen, online: true, reconnects: 0 } as unknown as Bus);
    say = (changed) => handlers.get('annotation.content_changed')?.(changed, false);
  });
});
afterAll(async () => {
  streams.close();
  await service.stop();
});

const open = (identify = async () => CALLER): Readable =>
  streams.open({ caller: CALLER, urls: apiUrls('http://intake.example/api/v1'), lastEventId: undefined, identify });
const changed = events.AnnotationContentChanged.fromPartial({
  ...{ annotationId: 3, organizationId: 1, queueId: 4, reviewerId: USER_ID },
});

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
    say(changed);
    said += 1;
    if (said % 100 === 0) await new Promise(setImmediate);
  }
  await cut;
  await new Promise(setImmediate);
  expect(idle.readableLength).toBeLessThan(512 * 1024);
  expect(problems).toEqual([]);
  expect(heard).toBe(said);
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
  await new Promise(setImmediate);
  say(changed);
  await closed;
  expect(problems).toEqual([]);
});
