import {
  type Api,
  buildMail,
  buildPdf,
  idOf,
  invoiceLines,
  type Json,
  sendMail,
  startSystem,
  type TestSystem,
  waitFor,
} from '@intake/testkit';

let system: TestSystem;
let api: Api;
let foreign: Api;
let organization: string;
let queue: Json;

beforeAll(async () => {
  system = await startSystem();
  api = await system.login();
  const neighbour = await system.createOrganization('Neighbour');
  foreign = await system.login(neighbour.admin);
  organization = `${system.baseUrl}/v1/organizations/${system.organizationId}`;
  queue = await api.get(`/queues/${system.queueId}`);
});
afterAll(() => system?.stop());

const send = async (method: string, path: string, body?: unknown) => {
  const response = await api.request(method, path, { body });
  const text = await response.text();
  return { status: response.status, body: (text ? JSON.parse(text) : null) as Json };
};
const NO_OBJECT = ['Invalid hyperlink - Object does not exist.'];
const makeWorkspace = (more: object = {}) => api.post('/workspaces', { name: 'W', organization, ...more });
const SECTION = {
  category: 'section',
  id: 'basic',
  label: 'Basic',
  children: [{ category: 'datapoint', id: 'number', label: 'Number', type: 'string', prompt: 'kept' }],
};
const makeSchema = (content: unknown = [SECTION]) => api.post('/schemas', { name: 'S', content });
const makeQueue = async (more: object = {}) => {
  const [workspace, schema] = [queue.workspace, (await makeSchema()).url];
  return api.post('/queues', { name: 'Q', workspace, schema, ...more });
};
const makeConnector = (more: object = {}) =>
  api.post('/connectors', { name: 'C', service_url: 'https://c.example.com/base', ...more });
const makeHook = (more: object = {}) =>
  api.post('/hooks', { name: 'H', events: ['annotation_status'], config: { url: 'https://h.example.com' }, ...more });

describe('every kind of object', () => {
  /** How each is made, and what of it may be changed. */
  const KINDS: Record<string, { make: () => Promise<Json>; put: (made: Json) => object; readOnly: object }> = {
    workspaces: {
      make: makeWorkspace,
      put: () => ({ name: 'Put' }),
      readOnly: { organization: 'x', queues: ['x'] },
    },
    queues: {
      make: makeQueue,
      put: ({ workspace, schema }) => ({ name: 'Put', workspace, schema }),
      readOnly: { counts: { to_review: 5 }, status: 'deletion_failed', delete_after: '2030-01-01' },
    },
    schemas: { make: makeSchema, put: ({ content }) => ({ name: 'Put', content }), readOnly: { queues: ['x'] } },
    inboxes: {
      make: async () => api.post('/inboxes', { name: 'I', email_prefix: 'i', queues: [(await makeQueue()).url] }),
      put: ({ queues }) => ({ name: 'Put', queues }),
      readOnly: {},
    },
    connectors: { make: makeConnector, put: ({ service_url }) => ({ name: 'Put', service_url }), readOnly: {} },
    hooks: {
      make: makeHook,
      put: ({ config: { url } }) => ({ name: 'Put', events: [], config: { url } }),
      readOnly: { type: 'function', created_by: null, extension_source: 'rossum_store' },
    },
    labels: { make: () => api.post('/labels', { name: 'L' }), put: () => ({ name: 'Put' }), readOnly: {} },
    email_templates: {
      make: () => api.post('/email_templates', { name: 'T', queue: queue.url }),
      put: () => ({ name: 'Put', queue: queue.url }),
      readOnly: { organization: 'x' },
    },
  };

  /** The attributes that the API's reference names, and no other. */
  const ATTRIBUTES: Record<string, string> = {
    workspaces: 'id url name autopilot organization queues metadata modified_at modified_by',
    queues:
      'id url name workspace connector hooks webhooks schema inbox users session_timeout rir_url rir_params dedicated_engine ' +
      'generic_engine engine counts default_score_threshold automation_enabled automation_level locale metadata ' +
      'use_confirmed_state document_lifetime delete_after status settings workflows training_enabled archive_enabled ' +
      'modified_by modified_at',
    schemas: 'id url name queues content metadata modified_by modified_at',
    inboxes:
      'id url name queues email email_prefix bounce_email_to bounce_unprocessable_attachments bounce_postponed_annotations ' +
      'bounce_deleted_annotations bounce_email_with_no_attachments metadata filters dmarc_check_action modified_by modified_at',
    connectors:
      'id url name queues service_url params authorization_type authorization_token asynchronous client_ssl_certificate ' +
      'metadata modified_by modified_at',
    hooks:
      'id url type name queues run_after active events sideload config test settings settings_schema secrets_schema ' +
      'token_owner token_lifetime_s description extension_source guide read_more_url extension_image_url hook_template ' +
      'metadata created_by created_at modified_by modified_at',
    labels: 'id url name organization color',
    email_templates: 'id url name queue organization triggers type subject message enabled automate to cc bcc',
  };

  it.each(Object.entries(KINDS))('%s have the attributes of the reference', async (collection, kind) => {
    const wanted = (ATTRIBUTES[collection] ?? '').split(' ').sort();
    expect(Object.keys(await kind.make()).sort()).toEqual(wanted);
    const { results } = await api.get(`/${collection}?page_size=100`);
    for (const object of results) expect(Object.keys(object).sort()).toEqual(wanted);
  });

  /** The orderings that the reference names: each is followed. */
  const ORDERINGS: Record<string, string> = {
    workspaces: 'id name',
    queues: 'id name workspace connector webhooks schema inbox locale',
    schemas: 'id name',
    inboxes: 'id name email email_prefix',
    connectors: 'id name service_url',
    hooks: 'id name type active events',
    labels: 'id name',
    email_templates: 'id name',
  };

  it.each(Object.entries(KINDS))('%s are ordered as is asked', async (collection, kind) => {
    await kind.make();
    await kind.make();
    const toKey = (value: unknown) =>
      typeof value === 'string' && /\/\d+$/.test(value) ? idOf(value) : JSON.stringify(value ?? null);
    const isEmpty = (key: unknown) => key === 'null' || key === '[]';
    const emptyLast = (keys: unknown[]) => [...keys.filter((key) => !isEmpty(key)), ...keys.filter(isEmpty)];
    for (const key of (ORDERINGS[collection] ?? '').split(' ')) {
      const keysOf = async (ordering: string) =>
        (await api.get(`/${collection}?page_size=100&ordering=${ordering}`)).results.map((one: Json) =>
          toKey(one[key]),
        );
      const [up, down] = [await keysOf(key), await keysOf(`-${key}`)];
      expect([key, down]).toEqual([key, emptyLast([...up].reverse())]);
      expect([key, up]).toEqual([key, emptyLast(up)]);
    }
  });

  it.each(Object.entries(KINDS))('%s are made, read, changed, replaced and deleted', async (collection, kind) => {
    const made = await kind.make();
    const path = `/${collection}/${made.id}`;
    expect(made.url).toBe(`${system.baseUrl}/v1/${collection}/${made.id}`);
    expect(await api.get(path)).toEqual(made);
    expect((await api.get(`/${collection}?id=${made.id}`)).results).toEqual([made]);
    expect(Object.keys(await api.get(`${path}?fields=id,name`)).sort()).toEqual(['id', 'name']);

    // What is read-only is ignored, and unknown attributes and keys of the language too.
    const ignored = { id: 1, url: 'x', modified_by: 'x', modified_at: 'x', unknown: 1, ...kind.readOnly };
    const text = `{"__proto__": {"name": "polluted"}, ${JSON.stringify(ignored).slice(1)}`;
    const same = await send('PATCH', path, Buffer.from(text));
    expect(same).toMatchObject({ status: 200 });
    const marks = 'modified_at' in made ? { modified_by: expect.any(String), modified_at: expect.any(String) } : {};
    expect(same.body).toEqual({ ...made, ...marks });

    expect(await send('PATCH', path, { name: 'Patched' })).toMatchObject({
      status: 200,
      body: { ...made, name: 'Patched', ...marks },
    });
    expect(await send('PUT', path, {})).toMatchObject({ status: 400, body: { name: ['This field is required.'] } });
    expect(await send('PUT', path, kind.put(made))).toMatchObject({ status: 200, body: { id: made.id, name: 'Put' } });
    // Everything that was read can be sent back.
    const read = await api.get(path);
    expect((await send('PUT', path, read)).body).toEqual({ ...read, ...marks });

    const response = await foreign.request('PATCH', path, { body: { name: 'Stolen' } });
    expect(response.status).toBe(404);
    expect((await foreign.request('DELETE', path)).status).toBe(404);
    expect((await api.get(path)).name).toBe('Put');

    const query = collection === 'queues' ? '?delete_after=0' : '';
    expect(await send('DELETE', path + query)).toEqual({ status: 204, body: null });
    if (collection === 'queues') return;
    expect((await send('GET', path)).status).toBe(404);
    expect((await send('DELETE', path)).status).toBe(404);
  });

  it.each(Object.entries(KINDS))('%s refuse wrong names and too much metadata', async (collection, kind) => {
    const { id, ...made } = await kind.make();
    const path = `/${collection}/${id}`;
    const problems = async (body: object) => (await send('PATCH', path, body)).body;
    expect(await problems({ name: 'x'.repeat(256) })).toEqual({
      name: ['Ensure this field has no more than 255 characters.'],
    });
    expect(await problems({ name: ' ' })).toEqual({ name: ['This field may not be blank.'] });
    expect(await problems({ name: null })).toEqual({ name: ['This field may not be null.'] });
    expect(await problems({ name: 5 })).toEqual({ name: ['Not a valid string.'] });
    if (!('metadata' in made)) return;
    const frame = JSON.stringify({ a: '' }).length;
    expect((await send('PATCH', path, { metadata: { a: 'x'.repeat(4096 - frame) } })).status).toBe(200);
    expect(await problems({ metadata: { a: 'x'.repeat(4097 - frame) } })).toEqual({ metadata: [expect.any(String)] });
    expect(await problems({ metadata: [] })).toEqual({
      metadata: ['Expected a dictionary of items but got type "list".'],
    });
    expect((await send('PATCH', path, { metadata: { b: 1 } })).body.metadata).toEqual({ b: 1 });
  });

  it.each(Object.keys(KINDS))('%s have the pages of a list and no others', async (collection) => {
    for (const page of ['0', '-1', '1000000000', 'x']) {
      expect([page, await send('GET', `/${collection}?page=${page}`)]).toEqual([
        page,
        { status: 404, body: { detail: 'Invalid page.', code: 'not_found' } },
      ]);
    }
    for (const query of ['id[$ne]=1', 'name[$gt]=', '$where=1', '__proto__=1', 'constructor[prototype]=1']) {
      expect((await send('GET', `/${collection}?${query}`)).status).toBe(200);
    }
    expect((await send('GET', `/${collection}?name={"$ne":null}`)).body.results).toEqual([]);
    expect((await send('GET', `/${collection}?id={"$gt":0}`)).status).toBe(400);
  });
});

