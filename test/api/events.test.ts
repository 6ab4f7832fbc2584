import {
  Api,
  buildPdf,
  invoiceLines,
  type Json,
  type Replica,
  startSystem,
  type TestSystem,
  waitFor,
} from '@intake/testkit';

/** Server-sent events of two replicas of the gateway. docs/events.md. */

const PASSWORD = 'k3a9zQ7x1b';
let system: TestSystem;
let second: Replica;
let admin: Api;
let counter = 0;

beforeAll(async () => {
  system = await startSystem({ env: { INTAKE_SESSION_AUTH: 'on' } });
  [second, admin] = await Promise.all([system.addReplica(), system.login()]);
});
afterAll(() => system?.stop());

interface Heard {
  readonly id?: string;
  readonly event: string;
  readonly data: Json;
}

/** A client of the event stream; it gathers what it hears. */
async function listen(headers: Record<string, string>, { base = system.baseUrl, query = '' } = {}) {
  const controller = new AbortController();
  const response = await fetch(`${base}/v1/events${query}`, { headers, signal: controller.signal });
  const heard: Heard[] = [];
  const state = { ended: false };
  const read = async () => {
    let text = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const blocks = text.split('\n\n');
      text = blocks.pop() as string;
      for (const block of blocks) {
        const lines = new Map(block.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]));
        if (lines.has('event')) {
          heard.push({ id: lines.get('id'), event: lines.get('event')!, data: JSON.parse(lines.get('data')!) });
        }
      }
    }
  };
  const reading = response.ok
    ? read()
        .catch(() => undefined)
        .then(() => {
          state.ended = true;
        })
    : undefined;
  if (reading) await waitFor('the stream to be ready', async () => heard[0]);
  return { response, heard, state, close: () => controller.abort() };
}
type Listening = Awaited<ReturnType<typeof listen>>;

const bearer = (api: Api) => ({ authorization: `Bearer ${api.token}` });
const ofAnnotation = ({ heard }: Listening, id: number) =>
  heard.filter(({ event, data }) => event === 'annotation' && data.id === id).map(({ data }) => data.status);
const idsOf = ({ heard }: Listening) => heard.flatMap(({ id }) => id ?? []);

async function makeUser(queues: readonly number[]) {
  const username = `listener${++counter}@example.com`;
  const { id } = await admin.post('/users', {
    username,
    password: PASSWORD,
    organization: `${system.baseUrl}/v1/organizations/${system.organizationId}`,
    groups: [`${system.baseUrl}/v1/groups/2`],
    queues: queues.map((queue) => `${system.baseUrl}/v1/queues/${queue}`),
  });
  return { id: id as number, username, api: await system.login({ username, password: PASSWORD }) };
}

/** An annotation in `to_review`. */
async function importOne(api = admin): Promise<{ id: number; url: string; task: number }> {
  const content = await buildPdf({ lines: invoiceLines(`EVENT-${++counter}`) });
  const task = await api.upload(system.queueId, [{ fileName: 'invoice.pdf', content }]);
  const { annotationIds } = await waitFor('the upload', () => api.findUploaded(task), { timeoutMs: 60_000 });
  const [id] = annotationIds as [number];
  const url = `${system.baseUrl}/v1/annotations/${id}`;
  await waitFor('the extraction', async () => (await api.get(url)).status === 'to_review', { timeoutMs: 60_000 });
  return { id, url, task: Number(task.split('/').at(-1)) };
}

