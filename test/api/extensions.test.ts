import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import {
  type Api,
  buildPdf,
  idOf,
  invoiceLines,
  type Json,
  makeCertificate,
  type ReceivedCall,
  type Receiver,
  runCommand,
  startReceiver,
  startSystem,
  type TestSystem,
  waitFor,
} from '@intake/testkit';

let system: TestSystem;
let api: Api;
let receiver: Receiver;
let numbers = 0;
/** Of a server on this machine, which the system trusts. */
let folder: string;

beforeAll(async () => {
  receiver = await startReceiver();
  folder = mkdtempSync(join(tmpdir(), 'intake-extensions-'));
  const { certFile } = await makeCertificate(folder);
  system = await startSystem({ env: { INTAKE_OUTGOING_ALLOW: '127.0.0.1', NODE_EXTRA_CA_CERTS: certFile } });
  api = await system.login();
});
afterAll(async () => {
  await system?.stop();
  await receiver?.stop();
  if (folder) rmSync(folder, { recursive: true });
});

const urlOf = (path: string) => `${system.baseUrl}/v1${path}`;
const queueUrl = (id: number) => urlOf(`/queues/${id}`);

/** A queue of its own, so that extensions of one test are not called by another. */
async function makeQueue(): Promise<number> {
  const { id } = await api.post(`/queues/${system.queueId}/duplicate`, { name: `Queue ${++numbers}` });
  return id;
}

async function makeHook(queueId: number, path: string, events: string[], more: Json = {}): Promise<Json> {
  const { config, ...rest } = more;
  return api.post('/hooks', {
    name: `Hook ${path}`,
    queues: [queueUrl(queueId)],
    events,
    config: { url: `${receiver.url}${path}`, ...config },
    ...rest,
  });
}

async function makeConnector(queueId: number, path: string, more: Json = {}): Promise<Json> {
  return api.post('/connectors', {
    name: `Connector ${path}`,
    queues: [queueUrl(queueId)],
    service_url: `${receiver.url}${path}/`,
    authorization_token: 'wuNg0OenyaeK4eenOovi7aiF',
    ...more,
  });
}

/** URL of a new annotation, in the state that it is to reach. */
async function importInvoice(queueId: number, status = 'to_review'): Promise<string> {
  const content = await buildPdf({ lines: invoiceLines(`INV-${++numbers}`) });
  const task = await api.upload(queueId, [{ fileName: `invoice-${numbers}.pdf`, content }]);
  const { annotationIds } = await waitFor('the upload', () => api.findUploaded(task), { timeoutMs: 60_000 });
  const url = urlOf(`/annotations/${annotationIds[0]}`);
  await reaches(url, status);
  return url;
}

const reaches = (annotation: string, status: string) =>
  waitFor(
    `the status ${status}`,
    async () => {
      const found = await api.get(annotation);
      if (found.status !== status) throw new Error(`it is ${found.status}: ${JSON.stringify(found.messages)}`);
      return found;
    },
    { timeoutMs: 60_000 },
  );
const post = async (path: string, body?: unknown) => {
  const response = await api.request('POST', path, { body });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : (JSON.parse(text) as Json) };
};
const flatten = (nodes: Json[]): Json[] => nodes.flatMap((node) => [node, ...flatten(node.children ?? [])]);
const nodesOf = async (annotation: string): Promise<Json[]> =>
  flatten((await api.get(`${annotation}/content`)).content);
/** A multivalue of a schema has its only child outside of a list. */
const withListedChildren = (node: Json): Json => ({
  ...node,
  children: [node.children ?? []].flat().map(withListedChildren),
});
const find = (nodes: Json[], schemaId: string): Json => nodes.find((node) => node.schema_id === schemaId);
const inCall = ({ body }: ReceivedCall, schemaId: string): Json => find(flatten(body.annotation.content), schemaId);
const replace = (id: number | string, value: string) => ({ op: 'replace', id, value: { content: { value } } });
const detailOf = (hook: Json, isException = false) => ({
  hook_id: hook.id,
  hook_name: hook.name,
  request_id: expect.any(String),
  timestamp: expect.any(String),
  is_exception: isException,
});