describe('workspaces', () => {
  it('are not deleted while they hold queues', async () => {
    const workspace = await makeWorkspace();
    const held = await makeQueue({ workspace: workspace.url });
    expect((await api.get(workspace.url)).queues).toEqual([held.url]);
    expect(await send('DELETE', workspace.url)).toEqual({
      status: 409,
      body: { detail: 'Workspace contains queues.', code: 'conflict' },
    });
    await api.patch(held.url, { workspace: null });
    expect((await send('DELETE', workspace.url)).status).toBe(204);
  });

  it('keep what old clients set as autopilot', async () => {
    const workspace = await makeWorkspace({ autopilot: true });
    expect(workspace.autopilot).toBe(true);
    expect((await api.patch(workspace.url, { name: 'Renamed' })).autopilot).toBe(true);
    expect((await api.patch(workspace.url, { autopilot: false })).autopilot).toBe(false);
    await api.patch(workspace.url, { autopilot: true });
    expect((await send('PUT', workspace.url, { name: 'Put' })).body.autopilot).toBe(false);
  });
});

describe('queues', () => {
  it('take every setting, and return to the defaults by PUT', async () => {
    const made = await makeQueue();
    const change = {
      session_timeout: '00:30:00',
      rir_url: 'https://all.rir.rossum.ai',
      rir_params: 'effective_page_count=5',
      default_score_threshold: 0.975,
      automation_enabled: true,
      automation_level: 'confident',
      locale: 'cs_CZ',
      use_confirmed_state: true,
      document_lifetime: '90 00:00:00',
      training_enabled: false,
      archive_enabled: true,
      workflows: [{ url: 'x', priority: 1 }],
      engine: null,
    };
    const changed = await api.patch(made.url, {
      ...change,
      settings: { columns: [{ schema_id: 'x' }], unknown: { a: 1 } },
    });
    expect(changed).toMatchObject(change);
    // Settings are merged by their first level.
    expect(changed.settings).toEqual({ ...made.settings, columns: [{ schema_id: 'x' }], unknown: { a: 1 } });
    const { workspace, schema } = made;
    const replaced = (await send('PUT', made.url, { name: 'Q', workspace, schema })).body;
    const marks = { modified_by: replaced.modified_by, modified_at: replaced.modified_at };
    expect(replaced).toEqual({ ...made, settings: changed.settings, ...marks });
    const lifetimes: Record<string, string> = { '3 4:05:06.5': '3 04:05:06', '12:30:00': '12:30:00', '90': '00:01:30' };
    for (const [given, shown] of Object.entries(lifetimes))
      expect((await api.patch(made.url, { document_lifetime: given })).document_lifetime).toBe(shown);
  });

  it('export asynchronously, whatever they are told', async () => {
    const settings = { asynchronous_export: false };
    const made = await makeQueue({ settings });
    expect(made.settings.asynchronous_export).toBe(true);
    expect((await api.patch(made.url, { settings })).settings.asynchronous_export).toBe(true);
  });

  it('refuse what is wrong, all at once', async () => {
    const others = {
      workspace: (await foreign.get('/workspaces')).results[0].url,
      schema: (await foreign.get('/schemas')).results[0].url,
      connector: `${system.baseUrl}/v1/connectors/999999`,
      hooks: [`${system.baseUrl}/v1/hooks/999999`],
    };
    expect((await send('PATCH', queue.url, others)).body).toEqual({
      workspace: NO_OBJECT,
      schema: NO_OBJECT,
      connector: NO_OBJECT,
      hooks: NO_OBJECT,
    });
    expect((await send('PATCH', queue.url, { users: [`${system.baseUrl}/v1/users/999999`] })).body).toEqual({
      users: NO_OBJECT,
    });
    const wrong = {
      session_timeout: 'soon',
      document_lifetime: '1 week',
      default_score_threshold: 1.1,
      automation_level: 'sometimes',
      automation_enabled: 'yes',
      schema: 5,
      workflows: {},
      engine: `${system.baseUrl}/v1/engines/1`,
    };
    const duration = 'Duration has wrong format. Use one of these formats instead: [DD] [HH:[MM:]]ss[.uuuuuu].';
    expect((await send('PATCH', queue.url, wrong)).body).toEqual({
      session_timeout: [duration],
      document_lifetime: [duration],
      default_score_threshold: ['Ensure this value is less than or equal to 1.'],
      automation_level: ['"sometimes" is not a valid choice.'],
      automation_enabled: ['Must be a valid boolean.'],
      schema: ['Incorrect type. Expected URL string, received int.'],
      workflows: ['Expected a list of items but got type "dict".'],
      engine: NO_OBJECT,
    });
    for (const [session_timeout, problem] of [
      ['0', 'Ensure this value is greater than or equal to 1.'],
      ['99999 00:00:00', 'Ensure this value is less than or equal to 359999.'],
    ]) {
      expect(await send('PATCH', queue.url, { session_timeout })).toEqual({
        status: 400,
        body: { session_timeout: [problem] },
      });
    }
    const own = await makeQueue();
    expect((await api.patch(own.url, { session_timeout: '00:00:01.5' })).session_timeout).toBe('00:00:02');
    for (const [settings, message] of [
      [{ accepted_mime_types: ['application/*', '*/*'] }, 'accepted_mime_types: "*/*" is not a valid MIME type.'],
      [{ suggested_edit: 'maybe' }, 'suggested_edit: "maybe" is not a valid choice.'],
      [{ rejection_config: null }, 'rejection_config: expected a dictionary of items.'],
      [
        { email_notifications: { postponed_annotations: 1 } },
        'email_notifications: postponed_annotations: must be a valid boolean.',
      ],
      [
        { email_notifications: { recipient: { email: 'nobody' } } },
        'email_notifications: recipient: email: Enter a valid email address.',
      ],
      [{ rejection_config: { enabled: 'no' } }, 'rejection_config: enabled: must be a valid boolean.'],
      [{ automation: { automate_duplicates: null } }, 'automation: automate_duplicates: must be a valid boolean.'],
    ] as const) {
      expect((await send('PATCH', queue.url, { settings })).body).toEqual({ settings: [message] });
    }
    expect(await api.get(queue.url)).toEqual(queue);
  });

  it('and users know of each other', async () => {
    const made = await makeQueue();
    const groups = [`${system.baseUrl}/v1/groups/2`];
    const account = { username: 'assigned', password: 'k3a9zQ7x1b' };
    const user = await api.post('/users', { ...account, organization, groups, queues: [queue.url] });
    expect((await api.patch(made.url, { users: [user.url] })).users).toEqual([user.url]);
    expect((await api.get(user.url)).queues.sort()).toEqual([queue.url, made.url].sort());
    expect((await api.get(`/queues?users=${user.id}`)).pagination.total).toBe(2);
    const assigned = await system.login(account);
    expect((await assigned.get('/queues')).pagination.total).toBe(2);
    expect((await api.patch(made.url, { users: [] })).users).toEqual([]);
    expect((await api.get(user.url)).queues).toEqual([queue.url]);
    await waitFor('the lost right', async () => (await assigned.get('/queues')).pagination.total === 1);
  });

  it('are made from templates, with schema and inbox', async () => {
    const make = (template_name: string, workspace: unknown = idOf(queue.workspace)) =>
      send('POST', '/queues/from_template', {
        name: 'Faktury & Co.',
        template_name,
        workspace,
        include_documents: false,
      });
    const { status, body } = await make('Delivery Note Demo Template');
    expect(status).toBe(201);
    const [schema, inbox] = [await api.get(body.schema), await api.get(body.inbox)];
    expect(JSON.stringify(schema.content)).toContain('"delivery_note_id"');
    expect([inbox.queues, inbox.email]).toEqual([[body.url], expect.stringMatching(/^faktury-co-[0-9a-f]{6}@/)]);
    expect((await make('Delivery Note Demo Template', String(idOf(queue.workspace)))).status).toBe(201);
    expect((await make('nothing')).body).toEqual({ template_name: ['"nothing" is not a valid choice.'] });
    for (const wrong of ['W', queue.url, -1, 1.5]) {
      const body = { workspace: ['Invalid hyperlink - No URL match.'] };
      expect([wrong, (await make('CZ Demo Template', wrong)).body]).toEqual([wrong, body]);
    }
    expect((await make('CZ Demo Template', null)).body).toEqual({ workspace: ['This field may not be null.'] });
    const total = (await api.get('/schemas')).pagination.total;
    const [theirs] = (await foreign.get('/workspaces')).results;
    expect((await make('CZ Demo Template', theirs.url)).body).toEqual({ workspace: NO_OBJECT });
    expect((await api.get('/schemas')).pagination.total).toBe(total);
  });

  it('are copied with their schema', async () => {
    const hook = await makeHook();
    const source = await makeQueue({ hooks: [hook.url], automation_level: 'always', locale: 'de_DE' });
    const all = (await send('POST', `${source.url}/duplicate`, { name: 'Copy' })).body;
    expect(all).toMatchObject({
      name: 'Copy',
      hooks: [hook.url],
      automation_level: 'always',
      locale: 'de_DE',
      inbox: null,
    });
    expect(all.schema).not.toBe(source.schema);
    expect((await api.get(all.schema)).content).toEqual((await api.get(source.schema)).content);
    const less = { name: 'Less', copy_extensions_settings: false, copy_automation_settings: false };
    const few = (await send('POST', `${source.url}/duplicate`, less)).body;
    expect(few).toMatchObject({ name: 'Less', hooks: [], automation_level: 'never', locale: 'de_DE' });
    expect((await api.get(hook.url)).queues).toEqual([source.url, all.url]);
  });

  it('wait a day for their deletion, seen in their own list, and take no documents', async () => {
    const doomed = await makeQueue({ name: 'Doomed' });
    const inbox = await api.post('/inboxes', { name: 'I', email_prefix: 'doomed', queues: [doomed.url] });
    const early = await api.post('/users', { username: 'early', organization, queues: [doomed.url] });
    const before = Date.now();
    expect((await send('DELETE', doomed.url)).status).toBe(204);
    const waiting = await api.get(doomed.url);
    expect(waiting).toMatchObject({ status: 'deletion_requested', workspace: null, inbox: inbox.url });
    expect(Math.abs(Date.parse(waiting.delete_after) - before - 86_400_000)).toBeLessThan(60_000);
    expect((await api.get('/queues?name=Doomed')).results).toEqual([]);
    expect((await api.get('/queues?name=Doomed&deleting=true')).results).toEqual([waiting]);
    expect((await send('DELETE', `${doomed.url}?delete_after=48:00:00`)).status).toBe(204);
    expect(await api.get(doomed.url)).toEqual(waiting);
    expect(await send('PATCH', doomed.url, { name: 'Back' })).toMatchObject({
      status: 400,
      body: { detail: 'Queue is being deleted.' },
    });
    for (const { url } of [await makeHook(), await makeConnector()]) {
      expect((await send('PATCH', url, { queues: [doomed.url] })).body).toEqual({ queues: NO_OBJECT });
    }
    const isLeaving = { status: 400, body: { queues: ['Queue is being deleted.'] } };
    const given = { username: 'late', organization, queues: [doomed.url] };
    expect(await send('POST', '/users', given)).toEqual(isLeaving);
    const late = await api.post('/users', { ...given, queues: [] });
    expect(await send('PATCH', late.url, { queues: [doomed.url] })).toEqual(isLeaving);
    // Sent back as it is read.
    expect(await send('PATCH', early.url, { queues: [doomed.url] })).toMatchObject({ status: 200 });
    expect(await send('POST', `${doomed.url}/duplicate`, { name: 'Copy' })).toMatchObject({
      status: 400,
      body: { detail: 'Queue is being deleted.' },
    });
    const form = new FormData();
    form.append('content', new Blob(['%PDF-1.4']), 'a.pdf');
    expect(await send('POST', `/uploads?queue=${doomed.id}`, form)).toMatchObject({
      status: 400,
      body: { detail: 'Queue is being deleted.', code: 'bad_request' },
    });
    expect((await send('DELETE', `${(await makeQueue()).url}?delete_after=tomorrow`)).status).toBe(400);
    // Whoever asks again may only bring it forward.
    expect((await send('DELETE', `${doomed.url}?delete_after=0`)).status).toBe(204);
    await waitFor('the queue to be gone', async () => (await send('GET', doomed.url)).status === 404);
  });
});

