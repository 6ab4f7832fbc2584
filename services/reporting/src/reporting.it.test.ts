import { connectBackbone, type Subject } from '@intake/bus';
import { events, queue, reporting } from '@intake/contracts';
import { createIndexes, transaction } from '@intake/mongo';
import { type Caller, connectRpc, serveRpc } from '@intake/rpc';
import { type RunningService, runService } from '@intake/service';
import { dropTestData, findStored, freePorts, serviceEnv, waitFor } from '@intake/testkit';
import { start } from './main';

const { getQueues } = queue.QueueServiceService;
const day = (text: string) => new Date(`${text}T12:00:00Z`);
const caller: Caller = {
  kind: 'user',
  organizationId: 1,
  userId: 1,
  username: 'admin',
  roles: ['admin'],
  queueIds: 'all',
};

let env: Record<string, string>;
let publisher: RunningService;
let service: RunningService;
let emit: (changes: readonly events.AnnotationChanged[]) => Promise<void>;
let client: ReturnType<typeof connectRpc<typeof reporting.ReportingServiceService>>;
let eventNumber = 0;

beforeAll(async () => {
  const [queuePort, reportingPort] = await freePorts(2);
  const shared = serviceEnv();
  env = { ...shared, INTAKE_RPC_PORT: String(reportingPort), INTAKE_QUEUE_ADDRESS: `127.0.0.1:${queuePort}` };
  const secret = shared.INTAKE_RPC_SECRET ?? '';
  publisher = await runService('annotation', shared, async (runtime) => {
    const backbone = await connectBackbone(runtime, shared);
    await createIndexes(backbone.database);
    // Each event has an aggregate of its own, so that the bus neither orders nor de-duplicates them.
    emit = (changes) =>
      transaction(backbone.database, async (session) => {
        for (const payload of changes) {
          eventNumber += 1;
          const subject = `annotation.${payload.status}` as Extract<Subject, 'annotation.exported'>;
          await backbone.emit(session, { subject, aggregate: `annotation:${eventNumber}`, version: 1, payload });
        }
      });
    await serveRpc(runtime, {
      definition: { getQueues },
      proto: 'intake/queue/v1/queue.proto',
      host: '127.0.0.1',
      port: queuePort ?? 0,
      secret,
      handlers: {
        getQueues: async ({ ids }) =>
          queue.GetQueuesResponse.fromPartial({ queues: ids.map((id) => ({ id, workspaceId: id < 30 ? 2 : 5 })) }),
      },
    });
    client = connectRpc(runtime, reporting.ReportingServiceService, `127.0.0.1:${reportingPort}`, { secret });
  });
  service = await start(env);
});

afterAll(async () => {
  await service?.stop();
  await publisher?.stop();
  if (env) await dropTestData(env);
});

const change = (annotationId: number, version: number, status: string, rest: Partial<events.AnnotationChanged> = {}) =>
  events.AnnotationChanged.fromPartial({
    annotationId,
    organizationId: 1,
    queueId: 20,
    version,
    status,
    at: day('2025-01-31'),
    arrivedAt: day('2025-01-10'),
    ...rest,
  });
const confirmedAt = day('2025-01-20');
const exportedAt = day('2025-02-03');

/** Two exported by user 7, one of them in another workspace; one rejected by hand, one by a rule; one deleted; one foreign. */
const CHANGES = [
  change(1, 1, 'importing'),
  change(1, 2, 'to_review'),
  change(1, 3, 'exporting', { modifierId: 7, confirmedAt }),
  change(1, 4, 'exported', { modifierId: 7, confirmedAt, exportedAt }),
  change(2, 1, 'importing', { queueId: 30 }),
  change(2, 2, 'exported', { queueId: 30, modifierId: 7, confirmedAt, exportedAt }),
  change(3, 1, 'importing'),
  change(3, 2, 'rejected', { modifierId: 8 }),
  change(3, 3, 'deleted', { modifierId: 8, at: day('2025-02-01') }),
  change(4, 1, 'importing'),
  change(4, 2, 'rejected', { automaticallyRejected: true }),
  change(5, 1, 'importing', { organizationId: 2 }),
  change(6, 1, 'confirmed', { modifierId: 8, confirmedAt }),
];
const VERSIONS = { 1: 4, 2: 2, 3: 3, 4: 2, 5: 1, 6: 1 };

const report = (request: Partial<reporting.UsageReportRequest> = {}, as = caller) =>
  client.usageReport(
    reporting.UsageReportRequest.fromPartial({ begin: day('2025-01-01'), end: day('2025-03-01'), ...request }),
    as,
  );
