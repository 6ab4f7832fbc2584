import { type Backbone, connectBackbone } from '@intake/bus';
import { createIndexes, transaction } from '@intake/mongo';
import { systemCaller } from '@intake/rpc';
import { type RunningService, runService } from '@intake/service';
import { backing, dropTestData, findStored, listObjects, type ServiceEnv, serviceEnv, waitFor } from '@intake/testkit';
import { type ArchiveJobs, archiveWorker, ChildPool } from '@intake/untrusted';
import { createDocumentStore, type DocumentStore } from './document/document.store';
import { createFiles, type Files } from './file/file';
import { createFileStore, type FileStore } from './file/file.store';
import { createObjectStore } from './object-store/object-store';
import { startSweeps } from './sweeps';
import { createTaskStore, type TaskStore } from './task/task.store';
import { type CreateUpload, createCreateUpload } from './upload/create-upload';
import { createImportUpload, type ImportUpload, type ImportUploadOptions } from './upload/import-upload';
import { createSubmissionStore } from './upload/submission.store';
import { createUnpackArchives, type UnpackArchivesOptions } from './upload/unpack-archives';
import { createUploadStore, type UploadStore } from './upload/upload.store';

const ORGANIZATION = 3;
const caller = systemCaller('test', ORGANIZATION);
const MINUTE = 60_000;

let env: ServiceEnv;
let service: RunningService;
let backbone: Backbone;
let fileStore: FileStore;
let documents: DocumentStore;
let uploads: UploadStore;
let tasks: TaskStore;
let files: Files;
let createUpload: CreateUpload;
let importUpload: ImportUpload;
let isTurn = true;

// The parts of the service without its consumer: what is put on the bus stays in the outbox to be looked at.
beforeAll(async () => {
  env = serviceEnv();
  service = await runService('document-storage', env, async (runtime) => {
    backbone = await connectBackbone(runtime, env);
    const { database } = backbone;
    fileStore = createFileStore(database);
    documents = createDocumentStore(database, fileStore);
    uploads = createUploadStore(database);
    tasks = createTaskStore(backbone);
    const submissions = createSubmissionStore(database);
    await createIndexes(database);
    const objects = createObjectStore({ ...backing().s3, bucket: env.INTAKE_S3_BUCKET ?? '', region: 'us-east-1' });
    files = createFiles(fileStore, objects, runtime.log);
    const parts = { backbone, files, fileStore, documents, uploads, tasks, submissions };
    const queue = { organizationId: ORGANIZATION, status: 'active', acceptedMimeTypes: ['text/plain'] };
    const joinPictures = () => Promise.reject(new Error('nothing is joined here'));
    createUpload = createCreateUpload({ ...parts, joinPictures, findQueue: async () => queue, isTurnOf: () => isTurn });
    const unpacker = new ChildPool<ArchiveJobs>({ worker: archiveWorker, size: 1 });
    runtime.onStop('unpacker', () => unpacker.close());
    const findAcceptedTypes = async () => queue.acceptedMimeTypes;
    const judgeMailed = async () => null;
    // No archive here is a package of an e-invoice, and no PDF is sent.
    const openPortfolio = async () => null;
    const joinPackage: UnpackArchivesOptions['joinPackage'] = async (archive) => archive;
    const judging = { findAcceptedTypes, judgeMailed };
    const unpackArchives = createUnpackArchives({
      ...parts,
      ...judging,
      objects,
      unpacker,
      openPortfolio,
      joinPackage,
    });
    const callHooks: ImportUploadOptions['callHooks'] = async (_, list) =>
      list.map((file) => ({ ...file, messages: [], failure: '' }));
    const isReadable = async () => true;
    importUpload = createImportUpload({ ...parts, unpackArchives, callHooks, isReadable });
  });
});

afterAll(async () => {
  await service?.stop();
  await dropTestData(env);
});

const put = async (text: string) =>
  files.put(
    caller,
    { fileName: `${text}.txt`, declaredMimeType: '', maxSize: 0 },
    (async function* () {
      yield Buffer.from(text);
    })(),
  );