describe('the deletion of a queue', () => {
  const importInto = async (queueId: number) => {
    const content = await buildPdf({ lines: invoiceLines(`D-${queueId}`) });
    const task = await api.upload(queueId, [{ fileName: 'd.pdf', content }]);
    return (await waitFor('the upload', () => api.findUploaded(task), { timeoutMs: 60_000 })).annotationIds[0];
  };

  it('takes its annotations off the lists as soon as it is asked for; who knows them sees them until it is done', async () => {
    const doomed = await makeQueue({ name: 'Doomed' });
    const [leaving, kept] = [await importInto(doomed.id), await importInto(queue.id)];
    const query = {
      $and: [{ annotation: { $in: [leaving, kept].map((id) => `${system.baseUrl}/v1/annotations/${id}`) } }],
    };
    const listed = async () => {
      const lists = [api.get(`/annotations?id=${leaving},${kept}`), api.post('/annotations/search', { query })];
      return (await Promise.all(lists)).map(({ results }) => results.map(({ id }: Json) => id));
    };
    expect(await listed()).toEqual([
      [leaving, kept],
      [leaving, kept],
    ]);
    await api.delete(doomed.url);
    expect(await listed()).toEqual([[kept], [kept]]);
    expect((await api.get(`/annotations?queue=${doomed.id}`)).pagination).toMatchObject({ total: 0, total_pages: 1 });
    expect((await send('GET', `/annotations/${leaving}`)).status).toBe(200);
  });

  it('takes its annotations and its inbox along, and nothing else', async () => {
    const doomed = await makeQueue({ name: 'Doomed' });
    const user = await api.post('/users', { username: 'stays', organization, queues: [doomed.url, queue.url] });
    const inbox = await api.post('/inboxes', { name: 'I', email_prefix: 'doomed', queues: [doomed.url] });
    const [gone, kept] = [await importInto(doomed.id), await importInto(queue.id)];
    await api.delete(`${doomed.url}?delete_after=0`);
    await waitFor('the end of the queue', async () => (await send('GET', doomed.url)).status === 404, {
      timeoutMs: 60_000,
    });
    expect((await send('GET', `/annotations/${gone}`)).status).toBe(404);
    expect((await send('GET', inbox.url)).status).toBe(404);
    expect((await send('GET', `/annotations/${kept}`)).status).toBe(200);
    await waitFor('the user to be without it', async () => (await api.get(user.url)).queues.length === 1);
    expect((await api.get(user.url)).queues).toEqual([queue.url]);
    expect(
      (await api.get('/queues?deleting=true&name=Doomed&page_size=100')).results.map(({ id }: Json) => id),
    ).not.toContain(doomed.id);
  });
});

