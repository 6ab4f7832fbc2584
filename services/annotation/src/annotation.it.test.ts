import { type Backbone, connectBackbone, startConsumer } from '@intake/bus';
import { annotation as contract, events, extraction, operations } from '@intake/contracts';
import { transaction } from '@intake/mongo';
import { type Caller, type Client, connectRpc, type Refusal, systemCaller } from '@intake/rpc';
import { createCommandRuntime, type RunningService, type Runtime, runService } from '@intake/service';
import { startSystem, type TestSystem, waitFor } from '@intake/testkit';

/** The annotation service with its real neighbour `queue`, on real MongoDB and NATS. */

type Annotations = Client<typeof contract.AnnotationServiceService>;
// biome-ignore lint/suspicious/noExplicitAny: content trees are JSON
type Node = any;

let system: TestSystem;
let probe: RunningService;
let backbone: Backbone;
let annotations: Annotations;
let admin: Caller;
let reviewer: Caller;
const seen: { id: string; version: number; status: string }[] = [];
let nextDocument = 1;
/** The caller does not say how long it took. */
const unmeasured = { processingDuration: undefined };

beforeAll(async () => {
  system = await startSystem({ services: ['auth', 'queue', 'annotation'], env: { INTAKE_RESTING_MS: '1500' } });
  const user = { kind: 'user', organizationId: system.organizationId, roles: ['admin'], queueIds: 'all' } as const;
  admin = { ...user, userId: 1, username: 'admin' };
  reviewer = { ...user, userId: 2, username: 'reviewer', roles: ['annotator'], queueIds: [system.queueId] };
  probe = await runService('probe', system.env, async (runtime: Runtime) => {
    backbone = await connectBackbone(runtime, system.env);
    for (const model of Object.values(backbone.database.connection.models)) await model.createCollection();
    annotations = connectRpc(
      runtime,
      contract.AnnotationServiceService,
      system.env.INTAKE_ANNOTATION_ADDRESS as string,
      { secret: system.env.INTAKE_RPC_SECRET as string },
    );
    const note = {
      on: (event: { id: string; version: number; payload: events.AnnotationChanged }) => async () => {
        seen.push({ id: `${event.payload.annotationId}`, version: event.version, status: event.payload.status });
      },
    };
    startConsumer(runtime, {
      ...backbone,
      handlers: {
        'annotation.importing': note,
        'annotation.to_review': note,
        'annotation.exported': note,
        'annotation.reviewing': note,
      },
    });
  });
});

afterAll(async () => {
  await probe?.stop();
  await system?.stop();
});

/** Raises `document.stored` as document-storage does; answers the annotation that was opened for it. */
async function open(over: Partial<events.DocumentStored> = {}): Promise<contract.Annotation> {
  const documentId = nextDocument++;
  const payload = events.DocumentStored.fromPartial({
    documentId,
    organizationId: system.organizationId,
    queueId: system.queueId,
    uploadId: 5000 + documentId,
    mimeType: 'application/pdf',
    fileName: 'invoice.pdf',
    arrivedAt: new Date('2026-02-03T04:05:06Z'),
    metadata: { project: 'A1' },
    ...over,
  });
  await transaction(backbone.database, async (session) =>
    backbone.emit(session, { subject: 'document.stored', aggregate: `document:${documentId}`, version: 1, payload }),
  );
  return waitFor(`annotation of document ${documentId}`, async () => {
    const { annotations: found } = await annotations.listAnnotations(listOf({ documentIds: [documentId] }), admin);
    return found[0];
  });
}

const listOf = (over: Partial<contract.ListAnnotationsRequest>) => contract.ListAnnotationsRequest.fromPartial(over);
const system1 = () => systemCaller('extraction', system.organizationId);

const result = (over: Record<string, string> = {}) =>
  extraction.ExtractionResult.fromPartial({
    engineVersion: '1',
    language: 'eng',
    fields: Object.fromEntries(
      Object.entries({ document_id: 'INV-1', date_issue: '2026-01-31', amount_total: '121.00', ...over }).map(
        ([name, value]) => [
          name,
          { candidates: [{ value, rawText: value, page: 1, position: [1, 2, 3, 4], confidence: 0.97 }] },
        ],
      ),
    ),
  });

