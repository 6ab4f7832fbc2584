import { createHash } from 'node:crypto';
import { documentStorage, queue } from '@intake/contracts';
import { type Caller, type Client, connectRpc, Refusal, systemCaller } from '@intake/rpc';
import { type RunningService, runService } from '@intake/service';
import {
  backing,
  buildPdf,
  findStored,
  invoiceLines,
  listObjects,
  startSystem,
  type TestSystem,
  uniqueName,
  waitFor,
} from '@intake/testkit';
import JSZip from 'jszip';
import { start } from './main';

type Storage = Client<typeof documentStorage.DocumentStorageServiceService>;

const MB = 1024 * 1024;
const ORGANIZATION = 11;
const FOREIGN_ORGANIZATION = 12;

let system: TestSystem;
let service: RunningService;
let probe: RunningService;
let storage: Storage;
let queueId: number;
let otherQueueId: number;
let archiveQueueId: number;

const user = (userId: number, more: Partial<Caller> = {}): Caller => ({
  kind: 'user',
  organizationId: ORGANIZATION,
  userId,
  username: `user${userId}@example.com`,
  roles: ['annotator'],
  queueIds: [queueId, archiveQueueId],
  ...more,
});
const admin = () => user(1, { roles: ['admin'], queueIds: 'all' });
const foreignAdmin = () => user(2, { organizationId: FOREIGN_ORGANIZATION, roles: ['admin'], queueIds: 'all' });

beforeAll(async () => {
  // Annotation is a real neighbour, so that uploads come to their end.
  system = await startSystem({ services: ['queue', 'extension', 'annotation', 'mail-ingest'] });
  const secret = system.env.INTAKE_RPC_SECRET ?? '';
  const address = system.env.INTAKE_DOCUMENT_STORAGE_ADDRESS ?? '';
  service = await start({ ...system.env, INTAKE_RPC_PORT: address.split(':')[1], INTAKE_LOG_LEVEL: 'silent' });
  probe = await runService('test', { ...system.env, INTAKE_OPS_PORT: '0' }, async (runtime) => {
    storage = connectRpc(runtime, documentStorage.DocumentStorageServiceService, address, { secret });
    const queues = connectRpc(runtime, queue.QueueServiceService, system.env.INTAKE_QUEUE_ADDRESS ?? '', { secret });
    const caller = systemCaller('test', ORGANIZATION);
    const workspace = await queues.createWorkspace({ name: 'W', metadata: undefined }, caller);
    const schema = await queues.createSchema(
      { name: 'S', contentJson: '', templateName: 'Tax Invoice EU Demo Template', metadata: undefined },
      caller,
    );
    const make = async (name: string, settings?: Record<string, unknown>) => {
      const ids = { workspaceId: workspace.id, schemaId: schema.id };
      return (await queues.createQueue(queue.CreateQueueRequest.fromPartial({ name, ...ids, settings }), caller)).id;
    };
    queueId = await make('Invoices', { accepted_mime_types: ['application/pdf', 'image/*'] });
    otherQueueId = await make('Others');
    archiveQueueId = await make('Archives', { accepted_mime_types: ['application/zip', 'application/pdf'] });
  });
});

afterAll(async () => {
  await probe?.stop();
  await service?.stop();
  await system?.stop();
});

const put = (bytes: Buffer, fileName: string, caller: Caller, declaredMimeType = '') =>
  storage.putFile(
    (async function* () {
      yield { header: { fileName, declaredMimeType, maxSize: 0 } };
      for (let at = 0; at < bytes.length; at += 256 * 1024) yield { chunk: bytes.subarray(at, at + 256 * 1024) };
    })(),
    caller,
    { timeoutMs: 30_000 },
  );