describe('inboxes', () => {
  const makeInbox = async (more: object = {}) =>
    api.post('/inboxes', { name: 'I', email_prefix: 'Invoices', queues: [(await makeQueue()).url], ...more });

  it('and their queue have one setting with two views', async () => {
    const inbox = await makeInbox({ bounce_email_to: null, bounce_unprocessable_attachments: true });
    expect(inbox).toMatchObject({
      bounce_email_to: null,
      bounce_unprocessable_attachments: true,
      bounce_email_with_no_attachments: true,
      email_prefix: 'invoices',
    });
    const owner = await api.get(inbox.queues[0]);
    expect(owner.inbox).toBe(inbox.url);
    expect(owner.settings.email_notifications).toMatchObject({ recipient: null, unprocessable_attachments: true });
    await api.patch(inbox.url, { bounce_email_to: 'me@example.com', bounce_postponed_annotations: true });
    expect((await api.get(owner.url)).settings.email_notifications).toMatchObject({
      recipient: { email: 'me@example.com' },
      unprocessable_attachments: true,
      postponed_annotations: true,
    });
    await api.patch(owner.url, { settings: { email_notifications: { recipient: { email: 'you@example.com' } } } });
    expect(await api.get(inbox.url)).toMatchObject({
      bounce_email_to: 'you@example.com',
      bounce_unprocessable_attachments: false,
    });
    expect((await api.get('/inboxes?bounce_email_to=you@example.com')).results.map(({ id }: Json) => id)).toEqual([
      inbox.id,
    ]);
    expect((await api.get(`/inboxes?email=${inbox.email.toUpperCase()}`)).results).toHaveLength(1);
    expect((await api.get('/inboxes?email_prefix=invoices&bounce_postponed_annotations=true')).results).toEqual([]);
    const off = await api.get(`/inboxes?id=${inbox.id}&bounce_postponed_annotations=false`);
    expect(off.pagination.total).toBe(1);
  });

  it('that are sent back as they were read leave the name of who is told', async () => {
    const inbox = await makeInbox();
    const recipient = { email: 'me@example.com', name: 'Me' };
    await api.patch(inbox.queues[0], { settings: { email_notifications: { recipient } } });
    const told = async () => (await api.get(inbox.queues[0])).settings.email_notifications.recipient;
    const { status, body } = await send('PUT', inbox.url, await api.get(inbox.url));
    expect([status, body.bounce_email_to, await told()]).toEqual([200, 'me@example.com', recipient]);
    await api.patch(inbox.url, { bounce_email_to: 'you@example.com' });
    expect(await told()).toEqual({ email: 'you@example.com' });
  });

  it('return to their first filters when they are replaced without any', async () => {
    const made = await makeInbox();
    await api.patch(made.url, { filters: { allowed_senders: ['*@example.com'] }, dmarc_check_action: 'drop' });
    const { name, queues } = made;
    const { body } = await send('PUT', made.url, { name, queues });
    const marks = { modified_by: body.modified_by, modified_at: body.modified_at };
    expect(body).toEqual({ ...made, ...marks });
  });

  it('are ordered by who is told, whose name stands in the settings of the queue', async () => {
    const made: Json[] = [];
    for (const who of ['carl', 'anna', 'bert']) made.push(await makeInbox({ bounce_email_to: `${who}@example.org` }));
    const order = async (ordering: string) => {
      const found = await api.get(`/inboxes?id=${made.map(({ id }) => id)}&ordering=${ordering}&page_size=2`);
      expect(found.pagination.total).toBe(3);
      return found.results.map(({ bounce_email_to: address }: Json) => address.split('@')[0]);
    };
    expect(await order('bounce_email_to')).toEqual(['anna', 'bert']);
    expect(await order('-bounce_email_to')).toEqual(['carl', 'bert']);
  });

  it('get another address with another prefix, and are found by one address alone', async () => {
    const inbox = await makeInbox();
    const domain = inbox.email.split('@')[1];
    const renamed = await api.patch(inbox.url, { email_prefix: 'other' });
    expect(renamed.email).toMatch(/^other-[0-9a-f]{6}@/);
    expect((await api.patch(inbox.url, { email_prefix: 'other' })).email).toBe(renamed.email);
    const given = await api.patch(inbox.url, { email: `Mine@${domain}` });
    expect(given).toMatchObject({ email: `mine@${domain}`, email_prefix: 'mine' });
    expect(
      (await send('POST', '/inboxes', { name: 'I', queues: [(await makeQueue()).url], email: given.email })).body,
    ).toEqual({
      email: ['inbox with this email already exists.'],
    });
    for (const email of ['mine@elsewhere.com', `a b@${domain}`, '@', 'x']) {
      expect((await send('PATCH', inbox.url, { email })).body).toEqual({ email: [expect.any(String)] });
    }
    expect((await send('POST', '/inboxes', { name: 'I', queues: [(await makeQueue()).url] })).body).toEqual({
      email_prefix: ['This field is required.'],
    });
    const taken = inbox.queues;
    expect((await send('POST', '/inboxes', { name: 'I', email_prefix: 'a', queues: taken })).body).toEqual({
      queues: ['This queue already has an inbox.'],
    });
    const other = await makeQueue();
    expect((await api.patch(inbox.url, { queues: [other.url] })).queues).toEqual([other.url]);
    expect([(await api.get(taken[0])).inbox, (await api.get(other.url)).inbox]).toEqual([null, inbox.url]);
    expect((await api.patch(taken[0], { inbox: inbox.url })).inbox).toBe(inbox.url);
    expect((await api.get(inbox.url)).queues).toEqual(taken);
    expect((await send('PATCH', taken[0], { inbox: null })).body).toEqual({ inbox: [expect.any(String)] });
    const [{ id, inbox: none, ...template }, nowhere] = [other, `${system.baseUrl}/v1/inboxes/999999`];
    expect((await send('POST', '/queues', { ...template, inbox: nowhere })).body).toEqual({ inbox: NO_OBJECT });
    const made = await api.post('/queues', { ...template, inbox: inbox.url });
    expect([made.inbox, (await api.get(inbox.url)).queues, (await api.get(taken[0])).inbox]).toEqual([
      inbox.url,
      [made.url],
      null,
    ]);
    await api.delete(inbox.url);
    expect((await api.get(taken[0])).inbox).toBeNull();
  });

  it('have their filters replaced as a whole, and keep them when a change does not name them', async () => {
    const inbox = await makeInbox();
    expect(inbox.filters.document_rejection_conditions.mime_types).toEqual(['image/gif']);
    const filters = { allowed_senders: ['*@example.com'], denied_senders: [] };
    expect((await api.patch(inbox.url, { filters })).filters).toEqual(filters);
    expect((await api.patch(inbox.url, { name: 'Other' })).filters).toEqual(filters);
    expect((await api.get(inbox.url)).filters).toEqual(filters);
  });

  it('refuse wrong filters at their places', async () => {
    const inbox = await makeInbox();
    const filters = {
      allowed_senders: 'x',
      document_rejection_conditions: {
        enabled: 1,
        resolution_lower_than_px: [1],
        mime_types: ['pdf'],
        file_name_regexes: ['a', '(?=b)'],
      },
    };
    expect((await send('PATCH', inbox.url, { filters })).body).toEqual({
      filters: {
        allowed_senders: ['Expected a list of items.'],
        document_rejection_conditions: {
          enabled: ['Must be a valid boolean.'],
          resolution_lower_than_px: ['Expected width and height as two integers.'],
          mime_types: ['"pdf" is not a valid MIME type.'],
          file_name_regexes: [expect.stringContaining('RE2')],
        },
      },
    });
  });
});