async function importDocument(over: Record<string, string> = {}): Promise<contract.Annotation> {
  const { id, rirPollId = '' } = await open();
  return annotations.finishExtraction(
    { annotationId: id, rirPollId, pageIds: [11, 12], proposedDocuments: [], result: result(over) },
    system1(),
  );
}

async function readContent(id: number): Promise<Map<string, Node>> {
  const { treeJson } = await annotations.getContent({ annotationId: id }, admin);
  const nodes = new Map<string, Node>();
  const walk = (list: Node[]) => {
    for (const node of list) {
      nodes.set(node.schema_id, node);
      walk(node.children ?? []);
    }
  };
  walk(JSON.parse(treeJson));
  return nodes;
}

const reasonOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error: Refusal) => error.reason,
  );
const patchValue = (id: number, nodeId: number, value: string, caller: Caller) =>
  annotations.patchContentNode({ annotationId: id, nodeId, patchJson: JSON.stringify({ content: { value } }) }, caller);

describe('opening', () => {
  it('opens one annotation for a stored document, however often it hears of it', async () => {
    const first = await open();
    expect(first).toMatchObject({
      status: 'importing',
      version: 1,
      organizationId: system.organizationId,
      metadata: { project: 'A1' },
    });
    expect(first.arrivedAt).toEqual(new Date('2026-02-03T04:05:06Z'));
    expect(first.rirPollId).toMatch(/^[0-9a-f]{24}$/);
    await transaction(backbone.database, async (session) =>
      backbone.emit(session, {
        subject: 'document.stored',
        aggregate: `document:${first.documentId}`,
        version: 2,
        payload: events.DocumentStored.fromPartial({
          documentId: first.documentId,
          organizationId: system.organizationId,
          queueId: system.queueId,
          uploadId: first.uploadId,
          mimeType: 'application/pdf',
          fileName: 'invoice.pdf',
        }),
      }),
    );
    const marker = await open();
    expect(marker.id).toBeGreaterThan(first.id);
    const { total } = await annotations.listAnnotations(listOf({ documentIds: [first.documentId] }), admin);
    expect(total).toBe(1);
  });

  it('opens a document that cannot be imported in failed_import, with the reason', async () => {
    const annotation = await open({ failure: 'The archive is broken.' });
    expect(annotation).toMatchObject({
      status: 'failed_import',
      messages: [{ id: 'all', type: 'error', content: 'The archive is broken.' }],
    });
  });
});