const upload = (
  files: documentStorage.StoredFile[],
  caller: Caller,
  more: Partial<documentStorage.CreateUploadRequest> = {},
) => storage.createUpload(documentStorage.CreateUploadRequest.fromPartial({ queueId, files, ...more }), caller);
const pdf = () => buildPdf({ lines: invoiceLines(uniqueName('INV')) });
const keys = () => listObjects(backing().s3, system.env.INTAKE_S3_BUCKET ?? '');
const rows = (collection: string, filter: Record<string, unknown>) => {
  const database = `${system.env.INTAKE_MONGODB_PREFIX}_document_storage`;
  return findStored(system.env.INTAKE_MONGODB_URL ?? '', database, collection, filter);
};
const rowsOf = (fileName: string) => rows('stored_files', { fileName });
const refusalOf = async (call: Promise<unknown>): Promise<Pick<Refusal, 'reason' | 'fields'>> => {
  const error = await call.then(
    () => {
      throw new Error('was not refused');
    },
    (refused) => refused,
  );
  if (!(error instanceof Refusal)) throw error;
  return { reason: error.reason, fields: error.fields };
};
const download = async (
  request: Partial<documentStorage.GetFileRequest>,
  caller: Caller,
): Promise<{ header?: documentStorage.FileHeader; bytes: Buffer; largest: number }> => {
  let header: documentStorage.FileHeader | undefined;
  const chunks: Buffer[] = [];
  for await (const part of storage.getFile(documentStorage.GetFileRequest.fromPartial(request), caller)) {
    header ??= part.header;
    if (part.chunk) chunks.push(part.chunk);
  }
  return { header, bytes: Buffer.concat(chunks), largest: Math.max(0, ...chunks.map((chunk) => chunk.length)) };
};

describe('putting a file', () => {
  it('hashes, counts and sniffs', async () => {
    const bytes = await pdf();
    const file = await put(bytes, '../Ünïcode.pdf', user(7), 'application/octet-stream');
    expect(file).toEqual({
      key: expect.stringMatching(/^[0-9a-f]{32}$/),
      fileName: 'Ünïcode.pdf',
      mimeType: 'application/pdf',
      size: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      md5: createHash('md5').update(bytes).digest('hex'),
    });
    expect(await keys()).toContain(file.key);
  });

  it('takes 40 MB to the byte, and the same bytes come back', async () => {
    const bytes = Buffer.alloc(40 * MB, '%PDF-1.7 ');
    const file = await put(bytes, 'large.pdf', user(7));
    expect(file.size).toBe(40 * MB);
    const { documentIds } = await upload([file], user(7));
    const { header, bytes: back, largest } = await download({ documentId: documentIds[0] }, user(7));
    expect(header).toMatchObject({ size: 40 * MB, mimeType: 'application/pdf', fileName: 'large.pdf' });
    expect(back.equals(bytes)).toBe(true);
    expect(largest).toBeLessThan(512 * 1024);
  });

  it('refuses one byte more and leaves nothing', async () => {
    const before = await keys();
    const refusal = await refusalOf(put(Buffer.alloc(40 * MB + 1), 'larger.pdf', user(7)));
    expect(refusal.reason).toBe('PAYLOAD_TOO_LARGE');
    expect(await keys()).toEqual(before);
    expect(await rowsOf('larger.pdf')).toEqual([]);
  });

  it('leaves nothing of a stream that breaks off, however far it came', async () => {
    const before = await keys();
    for (const size of [1000, 7 * MB, 23 * MB]) {
      const broken = storage.putFile(
        (async function* () {
          yield { header: { fileName: 'broken.pdf', declaredMimeType: '', maxSize: 0 } };
          for (let sent = 0; sent < size; sent += 1000 * 100) yield { chunk: Buffer.alloc(Math.min(size, 1000 * 100)) };
          throw new Error('the sender died');
        })(),
        user(7),
        { timeoutMs: 30_000 },
      );
      await expect(broken).rejects.toThrow('the sender died');
    }
    await waitFor('rows of broken files to go', async () => (await rowsOf('broken.pdf')).length === 0);
    expect(await keys()).toEqual(before);
  });
});

