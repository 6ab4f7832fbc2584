import { connectBackbone, type Subject } from '@intake/bus';
import { annotation, events, queue, reporting } from '@intake/contracts';
import { createIndexes, transaction } from '@intake/mongo';
import { type Caller, connectRpc, serveRpc, systemCaller } from '@intake/rpc';
import { type RunningService, runService } from '@intake/service';
import { dropTestData, findStored, freePorts, removeStored, serviceEnv, waitFor } from '@intake/testkit';
import { start } from './main';

const { getQueues, getSchema } = queue.QueueServiceService;
const { streamStateChanges } = annotation.AnnotationServiceService;
/** What the annotation service knows when it is asked for everything. */
let history: readonly annotation.StateChange[] = [];
const SCHEMA = [
  {
    category: 'section',
    id: 's',
    label: 'S',
    children: ['number', 'total'].map((id) => ({ category: 'datapoint', id, label: id, type: 'string' })),
  },
];
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
let seed = 1;

beforeAll(async () => {
  const [queuePort, reportingPort] = await freePorts(2);
  const shared = serviceEnv();
  env = {
    ...shared,
    INTAKE_RPC_PORT: String(reportingPort),
    INTAKE_QUEUE_ADDRESS: `127.0.0.1:${queuePort}`,
    INTAKE_ANNOTATION_ADDRESS: `127.0.0.1:${queuePort}`,
  };
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
      definition: { getQueues, getSchema, streamStateChanges },
      proto: 'intake/queue/v1/queue.proto',
      host: '127.0.0.1',
      port: queuePort ?? 0,
      secret,
      handlers: {
        getQueues: async ({ ids }) =>
          queue.GetQueuesResponse.fromPartial({ queues: ids.map((id) => ({ id, workspaceId: id < 30 ? 2 : 5 })) }),
        getSchema: async ({ id }) => queue.Schema.fromPartial({ id, contentJson: JSON.stringify(SCHEMA) }),
        async *streamStateChanges() {
          yield* history;
        },
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
    correctedCount: 0,
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

describe('5,000 random annotations', () => {
  const MANY = 5000;
  const ORGANIZATION = 77;
  const as = { ...caller, organizationId: ORGANIZATION };
  const lives = Array.from({ length: MANY }, (_, i) => makeLife(10_000 + i, ORGANIZATION));
  const readFacts = async () => (await readStored('facts')).filter((fact) => fact.organizationId === ORGANIZATION);

  /** Every number, counted one annotation after the other. */
  const countDirectly = ({ userIds = [], queueIds = [], begin, end }: Partial<reporting.UsageReportRequest>) => {
    const isIn = (at: Date | undefined): at is Date => at !== undefined && at >= (begin as Date) && at < (end as Date);
    const totals = reporting.Metrics.fromPartial({});
    for (const { state, rejectedAt, deletedAt } of lives) {
      if (queueIds.length > 0 && !queueIds.includes(state.queueId)) continue;
      if (isIn(state.arrivedAt)) totals.importedCount += 1;
      if (userIds.length > 0 && !userIds.includes(state.modifierId ?? 0)) continue;
      if (state.confirmedAt && isIn(state.exportedAt ?? state.confirmedAt)) totals.confirmedCount += 1;
      if (isIn(rejectedAt)) {
        totals.rejectedCount += 1;
        totals[state.automaticallyRejected ? 'rejectedAutomaticallyCount' : 'rejectedManuallyCount'] += 1;
      }
      if (isIn(deletedAt)) totals.deletedCount += 1;
      if (!isIn(state.exportedAt)) continue;
      const turnaroundS = (state.exportedAt.getTime() - (state.arrivedAt as Date).getTime()) / 1000;
      totals.exportedCount += 1;
      totals[turnaroundS < 86_400 ? 'exportedOnTimeCount' : 'exportedLateCount'] += 1;
      totals.turnaroundS += turnaroundS;
      totals.timeOverallS += state.timeOverallS;
      totals.timeActiveS += state.timeActiveS;
      for (const field of state.fields) totals.correctedCount += field.correctedCount;
    }
    return totals;
  };
  const REQUESTS: Partial<reporting.UsageReportRequest>[] = [
    { begin: day('2024-01-01'), end: day('2026-01-01') },
    { begin: day('2025-03-10'), end: day('2025-06-02') },
    { begin: day('2025-01-01'), end: day('2025-12-31'), userIds: [1, 3] },
    { begin: day('2025-02-01'), end: day('2025-09-30'), queueIds: [21, 40], userIds: [2] },
  ];
  const check = async () => {
    for (const request of REQUESTS) {
      const { totals } = await report(request, as);
      expect(totals).toEqual(countDirectly(request));
      expect(totals?.exportedCount).toBeGreaterThan(0);
      const { series } = await report({ ...request, groupBy: ['user', 'queue', 'week'] }, as);
      const sum = (key: keyof reporting.Metrics) => series.reduce((all, { values }) => all + (values?.[key] ?? 0), 0);
      for (const [key, count] of Object.entries(totals ?? {})) expect(sum(key as keyof reporting.Metrics)).toBe(count);
      const corrected = series.flatMap(({ fields }) => fields).reduce((all, field) => all + field.correctedCount, 0);
      expect(corrected).toBe(totals?.correctedCount);
    }
  };

  const byId = (facts: readonly { _id?: unknown }[]) => [...facts].sort((a, b) => Number(a._id) - Number(b._id));
  const forget = (filter: Record<string, unknown>) =>
    removeStored(env.INTAKE_MONGODB_URL ?? '', `${env.INTAKE_MONGODB_PREFIX}_reporting`, 'facts', filter);
  const rebuild = () => client.rebuild({}, systemCaller('cli'), { timeoutMs: 60_000 });

  it('are counted as one counts them directly, from their history', async () => {
    history = lives.flatMap(({ changes }) => changes.toReversed());
    await expect(client.rebuild({}, as)).rejects.toMatchObject({ reason: 'PERMISSION_DENIED' });
    expect(await rebuild()).toEqual({ annotations: MANY });
    await check();
  });

  it('come to the same by events, in whatever order', async () => {
    const before = await readFacts();
    const some = lives.slice(0, 300);
    await forget({ _id: { $in: some.map(({ state }) => state.annotationId) } });
    expect((await report(REQUESTS[0], as)).totals).not.toEqual(countDirectly(REQUESTS[0] ?? {}));
    await emit(shuffled(some.flatMap(({ changes }) => changes)));
    const versions = lives.reduce((sum, { state }) => sum + state.version, 0);
    const isThere = async () => (await readFacts()).reduce((sum, { version }) => sum + Number(version), 0) === versions;
    await waitFor('the last events', isThere, { timeoutMs: 60_000 });
    await waitFor('all events', async () => {
      expect(byId(await readFacts())).toEqual(byId(before));
      return true;
    });
    await check();
  }, 90_000);

  it('come to the same when they are made anew, and what is gone from everywhere else stays', async () => {
    const before = await readFacts();
    const gone = before[0]?._id as number;
    history = history.filter(({ annotationId }) => annotationId !== gone);
    await forget({ _id: { $ne: gone } });
    expect(await rebuild()).toEqual({ annotations: MANY - 1 });
    expect(byId(await readFacts())).toEqual(byId(before));
  });
});

/** The same numbers at every run. */
function random(below: number): number {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
  return Math.floor((seed / 0x80000000) * below);
}

function shuffled<T>(things: readonly T[]): T[] {
  return things
    .map((thing) => ({ thing, place: random(1_000_000) }))
    .sort((a, b) => a.place - b.place)
    .map(({ thing }) => thing);
}

/** What may have happened to an annotation, what it is in the end, and when it was last rejected and deleted. */
function makeLife(annotationId: number, organizationId: number) {
  let at = Date.UTC(2025, 0, 1) + random(300 * 86_400) * 1000;
  let rejectedAt: Date | undefined;
  let deletedAt: Date | undefined;
  const changes: events.AnnotationChanged[] = [];
  let state = events.AnnotationChanged.fromPartial({
    ...{ annotationId, organizationId, version: 0, queueId: 20 + random(30) },
    arrivedAt: new Date(at),
  });
  const enter = (status: string, more: Partial<events.AnnotationChanged> = {}) => {
    at += random(80_000) * 1000;
    state = { ...state, fields: [], ...more, status, version: state.version + 1, at: new Date(at) };
    changes.push(state);
  };
  const byUser = () => ({ modifierId: 1 + random(4), timeOverallS: random(1000), timeActiveS: random(500) });
  enter('importing');
  enter('to_review');
  if (random(3) === 0) {
    enter('rejected', { automaticallyRejected: random(2) === 0, ...byUser() });
    rejectedAt = new Date(at);
    if (random(2) === 0) enter('to_review');
  }
  if (state.status === 'to_review' && random(3) > 0) {
    enter('exporting', { ...byUser(), confirmedAt: new Date(at) });
    const fields = ['number', 'total'].map((schemaId) => ({
      ...{ schemaId, totalCount: 1 + random(3), correctedCount: random(2), timeSpentS: random(100) },
    }));
    if (random(5) > 0) enter('exported', { exportedAt: new Date(at), schemaId: 1 + random(3), fields });
  }
  const exportedFields = state.fields;
  if (random(6) === 0) {
    enter('deleted', byUser());
    deletedAt = new Date(at);
  }
  return { changes, state: { ...state, fields: exportedFields }, rejectedAt, deletedAt };
}
