import { connectBackbone } from '@intake/bus';
import { annotation, events, extension, queue } from '@intake/contracts';
import { createIndexes, transaction } from '@intake/mongo';
import { type Caller, connectRpc, Refusal, serveRpc, systemCaller } from '@intake/rpc';
import { type RunningService, runService } from '@intake/service';
import { dropTestData, freePorts, serviceEnv, waitFor } from '@intake/testkit';
import { start } from './main';

const { finishExport, getAnnotations } = annotation.AnnotationServiceService;
const { getQueues, listHooks, listScheduledHooks } = queue.QueueServiceService;
const finished: { request: annotation.FinishExportRequest; caller: Caller }[] = [];
/** What the annotation service answers to the next calls; then it accepts. */
const refusals: Refusal[] = [];

let env: Record<string, string>;
let publisher: RunningService;
let service: RunningService;
let emit: (annotationId: number, version: number, eventVersion?: number) => Promise<void>;
let client: ReturnType<typeof connectRpc<typeof extension.ExtensionServiceService>>;

beforeAll(async () => {
  const [annotationPort, extensionPort] = await freePorts(2);
  const shared = serviceEnv();
  env = {
    ...shared,
    INTAKE_RPC_PORT: String(extensionPort),
    INTAKE_ANNOTATION_ADDRESS: `127.0.0.1:${annotationPort}`,
    INTAKE_QUEUE_ADDRESS: `127.0.0.1:${annotationPort}`,
  };
  const secret = shared.INTAKE_RPC_SECRET ?? '';
  publisher = await runService('annotation', shared, async (runtime) => {
    const backbone = await connectBackbone(runtime, shared);
    await createIndexes(backbone.database);
    emit = (annotationId, version, eventVersion = version) =>
      transaction(backbone.database, async (session) =>
        backbone.emit(session, {
          subject: 'annotation.exporting',
          aggregate: `annotation:${annotationId}`,
          version: eventVersion,
          payload: events.AnnotationChanged.fromPartial({
            annotationId,
            organizationId: 4,
            queueId: 3,
            version,
            status: 'exporting',
          }),
        }),
      );
    await serveRpc(runtime, {
      definition: { finishExport, getAnnotations, getQueues, listHooks, listScheduledHooks },
      proto: 'intake/annotation/v1/annotation.proto',
      host: '127.0.0.1',
      port: annotationPort ?? 0,
      secret,
      handlers: {
        // A queue without extensions.
        getAnnotations: async ({ ids }) => ({
          annotations: ids.map((id) => annotation.Annotation.fromPartial({ id, queueId: 3, status: 'exporting' })),
          total: ids.length,
        }),
        getQueues: async () => ({ queues: [queue.Queue.fromPartial({ id: 3 })], total: 1 }),
        listHooks: async () => ({ hooks: [], total: 0 }),
        listScheduledHooks: async () => ({ hooks: [], total: 0 }),
        async finishExport(request, caller) {
          const refusal = refusals.shift();
          if (refusal) throw refusal;
          finished.push({ request, caller });
          return annotation.Annotation.fromPartial({ id: request.annotationId, status: 'exported' });
        },
      },
    });
    client = connectRpc(runtime, extension.ExtensionServiceService, `127.0.0.1:${extensionPort}`, { secret });
  });
  service = await start(env);
});

afterAll(async () => {
  await service?.stop();
  await publisher?.stop();
  if (env) await dropTestData(env);
});

const versionsOf = (annotationId: number) =>
  finished.filter(({ request }) => request.annotationId === annotationId).map(({ request }) => request.version);

describe('annotation.exporting', () => {
  it('ends the export of the version that entered exporting, as the service itself', async () => {
    await emit(1, 7);
    const { request, caller } = await waitFor('the end of the export', () => finished[0]);
    expect(request).toEqual({ annotationId: 1, version: 7, failed: false, messages: [] });
    expect(caller).toMatchObject({ kind: 'system', organizationId: 4, username: 'extension' });
  });

  it('tries again while the annotation service is away', async () => {
    refusals.push(new Refusal('SERVICE_UNAVAILABLE'), new Refusal('SERVICE_UNAVAILABLE'));
    await emit(2, 3);
    await waitFor('the end of the export', () => versionsOf(2).length > 0, { timeoutMs: 30_000 });
    expect(versionsOf(2)).toEqual([3]);
    expect(refusals).toEqual([]);
  });

  it('leaves alone what is gone or has moved on', async () => {
    refusals.push(new Refusal('NOT_FOUND'), new Refusal('CONFLICT_STATUS'));
    await emit(3, 1);
    await emit(3, 2);
    await waitFor('the refusals', () => refusals.length === 0);
    await emit(3, 3);
    await waitFor('the third event', () => versionsOf(3).length > 0);
    expect(versionsOf(3)).toEqual([3]);
  });

  it('acts on what happened while it was down, and not again on what it has acted on', async () => {
    await service.stop();
    await emit(4, 1);
    service = await start(env);
    await waitFor('the missed event', () => versionsOf(4).length > 0);
    expect(versionsOf(4)).toEqual([1]);
    expect(versionsOf(1)).toEqual([7]);
  });
});

describe('CallUploadHooks', () => {
  const request = {
    uploadId: 1,
    queueId: 3,
    files: [
      { documentId: 1, preventImporting: false, values: { 'upload:project': 'A1' }, messages: [], failure: '' },
      { documentId: 2, preventImporting: true, values: {}, messages: [], failure: '' },
    ],
    metadata: undefined,
  } as extension.CallUploadHooksRequest;

  it('without hooks all files are tried', async () => {
    await expect(client.callUploadHooks(request, systemCaller('document-storage', 4))).resolves.toEqual({
      files: request.files.map((file) => ({ ...file, preventImporting: false })),
      pending: false,
    });
  });

  it('is for services only', async () => {
    const user: Caller = {
      kind: 'user',
      organizationId: 4,
      userId: 1,
      username: 'a',
      roles: ['admin'],
      queueIds: 'all',
    };
    await expect(client.callUploadHooks(request, user)).rejects.toMatchObject({ reason: 'PERMISSION_DENIED' });
  });
});