describe('creating an upload', () => {
  it('brings documents to annotations, in file order, and finishes the task', async () => {
    const files = [await put(await pdf(), 'one.pdf', user(7)), await put(await pdf(), 'two.pdf', user(7))];
    const { uploadId, taskId, documentIds } = await upload(files, user(7), {
      values: { 'upload:unit': 'Sales' },
      metadata: { 'a.b': 1, $c: [true] },
    });
    const done = await storage.awaitUpload({ id: uploadId }, user(7), { timeoutMs: 20_000 });
    expect(done).toMatchObject({ finished: true, queueId, creatorId: 7, documentIds });
    expect(done.annotations.map((one) => one.documentId)).toEqual(documentIds);
    expect(await storage.getTask({ id: taskId }, user(7))).toMatchObject({
      type: 'upload_created',
      status: 'succeeded',
      uploadId,
    });
    const { documents } = await storage.getDocuments({ ids: documentIds }, user(7));
    expect(documents.map(({ annotationIds }) => annotationIds)).toEqual(
      done.annotations.map((one) => [one.annotationId]),
    );
    expect(documents[0]).toMatchObject({ originalFileName: 'one.pdf', s3Name: files[0]?.key, creatorId: 7 });
  });

  it.each([
    ['no file', async () => [], { content: ['No file was submitted.'] }],
    [
      'an empty file',
      async () => [await put(Buffer.alloc(0), 'empty.pdf', user(7))],
      { content: ['The submitted file is empty.'] },
    ],
    [
      'a text, whatever it is declared as',
      async () => [await put(Buffer.from('just text\n'), 'text.txt', user(7), 'application/pdf')],
      { content: ['MIME type text/plain is not allowed for this queue.'] },
    ],
  ])('refuses %s', async (_, files, fields) => {
    expect(await refusalOf(upload(await files(), user(7)))).toEqual({ reason: 'INVALID', fields });
  });

  it('removes what it refused', async () => {
    const file = await put(Buffer.from('just text\n'), 'refused.txt', user(7));
    await refusalOf(upload([file], user(7)));
    expect(await keys()).not.toContain(file.key);
    expect(await rowsOf('refused.txt')).toEqual([]);
  });

  it('refuses more than 40 MB in all', async () => {
    const half = Buffer.alloc(20 * MB + 1, '%PDF-1.7 ');
    const files = [await put(half, 'half.pdf', user(7)), await put(half, 'half2.pdf', user(7))];
    expect((await refusalOf(upload(files, user(7)))).reason).toBe('PAYLOAD_TOO_LARGE');
  });

  it('refuses metadata over 4096 bytes', async () => {
    const refusal = await refusalOf(
      upload([await put(await pdf(), 'm.pdf', user(7))], user(7), { metadata: { x: 'y'.repeat(4089) } }),
    );
    expect(Object.keys(refusal.fields ?? {})).toEqual(['metadata']);
    const receipt = await upload([await put(await pdf(), 'm.pdf', user(7))], user(7), {
      metadata: { x: 'y'.repeat(4088) },
    });
    expect(receipt.uploadId).toBeGreaterThan(0);
  });

  it('does not know unseen, foreign and unknown queues', async () => {
    const file = () => pdf().then((bytes) => put(bytes, 'q.pdf', user(7)));
    expect((await refusalOf(upload([await file()], user(7), { queueId: otherQueueId }))).reason).toBe('NOT_FOUND');
    expect((await refusalOf(upload([await file()], user(7), { queueId: 999_999 }))).reason).toBe('NOT_FOUND');
    const foreign = await put(await pdf(), 'q.pdf', foreignAdmin());
    expect((await refusalOf(upload([foreign], foreignAdmin()))).reason).toBe('NOT_FOUND');
  });

  it("cannot take another organization's file, nor one twice", async () => {
    const foreign = await put(await pdf(), 'foreign.pdf', foreignAdmin());
    expect((await refusalOf(upload([foreign], admin()))).reason).toBe('INVALID');
    const file = await put(await pdf(), 'own.pdf', user(7));
    await upload([file], user(7));
    expect((await refusalOf(upload([file], user(7)))).reason).toBe('CONFLICT');
    expect(await keys()).toContain(file.key);
  });

  it('rejects identical documents when asked to', async () => {
    const bytes = await pdf();
    const send = async (name: string) => upload([await put(bytes, name, user(7))], user(7), { rejectIdentical: true });
    await send('same.pdf');
    expect((await refusalOf(send('same.pdf'))).reason).toBe('IDENTICAL_DOCUMENT');
    expect((await send('other-name.pdf')).documentIds).toHaveLength(1);
    const two = [await put(bytes, 'a.pdf', user(7)), await put(bytes, 'b.pdf', user(7))];
    expect(await refusalOf(upload(two, user(7), { rejectIdentical: true }))).toMatchObject({ reason: 'INVALID' });
  });

  it('rejects all but one of identical documents that come at once', async () => {
    const bytes = await pdf();
    const files = await Promise.all([1, 2, 3, 4].map(() => put(bytes, 'race.pdf', user(7))));
    const results = await Promise.allSettled(files.map((file) => upload([file], user(7), { rejectIdentical: true })));
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
  });

  it('gives the first answer again under the same idempotency key', async () => {
    const bytes = await pdf();
    const send = async (content: Buffer, caller = user(7)) =>
      upload([await put(content, 'key.pdf', caller)], caller, { idempotencyKey: 'k1' });
    const first = await send(bytes);
    expect(await send(bytes)).toEqual(first);
    expect(await rowsOf('key.pdf')).toHaveLength(1);
    expect((await refusalOf(send(await pdf()))).reason).toBe('IDEMPOTENCY_CONFLICT');
    expect((await send(bytes, user(8))).uploadId).not.toBe(first.uploadId);
  });

  it('takes an idempotency key once when it comes many times at once', async () => {
    const bytes = await pdf();
    const files = await Promise.all([1, 2, 3, 4].map(() => put(bytes, 'at-once.pdf', user(7))));
    const receipts = await Promise.all(files.map((file) => upload([file], user(7), { idempotencyKey: 'k2' })));
    expect(new Set(receipts.map((receipt) => receipt.uploadId)).size).toBe(1);
    expect(await rowsOf('at-once.pdf')).toHaveLength(1);
  });

  it('lets nothing that a queue accepts vanish: a zip ends in failed_import', async () => {
    const zip = Buffer.from('504b0506000000000000000000000000000000000000', 'hex');
    const file = await put(zip, 'some.zip', user(7));
    expect(file.mimeType).toBe('application/zip');
    const { uploadId } = await upload([file], user(7), { queueId: archiveQueueId });
    const done = await storage.awaitUpload({ id: uploadId }, user(7), { timeoutMs: 20_000 });
    expect(done.annotations).toHaveLength(1);
    const [event] = await rows('outbox', {
      subject: 'document.stored',
      'payload.uploadId': uploadId,
    });
    expect(event).toMatchObject({ payload: { failure: expect.stringContaining('holds no file') } });
  });

  it('opens an archive that came by e-mail, and imports nothing of one that cannot be opened', async () => {
    const zip = new JSZip().file('a.pdf', await pdf()).file('notes.txt', 'Hello.');
    const caller = systemCaller('mail-ingest', ORGANIZATION);
    const sent = [
      await put(await zip.generateAsync({ type: 'nodebuffer' }), 'mail.zip', caller),
      await put(Buffer.from('PK\u0003\u0004 broken', 'latin1'), 'broken.zip', caller),
    ];
    const more = { queueId: archiveQueueId, emailId: 77, taskType: 'email_imported' };
    const { uploadId } = await upload(sent, caller, more);
    const done = await storage.awaitUpload({ id: uploadId }, caller, { timeoutMs: 20_000 });
    expect(done).toMatchObject({ finished: true, annotations: [{ documentId: done.additionalDocumentIds[0] }] });
    const { documents } = await storage.getDocuments(
      { ids: [...done.documentIds, ...done.additionalDocumentIds] },
      caller,
    );
    expect(
      documents.map(({ originalFileName, attachmentStatus, emailId }) => [originalFileName, attachmentStatus, emailId]),
    ).toEqual([
      ['mail.zip', 'extracted_archive', 77],
      ['broken.zip', 'failed_to_extract', 77],
      ['a.pdf', 'processed', 77],
      ['notes.txt', 'filtered_by_queue_mime_type', 77],
    ]);
  });
});