describe('extraction', () => {
  it('takes over the result once, and only the one that is awaited', async () => {
    const { id, rirPollId = '' } = await open();
    await annotations.finishExtraction(
      { annotationId: id, rirPollId: 'other', pageIds: [1], proposedDocuments: [], result: result() },
      system1(),
    );
    expect((await annotations.getAnnotations({ ids: [id] }, admin)).annotations[0]?.status).toBe('importing');

    const done = await annotations.finishExtraction(
      { annotationId: id, rirPollId, pageIds: [11, 12], proposedDocuments: [], result: result() },
      system1(),
    );
    expect(done).toMatchObject({ status: 'to_review', version: 2, pageIds: [11, 12], engineVersion: '1' });
    const before = await readContent(id);
    expect(before.get('document_id').content).toMatchObject({
      value: 'INV-1',
      page: 1,
      position: [1, 2, 3, 4],
      rir_confidence: 0.97,
    });
    expect(before.get('document_id').validation_sources).toContain('score');
    expect(before.get('amount_total').content).toMatchObject({ normalized_value: '121.00' });

    const again = await annotations.finishExtraction(
      { annotationId: id, rirPollId, pageIds: [13], proposedDocuments: [], result: result({ document_id: 'X' }) },
      system1(),
    );
    expect(again).toMatchObject({ version: 2, pageIds: [11, 12] });
    expect(await readContent(id)).toEqual(before);
  });

  it('ends in failed_import with a message when the document cannot be read', async () => {
    const { id, rirPollId = '' } = await open();
    const failed = await annotations.failExtraction(
      { annotationId: id, rirPollId, message: 'The PDF is empty.' },
      system1(),
    );
    expect(failed).toMatchObject({ status: 'failed_import', messages: [{ content: 'The PDF is empty.' }] });
  });

  it('ends in failed_import with a message when there are more rows than an annotation holds', async () => {
    const { id, rirPollId = '' } = await open();
    const cell = { value: 'x', rawText: 'x', page: 1, position: [1, 2, 3, 4], confidence: 0.9 };
    const rows = Array.from({ length: 12_000 }, () => ({ type: 'data', cells: { table_column_description: cell } }));
    const large = { ...result(), tables: [{ name: 'line_items', rows }] };
    const failed = await annotations.finishExtraction(
      {
        annotationId: id,
        rirPollId,
        pageIds: [1],
        proposedDocuments: [],
        result: extraction.ExtractionResult.fromPartial(large),
      },
      system1(),
    );
    expect(failed).toMatchObject({ status: 'failed_import', messages: [{ content: expect.stringMatching(/nodes/) }] });
  });

  it('is for services only', async () => {
    const { id, rirPollId = '' } = await open();
    expect(await reasonOf(annotations.failExtraction({ annotationId: id, rirPollId, message: 'x' }, admin))).toBe(
      'PERMISSION_DENIED',
    );
  });

  it('an operator who asks for one by what is no id is told that there is none', async () => {
    const runtime = createCommandRuntime('test');
    const { INTAKE_ANNOTATION_ADDRESS: address = '', INTAKE_RPC_SECRET: secret = '' } = system.env;
    const client = connectRpc(runtime, operations.OperationsServiceService, address, { secret });
    const answer = await client.retryStuck({ kind: 'annotation', id: 'x' }, systemCaller('test'));
    await runtime.stop();
    expect(answer).toEqual({ found: false });
  });

  it('puts an annotation that rests in importing on the bus again', async () => {
    const { id } = await open();
    await waitFor(
      'the event a second time',
      () => seen.filter((event) => event.id === String(id) && event.status === 'importing').length >= 2,
    );
  });
});