it('tells of tasks and annotations on every replica, with the URLs of the client', async () => {
  const here = await listen(bearer(admin));
  const there = await listen(bearer(admin), { base: second.baseUrl });
  expect(here.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(here.response.headers.get('cache-control')).toContain('no-cache');
  expect(here.heard).toEqual([{ id: undefined, event: 'ready', data: { resumed: false } }]);

  const { id, url, task } = await importOne();
  await admin.post(`${url}/start`);
  await waitFor(
    'both to hear it',
    async () => ofAnnotation(here, id).at(-1) === 'reviewing' && ofAnnotation(there, id).length === 3,
  );
  for (const stream of [here, there]) {
    expect(ofAnnotation(stream, id)).toEqual(['importing', 'to_review', 'reviewing']);
    const tasks = stream.heard.filter(({ event, data }) => event === 'task' && data.id === task);
    expect(tasks.map(({ data }) => data.status)).toEqual(['running', 'succeeded']);
  }
  const user = await admin.get('/auth/user');
  const annotation = await admin.get(url);
  expect(here.heard.findLast(({ event }) => event === 'annotation')).toEqual({
    id: expect.stringMatching(new RegExp(`^annotation:${id}:\\d+$`)),
    event: 'annotation',
    data: {
      ...{ id, url, queue: annotation.queue, document: annotation.document, modifier: user.url },
      ...{ status: 'reviewing', previous_status: 'to_review', at: annotation.assigned_at },
    },
  });
  const told = there.heard.findLast(({ event }) => event === 'annotation')?.data;
  expect(told.url).toBe(`${second.baseUrl}/v1/annotations/${id}`);
  expect(here.heard.findLast(({ event }) => event === 'task')?.data).toEqual(
    await admin.get(`/tasks/${task}?no_redirect=true`),
  );
  here.close();
  there.close();
});

it('tells of suggested edits that are made, changed and deleted', async () => {
  const { url } = await importOne();
  const { queue, pages } = await admin.get(url);
  const stream = await listen(bearer(admin));
  const nowhere = await listen(bearer((await makeUser([])).api));
  const edit = await admin.post('/suggested_edits', { annotation: url, documents: [] });
  await admin.patch(edit.url, { documents: [{ pages: [{ page: pages[0] }], target_queue: queue }] });
  await admin.delete(edit.url);
  const told = await waitFor('all to be heard', async () => {
    const heard = stream.heard.filter(({ event }) => event === 'suggested_edit');
    return heard.length === 3 ? heard : null;
  });
  expect(told).toEqual(
    [1, 2, 3].map((version) => ({
      id: `suggested_edit:${edit.id}:${version}`,
      event: 'suggested_edit',
      data: { id: edit.id, url: edit.url, annotation: url, queue, deleted: version === 3 },
    })),
  );
  expect(nowhere.heard.map(({ event }) => event)).toEqual(['ready']);
  for (const one of [stream, nowhere]) one.close();
});

it('tells who reviews of each write of content, with the request that wrote', async () => {
  const reviewer = await makeUser([system.queueId]);
  const mine = await listen(bearer(reviewer.api));
  const other = await listen(bearer(admin), { base: second.baseUrl });
  const { url } = await importOne();
  const { queue } = await admin.get(url);
  await reviewer.api.post(`${url}/start`);
  const { content } = await reviewer.api.get(`${url}/content`);
  const write = (value: string) =>
    reviewer.api.request('PATCH', `${url}/content/${content[0].children[0].id}`, { body: { content: { value } } });
  const answers = [await write('A-1'), await write('A-2')];
  const told = await waitFor('both writes to be heard', async () => {
    const heard = mine.heard.filter(({ event }) => event === 'content');
    return heard.length === 2 ? heard : null;
  });
  const modifier = (await reviewer.api.get('/auth/user')).url;
  expect(told).toEqual(
    answers.map((answer) => ({
      ...{ id: undefined, event: 'content' },
      data: { annotation: url, queue, modifier, request_id: answer.headers.get('x-request-id') },
    })),
  );
  await reviewer.api.post(`${url}/cancel`);
  await waitFor('the other one to hear the end', async () =>
    other.heard.some(
      ({ data }) => data.url?.endsWith(`/annotations/${url.split('/').at(-1)}`) && data.previous_status === 'reviewing',
    ),
  );
  expect(other.heard.filter(({ event }) => event === 'content')).toEqual([]);
  for (const stream of [mine, other]) stream.close();
});

it('tells each caller what it may see only', async () => {
  const neighbour = await system.createOrganization(`Neighbour${++counter}`);
  const foreign = await listen(bearer(await system.login(neighbour.admin)));
  const assigned = await makeUser([system.queueId]);
  const colleague = await listen(bearer(assigned.api));
  const nowhere = await makeUser([]);
  const outside = await listen(bearer(nowhere.api));

  const { id } = await importOne();
  await waitFor('the colleague to hear it', async () => ofAnnotation(colleague, id).includes('to_review'));
  // Not of the task: somebody else made it.
  expect(colleague.heard.filter(({ event }) => event === 'task')).toEqual([]);

  // From now on.
  await admin.patch(`/users/${nowhere.id}`, { queues: [`${system.baseUrl}/v1/queues/${system.queueId}`] });
  const later = await importOne(assigned.api);
  await waitFor('the new one to hear it', async () => ofAnnotation(outside, later.id).includes('to_review'));
  expect(ofAnnotation(outside, id)).toEqual([]);
  expect(outside.heard.filter(({ event }) => event === 'task')).toEqual([]);
  expect(colleague.heard.filter(({ event, data }) => event === 'task' && data.id === later.task)).toHaveLength(2);
  expect(foreign.heard.map(({ event }) => event)).toEqual(['ready']);
  for (const stream of [foreign, colleague, outside]) stream.close();
});

it('goes on where a client left off, on another replica too', async () => {
  const before = await listen(bearer(admin));
  const { id, url } = await importOne();
  await waitFor('it to be heard', async () => ofAnnotation(before, id).includes('to_review'));
  before.close();
  const last = idsOf(before).at(-1) as string;
  await admin.post(`${url}/start`);
  await admin.post(`${url}/cancel`);
  const others = await listen(bearer(admin), { base: second.baseUrl });
  await importOne();
  await waitFor('the other replica to have heard all', async () => idsOf(others).length > 0);

  const back = await listen({ ...bearer(admin), 'last-event-id': last }, { base: second.baseUrl });
  expect(back.heard[0]).toEqual({ id: undefined, event: 'ready', data: { resumed: true } });
  await waitFor('what was missed', async () => ofAnnotation(back, id).join().endsWith('reviewing,to_review'));
  const byQuery = await listen(bearer(admin), { query: `?last_event_id=${last}` });
  expect(byQuery.heard[0]?.data).toEqual({ resumed: true });
  const lost = await listen({ ...bearer(admin), 'last-event-id': 'annotation:1:999' });
  expect(lost.heard).toEqual([{ id: undefined, event: 'ready', data: { resumed: false } }]);
  for (const stream of [others, back, byQuery, lost]) stream.close();
});

it('takes a session, and ends with the token, the session or the user', async () => {
  const user = await makeUser([system.queueId]);
  const logIn = await new Api(system.baseUrl).request('POST', '/auth/login', {
    body: { username: user.username, password: PASSWORD },
  });
  const cookie = logIn.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');
  const { key } = (await logIn.json()) as Json;
  const bySession = await listen({ cookie }, { base: second.baseUrl });
  const byToken = await listen({ authorization: `Token ${key}` });
  const byOther = await listen(bearer(user.api));
  expect(bySession.response.status).toBe(200);

  const inSession = new Api(system.baseUrl);
  inSession.token = key;
  await inSession.post('/auth/logout', {});
  await waitFor('the streams to end', async () => bySession.state.ended && byToken.state.ended);
  expect(byOther.state.ended).toBe(false);
  expect((await listen({ cookie })).response.status).toBe(401);

  await admin.patch(`/users/${user.id}`, { is_active: false });
  await waitFor('the stream to end', async () => byOther.state.ended);
});

it('holds 20 streams of a user, and no more', async () => {
  const { api } = await makeUser([system.queueId]);
  const streams = await Promise.all(Array.from({ length: 20 }, () => listen(bearer(api))));
  const refused = await listen(bearer(api));
  expect(refused.response.status).toBe(429);
  expect(Number(refused.response.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refused.response.json()).toMatchObject({ code: 'rate_limited' });
  streams[0]?.close();
  const again = await waitFor('a place', async () => {
    const stream = await listen(bearer(api));
    return stream.response.ok && stream;
  });
  for (const stream of [...streams, again]) stream.close();
});

it('ends its streams when its replica is stopped, so that they come back elsewhere', async () => {
  const own = await system.addReplica();
  const stream = await listen(bearer(admin), { base: own.baseUrl });
  const started = Date.now();
  await own.kill('SIGTERM');
  expect(stream.state.ended).toBe(true);
  expect(Date.now() - started).toBeLessThan(10_000);
});