describe('who sees what', () => {
  let receipt: documentStorage.CreateUploadResponse;
  let s3Name: string;

  beforeAll(async () => {
    const file = await put(await pdf(), 'seen.pdf', user(7));
    s3Name = file.key;
    receipt = await upload([file], user(7));
  });

  it('shows a task to its creator and to admins', async () => {
    const { taskId: id } = receipt;
    expect(await storage.getTask({ id }, user(7))).toMatchObject({ id });
    expect(await storage.getTask({ id }, admin())).toMatchObject({ id });
    expect((await refusalOf(storage.getTask({ id }, user(8)))).reason).toBe('NOT_FOUND');
    expect((await refusalOf(storage.getTask({ id }, foreignAdmin()))).reason).toBe('NOT_FOUND');
  });

  it('shows a document to its queue, its creator and admins, by every way to it', async () => {
    const [id = 0] = receipt.documentIds;
    const blind = user(8, { queueIds: [otherQueueId] });
    for (const caller of [user(7, { queueIds: [] }), user(8), admin()]) {
      expect((await storage.getDocuments({ ids: [id] }, caller)).documents).toHaveLength(1);
      expect((await download({ documentId: id }, caller)).bytes.length).toBeGreaterThan(0);
      expect((await download({ s3Name }, caller)).bytes.length).toBeGreaterThan(0);
      expect(await storage.getUpload({ id: receipt.uploadId }, caller)).toMatchObject({ documentIds: [id] });
    }
    for (const caller of [blind, foreignAdmin()]) {
      expect((await storage.getDocuments({ ids: [id] }, caller)).documents).toEqual([]);
      expect((await storage.listDocuments(listOf({ ids: [id] }), caller)).total).toBe(0);
      expect((await refusalOf(download({ documentId: id }, caller))).reason).toBe('NOT_FOUND');
      expect((await refusalOf(download({ s3Name }, caller))).reason).toBe('NOT_FOUND');
      expect((await refusalOf(storage.getUpload({ id: receipt.uploadId }, caller))).reason).toBe('NOT_FOUND');
      expect((await refusalOf(storage.awaitUpload({ id: receipt.uploadId }, caller))).reason).toBe('NOT_FOUND');
    }
  });

  it('keeps the rpcs of services from users', async () => {
    const pages = { annotationId: 1, documentId: 1, queueId, pages: [] };
    expect((await refusalOf(storage.putPages(pages, admin()))).reason).toBe('PERMISSION_DENIED');
    expect((await refusalOf(storage.keepFiles({ keys: [], holder: '' }, admin()))).reason).toBe('PERMISSION_DENIED');
    const stored = (async () => {
      for await (const _ of storage.getStoredFile({ key: s3Name }, admin()));
    })();
    expect((await refusalOf(stored)).reason).toBe('PERMISSION_DENIED');
  });
});