describe('annotation_content.initialize', () => {
  it('changes what was read before anybody sees it, hook after hook', async () => {
    const queueId = await makeQueue();
    receiver.answer('/init/first', (call) => ({
      body: {
        messages: [{ id: inCall(call, 'document_id').id, type: 'warning', content: 'look at the number' }],
        operations: [replace(inCall(call, 'document_id').id, 'FIRST')],
        automation_blockers: [{ content: 'by hand, please' }],
      },
    }));
    const first = await makeHook(queueId, '/init/first', ['annotation_content.initialize']);
    const sideload = ['queues', 'schemas', 'pages', 'modifiers', 'suggested_edits'];
    await makeHook(queueId, '/init/second', ['annotation_content.initialize'], { run_after: [first.url], sideload });
    const annotation = await importInvoice(queueId);
    const [[one], [two]] = [receiver.at('/init/first'), receiver.at('/init/second')] as [
      ReceivedCall[],
      ReceivedCall[],
    ];
    if (!one || !two) throw new Error('both hooks are called');
    const id = inCall(one, 'document_id').id;
    expect(one.body).toMatchObject({
      event: 'annotation_content',
      action: 'initialize',
      updated_datapoints: [],
      annotation: { status: 'importing', previous_status: 'importing' },
    });
    expect(inCall(one, 'document_id').content).toMatchObject({ rir_text: expect.any(String), connector_text: null });
    expect(two.body.updated_datapoints).toEqual([id]);
    expect(inCall(two, 'document_id').content.value).toBe('FIRST');
    const shown = await api.get(annotation);
    expect(one.body).not.toHaveProperty('queues');
    expect(two.body).toMatchObject({
      queues: [{ id: queueId, url: shown.queue, name: expect.any(String) }],
      schemas: [{ url: shown.schema, content: expect.any(Array) }],
      pages: [await api.get(shown.pages[0])],
      modifiers: [],
      suggested_edits: [],
    });
    expect(find(await nodesOf(annotation), 'document_id').content.value).toBe('FIRST');
    expect(shown).toMatchObject({
      messages: [{ id: String(id), type: 'warning', content: 'look at the number', detail: detailOf(first) }],
    });
  });

  it('a hook that fails keeps nobody from the review, and says so', async () => {
    const queueId = await makeQueue();
    receiver.answer('/init/broken', { status: 400, body: 'not json' });
    const hook = await makeHook(queueId, '/init/broken', ['annotation_content.initialize']);
    const annotation = await importInvoice(queueId);
    expect((await api.get(annotation)).messages).toEqual([
      {
        id: 'all',
        type: 'error',
        content: 'The extension "Hook /init/broken" failed. It answered 400.',
        detail: detailOf(hook, true),
      },
    ]);
  });
});

