import {
  type Api,
  buildMail,
  buildPdf,
  invoiceLines,
  type Json,
  type MailContent,
  type ReceivedCall,
  type Receiver,
  sendMail,
  startReceiver,
  startSystem,
  type TestSystem,
  type UploadFile,
  waitFor,
} from '@intake/testkit';

/** Hooks of what arrives, and of the clock. API: hooks-and-connectors.md sections 3.3 to 3.5, 4.2, 4.3. */

const XML = 'text/xml';

let system: TestSystem;
let api: Api;
let receiver: Receiver;
let numbers = 0;
let user: string;
let scheduled: Json;
let scheduledAt: number;

beforeAll(async () => {
  receiver = await startReceiver();
  system = await startSystem({ env: { INTAKE_OUTGOING_ALLOW: '127.0.0.1' } });
  api = await system.login();
  user = (await api.get('/auth/user')).url;
  // Its time comes while the other tests run.
  scheduledAt = Math.floor(Date.now() / 60_000 + 1.05) * 60_000;
  const next = new Date(scheduledAt);
  scheduled = await makeHook(system.queueId, '/clock', ['invocation.scheduled'], {
    queues: [],
    settings: { folder: 'in' },
    config: { schedule: { cron: `${next.getUTCMinutes()} ${next.getUTCHours()} * * *` } },
  });
});
afterAll(async () => {
  await system?.stop();
  await receiver?.stop();
});

const urlOf = (path: string) => `${system.baseUrl}/v1${path}`;