describe('review', () => {
  it('goes from start over edit and confirm to exported, with a gapless history and one event for each state', async () => {
    const { id } = await importDocument();
    const started = await annotations.start({ id, statuses: [] }, reviewer);
    expect(started).toMatchObject({ sessionTimeoutS: 3600, annotation: { status: 'reviewing', modifierId: 2 } });
    const nodes = await readContent(id);
    await patchValue(id, nodes.get('document_id').id, 'INV-2', reviewer);
    const confirmed = await annotations.confirm({ id, ...unmeasured }, reviewer);
    expect(confirmed).toMatchObject({ status: 'exported', confirmedById: 2, exportedById: 2 });

    const { entries } = await annotations.getHistory({ annotationId: id, page: 1, pageSize: 1000 }, admin);
    expect(entries.map(({ version, trigger, to }) => [version, trigger, to])).toEqual([
      [1, 'open', 'importing'],
      [2, 'finish_extraction', 'to_review'],
      [3, 'start', 'reviewing'],
      [4, 'content', 'reviewing'],
      [5, 'confirm', 'exported'],
    ]);
    await waitFor('the last event', () => seen.some((event) => event.id === String(id) && event.status === 'exported'));
    expect(seen.filter((event) => event.id === String(id)).map(({ version, status }) => [version, status])).toEqual([
      [1, 'importing'],
      [2, 'to_review'],
      [3, 'reviewing'],
      [5, 'exported'],
    ]);
  });

  it('keeps another user out: 409 for every action, writing and validating', async () => {
    const { id } = await importDocument();
    await annotations.start({ id, statuses: [] }, reviewer);
    const nodes = await readContent(id);
    expect(await reasonOf(annotations.start({ id, statuses: [] }, admin))).toBe('ANNOTATION_NOT_YOURS');
    expect(await reasonOf(annotations.cancel({ id, ...unmeasured }, admin))).toBe('ANNOTATION_NOT_YOURS');
    expect(await reasonOf(annotations.confirm({ id, ...unmeasured }, admin))).toBe('ANNOTATION_NOT_YOURS');
    expect(await reasonOf(patchValue(id, nodes.get('document_id').id, 'x', admin))).toBe('ANNOTATION_NOT_YOURS');
    await annotations.cancel({ id, ...unmeasured }, reviewer);
    expect(await reasonOf(annotations.confirm({ id, ...unmeasured }, reviewer))).toBe('CONFLICT_STATUS');
  });

  it('refuses to confirm what breaks the constraints, and says which field', async () => {
    const { id } = await importDocument({ document_id: '' });
    await annotations.start({ id, statuses: [] }, reviewer);
    const nodes = await readContent(id);
    const refusal: Refusal = await annotations.confirm({ id, ...unmeasured }, reviewer).then(
      () => Promise.reject(new Error('was confirmed')),
      (error) => error,
    );
    expect(refusal.reason).toBe('INVALID_ANNOTATION');
    expect(refusal.extra?.messages).toContainEqual(
      expect.objectContaining({ id: String(nodes.get('document_id').id), type: 'error', content: 'required' }),
    );
    expect((await annotations.getAnnotations({ ids: [id] }, admin)).annotations[0]?.status).toBe('reviewing');
  });

  it('confirms once for the same Idempotency-Key', async () => {
    const { id } = await importDocument();
    await annotations.start({ id, statuses: [] }, reviewer);
    const first = await annotations.confirm({ id, idempotencyKey: 'k1', ...unmeasured }, reviewer);
    const second = await annotations.confirm({ id, idempotencyKey: 'k1', ...unmeasured }, reviewer);
    expect(second).toEqual(first);
    const other = await importDocument();
    await annotations.start({ id: other.id, statuses: [] }, reviewer);
    expect(await reasonOf(annotations.confirm({ id: other.id, idempotencyKey: 'k1', ...unmeasured }, reviewer))).toBe(
      'IDEMPOTENCY_CONFLICT',
    );
  });

  it('gives a review to one of many who start it at the same moment', async () => {
    const { id } = await importDocument();
    const callers = Array.from({ length: 10 }, (_, i): Caller => ({ ...reviewer, userId: 100 + i }));
    const outcomes = await Promise.all(
      callers.map((caller) => reasonOf(annotations.start({ id, statuses: [] }, caller))),
    );
    expect(outcomes.filter((reason) => reason === 'none')).toHaveLength(1);
    expect(outcomes.filter((reason) => reason === 'ANNOTATION_NOT_YOURS')).toHaveLength(9);
  });
});