const upload = async (...texts: string[]) => {
  const keys: string[] = [];
  for (const text of texts) keys.push((await put(text)).key);
  const submission = {
    queueId: 1,
    keys,
    values: {},
    metadata: {},
    creatorId: null,
    emailId: null,
    rejectIdentical: false,
    join: false,
    documentIds: [],
  };
  return createUpload(caller, submission, { taskType: 'upload_created' });
};
const findEvents = (filter: Record<string, unknown>) =>
  findStored(env.INTAKE_MONGODB_URL ?? '', `${env.INTAKE_MONGODB_PREFIX}_document_storage`, 'outbox', filter);
const eventsOf = async (aggregate: string) => {
  const rows = await findEvents({ aggregate });
  return rows.map(({ subject, version }) => `${subject} ${version}`).sort();
};
const startImport = async (uploadId: number) => {
  const effect = await importUpload.start(ORGANIZATION, uploadId, `start of ${uploadId}`);
  await transaction(backbone.database, effect);
};
const opened = (uploadId: number, documentId: number, annotationId: number) => ({
  ...{ organizationId: ORGANIZATION, uploadId, documentId, annotationId, trigger: 'open' },
  within: <T>(fn: () => T) => fn(),
});
const record = (...annotation: Parameters<typeof opened>) =>
  transaction(backbone.database, (session) => importUpload.recordAnnotations(session, [opened(...annotation)]));
const later = (minutes: number) => new Date(Date.now() + minutes * MINUTE);

describe('orphan files', () => {
  it('go after their time, but not what is held or young', async () => {
    const orphan = await put('orphan');
    const kept = await put('kept');
    await transaction(backbone.database, (session) => fileStore.hold(session, [kept.key], 'somebody'));
    expect(await files.sweepOrphans(new Date(Date.now() - MINUTE))).toBe(0);
    expect(await files.sweepOrphans(later(1))).toBe(1);
    const keys = await listObjects(backing().s3, env.INTAKE_S3_BUCKET ?? '');
    expect(keys).toContain(kept.key);
    expect(keys).not.toContain(orphan.key);
    expect((await fileStore.findStored([orphan.key, kept.key])).map((file) => file.key)).toEqual([kept.key]);
  });

  it('cannot be taken once they are going', async () => {
    const { key } = await put('going');
    await fileStore.startRemoving(key);
    expect(await transaction(backbone.database, (session) => fileStore.hold(session, [key], 'late'))).toBe(false);
    expect(await files.sweepOrphans(later(1))).toBe(1);
  });
});