/** What a hook does with its token to the annotation that it is asked about. */
const actAs = async ({ body }: ReceivedCall, action: string, what: object = {}, token?: string) => {
  const response = await fetch(`${body.annotation.url}/${action}`, {
    method: 'POST',
    headers: {
      authorization: `token ${token ?? body.rossum_authorization_token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(what),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : (JSON.parse(text) as Json) };
};

describe('what an extension decides during annotation_content.initialize', () => {
  /** Calls the API as the extension that is being called. */
  const owner = async () => (await api.get('/auth/user')).url;

  it.each([
    ['reject', { note_content: 'Not for us.' }, 'rejected'],
    ['postpone', {}, 'postponed'],
    ['delete', {}, 'deleted'],
  ])('%s holds when all of them have answered', async (action, what, status) => {
    const queueId = await makeQueue();
    const seen: Json[] = [];
    receiver.answer(`/decides/${action}`, async (call) => {
      seen.push(await actAs(call, action, what), await api.get(call.body.annotation.url));
      return { body: { operations: [replace(inCall(call, 'document_id').id, 'SEEN')] } };
    });
    const events = ['annotation_content.initialize'];
    const first = await makeHook(queueId, `/decides/${action}`, events, { token_owner: await owner() });
    await makeHook(queueId, `/decides/${action}/later`, events, { run_after: [first.url] });
    const annotation = await importInvoice(queueId, status);
    const [answer, during] = seen as [Json, Json];
    expect([answer.status, during.status]).toEqual([action === 'reject' ? 200 : 204, 'importing']);
    expect(receiver.at(`/decides/${action}/later`)).toHaveLength(1);
    expect(find(await nodesOf(annotation), 'document_id').content.value).toBe('SEEN');
    const shown = await api.get(annotation);
    if (action === 'reject') {
      expect(answer.body).toEqual({ status: 'rejected', note: expect.any(String) });
      expect(await api.get(answer.body.note)).toMatchObject({ annotation, content: 'Not for us.' });
      expect(shown.rejected_by).toBe(await owner());
    }
    if (action === 'delete') expect(shown.deleted_by).toBe(await owner());
    expect(shown.automated).toBe(false);
  });

  it('split makes the parts at once, and only once', async () => {
    const queueId = await makeQueue();
    const answers: Json[] = [];
    receiver.answer('/decides/split', async (call) => {
      const { pages, url } = call.body.annotation;
      if ((await api.get(url)).relations.length > 0 || pages.length < 2) return {};
      const documents = pages.map((page: string) => ({ pages: [{ page }] }));
      for (const action of ['split', 'split', 'postpone']) answers.push(await actAs(call, action, { documents }));
      return {};
    });
    await makeHook(queueId, '/decides/split', ['annotation_content.initialize'], { token_owner: await owner() });
    const content = await buildPdf({ lines: invoiceLines('INV-101'), pages: [invoiceLines('INV-102')] });
    const task = await api.upload(queueId, [{ fileName: 'two.pdf', content }]);
    const { annotationIds } = await waitFor('the upload', () => api.findUploaded(task), { timeoutMs: 60_000 });
    await reaches(urlOf(`/annotations/${annotationIds[0]}`), 'split');
    expect(answers.map(({ status }) => status)).toEqual([200, 409, 409]);
    const parts = answers[0]?.body.results.map(({ annotation }: Json) => annotation);
    expect(parts).toHaveLength(2);
    const numbersOf = parts.map(async (part: string) => {
      await reaches(part, 'to_review');
      return find(await nodesOf(part), 'document_id').content.value;
    });
    expect(await Promise.all(numbersOf)).toEqual(['INV-101', 'INV-102']);
  });

  it('is for the extension that is asked, about the document that it is asked about', async () => {
    const queueId = await makeQueue();
    const { key } = await api.post('/auth/login', system.admin);
    const other = await importInvoice(queueId);
    const answers: Json[] = [];
    receiver.answer('/decides/others', async (call) => {
      answers.push(await actAs(call, 'postpone', {}, key));
      answers.push(await actAs({ ...call, body: { ...call.body, annotation: { url: other } } }, 'cancel'));
      answers.push(await actAs(call, 'confirm'));
      return {};
    });
    await makeHook(queueId, '/decides/others', ['annotation_content.initialize'], { token_owner: await owner() });
    await importInvoice(queueId);
    expect(answers.map(({ status }) => status)).toEqual([409, 409, 409]);
  });
});

describe('content/validate', () => {
  it('lets the hook that is asked write to the document under review, but not ask in its turn', async () => {
    const queueId = await makeQueue();
    const [annotation, other] = [await importInvoice(queueId), await importInvoice(queueId)];
    const [{ id }] = [find(await nodesOf(annotation), 'order_id')];
    const [{ id: otherId }] = [find(await nodesOf(other), 'order_id')];
    for (const url of [annotation, other]) await api.post(`${url}/start`);
    const answers: Json[] = [];
    const patchAs = async ({ body }: ReceivedCall, url: string, change: object) => {
      const headers = {
        authorization: `Bearer ${body.rossum_authorization_token}`,
        'content-type': 'application/json',
      };
      const response = await fetch(url, { method: 'PATCH', headers, body: JSON.stringify(change) });
      return { status: response.status, body: (await response.json()) as Json };
    };
    receiver.answer('/writes/own', async (call) => {
      const elsewhere = { ...call, body: { ...call.body, annotation: { url: other } } };
      answers.push(await patchAs(call, annotation, { metadata: { seen: true } }));
      answers.push(await patchAs(call, other, { metadata: { seen: true } }));
      answers.push(await patchAs(call, annotation, { status: 'postponed' }));
      answers.push(await actAs(call, 'content/operations', { operations: [replace(id, 'WITH THE TOKEN')] }));
      answers.push(await actAs(elsewhere, 'content/operations', { operations: [replace(otherId, 'NOT HERE')] }));
      answers.push(await actAs(call, 'content/validate'));
      return {};
    });
    const organization = `${system.baseUrl}/v1/organizations/${system.organizationId}`;
    const groups = [`${system.baseUrl}/v1/groups/3`];
    const { url } = await api.post('/users', { username: 'extension@example.com', organization, groups });
    await makeHook(queueId, '/writes/own', ['annotation_content.user_update'], { token_owner: url });
    const { updated_datapoints: updated } = await api.post(`${annotation}/content/validate`, {
      updated_datapoint_ids: [id],
    });
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [200, undefined],
      [409, 'conflict_user'],
      [409, 'conflict_user'],
      [200, undefined],
      [409, 'conflict_user'],
      [409, 'conflict_status'],
    ]);
    expect(updated.map((node: Json) => [node.id, node.content.value])).toEqual([[id, 'WITH THE TOKEN']]);
    expect(await api.get(annotation)).toMatchObject({ status: 'reviewing', metadata: { seen: true } });
    expect(find(await nodesOf(annotation), 'order_id').content.value).toBe('WITH THE TOKEN');
  });

  it('calls the hooks of its actions, applies what they answer, and shows what they say', async () => {
    const queueId = await makeQueue();
    for (const action of ['started', 'user_update', 'updated']) {
      await makeHook(queueId, `/validate/${action}`, [`annotation_content.${action}`]);
    }
    const annotation = await importInvoice(queueId);
    await api.post(`${annotation}/start`);
    await api.post(`${annotation}/content/validate`, { actions: ['user_update', 'started'] });
    expect(receiver.calls.filter(({ path }) => path.startsWith('/validate/')).map(({ path }) => path)).toEqual([
      '/validate/started',
    ]);

    const nodes = await nodesOf(annotation);
    const [number, order, lines] = ['document_id', 'order_id', 'line_items'].map((id) => find(nodes, id));
    receiver.answer('/validate/user_update', {
      body: {
        messages: [
          { id: number.id, type: 'error', content: 'unknown number' },
          { type: 'info', content: 'of all' },
        ],
        operations: [
          replace(order.id, 'FROM HOOK'),
          { op: 'add', id: lines.id, value: [{ schema_id: 'item_description', content: { value: 'Added' } }] },
        ],
      },
    });
    const validation = await api.post(`${annotation}/content/validate`, {
      actions: ['user_update', 'updated'],
      operations: [replace(number.id, 'BY HAND')],
    });
    const [update] = receiver.at('/validate/user_update');
    const [updated] = receiver.at('/validate/updated');
    expect(update?.body).toMatchObject({
      action: 'user_update',
      updated_datapoints: [number.id],
      annotation: { status: 'reviewing', previous_status: 'to_review' },
    });
    expect(inCall(update as ReceivedCall, 'document_id').content.value).toBe('BY HAND');
    const after = await nodesOf(annotation);
    const row = find(after, 'line_items').children.at(-1);
    const added = [lines.id, row.id, ...row.children.map(({ id }: Json) => id)];
    expect(new Set(updated?.body.updated_datapoints)).toEqual(new Set([number.id, order.id, ...added]));
    expect(find(after, 'order_id')).toMatchObject({ content: { value: 'FROM HOOK' }, validation_sources: [] });
    expect(validation.messages.filter(({ detail }: Json) => detail)).toEqual([
      expect.objectContaining({ id: String(number.id), type: 'error', content: 'unknown number' }),
      expect.objectContaining({ id: 'all', type: 'info', content: 'of all' }),
    ]);
    const shown = flatten(validation.updated_datapoints).map(({ id }) => id);
    expect(shown).toEqual(expect.arrayContaining([number.id, order.id, ...added]));
    expect((await api.get(annotation)).messages).toBeNull();
  });

  it('a hook that fails, or answers what cannot be used, is a message and no error', async () => {
    const queueId = await makeQueue();
    receiver.answer('/bad/status', { status: 500, body: { messages: [{ type: 'warning', content: 'still said' }] } });
    receiver.answer('/bad/answer', { body: 'hello' });
    receiver.answer('/bad/operations', { body: { operations: [{ op: 'remove', id: 999_999_999 }] } });
    receiver.answer('/bad/types', { body: { messages: [{ type: 'fatal', content: '' }] } });
    for (const path of ['/bad/status', '/bad/answer', '/bad/operations', '/bad/types']) {
      await makeHook(queueId, path, ['annotation_content.started']);
    }
    const annotation = await importInvoice(queueId);
    await api.post(`${annotation}/start`);
    const { messages } = await api.post(`${annotation}/content/validate`, { actions: ['user_update', 'started'] });
    const said = messages.filter(({ detail }: Json) => detail?.hook_name);
    expect(said.map((one: Json) => [one.id, one.type, one.content, one.detail.is_exception])).toEqual([
      ['all', 'warning', 'still said', false],
      ['all', 'error', 'The extension "Hook /bad/answer" failed. Its answer is no JSON object.', true],
      ['all', 'error', expect.stringContaining('Datapoint 999999999 not found.'), false],
      ['all', 'error', expect.stringContaining('messages[0].type must be one of error, warning, info'), true],
    ]);
    expect(receiver.at('/bad/status')).toHaveLength(1);
    // What failed can be looked at as a whole.
    const id = said[3].detail.request_id;
    expect((await api.get(`/hooks/logs?request_id=${id}`)).results).toMatchObject([
      {
        log_level: 'ERROR',
        status: 'failed',
        status_code: 200,
        request: expect.any(String),
        response: expect.stringContaining('fatal'),
      },
    ]);
  });
});

describe('confirm and export', () => {
  it('an error of a confirm hook keeps the review; export hooks write before the end', async () => {
    const queueId = await makeQueue();
    let refuses = true;
    receiver.answer('/confirm', () =>
      refuses ? { body: { messages: [{ type: 'error', content: 'not today' }] } } : {},
    );
    receiver.answer('/export', (call) => ({
      body: {
        messages: [{ type: 'info', content: 'handed over' }],
        operations: [replace(inCall(call, 'terms').id, 'exported as 17')],
      },
    }));
    const confirming = await makeHook(queueId, '/confirm', ['annotation_content.confirm']);
    await makeHook(queueId, '/export', ['annotation_content.export']);
    const annotation = await importInvoice(queueId);
    await api.post(`${annotation}/start`);
    expect(await post(`${annotation}/confirm`)).toEqual({
      status: 400,
      body: {
        detail: 'Annotation contains validation errors.',
        code: 'bad_request',
        messages: [{ id: 'all', type: 'error', content: 'not today', detail: detailOf(confirming) }],
      },
    });
    expect((await api.get(annotation)).status).toBe('reviewing');
    refuses = false;
    expect((await post(`${annotation}/confirm`)).status).toBe(204);
    const exported = await reaches(annotation, 'exported');
    expect(exported.messages).toMatchObject([{ type: 'info', content: 'handed over' }]);
    expect(find(await nodesOf(annotation), 'terms').content.value).toBe('exported as 17');
    expect(receiver.at('/export')[0]?.body.annotation.status).toBe('exporting');
  });

  it('a failing export hook ends in failed_export, those after it are not called, and it can be tried again', async () => {
    const queueId = await makeQueue();
    let works = false;
    receiver.answer('/export/first', () =>
      works ? {} : { status: 422, body: { messages: [{ type: 'info', content: 'no such vendor' }] } },
    );
    const first = await makeHook(queueId, '/export/first', ['annotation_content.export']);
    await makeHook(queueId, '/export/after', ['annotation_content.export'], { run_after: [first.url] });
    await makeHook(queueId, '/export/beside', ['annotation_content.export']);
    const annotation = await importInvoice(queueId);
    await api.post(`${annotation}/start`);
    await api.post(`${annotation}/confirm`);
    const failed = await reaches(annotation, 'failed_export');
    expect(failed.messages).toMatchObject([{ id: 'all', type: 'info', content: 'no such vendor' }]);
    expect(receiver.at('/export/after')).toEqual([]);
    expect(receiver.at('/export/beside')).toHaveLength(1);
    works = true;
    await api.patch(annotation, { status: 'exporting' });
    await reaches(annotation, 'exported');
    expect(receiver.at('/export/after')).toHaveLength(1);
    const ids = receiver.at('/export/first').map(({ body }) => body.request_id);
    expect(new Set(ids).size).toBe(2);
  });
});

describe('the usage report', () => {
  it('knows what people corrected and how long it took, also when hooks change fields afterwards; and comes to the same when it is rebuilt', async () => {
    const queueId = await makeQueue();
    receiver.answer('/totals', ({ body }) => {
      const total = find(flatten(body.annotation.content), 'amount_total');
      return { body: { operations: [replace(total.id, '99.00')] } };
    });
    await makeHook(queueId, '/totals', ['annotation_content.export']);
    const annotation = await importInvoice(queueId);
    await importInvoice(queueId);
    await api.post(`${annotation}/start`);
    const nodes = await nodesOf(annotation);
    const [number, total, date] = ['document_id', 'amount_total', 'date_issue'].map((id) => find(nodes, id));
    const write = (node: Json, value: string, seconds: number) =>
      api.patch(`${annotation}/content/${node.id}`, {
        ...{ content: { value }, validation_sources: ['human'], time_spent: seconds },
      });
    await write(number, 'CORRECTED', 4);
    await write(total, '77.00', 2);
    // Looked at, and left as it was read.
    await write(date, date.content.value, 1);
    await api.post(`${annotation}/confirm`);
    await reaches(annotation, 'exported');
    expect(find(await nodesOf(annotation), 'amount_total').content).toMatchObject({
      value: '99.00',
      connector_text: '99.00',
    });

    const body = { filter: { queues: [queueUrl(queueId)] }, group_by: ['queue'] };
    const report = await waitFor('the export to be counted', async () => {
      const found = await api.post('/annotations/usage_report', body);
      return found.totals.exported_count === 1 && found;
    });
    expect(report.totals).toMatchObject({ imported_count: 2, corrections_per_document_avg: 1 });
    expect(report.totals).not.toHaveProperty('time_and_corrections_per_field');
    const fields: Json[] = report.series[0].values.time_and_corrections_per_field;
    const schema = await api.get((await api.get(annotation)).schema);
    const datapoints = flatten(schema.content.map(withListedChildren)).filter(
      ({ category }) => category === 'datapoint',
    );
    expect(fields.map(({ schema_id, label }) => [schema_id, label])).toEqual(
      datapoints.filter(({ id }) => nodes.some((node) => node.schema_id === id)).map(({ id, label }) => [id, label]),
    );
    const of = (schemaId: string) => fields.find(({ schema_id: id }) => id === schemaId);
    expect(of('document_id')).toEqual({
      schema_id: 'document_id',
      label: expect.any(String),
      total_count: 1,
      corrected_ratio: 1,
      time_spent_avg_s: 4,
    });
    expect(of('amount_total')).toMatchObject({ total_count: 1, corrected_ratio: 0, time_spent_avg_s: 2 });
    expect(of('date_issue')).toMatchObject({ total_count: 1, corrected_ratio: 0, time_spent_avg_s: 1 });

    expect((await runCommand(system, 'reporting', 'rebuild')).annotations).toBeGreaterThanOrEqual(2);
    expect(await api.post('/annotations/usage_report', body)).toEqual(report);
  });
});

describe('a connector', () => {
  it('is asked at import, at each validation and before a confirmation, and gets the export', async () => {
    const queueId = await makeQueue();
    const connector = await makeConnector(queueId, '/connector', { params: 'strict=true' });
    receiver.answer('/connector/validate', ({ path, body }) => {
      const number = find(flatten(body.content), 'document_id');
      return path.includes('initial=true')
        ? { body: { updated_datapoints: [{ id: number.id, value: 'BY CONNECTOR' }] } }
        : { body: { messages: [{ id: number.id, type: 'warning', content: 'seen' }] } };
    });
    receiver.answer('/connector/save', { body: 'thank you' });
    const annotation = await importInvoice(queueId);
    const [initial] = receiver.at('/connector/validate');
    expect(initial).toMatchObject({ path: '/connector/validate?strict=true&initial=true', method: 'POST' });
    expect(initial?.headers.authorization).toBe('secret_key wuNg0OenyaeK4eenOovi7aiF');
    const shown = await api.get(annotation);
    const document = await api.get(shown.document);
    const queue = await api.get(shown.queue);
    expect(initial?.body.meta).toEqual({
      document_url: shown.document,
      arrived_at: shown.arrived_at,
      original_file: urlOf(`/original/${document.s3_name}`),
      original_filename: document.original_file_name,
      queue_name: queue.name,
      workspace_name: expect.any(String),
      organization_name: expect.any(String),
      annotation,
      queue: shown.queue,
      workspace: queue.workspace,
      organization: shown.organization,
      modifier: null,
      updated_datapoint_ids: [],
      modifier_metadata: {},
      queue_metadata: {},
      annotation_metadata: {},
      rir_poll_id: shown.rir_poll_id,
      automated: false,
    });
    const number = find(await nodesOf(annotation), 'document_id');
    expect(number).toMatchObject({
      content: { value: 'BY CONNECTOR', connector_text: 'BY CONNECTOR', connector_position: null },
      validation_sources: ['connector'],
    });

    await api.post(`${annotation}/start`);
    const { messages } = await api.post(`${annotation}/content/validate`, { updated_datapoint_ids: [number.id] });
    expect(messages).toContainEqual({ id: String(number.id), type: 'warning', content: 'seen' });
    const second = receiver.at('/connector/validate')[1];
    expect(second?.path).toBe('/connector/validate?strict=true');
    expect(second?.body.meta.updated_datapoint_ids).toEqual([String(number.id)]);
    expect(find(flatten(second?.body.content), 'document_id')).toEqual({
      id: String(number.id),
      category: 'datapoint',
      schema_id: 'document_id',
      page: number.content.page,
      position: number.content.position,
      rir_position: number.content.rir_position,
      rir_confidence: number.content.rir_confidence,
      value: 'BY CONNECTOR',
      validation_sources: ['connector'],
      type: 'string',
    });
    expect((await post(`${annotation}/confirm`)).status).toBe(204);
    await reaches(annotation, 'exported');
    expect(receiver.at('/connector/validate')).toHaveLength(3);
    expect(receiver.at('/connector/save')).toHaveLength(1);
    await api.delete(connector.url);
  });

  it('is shown the client certificate of its settings', async () => {
    const own = mkdtempSync(join(folder, 'client-'));
    const client = await makeCertificate(own, 'capture.example.com');
    const shown: unknown[] = [];
    const options = { cert: readFileSync(join(folder, 'cert.pem')), key: readFileSync(join(folder, 'key.pem')) };
    const server = createServer({ ...options, requestCert: true, rejectUnauthorized: false }, (request, response) => {
      shown.push((request.socket as TLSSocket).getPeerCertificate().subject?.CN);
      response.end('{}');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const queueId = await makeQueue();
    const connector = await makeConnector(queueId, '', {
      service_url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
      client_ssl_certificate: readFileSync(client.certFile, 'utf8'),
      client_ssl_key: readFileSync(client.keyFile, 'utf8'),
    });
    expect(connector).not.toHaveProperty('client_ssl_key');
    const annotation = await importInvoice(queueId);
    expect((await api.get(annotation)).messages).toBeNull();
    expect(shown).toEqual(['capture.example.com']);
    server.closeAllConnections();
    server.close();
  });

  it('refuses a confirmation, also through the API, and one that is not there says so', async () => {
    const queueId = await makeQueue();
    await makeConnector(queueId, '/refusing', { authorization_type: 'Basic' });
    receiver.answer('/refusing/validate', { status: 404 });
    const annotation = await importInvoice(queueId);
    expect((await api.get(annotation)).messages).toBeNull();
    expect(receiver.at('/refusing/validate')[0]?.headers.authorization).toBe('Basic wuNg0OenyaeK4eenOovi7aiF');
    await api.post(`${annotation}/start`);
    const answers: [Json, string][] = [
      [{ body: { messages: [{ type: 'error', content: 'over budget' }] } }, 'over budget'],
      [{ status: 500, body: { error: 'database is down' } }, 'database is down'],
      [{ status: 400, body: { messages: 'no such vendor' } }, 'no such vendor'],
      [{ status: 400, body: { messages: ['one', 'two'].map((content) => ({ type: 'error', content })) } }, 'one\ntwo'],
      [{ status: 502, body: 'Bad Gateway' }, 'Bad Gateway'],
      [{ status: 500, body: '' }, 'The connector answered 500.'],
    ];
    for (const [answer, content] of answers) {
      receiver.answer('/refusing/validate', answer);
      expect(await post(`${annotation}/confirm`)).toMatchObject({ status: 400, body: { messages: [{ content }] } });
    }
    const validation = await post(`${annotation}/content/validate`, {});
    expect(validation).toMatchObject({ status: 200 });
    expect(validation.body.messages).toContainEqual(
      expect.objectContaining({ id: 'all', type: 'error', content: 'The connector answered 500.' }),
    );
  });

  it('that is synchronous is waited for, without the state exporting', async () => {
    const queueId = await makeQueue();
    await makeConnector(queueId, '/sync', { asynchronous: false });
    receiver.answer('/sync/save', { status: 400, body: { messages: [{ type: 'info', content: 'try later' }] } });
    const annotation = await importInvoice(queueId);
    await api.post(`${annotation}/start`);
    expect((await post(`${annotation}/confirm`)).status).toBe(204);
    expect(await api.get(annotation)).toMatchObject({
      status: 'failed_export',
      messages: [{ id: 'all', type: 'info', content: 'try later' }],
      export_failed_at: expect.any(String),
      confirmed_at: expect.any(String),
    });
    receiver.answer('/sync/save', { status: 201 });
    await api.patch(annotation, { status: 'exporting' });
    await reaches(annotation, 'exported');
    const { results } = await api.get(`${annotation}/history`);
    expect(results.map(({ status }: Json) => status)).toEqual(
      expect.arrayContaining(['importing', 'to_review', 'reviewing', 'failed_export', 'exporting', 'exported']),
    );
  });
});

describe('calls by hand', () => {
  it('test sends exactly the payload, with other settings for once', async () => {
    const hook = await makeHook(await makeQueue(), '/tested', ['annotation_status']);
    receiver.answer('/tested/elsewhere', { body: { messages: [] } });
    const payload = { event: 'annotation_status', action: 'changed', anything: [1] };
    const config = { url: `${receiver.url}/tested/elsewhere` };
    expect(await api.post(`${hook.url}/test`, { config, payload })).toEqual({ response: { messages: [] } });
    expect(receiver.at('/tested/elsewhere').map(({ body }) => body)).toEqual([payload]);
    expect((await api.get(hook.url)).config.url).toBe(`${receiver.url}/tested`);
    const wrong = { url: null, secret: 5, insecure_ssl: 'maybe', client_ssl_key: [] };
    expect(await post(`${hook.url}/test`, { config: wrong, payload })).toEqual({
      status: 400,
      body: {
        config: {
          url: ['This field may not be null.'],
          secret: ['Not a valid string.'],
          insecure_ssl: ['Must be a valid boolean.'],
          client_ssl_key: ['Not a valid string.'],
        },
      },
    });
    receiver.answer('/tested', { status: 500 });
    expect(await post(`${hook.url}/test`, { payload })).toEqual({
      status: 400,
      body: { detail: 'It answered 500.', code: 'hook_failed' },
    });
  });

  it('leave neither tokens nor secrets in the log, whatever the receiver sends back', async () => {
    const { url: token_owner } = await api.get('/auth/user');
    const hook = await makeHook(await makeQueue(), '/echo', ['invocation.manual'], {
      token_owner,
      secrets: { key: 'kept', longer: 'kept "secret"', nested: { deep: ['deeper'] } },
      secrets_schema: { type: 'object' },
    });
    receiver.answer('/echo', ({ body }) => ({ status: 500, body }));
    const payload = { event: 'invocation', action: 'manual', rossum_authorization_token: api.token };
    for (const [call, body] of [
      ['test', { payload }],
      ['invoke', {}],
    ] as const) {
      expect((await post(`${hook.url}/${call}`, body)).status).toBe(400);
    }
    const tokens = receiver.at('/echo').map(({ body }) => body.rossum_authorization_token);
    expect(tokens).toEqual([api.token, expect.stringMatching(/^[0-9a-f]{40,}$/)]);
    const { results } = await api.get(`/hooks/logs?hook=${hook.id}`);
    const shown = { rossum_authorization_token: '[redacted...]' };
    for (const key of ['request', 'response']) {
      const [invoked, tested] = results.map((one: Json) => JSON.parse(one[key]));
      expect(invoked).toMatchObject({ ...shown, secrets: { key: '[redacted...]', longer: '[redacted...]' } });
      expect(JSON.stringify(invoked)).not.toMatch(/kept|deeper/);
      expect(tested).toEqual({ ...payload, ...shown });
    }
  });

  it('invoke gives the answer of the hook', async () => {
    const queueId = await makeQueue();
    const hook = await makeHook(queueId, '/invoked', ['invocation.manual']);
    receiver.answer('/invoked', ({ body }) => ({ body: { sum: body.a + body.b } }));
    expect(await api.post(`${hook.url}/invoke`, { a: 1, b: 2, event: 'mine' })).toEqual({ sum: 3 });
    expect(receiver.at('/invoked')[0]?.body).toMatchObject({
      event: 'invocation',
      action: 'manual',
      a: 1,
      hook: hook.url,
    });
    const other = await makeHook(queueId, '/not-invoked', ['annotation_status']);
    expect((await post(`${other.url}/invoke`, {})).status).toBe(400);
    await api.patch(hook.url, { active: false });
    expect((await post(`${hook.url}/invoke`, {})).status).toBe(400);
  });

  it('generate_payload shows what would be sent, without secrets', async () => {
    const queueId = await makeQueue();
    const hook = await makeHook(queueId, '/generated', ['annotation_content'], {
      secrets: { key: 'hidden' },
      active: false,
    });
    const annotation = await importInvoice(queueId);
    const body = {
      event: 'annotation_content',
      action: 'updated',
      annotation,
      status: 'reviewing',
      previous_status: 'to_review',
    };
    const payload = await api.post(`${hook.url}/generate_payload`, body);
    expect(payload).toMatchObject({
      ...{ event: 'annotation_content', action: 'updated', hook: hook.url, updated_datapoints: [] },
      secrets: { key: '[redacted...]' },
      rossum_authorization_token: api.token,
      annotation: {
        id: idOf(annotation),
        status: 'reviewing',
        previous_status: 'to_review',
        content: expect.any(Array),
      },
    });
    const required = ['This field is required.'];
    const refused = async (given: Json) => (await post(`${hook.url}/generate_payload`, given)).body;
    expect(await refused({ event: 'annotation_content', action: 'updated' })).toEqual({
      annotation: required,
      status: required,
      previous_status: required,
    });
    for (const key of Object.keys(body))
      expect(await refused({ ...body, [key]: undefined })).toEqual({ [key]: required });
    expect(await refused({ event: 'upload', action: 'created' })).toEqual({ upload: required });
    expect(await refused({ event: 'email', action: 'received' })).toEqual({ email: required });
    expect(await refused({ event: 'unknown', action: 'created' })).toEqual({ event: [expect.any(String)] });
    expect(await refused({ ...body, action: 'changed' })).toEqual({ action: ['"changed" is not a valid choice.'] });
    expect(await refused({ ...body, status: 'done' })).toEqual({ status: ['"done" is not a valid choice.'] });
  });
});
