import http from 'node:http';
import { Api, buildPdf, invoiceLines, type Json, startSystem, type TestSystem, toForm, waitFor } from '@intake/testkit';

describe('without its neighbours', () => {
  let system: TestSystem;
  beforeAll(async () => {
    system = await startSystem({ services: ['gateway'] });
  });
  afterAll(() => system?.stop());

  it('the gateway answers what it can, and 503 quickly for the rest', async () => {
    const api = new Api(system.baseUrl);
    expect(Object.keys(await api.get(''))).toHaveLength(11);
    const started = Date.now();
    const response = await api.request('POST', '/auth/login', { body: { username: 'a', password: 'b' } });
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await response.json()).toEqual({ detail: 'Service Unavailable.', code: 'service_unavailable' });
    expect(Date.now() - started).toBeLessThan(3000);
  });
});

describe('when it is told to stop', () => {
  let system: TestSystem;
  beforeAll(async () => {
    system = await startSystem({ processes: true, services: ['gateway', 'auth', 'queue', 'document-storage'] });
  });
  afterAll(() => system?.stop());

  it('the gateway takes nothing new and finishes what it has begun', async () => {
    const api = await system.login();
    const { hostname, port } = new URL(system.baseUrl);
    const file = await buildPdf({ lines: invoiceLines('DRAIN') });
    const request = http.request({
      hostname,
      port,
      method: 'POST',
      path: `/api/v1/uploads/drain.pdf?queue=${system.queueId}`,
      headers: {
        authorization: `Bearer ${api.token}`,
        'content-type': 'application/pdf',
        'content-length': file.length,
      },
    });
    const answer = new Promise<http.IncomingMessage>((resolve, reject) => {
      request.on('response', resolve);
      request.on('error', reject);
    });
    request.write(file.subarray(0, 100));
    await waitFor('the upload to have begun', async () => {
      const metrics = await fetch(`http://127.0.0.1:${system.opsPortOf('queue')}/metrics`);
      return /GetQueues",reason="OK"[^\n]*} [1-9]/.test(await metrics.text());
    });
    const stopped = system.kill('gateway', 'SIGTERM');
    await waitFor('new connections to be refused', () =>
      fetch(`${system.baseUrl}/v1`).then(
        () => false,
        () => true,
      ),
    );
    request.end(file.subarray(100));
    expect((await answer).statusCode).toBe(202);
    await stopped;
  });
});

describe('without the extensions', () => {
  let system: TestSystem;
  let api: Api;
  beforeAll(async () => {
    system = await startSystem({ processes: true });
    api = await system.login();
  });
  afterAll(() => system?.stop());

  it('a legacy upload answers after 30 s with annotations that go on when the hooks have answered', async () => {
    await system.kill('extension');
    const files = [
      { fileName: 'first.pdf', content: await buildPdf({ lines: invoiceLines('WAITS-1') }) },
      { fileName: 'second.pdf', content: await buildPdf({ lines: invoiceLines('WAITS-2') }) },
    ];
    const form = toForm(files);
    form.append('metadata', JSON.stringify({ batch: 7 }));
    const started = Date.now();
    const path = `/queues/${system.queueId}/upload`;
    const response = await api.request('POST', path, { body: form, timeoutMs: 40_000 });
    const answer: Json = await response.json();
    expect(response.status).toBe(201);
    expect(Date.now() - started).toBeLessThan(33_000);
    expect(answer).toEqual({
      results: [1, 2].map(() => ({ annotation: expect.any(String), document: expect.any(String) })),
      annotation: answer.results[0].annotation,
      document: answer.results[0].document,
    });
    const read = () => Promise.all(answer.results.map((one: Json) => api.get(one.annotation)));
    expect(await read()).toMatchObject([1, 2].map(() => ({ status: 'created', metadata: { batch: 7 } })));

    await system.restart('extension');
    await waitFor('both documents to be read', async () =>
      (await read()).every(({ status }: Json) => status === 'to_review'),
    );
    const { pagination } = await api.get(`/annotations?queue=${system.queueId}`);
    expect(pagination.total).toBe(2);
    const { document } = (await read())[0] as Json;
    expect((await api.get(document)).original_file_name).toBe('first.pdf');
  });
});