const listOf = (filter: Partial<documentStorage.ListDocumentsRequest>) =>
  documentStorage.ListDocumentsRequest.fromPartial(filter);

describe('documents', () => {
  it('are listed by filter, in order, in pages', async () => {
    const files = await Promise.all(
      ['c', 'a', 'b'].map(async (name) => put(await pdf(), `list-${name}.pdf`, user(20))),
    );
    const { documentIds } = await upload(files, user(20));
    const names = async (filter: Partial<documentStorage.ListDocumentsRequest>) => {
      const { documents, total } = await storage.listDocuments(listOf({ creatorIds: [20], ...filter }), admin());
      return [total, ...documents.map((document) => document.originalFileName)];
    };
    expect(await names({ ordering: ['original_file_name'] })).toEqual([3, 'list-a.pdf', 'list-b.pdf', 'list-c.pdf']);
    expect(await names({ ordering: ['-original_file_name'], pageSize: 2, page: 2 })).toEqual([3, 'list-a.pdf']);
    expect(await names({ ids: documentIds.slice(1, 2) })).toEqual([1, 'list-a.pdf']);
    expect(await names({ originalFileName: 'list-b.pdf' })).toEqual([1, 'list-b.pdf']);
    expect(await names({ createdAfter: new Date(Date.now() + 60_000) })).toEqual([0]);
  });

  it('can be read in part', async () => {
    const bytes = await pdf();
    const { documentIds } = await upload([await put(bytes, 'range.pdf', user(7))], user(7));
    const [documentId] = documentIds;
    const part = async (offset: number, length: number) =>
      (await download({ documentId, offset, length }, user(7))).bytes;
    expect(await part(10, 20)).toEqual(bytes.subarray(10, 30));
    expect(await part(0, 1)).toEqual(bytes.subarray(0, 1));
    expect(await part(bytes.length - 5, 0)).toEqual(bytes.subarray(-5));
    expect(await part(bytes.length - 5, 100)).toEqual(bytes.subarray(-5));
    expect((await refusalOf(part(bytes.length, 1))).reason).toBe('RANGE_NOT_SATISFIABLE');
  });
});