describe('content', () => {
  it('loses no value when many write at the same moment', async () => {
    const { id } = await importDocument();
    const nodes = await readContent(id);
    const fields = ['document_id', 'order_id', 'sender_name', 'recipient_name', 'sender_address', 'terms'];
    await Promise.all(fields.map((field) => patchValue(id, nodes.get(field).id, `value of ${field}`, reviewer)));
    const after = await readContent(id);
    expect(fields.map((field) => after.get(field).content.value)).toEqual(fields.map((field) => `value of ${field}`));
    const { entries } = await annotations.getHistory({ annotationId: id, page: 1, pageSize: 1000 }, admin);
    expect(entries.map(({ version }) => version)).toEqual(entries.map((_, i) => i + 1));
    expect(entries).toHaveLength(2 + fields.length);
  });

  it('serves everybody of many who write the same value at the same moment', async () => {
    const { id } = await importDocument();
    const nodeId = (await readContent(id)).get('document_id').id;
    await Promise.all(Array.from({ length: 60 }, (_, i) => patchValue(id, nodeId, `INV-${i}`, reviewer)));
    const { entries } = await annotations.getHistory({ annotationId: id, page: 1, pageSize: 1000 }, admin);
    expect(entries).toHaveLength(2 + 60);
  });

  it('is read for many at once, in their order, without what is not there', async () => {
    const [one, other] = await Promise.all([
      importDocument({ document_id: 'A' }),
      importDocument({ document_id: 'B' }),
    ]);
    const { contents } = await annotations.getContents(
      { annotationIds: [other.id, 999_999, one.id], schemaIds: [] },
      admin,
    );
    expect(contents).toEqual([
      await annotations.getContent({ annotationId: other.id }, admin),
      await annotations.getContent({ annotationId: one.id }, admin),
    ]);
    expect((await annotations.getContents({ annotationIds: [], schemaIds: [] }, admin)).contents).toEqual([]);
  });

  it('applies a list of operations as a whole or not at all', async () => {
    const { id } = await importDocument();
    const nodes = await readContent(id);
    const table = nodes.get('line_items');
    const operations = [
      {
        op: 'add',
        id: table.id,
        value: [
          {
            schema_id: table.children?.[0]?.children?.[0]?.schema_id ?? 'item_description',
            content: { value: 'Bolt' },
          },
        ],
      },
      { op: 'replace', id: String(nodes.get('order_id').id), value: { content: { value: 'PO-9' } } },
    ];
    await annotations.applyOperations({ annotationId: id, operationsJson: JSON.stringify(operations) }, reviewer);
    const after = await readContent(id);
    expect(after.get('order_id')).toMatchObject({ content: { value: 'PO-9' }, validation_sources: ['human'] });
    expect(after.get('line_items').children).toHaveLength(1);
    const broken = [...operations, { op: 'remove', id: 999_999_999 }];
    const refused = annotations.applyOperations({ annotationId: id, operationsJson: JSON.stringify(broken) }, reviewer);
    await expect(refused).rejects.toMatchObject({
      reason: 'INVALID',
      fields: { operations: [{}, {}, { id: expect.anything() }] },
    });
    expect(await readContent(id)).toEqual(after);
  });

  it('cannot be changed any more once it is exported', async () => {
    const { id } = await importDocument();
    await annotations.start({ id, statuses: [] }, reviewer);
    await annotations.confirm({ id, ...unmeasured }, reviewer);
    const nodes = await readContent(id);
    expect(await reasonOf(patchValue(id, nodes.get('document_id').id, 'x', reviewer))).toBe('CONFLICT_STATUS');
  });

  it('answers validation with messages and changed datapoints', async () => {
    const { id } = await importDocument();
    await annotations.start({ id, statuses: [] }, reviewer);
    const nodes = await readContent(id);
    const answer = await annotations.validateContent(
      contract.ValidateContentRequest.fromPartial({
        annotationId: id,
        operationsJson: JSON.stringify([
          { op: 'replace', id: nodes.get('date_issue').id, value: { content: { value: 'soon' } } },
        ]),
      }),
      reviewer,
    );
    expect(answer.messages).toContainEqual(
      expect.objectContaining({ id: String(nodes.get('date_issue').id), type: 'error', content: 'not a date' }),
    );
    expect(JSON.parse(answer.updatedDatapointsJson)).toEqual([
      expect.objectContaining({ id: nodes.get('date_issue').id }),
    ]);
  });
});

describe('tenants', () => {
  it('hides annotations of other organizations and of queues that are not assigned', async () => {
    const { id } = await importDocument();
    const stranger: Caller = { ...admin, organizationId: system.organizationId + 1 };
    const outsider: Caller = { ...reviewer, queueIds: [system.queueId + 1] };
    for (const caller of [stranger, outsider]) {
      expect((await annotations.getAnnotations({ ids: [id] }, caller)).annotations).toEqual([]);
      expect((await annotations.listAnnotations(listOf({}), caller)).total).toBe(0);
      expect(await reasonOf(annotations.start({ id, statuses: [] }, caller))).toBe('NOT_FOUND');
      expect(await reasonOf(annotations.getContent({ annotationId: id }, caller))).toBe('NOT_FOUND');
      expect((await annotations.getContents({ annotationIds: [id], schemaIds: [] }, caller)).contents).toEqual([]);
      expect(await reasonOf(annotations.getHistory({ annotationId: id, page: 1, pageSize: 1000 }, caller))).toBe(
        'NOT_FOUND',
      );
      expect(
        (await annotations.countByStatus({ queueIds: [system.queueId] }, caller)).queues[system.queueId]?.counts,
      ).toEqual({});
    }
  });
});