describe('e-mail templates', () => {
  const templatesOf = async (one: Json): Promise<Json[]> =>
    (await api.get(`/email_templates?queue=${one.id}&ordering=id`)).results;
  const makeTemplate = (more: object = {}) => api.post('/email_templates', { name: 'T', queue: queue.url, ...more });

  it('are five in every new queue, sent to the sender, and go with it', async () => {
    const made = await makeQueue();
    const templates = await templatesOf(made);
    expect(templates.map(({ type, automate }) => [type, automate])).toEqual([
      ['custom', false],
      ['custom', false],
      ['custom', false],
      ['rejection_default', true],
      ['email_with_no_processable_attachments', false],
    ]);
    for (const template of templates) {
      expect(template).toMatchObject({
        queue: made.url,
        organization,
        triggers: [],
        enabled: template.automate,
        to: [{ email: '{{sender_email}}' }],
        cc: [],
        bcc: [],
      });
      expect(template.subject).not.toBe('');
      expect(template.message).not.toBe('');
    }
    const own = { name: 'Own', type: 'rejection', queue: made.url };
    const { id } = await makeTemplate(own);
    const copy = await api.post(`/queues/${made.id}/duplicate`, { name: 'Copy' });
    expect((await templatesOf(copy)).map(({ name }) => name)).toEqual([...templates.map(({ name }) => name), 'Own']);
    const bare = await api.post(`/queues/${made.id}/duplicate`, { name: 'Bare', copy_email_settings: false });
    expect(await templatesOf(bare)).toHaveLength(5);
    expect((await api.get(`/email_templates?queue=${made.id}&type=rejection,rejection_default`)).pagination.total).toBe(
      2,
    );
    expect((await send('GET', '/email_templates?type=other')).body).toEqual({
      type: ['Select a valid choice. other is not one of the available choices.'],
    });
    await api.delete(`/queues/${made.id}?delete_after=0`);
    await waitFor('the templates to go', async () => (await templatesOf(made)).length === 0 && true, {
      timeoutMs: 30_000,
    });
    expect((await send('GET', `/email_templates/${id}`)).status).toBe(404);
  });

  it('have one setting under two names, and a type that fits', async () => {
    expect(await makeTemplate()).toMatchObject({ type: 'custom', automate: true, enabled: true, subject: '', to: [] });
    const off = await makeTemplate({ enabled: false, type: 'rejection', to: [{ email: 'a@example.com', name: 'A' }] });
    expect(off).toMatchObject({ automate: false, enabled: false, to: [{ email: 'a@example.com', name: 'A' }] });
    expect(await api.patch(off.url, { automate: true, enabled: false })).toMatchObject({
      automate: true,
      enabled: true,
    });
    expect(await api.patch(off.url, { enabled: false, type: 'custom' })).toMatchObject({
      automate: false,
      type: 'custom',
    });
    const put = await send('PUT', off.url, { name: 'Put', queue: queue.url });
    expect(put.body).toMatchObject({ automate: true, to: [], type: 'custom' });

    for (const type of ['rejection_default', 'email_with_no_processable_attachments']) {
      const { status, body } = await send('POST', '/email_templates', { name: 'T', queue: queue.url, type });
      expect([status, Object.keys(body)]).toEqual([400, ['type']]);
      const [kept] = (await api.get(`/email_templates?queue=${queue.id}&type=${type}`)).results;
      expect((await send('DELETE', kept.url)).status).toBe(400);
      expect((await send('PATCH', kept.url, { type: 'custom' })).body).toHaveProperty('type');
      expect(await api.patch(kept.url, { subject: 'Other', type })).toMatchObject({ subject: 'Other', type });
    }
  });

  it('refuse wrong addresses, too many of them, and queues that are not there', async () => {
    const theirs = (await foreign.get('/queues')).results[0].url;
    expect((await send('POST', '/email_templates', { name: 'T', queue: theirs })).body).toEqual({ queue: NO_OBJECT });
    const many = (count: number) => Array.from({ length: count }, (_, i) => ({ email: `a${i}@example.com` }));
    expect((await makeTemplate({ to: many(20), cc: many(20) })).cc).toHaveLength(20);
    const tooMany = await send('POST', '/email_templates', { name: 'T', queue: queue.url, to: many(40), bcc: many(1) });
    expect([tooMany.status, Object.keys(tooMany.body)]).toEqual([400, ['non_field_errors']]);
    for (const email of ['nobody', 'a@b@c', '{{ a }} b@c', 'a@b\r\nBcc: c@d', '']) {
      const { status, body } = await send('POST', '/email_templates', { name: 'T', queue: queue.url, to: [{ email }] });
      expect([email, status, Object.keys(body)]).toEqual([email, 400, ['to']]);
    }
    expect((await send('PATCH', (await makeTemplate()).url, { to: 'a@example.com' })).body).toEqual({
      to: ['Expected a list of items but got type "str".'],
    });
  });

  it('are filled with what they name', async () => {
    const content = await buildPdf({ lines: invoiceLines('T-1') });
    const raw = await buildMail({
      to: system.inboxEmail,
      from: 'Jan Novák <jan@example.com>',
      subject: 'Your <invoice>',
      text: 'See below.',
      attachments: [{ filename: 'a<b>.pdf', content }],
    });
    await sendMail(system.smtp, { raw, to: system.inboxEmail });
    const annotation: Json = await waitFor(
      'the annotation of the mail',
      async () => {
        const { results } = await api.get(`/annotations?queue=${queue.id}&status=to_review`);
        return results.find(({ email }: Json) => email !== null);
      },
      { timeoutMs: 60_000 },
    );
    const { original_file_name } = await api.get(annotation.document);
    const template = await makeTemplate({
      to: [{ email: '{{ sender_email }}' }, { email: 'b@example.com', name: 'B' }],
      subject: 'Re: {{ parent_email_subject }} {{ unknown }}',
      message:
        '<p>{{ annotation.content.value.document_id }}, {{annotation.id}}, {{ sum }}, {{ current_user_email }}</p>{{ document_list }}',
    });
    const rendered = await api.post(`${template.url}/render`, {
      parent_email: annotation.email,
      annotation_list: [annotation.url],
      template_values: { sum: '<5>' },
      cc: [{ email: 'c@example.com' }],
    });
    const { email } = await api.get('/auth/user');
    const escaped = original_file_name.replace(/</g, '&lt;').replace(/>/g, '&gt;');
    expect(rendered).toEqual({
      to: [{ email: 'jan@example.com' }, { email: 'b@example.com', name: 'B' }],
      cc: [{ email: 'c@example.com' }],
      bcc: [],
      subject: 'Re: Your <invoice>',
      message: `<p>T-1, ${annotation.id}, &lt;5&gt;, ${email}</p><ul><li>${escaped}</li></ul>`,
    });
    expect(await api.post(`${template.url}/render`)).toMatchObject({ to: [{ email: 'b@example.com', name: 'B' }] });
    const unknown = { annotation_list: [`${system.baseUrl}/v1/annotations/999999`] };
    expect((await send('POST', `${template.url}/render`, unknown)).body).toEqual({ annotation_list: NO_OBJECT });

    const recipients = { results: [{ source: 'email_header', email: 'jan@example.com', name: 'Jan Novák' }] };
    const body = { annotations: [annotation.url], email_threads: [] };
    expect(await api.post(`${queue.url}/suggested_recipients`, body)).toEqual(recipients);
    expect(await api.post('/annotations/suggested_recipients', body)).toEqual(recipients);
    expect(await api.post(`${queue.url}/suggested_recipients`, {})).toEqual({ results: [] });
    const threads = { email_threads: [(await api.get(annotation.email)).email_thread] };
    expect(await api.post(`${queue.url}/suggested_recipients`, threads)).toEqual(recipients);
    const elsewhere = (await makeQueue()).url;
    expect((await send('POST', `${elsewhere}/suggested_recipients`, body)).body).toEqual({ annotations: NO_OBJECT });
    expect((await send('POST', `${elsewhere}/suggested_recipients`, threads)).body).toEqual({
      email_threads: NO_OBJECT,
    });
    const { counts } = await api.get(queue.url);
    const total = (Object.values(counts) as number[]).reduce((sum, count) => sum + count, 0);
    expect(await api.get(`${queue.url}/related_objects_counts`)).toEqual({
      annotations: total - counts.purged,
      emails: 1,
      trained_dedicated_engines: 0,
    });
  });
});