describe('pages', () => {
  const caller = () => systemCaller('extraction', ORGANIZATION);
  const sizes = [1, 2].map((number) => ({
    number,
    width: 1240,
    height: 1754,
    rotationDeg: 0,
    source: '',
    wordsJson: '',
  }));
  const image = async (pageId: number, preview: boolean, by: Caller) => {
    const parts: Buffer[] = [];
    let etag = '';
    for await (const { header, chunk } of storage.getPageImage({ pageId, preview }, by, { timeoutMs: 30_000 })) {
      if (header) etag = header.etag;
      if (chunk) parts.push(chunk);
    }
    const png = Buffer.concat(parts);
    return {
      etag,
      isPng: png.toString('latin1', 1, 4) === 'PNG',
      width: png.readUInt32BE(16),
      height: png.readUInt32BE(20),
    };
  };
  let documentId: number;
  let pageIds: number[];

  beforeAll(async () => {
    const bytes = await buildPdf({ pages: [invoiceLines('P1'), invoiceLines('P2')] });
    const receipt = await upload([await put(bytes, 'pages.pdf', user(7))], user(7));
    documentId = receipt.documentIds[0] ?? 0;
    ({ pageIds } = await storage.putPages({ annotationId: 501, documentId, queueId, pages: sizes }, caller()));
  });

  it('keep their ids when they are put again', async () => {
    expect(new Set(pageIds).size).toBe(2);
    const again = await storage.putPages({ annotationId: 501, documentId, queueId, pages: sizes }, caller());
    expect(again.pageIds).toEqual(pageIds);
  });

  it('are listed to those who see the queue', async () => {
    const request = documentStorage.ListPagesRequest.fromPartial({ annotationIds: [501], ordering: ['-number'] });
    const { pages, total } = await storage.listPages(request, user(8));
    expect(total).toBe(2);
    expect(pages.map(({ number, id }) => [number, id])).toEqual([
      [2, pageIds[1]],
      [1, pageIds[0]],
    ]);
    expect((await storage.listPages(request, foreignAdmin())).total).toBe(0);
    expect((await storage.listPages(request, user(8, { queueIds: [otherQueueId] }))).total).toBe(0);
  });

  it('are drawn once and kept', async () => {
    const [pageId = 0] = pageIds;
    const [first, second] = await Promise.all([image(pageId, false, user(7)), image(pageId, false, user(7))]);
    expect(first).toMatchObject({ isPng: true, height: 1754 });
    expect(second).toEqual(first);
    expect(await image(pageId, false, user(7))).toEqual(first);
    expect(await image(pageId, true, user(7))).toMatchObject({ isPng: true, height: 512 });
    expect(await keys()).toEqual(
      expect.arrayContaining([`pages/${pageId}/content.png`, `pages/${pageId}/preview.png`]),
    );
    expect((await refusalOf(image(pageId, false, foreignAdmin()))).reason).toBe('NOT_FOUND');
  });

  it('are NOT_FOUND when they cannot be drawn', async () => {
    const bytes = Buffer.from('%PDF-1.4\nnothing of a PDF\n%%EOF\n');
    const { documentIds } = await upload([await put(bytes, 'bad.pdf', user(7))], user(7));
    const of = { annotationId: 502, documentId: documentIds[0] ?? 0, queueId };
    const { pageIds: bad } = await storage.putPages({ ...of, pages: sizes.slice(0, 1) }, caller());
    expect((await refusalOf(image(bad[0] ?? 0, false, user(7)))).reason).toBe('NOT_FOUND');
  });
});
