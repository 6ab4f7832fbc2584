import {
  type Api,
  buildPdf,
  idOf,
  invoiceLines,
  type Json,
  type ReceivedCall,
  type Receiver,
  runCommand,
  startReceiver,
  startSystem,
  type TestSystem,
  waitFor,
} from '@intake/testkit';
import { Webhook } from 'standardwebhooks';

const SECRET = 'a secret between the two';

let system: TestSystem;
let api: Api;
let receiver: Receiver;
let numbers = 0;

beforeAll(async () => {
  receiver = await startReceiver();
  system = await startSystem({ env: { INTAKE_OUTGOING_ALLOW: '127.0.0.1' } });
  api = await system.login();
});
afterAll(async () => {
  await system?.stop();
  await receiver?.stop();
});

const urlOf = (path: string) => `${system.baseUrl}/v1${path}`;

/** A queue of its own, so that hooks of one test are not called by another. */
async function makeQueue(): Promise<number> {
  const { id } = await api.post(`/queues/${system.queueId}/duplicate`, { name: `Queue ${++numbers}` });
  return id;
}

async function makeHook(queueId: number, path: string, events: string[], more: Json = {}): Promise<Json> {
  const { config, ...rest } = more;
  return api.post('/hooks', {
    name: `Hook ${path}`,
    queues: [urlOf(`/queues/${queueId}`)],
    events,
    config: { url: `${receiver.url}${path}`, ...config },
    ...rest,
  });
}

/** URL of a new annotation, in the state that it is to reach. */
async function importInvoice(queueId: number, status = 'to_review'): Promise<string> {
  const content = await buildPdf({ lines: invoiceLines(`INV-${++numbers}`) });
  const task = await api.upload(queueId, [{ fileName: `invoice-${numbers}.pdf`, content }]);
  const { annotationIds } = await waitFor('the upload', () => api.findUploaded(task), { timeoutMs: 60_000 });
  const url = urlOf(`/annotations/${annotationIds[0]}`);
  await waitFor(`the status ${status}`, async () => (await api.get(url)).status === status, { timeoutMs: 60_000 });
  return url;
}

const intake = (...args: string[]): Promise<Json> => runCommand(system, ...args);
const logsOf = async (hook: Json): Promise<Json[]> => (await api.get(`/hooks/logs?hook=${hook.id}`)).results;
const statusesIn = (calls: readonly ReceivedCall[]) => calls.map(({ body }) => body.annotation.status);
const calledAt = (path: string, count = 1) =>
  waitFor(`${count} calls of ${path}`, () => receiver.at(path).length >= count && receiver.at(path), {
    timeoutMs: 30_000,
  });