describe('connectors', () => {
  it('keep their key to themselves, and show their token to admins', async () => {
    const one = await makeQueue();
    const made = await makeConnector({
      queues: [one.url],
      params: null,
      client_ssl_key: 'KEY',
      authorization_token: 'T0',
    });
    expect(made).toMatchObject({ authorization_type: 'secret_key', authorization_token: 'T0', asynchronous: true });
    expect(JSON.stringify(made)).not.toContain('KEY');
    expect((await makeConnector()).authorization_token).toMatch(/^[0-9a-f]{40}$/);
    expect((await api.get(one.url)).connector).toBe(made.url);
    const two = await makeQueue();
    expect((await send('POST', '/connectors', { ...made, queues: [one.url, two.url] })).body).toEqual({
      queues: ['The queue "Q" already has another connector.'],
    });
    expect((await api.patch(two.url, { connector: made.url })).connector).toBe(made.url);
    expect((await api.get(made.url)).queues).toEqual([one.url, two.url]);
    expect((await api.get(`/queues?connector=${made.id}`)).pagination.total).toBe(2);

    const reader = { username: 'reader', password: 'k3a9zQ7x1b' };
    const groups = [`${system.baseUrl}/v1/groups/2`];
    await api.post('/users', { ...reader, organization, groups, queues: [two.url] });
    const seen = await (await system.login(reader)).get(made.url);
    expect(seen).toMatchObject({ name: 'C', queues: [two.url] });
    expect('authorization_token' in seen).toBe(false);

    for (const service_url of ['ftp://x', 'x', 'javascript:1', 'https://']) {
      expect((await send('PATCH', made.url, { service_url })).body).toEqual({ service_url: ['Enter a valid URL.'] });
    }
    await api.delete(made.url);
    expect((await api.get(two.url)).connector).toBeNull();
  });
});

it('lists put what is empty last in both directions', async () => {
  const own = await makeQueue({ name: 'Ordered' });
  const inbox = await api.post('/inboxes', { name: 'I', email_prefix: 'ordered', queues: [own.url] });
  const other = await makeQueue({ name: 'Ordered' });
  expect(inbox.queues).toEqual([own.url]);
  const hook = await makeHook({ name: 'Ordered', queues: [own.url] });
  const job = await makeHook({
    ...{ name: 'Ordered', type: 'function', events: ['annotation_content'], active: false },
    config: { code: 'exports.x = 1', runtime: 'nodejs18.x' },
  });
  const [one, two] = [
    await api.post('/relations', { type: 'duplicate', key: 'ordered' }),
    await api.post('/relations', { type: 'duplicate' }),
  ];
  const nobody = await api.post('/users', { username: 'never-seen', organization });
  const somebody = await api.post('/users', {
    ...{ username: 'seen', organization, first_name: 'Anna', last_name: 'Bert', email: 'anna@example.com' },
  });
  const deaf = await makeHook({ name: 'Ordered', events: [] });
  const ordered = async (path: string, key: string) =>
    Promise.all(['', '-'].map(async (sign) => (await api.get(`${path}ordering=${sign}${key}`)).results));
  const ids = (rows: Json[]) => rows.map(({ id }) => id);
  const [ascending, descending] = (await ordered('/users?', 'last_login')) as [Json[], Json[]];
  expect(ascending[0].last_login).not.toBeNull();
  expect([ascending, descending].map((rows) => rows.at(-1)?.last_login)).toEqual([null, null]);
  for (const key of ['inbox', 'hooks'])
    expect((await ordered('/queues?name=Ordered&', key)).map(ids)).toEqual([
      [own.id, other.id],
      [own.id, other.id],
    ]);
  expect((await ordered(`/hooks?id=${hook.id},${deaf.id}&`, 'events')).map(ids)).toEqual([
    [hook.id, deaf.id],
    [hook.id, deaf.id],
  ]);
  expect((await ordered(`/hooks?id=${hook.id},${job.id}&`, 'config_url')).map(ids)).toEqual([
    [hook.id, job.id],
    [hook.id, job.id],
  ]);
  for (const key of ['first_name', 'last_name', 'email'])
    expect((await ordered(`/users?id=${nobody.id},${somebody.id}&`, key)).map(ids)).toEqual([
      [somebody.id, nobody.id],
      [somebody.id, nobody.id],
    ]);
  expect((await ordered(`/relations?id=${one.id},${two.id}&`, 'key')).map(ids)).toEqual([
    [one.id, two.id],
    [one.id, two.id],
  ]);
});

it.each([
  ['/documents', 'attachment_status'],
  ['/hooks', 'type'],
  ['/hooks', 'extension_source'],
  ['/hooks', 'events'],
  ['/relations', 'type'],
  ['/document_relations', 'type'],
])('%s refuse to be narrowed to %s that there are not', async (path, filter) => {
  expect(await send('GET', `${path}?${filter}=nonsense`)).toEqual({
    status: 400,
    body: { [filter]: ['Select a valid choice. nonsense is not one of the available choices.'] },
  });
});