const readStored = (collection: string) =>
  findStored(env.INTAKE_MONGODB_URL ?? '', `${env.INTAKE_MONGODB_PREFIX}_reporting`, collection);

it('makes one fact per annotation of events in the wrong order, repeated, and missed while it was down', async () => {
  const half = CHANGES.filter((_, i) => i % 2 === 1);
  await emit(half.toReversed());
  await service.stop();
  await emit(CHANGES.toReversed());
  service = await start(env);
  await waitFor('all events', async () => (await readStored('inbox')).length === half.length + CHANGES.length);
  const facts = await readStored('facts');
  expect(Object.fromEntries(facts.map(({ _id, version }) => [_id, version]))).toEqual(VERSIONS);
});

it('counts each thing once, by its own date', async () => {
  expect((await report()).totals).toEqual({
    importedCount: 5,
    confirmedCount: 3,
    exportedCount: 2,
    exportedOnTimeCount: 0,
    exportedLateCount: 2,
    turnaroundS: 48 * 86_400,
    timeOverallS: 0,
    timeActiveS: 0,
    rejectedCount: 2,
    rejectedAutomaticallyCount: 1,
    rejectedManuallyCount: 1,
    deletedCount: 1,
  });
  const january = await report({ end: day('2025-02-01') });
  expect(january.totals).toMatchObject({ importedCount: 5, confirmedCount: 1, exportedCount: 0, deletedCount: 0 });
  expect((await report({ begin: exportedAt })).totals).toMatchObject({ importedCount: 0, exportedCount: 2 });
  expect((await report({ begin: exportedAt, beginExclusive: true })).totals).toMatchObject({ exportedCount: 0 });
  expect((await report({ end: exportedAt })).totals).toMatchObject({ exportedCount: 0 });
});

it('groups by user, workspace and month', async () => {
  const { series } = await report({ groupBy: ['user', 'workspace', 'month'] });
  const brief = series.map(({ beginDate, endDate, workspaceId, userId, queueId, values }) => [
    `${beginDate}..${endDate}`,
    workspaceId,
    userId,
    queueId,
    Object.entries(values ?? {}).filter(([, count]) => count > 0),
  ]);
  const january = '2025-01-01..2025-02-01';
  const february = '2025-02-01..2025-03-01';
  expect(brief).toEqual([
    [
      january,
      2,
      undefined,
      undefined,
      [
        ['importedCount', 4],
        ['rejectedCount', 1],
        ['rejectedAutomaticallyCount', 1],
      ],
    ],
    [
      january,
      2,
      8,
      undefined,
      [
        ['confirmedCount', 1],
        ['rejectedCount', 1],
        ['rejectedManuallyCount', 1],
      ],
    ],
    [january, 5, undefined, undefined, [['importedCount', 1]]],
    [
      february,
      2,
      7,
      undefined,
      [
        ['confirmedCount', 1],
        ['exportedCount', 1],
        ['exportedLateCount', 1],
        ['turnaroundS', 24 * 86_400],
      ],
    ],
    [february, 2, 8, undefined, [['deletedCount', 1]]],
    [
      february,
      5,
      7,
      undefined,
      [
        ['confirmedCount', 1],
        ['exportedCount', 1],
        ['exportedLateCount', 1],
        ['turnaroundS', 24 * 86_400],
      ],
    ],
  ]);
});

it('starts weeks on Monday', async () => {
  const { series } = await report({ groupBy: ['week'], queueIds: [30] });
  expect(series.map(({ beginDate, endDate }) => [beginDate, endDate])).toEqual([
    ['2025-01-06', '2025-01-13'],
    ['2025-02-03', '2025-02-10'],
  ]);
});

it('filters by user, but not the imports', async () => {
  expect((await report({ userIds: [8] })).totals).toMatchObject({
    importedCount: 5,
    exportedCount: 0,
    rejectedCount: 1,
    deletedCount: 1,
  });
});

it('shows only the organization and the queues of the caller', async () => {
  const foreign = { ...caller, organizationId: 2 };
  expect((await report({}, foreign)).totals).toMatchObject({ importedCount: 1, exportedCount: 0 });
  const manager = { ...caller, roles: ['manager'], queueIds: [30] };
  expect((await report({}, manager)).totals).toMatchObject({ importedCount: 1, exportedCount: 1, rejectedCount: 0 });
  expect((await report({ queueIds: [20] }, manager)).totals).toMatchObject({ importedCount: 0, exportedCount: 0 });
});

it('refuses groups it does not know', async () => {
  await expect(report({ groupBy: ['year'] })).rejects.toMatchObject({
    reason: 'INVALID',
    fields: { group_by: { 0: ['"year" is not a valid choice.'] } },
  });
});