async function makeQueue(more: Json = {}): Promise<number> {
  const { id } = await api.post(`/queues/${system.queueId}/duplicate`, { name: `Queue ${++numbers}` });
  await api.patch(`/queues/${id}`, { settings: { accepted_mime_types: ['application/pdf', XML] }, ...more });
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

const invoice = async (): Promise<UploadFile> => {
  const content = await buildPdf({ lines: invoiceLines(`INV-${++numbers}`) });
  return { fileName: `invoice-${numbers}.pdf`, content };
};
const order = (): UploadFile => ({ fileName: 'order.xml', content: Buffer.from('<order/>'), contentType: XML });

/** The upload when its task has ended. */
async function upload(queueId: number, files: readonly UploadFile[]): Promise<Json> {
  const task = await api.upload(queueId, files);
  const { uploadId } = await waitFor('the upload', () => api.findUploaded(task), { timeoutMs: 60_000 });
  return api.get(`/uploads/${uploadId}`);
}
const reaches = (annotation: string, status: string): Promise<Json> =>
  waitFor(
    `the status ${status}`,
    async () => {
      const found = await api.get(annotation);
      if (found.status !== status) throw new Error(`it is ${found.status}: ${JSON.stringify(found.messages)}`);
      return found;
    },
    { timeoutMs: 60_000 },
  );
const theCall = async (path: string): Promise<ReceivedCall> => {
  await waitFor(`a call of ${path}`, () => receiver.at(path).length > 0, { timeoutMs: 60_000 });
  const [call, ...more] = receiver.at(path);
  expect(more).toEqual([]);
  return call as ReceivedCall;
};
/** What a hook does with its token. */
const asHook = async ({ body }: ReceivedCall, path: string, sent: unknown): Promise<Json> => {
  const isForm = sent instanceof FormData;
  const response = await fetch(`${body.base_url}/api/v1${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${body.rossum_authorization_token}`,
      ...(!isForm && { 'content-type': 'application/json' }),
    },
    body: isForm ? sent : JSON.stringify(sent),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
};
const documentForm = async (parent?: string): Promise<FormData> => {
  const { fileName, content } = await invoice();
  const form = new FormData();
  form.append('content', new Blob([new Uint8Array(content)], { type: 'application/pdf' }), fileName);
  if (parent) form.append('parent', parent);
  return form;
};

describe('upload.created', () => {
  it('shows the files before anything is imported, and applies what is answered', async () => {
    const queueId = await makeQueue();
    receiver.answer('/upload/veto', ({ body }) => ({
      body: {
        files: [
          { document: body.files[0].document, messages: [{ type: 'warning', content: 'from the scanner' }] },
          { document: body.files[1].document, prevent_importing: true },
        ],
      },
    }));
    const hook = await makeHook(queueId, '/upload/veto', ['upload']);
    const form = new FormData();
    for (const { fileName, content } of [await invoice(), await invoice()]) {
      form.append('content', new Blob([new Uint8Array(content)], { type: 'application/pdf' }), fileName);
    }
    form.append('values', JSON.stringify({ 'upload:project': 'A1' }));
    form.append('metadata', JSON.stringify({ batch: 7 }));
    const response = await api.request('POST', `/uploads?queue=${queueId}`, { body: form });
    const { url: task } = (await response.json()) as Json;
    const { uploadId } = await waitFor('the upload', () => api.findUploaded(task), { timeoutMs: 60_000 });
    const made = await api.get(`/uploads/${uploadId}`);
    const [first, second] = made.documents;
    const { body } = await theCall('/upload/veto');
    const shown = (document: string) => ({
      document,
      prevent_importing: false,
      values: [{ id: 'upload:project', value: 'A1' }],
      queue: urlOf(`/queues/${queueId}`),
      annotation: null,
    });
    expect(body).toEqual({
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      timestamp: expect.any(String),
      base_url: system.baseUrl.replace(/\/api$/, ''),
      hook: hook.url,
      settings: {},
      secrets: {},
      event: 'upload',
      action: 'created',
      files: [shown(first), shown(second)],
      documents: [
        { ...(await api.get(first)), annotations: [] },
        { ...(await api.get(second)), annotations: [] },
      ],
      upload: made.url,
      metadata: { batch: 7 },
      email: null,
    });
    expect(made.annotations).toHaveLength(1);
    const annotation = await reaches(made.annotations[0], 'to_review');
    expect(annotation).toMatchObject({
      document: first,
      metadata: { batch: 7 },
      messages: [{ id: 'all', type: 'warning', content: 'from the scanner', detail: { hook_id: hook.id } }],
    });
    expect((await api.get(second)).annotations).toEqual([]);
    const payload = { event: 'upload', action: 'created', upload: made.url };
    expect(await api.post(`/hooks/${hook.id}/generate_payload`, payload)).toMatchObject({
      files: [first, second].map((document) => ({ document, values: [{ id: 'upload:project', value: 'A1' }] })),
      upload: made.url,
      metadata: { batch: 7 },
    });
  });

  it('makes readable documents of files that are not, with the token of the hook', async () => {
    const queueId = await makeQueue();
    const made: Json[] = [];
    receiver.answer('/upload/convert', async (call) => {
      const { files } = call.body;
      // One is known by the token, one by what it was made of, and two by the answer, which wants one of them only.
      const own = await asHook(call, '/documents', await documentForm());
      const listed = await asHook(call, '/documents', await documentForm());
      const vetoed = await asHook(call, '/documents', await documentForm());
      const body = await documentForm(files[0].document);
      const child: Json = await (await api.request('POST', '/documents', { body })).json();
      for (const { url } of [own, vetoed, child]) {
        await asHook(call, '/annotations', { document: url, queue: files[0].queue, status: 'created' });
      }
      made.push(own, listed, vetoed, child);
      const values = [{ id: 'upload:made', value: 'yes' }];
      return {
        body: {
          files: [
            { document: listed.url, values },
            { document: vetoed.url, prevent_importing: true },
          ],
        },
      };
    });
    await makeHook(queueId, '/upload/convert', ['upload.created'], { token_owner: user });
    const done = await upload(queueId, [order()]);
    const call = await theCall('/upload/convert');
    expect(call.body.files).toMatchObject([{ document: done.documents[0], prevent_importing: true }]);
    const [own, listed, vetoed, child] = made.map(({ url }) => url);
    expect(done.additional_documents).toEqual([own, listed, vetoed, child]);
    const wanted = { [own]: 'to_review', [listed]: 'to_review', [vetoed]: 'created', [child]: 'to_review' };
    const statuses = await waitFor('the imports', async () => {
      const { results } = await api.get(`/annotations?queue=${queueId}`);
      const found = Object.fromEntries(results.map((one: Json) => [one.document, one.status]));
      return found[own] === 'to_review' && found[listed] === 'to_review' && found[child] === 'to_review' && found;
    });
    expect(statuses).toEqual(wanted);
    const late = await fetch(`${system.baseUrl}/v1/queues`, {
      headers: { authorization: `Bearer ${call.body.rossum_authorization_token}` },
    });
    expect(late.status).toBe(401);
  });

  it('a hook after another sees what that one changed; foreign documents are not taken', async () => {
    const queueId = await makeQueue();
    const other: Json = await (await api.request('POST', '/documents', { body: await documentForm() })).json();
    receiver.answer('/upload/one', ({ body }) => ({ body: { files: [{ document: body.files[0].document }] } }));
    receiver.answer('/upload/two', () => ({ body: { files: [{ document: other.url }] } }));
    const first = await makeHook(queueId, '/upload/one', ['upload.created']);
    const second = await makeHook(queueId, '/upload/two', ['upload.created'], { run_after: [first.url] });
    const done = await upload(queueId, [order()]);
    expect((await theCall('/upload/one')).body.files).toMatchObject([{ prevent_importing: true }]);
    expect((await theCall('/upload/two')).body.files).toMatchObject([{ prevent_importing: false }]);
    // The first hook wants it, and it cannot be read.
    await reaches(done.annotations[0], 'failed_import');
    const { results } = await api.get(`/hooks/logs?hook=${second.id}&log_level=ERROR`);
    expect(results[0].message).toMatch(/names document \d+, which the hook did not make/);
  });

  it('goes on without hooks that fail; what they had to decide about fails for everybody to see', async () => {
    const queueId = await makeQueue();
    receiver.answer('/upload/broken', { status: 500, body: 'out of order' });
    const hook = await makeHook(queueId, '/upload/broken', ['upload.created'], { config: { retry_count: 1 } });
    const done = await upload(queueId, [await invoice(), order()]);
    expect(receiver.at('/upload/broken')).toHaveLength(2);
    expect(new Set(receiver.at('/upload/broken').map(({ body }) => body.request_id)).size).toBe(1);
    await reaches(done.annotations[0], 'to_review');
    const failed = await reaches(done.annotations[1], 'failed_import');
    expect(failed.messages[0].content).toContain(
      `the extension "${hook.name}" that was to say what becomes of them failed`,
    );
  });

  it('goes on without an answer that is too long to be kept', async () => {
    const queueId = await makeQueue();
    receiver.answer('/upload/long', { body: { files: [], more: 'x'.repeat(4_000_000) } });
    const hook = await makeHook(queueId, '/upload/long', ['upload.created']);
    const done = await upload(queueId, [await invoice()]);
    await reaches(done.annotations[0], 'to_review');
    expect((await api.get(`/hooks/logs?hook=${hook.id}`)).results).toMatchObject([
      { log_level: 'ERROR', message: 'Its answer cannot be used: it has more than 4000000 characters.' },
    ]);
  });

  it('asks for the answer where the hook says to ask', async () => {
    const queueId = await makeQueue();
    receiver.answer('/upload/later', { status: 202, headers: { location: '/upload/answer?job=1' } });
    receiver.answer('/upload/answer', { status: 201, body: { files: [] } });
    await makeHook(queueId, '/upload/later', ['upload.created'], { token_owner: user });
    const done = await upload(queueId, [await invoice()]);
    expect(done.annotations).toHaveLength(1);
    expect((await theCall('/upload/answer')).method).toBe('GET');
  });

  it('without hooks a file that cannot be read gets an annotation that says so', async () => {
    const done = await upload(await makeQueue(), [order()]);
    expect((await reaches(done.annotations[0], 'failed_import')).messages).toHaveLength(1);
  });
});

describe('email.received', () => {
  const send = async (inbox: Json, more: Partial<MailContent>) => {
    const raw = await buildMail({ to: inbox.email, text: 'Hello', ...more });
    await sendMail(system.smtp, { raw, to: inbox.email });
  };
  const received = (subject: string): Promise<Json> =>
    waitFor(
      `the e-mail "${subject}"`,
      async () => {
        const { results } = await api.get(`/emails?subject=${encodeURIComponent(subject)}&type=incoming`);
        return results.find(({ state }: Json) => state !== 'received');
      },
      { timeoutMs: 60_000 },
    );
  const attachment = async (filename: string) => ({ filename, content: (await invoice()).content });
  async function makeInbox(queueId: number): Promise<Json> {
    return api.post('/inboxes', { name: 'In', queues: [urlOf(`/queues/${queueId}`)], email_prefix: `in-${++numbers}` });
  }

  it('chooses among the attachments, gives values, adds documents and names the sender', async () => {
    const queueId = await makeQueue();
    const inbox = await makeInbox(queueId);
    const schema = await api.get(`/queues/${queueId}`).then((queue) => api.get(queue.schema));
    const content = schema.content.map((section: Json) => ({
      ...section,
      children: section.children.map((field: Json) =>
        field.id === 'order_id' ? { ...field, rir_field_names: ['email:po', ...(field.rir_field_names ?? [])] } : field,
      ),
    }));
    await api.patch(schema.url, { content });
    const added: Json[] = [];
    receiver.answer('/email/choose', async (call) => {
      added.push(
        await asHook(call, '/documents', await documentForm()),
        await asHook(call, '/documents', await documentForm()),
      );
      const [wanted] = call.body.files;
      return {
        body: {
          files: [
            {
              id: wanted.id,
              values: [
                { id: 'email:po', value: 'PO-77' },
                { id: 'other:x', value: 'no' },
              ],
            },
          ],
          additional_files: [
            { document: added[0].url, import_document: true, values: [{ id: 'email:po', value: 'PO-78' }] },
            { document: added[1].url },
          ],
          extracted_original_sender: { email: 'real@example.org', name: 'Real Sender' },
        },
      };
    });
    const hook = await makeHook(queueId, '/email/choose', ['email.received'], { token_owner: user });
    const attachments = [await attachment('wanted.pdf'), await attachment('unwanted.pdf')];
    await send(inbox, { subject: 'Choose', html: '<p>Hello</p>', attachments });
    const email = await received('Choose');
    const { body } = await theCall('/email/choose');
    expect(body).toMatchObject({
      event: 'email',
      action: 'received',
      email: email.url,
      queue: urlOf(`/queues/${queueId}`),
      files: ['wanted.pdf', 'unwanted.pdf'].map((filename) => ({
        id: expect.stringMatching(/^\d+$/),
        filename,
        mime_type: 'application/pdf',
        n_pages: 1,
        height_px: expect.any(Number),
        width_px: expect.any(Number),
        document: expect.stringContaining('/documents/'),
      })),
      headers: {
        from: 'supplier@example.org',
        to: inbox.email,
        'reply-to': '',
        subject: 'Choose',
        'message-id': expect.stringMatching(/^[^<>]+@[^<>]+$/),
        date: expect.any(String),
        'authentication-results': '',
      },
      body: { body_text_plain: expect.stringContaining('Hello'), body_text_html: '<p>Hello</p>' },
    });
    const [wanted, unwanted] = body.files;
    const { results } = await waitFor('both annotations', async () => {
      const found = await api.get(`/annotations?queue=${queueId}`);
      return found.results.length === 2 && found.results.every((one: Json) => one.status === 'to_review')
        ? found
        : undefined;
    });
    expect(results.map((one: Json) => one.document).sort()).toEqual([wanted.document, added[0].url].sort());
    const orderOf = async (document: string) => {
      const annotation = results.find((one: Json) => one.document === document);
      const tree = await api.get(`${annotation.url}/content`);
      const nodes = (list: Json[]): Json[] => list.flatMap((node) => [node, ...nodes(node.children ?? [])]);
      return nodes(tree.content).find((node) => node.schema_id === 'order_id')?.content.value;
    };
    expect([await orderOf(wanted.document), await orderOf(added[0].url)]).toEqual(['PO-77', 'PO-78']);
    expect((await api.get(unwanted.document)).attachment_status).toBe('filtered_by_hook_custom');
    expect(await api.get(added[0].url)).toMatchObject({ attachment_status: 'processed', email: email.url });
    expect(await api.get(added[1].url)).toMatchObject({ attachment_status: 'hook_additional_file', email: email.url });
    expect(email.from).toEqual({ email: 'real@example.org', name: 'Real Sender' });
    const payload = { event: 'email', action: 'received', email: email.url };
    expect(await api.post(`/hooks/${hook.id}/generate_payload`, payload)).toMatchObject({
      email: email.url,
      files: expect.arrayContaining(body.files),
      headers: body.headers,
      body: body.body,
    });
  });

  it('imports all attachments when the hook fails', async () => {
    const queueId = await makeQueue();
    const inbox = await makeInbox(queueId);
    receiver.answer('/email/broken', { body: 'no JSON' });
    await makeHook(queueId, '/email/broken', ['email.received']);
    await send(inbox, { subject: 'Broken', attachments: [await attachment('a.pdf'), await attachment('b.pdf')] });
    const email = await received('Broken');
    expect(email.attachments.map((one: Json) => one.attachment_status)).toEqual(['processed', 'processed']);
  });

  it('is asked about the files first, and about the upload of what it chose then', async () => {
    const queueId = await makeQueue();
    const inbox = await makeInbox(queueId);
    receiver.answer('/email/none', { body: { files: [] } });
    await makeHook(queueId, '/email/none', ['email.received']);
    await makeHook(queueId, '/email/upload', ['upload.created']);
    await send(inbox, { subject: 'None', attachments: [await attachment('a.pdf')] });
    const email = await received('None');
    expect(email).toMatchObject({ filtered_out_document_count: 1, annotations: [] });
    expect(receiver.at('/email/upload')).toEqual([]);
  });
});

describe('invocation.scheduled', () => {
  it('calls by the clock, once, with the common keys', async () => {
    const { body, at } = await waitFor('the call', () => receiver.at('/clock')[0], { timeoutMs: 90_000 });
    expect(at.getTime()).toBeGreaterThanOrEqual(scheduledAt);
    expect(body).toEqual({
      request_id: expect.any(String),
      timestamp: expect.any(String),
      base_url: expect.any(String),
      hook: scheduled.url,
      settings: { folder: 'in' },
      secrets: {},
      event: 'invocation',
      action: 'scheduled',
    });
    expect(new Date(body.timestamp).getTime()).toBe(scheduledAt);
    const { results } = await api.get(`/hooks/logs?hook=${scheduled.id}`);
    expect(results).toMatchObject([{ event: 'invocation', action: 'scheduled', status: 'completed' }]);
  });
});