describe('hooks', () => {
  it('answer every default, keep secrets to themselves, and merge their configuration', async () => {
    const made = await makeHook({
      type: 'webhook',
      config: { url: 'https://h.example.com', secret: 'S3CRET', client_ssl_key: 'KEY', app: { url: 'https://a' } },
      secrets: { password: 'hunter2' },
      token_owner: null,
    });
    expect(made).toMatchObject({
      type: 'webhook',
      active: true,
      queues: [],
      run_after: [],
      events: ['annotation_status.changed'],
      sideload: [],
      test: {},
      settings: {},
      settings_schema: null,
      token_owner: null,
      token_lifetime_s: null,
      description: null,
      guide: null,
      extension_source: 'custom',
      metadata: {},
      config: {
        url: 'https://h.example.com',
        secret: 'S3CRET',
        insecure_ssl: false,
        client_ssl_certificate: null,
        timeout_s: 30,
        retry_count: 4,
        retry_on_any_non_2xx: false,
        max_polling_time_s: 300,
        schedule: {},
        app: { url: 'https://a' },
      },
    });
    expect(JSON.stringify(await api.get(made.url))).not.toMatch(/hunter2|KEY|"secrets":/);
    expect(await api.get(`${made.url}/secrets_keys`)).toEqual(['password']);
    expect((await api.patch(made.url, { name: 'N', config: {} })).config).toEqual(made.config);
    expect((await api.patch(made.url, { config: { timeout_s: 5, retry_count: 0 } })).config).toEqual({
      ...made.config,
      timeout_s: 5,
      retry_count: 0,
    });
    expect((await api.patch(made.url, { config: { timeout_s: null } })).config).toEqual({
      ...made.config,
      retry_count: 0,
    });
    const put = (await send('PUT', made.url, { name: 'N', events: [], config: { url: 'http://x.example.com' } })).body;
    expect(put.config).toMatchObject({ url: 'http://x.example.com', retry_count: 4, secret: 'S3CRET' });
    expect(put.config).not.toHaveProperty('app');
    await api.patch(made.url, { secrets: { token: 'x', password: null } });
    expect(await api.get(`${made.url}/secrets_keys`)).toEqual(['token']);

    const reader = { username: 'hook-reader', password: 'k3a9zQ7x1b' };
    await api.post('/users', {
      ...reader,
      organization,
      groups: [`${system.baseUrl}/v1/groups/2`],
      queues: [queue.url],
    });
    await api.patch(made.url, { queues: [queue.url] });
    const asReader = await system.login(reader);
    const seen = await asReader.get(made.url);
    expect(seen.config).toMatchObject({ url: 'http://x.example.com', secret: null, insecure_ssl: false });
    const stored = await makeHook({ type: 'function', queues: [queue.url], config: { code: 'c', secret: 'S3CRET' } });
    expect((await asReader.get(stored.url)).config).toEqual({ code: 'c', secret: null });
    expect((await api.get(stored.url)).config).toEqual({ code: 'c', secret: 'S3CRET' });
    await api.delete(stored.url);
    await api.delete(made.url);
    expect((await api.get(queue.url)).hooks).toEqual([]);
  });

  it('are replaced with their whole configuration, whatever it was before', async () => {
    const rest = { name: 'N', events: [] };
    const schema = { type: 'object', properties: { user: { type: 'string' } } };
    const webhook = await makeHook({ secrets: { user: 'me' }, secrets_schema: schema });
    for (const body of [rest, { ...rest, config: {} }]) {
      expect(await send('PUT', webhook.url, body)).toEqual({
        status: 400,
        body: { config: { url: ['This field is required.'] } },
      });
    }
    const { body: replaced } = await send('PUT', webhook.url, { ...rest, config: { url: 'http://x.example.com' } });
    expect(replaced.secrets_schema).toEqual({ type: 'object', additionalProperties: { type: 'string' } });
    expect(await api.get(`${webhook.url}/secrets_keys`)).toEqual(['user']);

    const code = await makeHook({ type: 'function', config: { runtime: 'python3.12', code: 'a', timeout_s: 5 } });
    expect((await api.patch(code.url, { config: { code: 'b' } })).config).toEqual({ ...code.config, code: 'b' });
    expect((await send('PUT', code.url, { ...rest, config: { code: 'c' } })).body.config).toEqual({ code: 'c' });
  });

  it('and queues know of each other, webhooks being the older name', async () => {
    const owner = await makeQueue();
    const [first, second] = [await makeHook({ queues: [owner.url] }), await makeHook()];
    expect(await api.get(owner.url)).toMatchObject({ hooks: [first.url], webhooks: [first.url] });
    const both = await api.patch(owner.url, { hooks: [first.url], webhooks: [second.url, first.url] });
    expect(both).toMatchObject({ hooks: [first.url, second.url], webhooks: [first.url, second.url] });
    const older = `${system.baseUrl}/v1/webhooks/${first.id}`;
    expect((await api.patch(owner.url, { webhooks: [older, second.url] })).webhooks).toEqual([first.url, second.url]);
    expect((await api.get(second.url)).queues).toEqual([owner.url]);
    expect((await api.get(`/hooks?queue=${owner.id}`)).results.map(({ id }: Json) => id)).toEqual([
      first.id,
      second.id,
    ]);
    expect((await api.get(`/queues?hooks=${second.id}`)).results.map(({ id }: Json) => id)).toEqual([owner.id]);
    const job = await makeHook({ type: 'function', config: { runtime: 'python3.12', code: 'x' } });
    expect(job.config).toEqual({ runtime: 'python3.12', code: 'x' });
    const listed = (await api.get('/webhooks?page_size=100')).results;
    expect(listed.map(({ id }: Json) => id)).not.toContain(job.id);
    expect(await api.get(`/webhooks/${first.id}`)).toEqual({ ...first, url: `${system.baseUrl}/v1/hooks/${first.id}` });
    expect((await send('PATCH', `/webhooks/${first.id}`, { name: 'Renamed', config: {} })).body).toMatchObject({
      name: 'Renamed',
      config: first.config,
    });
  });

  it('expand whole events, and refuse unknown ones at their place', async () => {
    const { events } = await makeHook({ events: ['annotation_content', 'invocation', 'annotation_content.export'] });
    expect(events).toEqual([
      'annotation_content.initialize',
      'annotation_content.started',
      'annotation_content.user_update',
      'annotation_content.updated',
      'annotation_content.confirm',
      'annotation_content.export',
      'invocation.scheduled',
      'invocation.manual',
    ]);
    const wrong = { events: ['upload', 'download'], sideload: ['queues', 'moon'], config: { url: 'ftp://x' } };
    expect((await send('POST', '/hooks', { name: 'H', ...wrong })).body).toEqual({
      events: { '1': ['"download" is not a valid choice.'] },
      sideload: ['"moon" is not a valid choice.'],
      config: { url: ['Enter a valid URL.'] },
    });
  });

  it('refuse an order without a beginning', async () => {
    const a = await makeHook();
    const b = await makeHook({ run_after: [a.url] });
    const c = await makeHook({ run_after: [b.url] });
    const cycle = ['A hook cannot run after itself, directly or through other hooks.'];
    for (const last of [a, b, c]) {
      expect((await send('PATCH', a.url, { run_after: [last.url] })).body).toEqual({ run_after: cycle });
    }
    await api.delete(b.url);
    expect((await api.get(c.url)).run_after).toEqual([]);
    expect((await api.patch(a.url, { run_after: [c.url] })).run_after).toEqual([c.url]);
  });

  it('refuse a configuration that cannot work', async () => {
    const config = {
      url: 'https://h.example.com',
      timeout_s: 61,
      retry_count: 1.5,
      insecure_ssl: 'no',
      max_polling_time_s: 200,
      schedule: { cron: '*/5 * * * *' },
      client_ssl_certificate: 'no PEM',
    };
    expect((await send('POST', '/hooks', { name: 'H', events: [], config })).body).toEqual({
      config: {
        timeout_s: ['Ensure this value is less than or equal to 60.'],
        retry_count: ['A valid integer is required.'],
        insecure_ssl: ['Must be a valid boolean.'],
        max_polling_time_s: ['It can be changed for upload.created and invocation.scheduled only.'],
        schedule: ['cron: the hook may be called every 10 minutes at most.'],
        client_ssl_certificate: ['Enter a valid certificate in PEM format.'],
      },
    });
    const connector = { name: 'C', service_url: 'https://c.example.com', client_ssl_certificate: 'no PEM' };
    expect(await send('POST', '/connectors', connector)).toEqual({
      status: 400,
      body: { client_ssl_certificate: ['Enter a valid certificate in PEM format.'] },
    });
    expect((await send('POST', '/hooks', { name: 'H', events: [] })).body).toEqual({
      config: { url: ['This field is required.'] },
    });
    const scheduled = {
      events: ['invocation.scheduled'],
      config: { ...HOOK_CONFIG, schedule: { cron: '*/30 * * * *' } },
    };
    expect((await makeHook(scheduled)).config.schedule).toEqual({ cron: '*/30 * * * *' });
    for (const cron of ['x', '* * *', '0 0 0 0 0 0', '61 * * * *']) {
      expect(
        (await send('POST', '/hooks', { name: 'H', events: [], config: { ...HOOK_CONFIG, schedule: { cron } } }))
          .status,
      ).toBe(400);
    }
    const polled = { events: ['upload'], config: { ...HOOK_CONFIG, max_polling_time_s: 200 } };
    const polling = await makeHook(polled);
    expect(polling.config.max_polling_time_s).toBe(200);
    // What it has already stays when it listens to something else.
    const elsewhere = await api.patch(polling.url, { events: ['annotation_status'] });
    expect(elsewhere.config.max_polling_time_s).toBe(200);
    const more = { config: { max_polling_time_s: 201 } };
    expect(await send('PATCH', polling.url, more)).toMatchObject({
      status: 400,
      body: { config: { max_polling_time_s: [expect.stringContaining('only')] } },
    });
    const missing = await send('POST', '/hooks', { name: 'H', events: [], config: null, settings: null });
    const required = ['This field may not be null.'];
    expect(missing).toMatchObject({ status: 400, body: { config: required, settings: required } });
  });
  const HOOK_CONFIG = { url: 'https://h.example.com' };

  it('check their settings against their schema, within a time', async () => {
    const settings_schema = { type: 'object', properties: { limit: { type: 'integer' } }, required: ['limit'] };
    expect(
      (await send('POST', '/hooks', { name: 'H', events: [], config: HOOK_CONFIG, settings_schema })).body,
    ).toEqual({
      settings: [expect.stringContaining('limit')],
    });
    expect((await makeHook({ settings_schema, settings: { limit: 1 } })).settings).toEqual({ limit: 1 });
    const slow = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
    const endless = { $ref: '#' };
    for (const schema of [slow, endless]) {
      const answer = await send('POST', '/hooks', {
        name: 'H',
        events: [],
        config: HOOK_CONFIG,
        settings_schema: schema,
        settings: { a: `${'a'.repeat(50)}!` },
      });
      expect([answer.status, Object.keys(answer.body)]).toEqual([400, ['settings_schema']]);
    }
  });

  it('belong to a user of the same organization who is no group admin', async () => {
    const me = await api.get('/auth/user');
    expect((await makeHook({ token_owner: me.url, token_lifetime_s: 7200 })).token_owner).toBe(me.url);
    const theirs = await foreign.get('/auth/user');
    const groups = [`${system.baseUrl}/v1/groups/6`];
    const group = await api.post('/users', { username: 'group', organization, password: 'k3a9zQ7x1b', groups });
    const answers = await Promise.all(
      [theirs.url, group.url].map((token_owner) =>
        send('POST', '/hooks', { name: 'H', events: [], config: HOOK_CONFIG, token_owner }),
      ),
    );
    expect(answers.map(({ status, body }) => [status, Object.keys(body)])).toEqual([
      [400, ['token_owner']],
      [400, ['token_owner']],
    ]);
    expect(
      (await send('POST', '/hooks', { name: 'H', events: [], config: HOOK_CONFIG, token_lifetime_s: 7201 })).status,
    ).toBe(400);
  });

  it('are copied inactive, with or without secrets', async () => {
    const first = await makeHook();
    const source = await makeHook({ secrets: { a: 'b' }, run_after: [first.url], queues: [queue.url] });
    const plain = (await send('POST', `${source.url}/duplicate`, { name: 'Copy' })).body;
    expect(plain).toMatchObject({ name: 'Copy', active: false, queues: [], run_after: [], config: source.config });
    expect(await api.get(`${plain.url}/secrets_keys`)).toEqual([]);
    const body = { name: 'Copy', copy_secrets: true, copy_dependencies: true };
    const whole = (await send('POST', `${source.url}/duplicate`, body)).body;
    expect(whole.run_after).toEqual([first.url]);
    expect(await api.get(`${whole.url}/secrets_keys`)).toEqual(['a']);
    expect((await send('POST', '/hooks/create', {})).status).toBe(404);
  });
});