describe('uploads at rest', () => {
  it('are announced again, less and less often, until the hooks were asked', async () => {
    const { uploadId } = await upload('created');
    await importUpload.pushResting(new Date(), 100);
    expect(await eventsOf(`upload:${uploadId}`)).toEqual(['upload.created 1']);
    await importUpload.pushResting(later(2), 100);
    expect(await eventsOf(`upload:${uploadId}`)).toEqual(['upload.created 1', 'upload.created 2']);
    await importUpload.pushResting(later(3), 100);
    expect(await eventsOf(`upload:${uploadId}`)).toHaveLength(2);
    await importUpload.pushResting(later(5), 100);
    expect(await eventsOf(`upload:${uploadId}`)).toHaveLength(3);
  });

  it('that were taken when it was not their turn are announced when it is, the oldest first', async () => {
    isTurn = false;
    const [first, second] = [await upload('held'), await upload('held longer')];
    isTurn = true;
    expect(await eventsOf(`upload:${first.uploadId}`)).toEqual([]);
    expect(await importUpload.pushResting(new Date(Date.now() + 1000), 1)).toBe(1);
    expect(await eventsOf(`upload:${first.uploadId}`)).toEqual(['upload.created 2']);
    expect(await eventsOf(`upload:${second.uploadId}`)).toEqual([]);
    expect(await importUpload.pushResting(new Date(Date.now() + 1000), 10)).toBe(1);
    expect(await eventsOf(`upload:${second.uploadId}`)).toEqual(['upload.created 2']);
    await startImport(first.uploadId);
    expect(await eventsOf(`document:${first.documentIds[0]}`)).toEqual(['document.stored 1']);
  });

  it('go on at the interval that receiving leaves them, not in a burst', async () => {
    isTurn = false;
    const held = [await upload('one'), await upload('another'), await upload('a third')];
    isTurn = true;
    const sweeping = await runService('document-storage', env, async (runtime) => {
      const sweepUnclaimed = async () => 0;
      const parts = { files, importUpload, sweepUnclaimed, unclaimedMs: 60 * MINUTE, intervalMs: () => 300 };
      startSweeps(runtime, await connectBackbone(runtime, env), parts);
    });
    const aggregate = { $in: held.map(({ uploadId }) => `upload:${uploadId}`) };
    const events = await waitFor('all to be announced', async () => {
      const rows = await findEvents({ aggregate });
      return rows.length === held.length && rows;
    }).finally(() => sweeping.stop());
    const [first = 0, second = 0, third = 0] = events.map(({ at }) => Number(at)).sort((a, b) => a - b);
    expect(Math.min(second - first, third - second)).toBeGreaterThanOrEqual(290);
  });

  it('announce again the documents that have no annotation, and no others', async () => {
    const { uploadId, taskId, documentIds } = await upload('first', 'second');
    const [first = 0, second = 0] = documentIds;
    await startImport(uploadId);
    await record(uploadId, first, 71);
    await importUpload.pushResting(later(2), 100);
    expect(await eventsOf(`document:${first}`)).toEqual(['document.stored 1']);
    expect(await eventsOf(`document:${second}`)).toEqual(['document.stored 1', 'document.stored 2']);

    await record(uploadId, second, 72);
    await record(uploadId, second, 72);
    expect(await eventsOf(`upload:${uploadId}`)).toEqual(['upload.created 1', 'upload.finished 2']);
    expect(await tasks.find(caller, taskId, new Date())).toMatchObject({ status: 'succeeded' });
    await importUpload.pushResting(later(100), 100);
    expect(await eventsOf(`document:${second}`)).toHaveLength(2);
  });

  it('are finished once when annotations of several uploads come together, some of them twice', async () => {
    const two = await upload('one of two', 'two of two');
    const other = await upload('another');
    for (const { uploadId } of [two, other]) await startImport(uploadId);
    const [first = 0, second = 0] = two.documentIds;
    const many = [
      opened(two.uploadId, first, 81),
      opened(other.uploadId, other.documentIds[0] ?? 0, 83),
      opened(two.uploadId, second, 82),
      opened(two.uploadId, first, 81),
      { ...opened(two.uploadId, first, 84), organizationId: ORGANIZATION + 1 },
    ];
    await transaction(backbone.database, (session) => importUpload.recordAnnotations(session, many));
    expect(await uploads.find(caller, two.uploadId)).toMatchObject({
      state: 'finished',
      annotations: [
        { annotationId: 81, documentId: first },
        { annotationId: 82, documentId: second },
      ],
    });
    for (const { uploadId, taskId } of [two, other]) {
      expect(await eventsOf(`upload:${uploadId}`)).toEqual(['upload.created 1', 'upload.finished 2']);
      expect(await tasks.find(caller, taskId, new Date())).toMatchObject({ status: 'succeeded' });
    }
    const noted = await documents.findMany(caller, two.documentIds);
    expect(noted.map(({ annotationIds }) => annotationIds).sort()).toEqual([[81], [82]]);
  });

  it('are started once, however often the event comes', async () => {
    const { uploadId, documentIds } = await upload('once');
    const effects = await Promise.all(
      [1, 2].map(() => importUpload.start(ORGANIZATION, uploadId, `start of ${uploadId}`)),
    );
    for (const effect of effects) await transaction(backbone.database, effect);
    expect(await eventsOf(`document:${documentIds[0]}`)).toEqual(['document.stored 1']);
  });
});

it('an upload whose hooks fail for good fails its task, and its documents still get annotations', async () => {
  const { uploadId, taskId, documentIds } = await upload('given up');
  await transaction(backbone.database, (session) => importUpload.giveUp(session, ORGANIZATION, uploadId, 'e-1'));
  expect(await tasks.find(caller, taskId, new Date())).toMatchObject({
    status: 'failed',
    code: 'error',
    detail: expect.stringContaining('e-1'),
  });
  expect(await eventsOf(`document:${documentIds[0]}`)).toEqual(['document.stored 1']);
  await record(uploadId, documentIds[0] ?? 0, 73);
  expect(await tasks.find(caller, taskId, new Date())).toMatchObject({ status: 'failed' });
  expect(await tasks.find(caller, taskId, later(8 * 24 * 60))).toBeNull();
});