describe('annotation_status.changed', () => {
  it('tells every change once, in order, signed in both ways', async () => {
    const queueId = await makeQueue();
    const hook = await makeHook(queueId, '/status', ['annotation_status'], {
      config: { secret: SECRET },
      settings: { factor: 2 },
      secrets: { password: 'p' },
    });
    const annotation = await importInvoice(queueId);
    await api.post(`${annotation}/start`);
    // Begun once more by its holder, it is in the state in which it was.
    await api.post(`${annotation}/start`);
    await api.post(`${annotation}/postpone`);
    const calls = await calledAt('/status', 4);
    expect(statusesIn(calls)).toEqual(['importing', 'to_review', 'reviewing', 'postponed']);
    expect(calls.map(({ body }) => body.annotation.previous_status)).toEqual([
      null,
      'importing',
      'to_review',
      'reviewing',
    ]);
    for (const { headers, text, body, method } of calls) {
      expect(method).toBe('POST');
      expect(headers['content-type']).toBe('application/json');
      expect(new Webhook(SECRET, { format: 'raw' }).verify(text, headers as Record<string, string>)).toEqual(body);
      expect(headers['webhook-id']).toBe(body.request_id);
      expect(headers['x-rossum-signature-sha256']).toMatch(/^sha256=[0-9a-f]{64}$/);
      expect(headers['x-elis-signature']).toMatch(/^sha1=[0-9a-f]{40}$/);
    }
    const { body } = calls[3] as ReceivedCall;
    const shown = await api.get(annotation);
    const { annotations: _, ...document } = await api.get(shown.document);
    expect(body).toEqual({
      request_id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      base_url: system.baseUrl.replace(/\/api$/, ''),
      hook: hook.url,
      settings: { factor: 2 },
      secrets: { password: 'p' },
      event: 'annotation_status',
      action: 'changed',
      annotation: { ...shown, previous_status: 'reviewing' },
      document,
    });
    expect(new Set(calls.map((call) => call.body.request_id)).size).toBe(4);
    expect(await logsOf(hook)).toHaveLength(4);
    // As of every list, a page that is too large is cut, and one that cannot be is the usual one.
    for (const [size, length] of Object.entries({ 1000: 4, 0: 4, few: 4, 2: 2 })) {
      expect((await api.get(`/hooks/logs?hook=${hook.id}&page_size=${size}`)).results).toHaveLength(length);
    }
    const [one] = (await api.get(`/hooks/logs?hook=${hook.id}&fields=hook_id,event`)).results;
    expect(one).toEqual({ hook_id: hook.id, event: 'annotation_status' });
    for (const events of ['annotation_status', 'annotation_status.changed', 'email,annotation_status']) {
      expect((await api.get(`/hooks?queue=${queueId}&events=${events}`)).results).toEqual([hook]);
    }
    expect((await api.get(`/hooks?queue=${queueId}&events=email`)).results).toEqual([]);
  });

  it('goes to hooks that are active, of the queue and of the event only', async () => {
    const queueId = await makeQueue();
    await makeHook(queueId, '/only/inactive', ['annotation_status'], { active: false });
    await makeHook(queueId, '/only/other-event', ['annotation_content.export']);
    await makeHook(await makeQueue(), '/only/other-queue', ['annotation_status']);
    const fn = await makeHook(queueId, '/only/function', ['annotation_status'], { type: 'function', config: {} });
    await makeHook(queueId, '/only/this', ['annotation_status']);
    const annotation = await importInvoice(queueId);
    await calledAt('/only/this', 2);
    expect(receiver.calls.filter(({ path }) => path.startsWith('/only/')).map(({ path }) => path)).toEqual([
      '/only/this',
      '/only/this',
    ]);
    const [record] = await waitFor('the records of the function', async () => {
      const found = await logsOf(fn);
      return found.length === 2 && found;
    });
    expect(record).toMatchObject({ log_level: 'WARNING', hook_type: 'function', annotation_id: idOf(annotation) });
  });

  it('carries a token that acts as its owner, and ends with the answer unless it is to live longer', async () => {
    const queueId = await makeQueue();
    const owner = await api.post('/users', {
      username: 'hook@example.com',
      email: 'hook@example.com',
      password: 'correct horse battery',
      organization: urlOf(`/organizations/${system.organizationId}`),
      queues: [urlOf(`/queues/${queueId}`)],
      groups: [urlOf('/groups/3')],
    });
    const seen: Json[] = [];
    const whoAmI = async (token: string) => {
      const answer = await fetch(urlOf('/auth/user'), { headers: { authorization: `token ${token}` } });
      return answer.status === 200 ? ((await answer.json()) as Json).url : answer.status;
    };
    const ask = async ({ body }: ReceivedCall) => {
      seen.push(await whoAmI(body.rossum_authorization_token));
      return {};
    };
    receiver.answer('/token/short', ask);
    receiver.answer('/token/long', ask);
    await makeHook(queueId, '/token/short', ['annotation_status'], { token_owner: owner.url });
    await makeHook(queueId, '/token/long', ['annotation_status'], { token_owner: owner.url, token_lifetime_s: 3600 });
    await importInvoice(queueId);
    const [short] = await calledAt('/token/short', 2);
    const [long] = await calledAt('/token/long', 2);
    await waitFor('all to be asked', () => seen.length === 4);
    expect(seen).toEqual([owner.url, owner.url, owner.url, owner.url]);
    await waitFor(
      'the end of the token',
      async () => (await whoAmI((short as ReceivedCall).body.rossum_authorization_token)) === 401,
    );
    expect(await whoAmI((long as ReceivedCall).body.rossum_authorization_token)).toBe(owner.url);
  });

  it('is tried again with the same id while the receiver fails, and later changes wait', async () => {
    const queueId = await makeQueue();
    let failures = 2;
    receiver.answer('/failing', () => (failures-- > 0 ? { status: 503 } : {}));
    const hook = await makeHook(queueId, '/failing', ['annotation_status']);
    await importInvoice(queueId);
    const calls = await calledAt('/failing', 4);
    expect(statusesIn(calls)).toEqual(['importing', 'importing', 'importing', 'to_review']);
    expect(new Set(calls.slice(0, 3).map(({ body }) => body.request_id)).size).toBe(1);
    const logs = await waitFor('the log', async () => {
      const found = await logsOf(hook);
      return found.length === 4 && found;
    });
    expect(logs.map((one) => [one.status, one.log_level, one.status_code])).toEqual([
      ['completed', 'INFO', 200],
      ['completed', 'INFO', 200],
      ['failed', 'ERROR', 503],
      ['failed', 'ERROR', 503],
    ]);
    expect(logs[0].request).toBeNull();
    expect(JSON.parse(logs[3].request)).toMatchObject({ event: 'annotation_status', secrets: {} });
  });

  it('a receiver that has too much to do (429) is called again when it says, and not before', async () => {
    const queueId = await makeQueue();
    let isBusy = true;
    receiver.answer('/busy', () => {
      const answer = isBusy ? { status: 429, headers: { 'retry-after': '4' } } : {};
      isBusy = false;
      return answer;
    });
    await makeHook(queueId, '/busy', ['annotation_status']);
    await importInvoice(queueId);
    const [first, second] = await calledAt('/busy', 2);
    expect(second?.body.request_id).toBe(first?.body.request_id);
    // Without the header it would be two seconds.
    expect((second?.at.getTime() ?? 0) - (first?.at.getTime() ?? 0)).toBeGreaterThanOrEqual(4000);
  });

  it('a receiver that answers 202 has taken it, and is not asked for more', async () => {
    const queueId = await makeQueue();
    receiver.answer('/accepting', { status: 202, headers: { location: '/accepting/job' } });
    const hook = await makeHook(queueId, '/accepting', ['annotation_status']);
    await importInvoice(queueId);
    const list = async (status: string) => (await api.get(`/hooks/${hook.id}/deliveries?status=${status}`)).pagination;
    await waitFor('both to be delivered', async () => (await list('delivered')).total === 2);
    expect((await list('failed')).total).toBe(0);
    expect(receiver.at('/accepting/job')).toEqual([]);
  });

  it('a receiver that is gone (410) is switched off, with a record', async () => {
    const queueId = await makeQueue();
    receiver.answer('/gone', { status: 410 });
    const hook = await makeHook(queueId, '/gone', ['annotation_status']);
    await importInvoice(queueId);
    await waitFor('the hook to be off', async () => (await api.get(hook.url)).active === false);
    expect((await logsOf(hook)).map((one) => [one.log_level, one.message])).toContainEqual([
      'WARNING',
      'It answered 410 (Gone), so the hook was switched off.',
    ]);
  });

  it('what was not delivered is listed and told again, with the same ids and in order, by the API and by the command', async () => {
    const queueId = await makeQueue();
    let isUp = false;
    receiver.answer('/away', () => (isUp ? {} : { status: 500 }));
    const hook = await makeHook(queueId, '/away', ['annotation_status'], { config: { retry_count: 0 } });
    const annotation = await importInvoice(queueId);
    await api.post(`${annotation}/start`);
    const list = async (query = ''): Promise<Json> => api.get(`/hooks/${hook.id}/deliveries${query}`);
    await waitFor('three failures', async () => (await list('?status=failed')).pagination.total === 3);
    const { results } = await list();
    const { request_id: id } = results[0];
    expect(results[0]).toEqual({
      request_id: id,
      hook: hook.url,
      event: 'annotation_status',
      action: 'changed',
      queue: urlOf(`/queues/${queueId}`),
      annotation,
      status: 'failed',
      attempts: 1,
      created_at: expect.stringMatching(/Z$/),
      next_attempt_at: null,
      finished_at: expect.stringMatching(/Z$/),
    });
    const ids = results.map((one: Json) => one.request_id).reverse();
    expect(receiver.at('/away').map(({ body }) => body.request_id)).toEqual(ids);
    const since = results[2].created_at;
    expect((await list(`?created_at_after=${results[0].created_at}`)).results).toEqual([results[0]]);
    expect((await list(`?created_at_before=${since}`)).results).toEqual([]);
    expect((await list(`?annotation=${idOf(annotation)}&page_size=2&page=2`)).results).toEqual([results[2]]);

    const { token } = api;
    const replay = async (body: Json, as = token) => {
      const headers = { authorization: `Bearer ${as}`, 'content-type': 'application/json' };
      const answer = await fetch(`${hook.url}/replay`, { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: answer.status, body: (await answer.json()) as Json };
    };
    await api.patch(hook.url, { active: false });
    expect(await replay({ failed_since: since })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('not active') },
    });
    await api.patch(hook.url, { active: true });
    expect(await replay({})).toMatchObject({ status: 400, body: { detail: expect.stringContaining('request_id') } });
    expect(await replay({ failed_since: 'yesterday' })).toMatchObject({
      status: 400,
      body: { failed_since: expect.any(Array) },
    });
    expect(await replay({ request_id: 'none' })).toMatchObject({
      status: 400,
      body: { request_id: expect.any(Array) },
    });

    isUp = true;
    const told = () =>
      receiver
        .at('/away')
        .slice(3)
        .map(({ body }) => body.request_id);
    expect(await replay({ request_id: id })).toEqual({ status: 200, body: { replayed: 1 } });
    await waitFor('the one', () => told().length === 1);
    await waitFor('its record', async () => (await list(`?request_id=${id}`)).results[0].status === 'delivered');
    expect(await replay({ failed_since: since })).toEqual({ status: 200, body: { replayed: 2 } });
    await waitFor('the others', () => told().length === 3);
    expect(told()).toEqual([id, ids[0], ids[1]]);
    expect(receiver.at('/away')[3]?.body).toEqual(receiver.at('/away')[2]?.body);
    await waitFor('all to be delivered', async () => (await list('?status=delivered')).pagination.total === 3);
    expect(await replay({ failed_since: since })).toEqual({ status: 200, body: { replayed: 0 } });

    const which = ['--organization', String(system.organizationId), '--hook', String(hook.id)];
    expect(await intake('deliveries', 'list', ...which, '--status', 'failed')).toEqual({ deliveries: [], total: 0 });
    expect(await intake('deliveries', 'replay', ...which, '--id', ids[0])).toEqual({ replayed: 1 });
    await waitFor('the first once more', () => told()[3] === ids[0]);
    expect(await intake('deliveries', 'replay', ...which, '--since', since)).toEqual({ replayed: 0 });
    const elsewhere = await system.createOrganization('Elsewhere');
    await expect(
      intake(
        'deliveries',
        'replay',
        '--organization',
        String(elsewhere.organizationId),
        ...which.slice(2),
        '--since',
        since,
      ),
    ).rejects.toThrow(`There is no hook ${hook.id} in organization ${elsewhere.organizationId}.`);
  });

  it.each<[string, string, string]>([
    ['redirects', '/redirecting', 'It answered 302; redirects are not followed.'],
    ['never ends', '/endless', 'The answer is larger than'],
    ['says nothing', '/silent', 'did not answer within 1 seconds'],
  ])('a receiver that %s fails, and says so in the log', async (_, path, message) => {
    const queueId = await makeQueue();
    receiver.answer('/redirecting', { status: 302, headers: { location: `${receiver.url}/elsewhere` } });
    receiver.answer('/endless', {
      write: (response) => {
        const more = () => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536)));
        };
        response.on('drain', more);
        more();
      },
    });
    receiver.answer('/silent', { write: () => undefined });
    const hook = await makeHook(queueId, path, ['annotation_status'], { config: { timeout_s: 1, retry_count: 0 } });
    await importInvoice(queueId);
    const [record] = await waitFor('the record', async () => {
      const found = await logsOf(hook);
      return found.length > 0 && found;
    });
    expect(record).toMatchObject({ status: 'failed', message: expect.stringContaining(message) });
    expect(receiver.at('/elsewhere')).toEqual([]);
  });

  it('does not call private addresses that no operator has listed', async () => {
    const queueId = await makeQueue();
    const url = 'http://127.0.0.2:9/';
    const hook = await makeHook(queueId, '/', ['annotation_status'], { config: { url } });
    await importInvoice(queueId);
    const [record] = await waitFor('the record', async () => {
      const found = await logsOf(hook);
      return found.length > 0 && found;
    });
    expect(record.message).toContain('INTAKE_OUTGOING_ALLOW');
  });

  it('survives the end of the service, and nothing is told twice that was answered', async () => {
    const queueId = await makeQueue();
    let isUp = false;
    receiver.answer('/later', () => (isUp ? {} : { status: 500 }));
    await makeHook(queueId, '/later', ['annotation_status']);
    await importInvoice(queueId);
    await calledAt('/later', 1);
    await system.restart('extension');
    api = await system.login();
    isUp = true;
    const delivered = () => receiver.at('/later').filter(({ body }) => body.annotation.status === 'to_review');
    await waitFor('the last change', () => delivered().length > 0, { timeoutMs: 60_000 });
    expect(delivered()).toHaveLength(1);
  });
});