describe('schemas', () => {
  it('say all that is wrong with them in one answer', async () => {
    const wrong = { name: '  ', content: [{ ...SECTION, category: 'nonsense' }] };
    const expected = {
      status: 400,
      body: { name: ['This field may not be blank.'], content: [{ category: expect.anything() }] },
    };
    expect(await send('POST', '/schemas', wrong)).toMatchObject(expected);
    const made = await makeSchema();
    expect(await send('PATCH', made.url, wrong)).toMatchObject(expected);
    expect(await send('PATCH', made.url, { name: 'x'.repeat(256), content: {} })).toMatchObject({
      body: { name: ['Ensure this field has no more than 255 characters.'], content: expect.anything() },
    });
  });

  it('say what is wrong with a content without making anything', async () => {
    const check = async (body: object) => send('POST', '/schemas/validate', body);
    expect(await check({ content: [SECTION] })).toEqual({ status: 200, body: {} });
    expect((await check({ content: [] })).body).toEqual({ content: ['At least one section is required.'] });
    expect(await check({})).toEqual({ status: 200, body: { content: ['This field is required.'] } });
    expect((await check({ content: [{ ...SECTION, id: 'x'.repeat(51) }] })).body).toEqual({
      content: [{ id: ['Ensure this field has no more than 50 characters.'] }],
    });
    expect((await check({ content: [{ ...SECTION, id: 'x'.repeat(50) }] })).body).toEqual({});
  });

  it('answer what was written, and refuse what is wrong at its place', async () => {
    const made = await makeSchema();
    expect(made.content).toEqual([SECTION]);
    const regexp = (pattern: string) => [
      { ...SECTION, children: [{ ...SECTION.children[0], constraints: { regexp: { pattern } } }] },
    ];
    const { status, body } = await send('PATCH', made.url, { content: regexp('(a+)+\\1') });
    expect([status, body]).toEqual([
      400,
      { content: [{ children: [{ constraints: { regexp: { pattern: [expect.stringContaining('RE2')] } } }] }] },
    ]);
    expect((await api.patch(made.url, { content: regexp('^(a+)+$') })).content).toEqual(regexp('^(a+)+$'));
    expect((await send('PATCH', made.url, { content: {} })).body).toEqual({
      content: ['Expected a list of items but got type "dict".'],
    });
    expect((await send('PATCH', made.url, { content: null })).body).toEqual({
      content: ['This field may not be null.'],
    });
  });

  it('stay while a queue or an annotation uses them', async () => {
    const owner = await makeQueue();
    expect(await send('DELETE', owner.schema)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect((await api.get(`/schemas?queue=${owner.id}`)).results.map(({ url }: Json) => url)).toEqual([owner.schema]);
    await api.patch(owner.url, { schema: (await makeSchema()).url });
    expect((await send('DELETE', owner.schema)).status).toBe(204);
  });
});
