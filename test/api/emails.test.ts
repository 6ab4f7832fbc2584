import { generateKeyPairSync } from 'node:crypto';
import {
  type Api,
  attachFiles,
  backing,
  buildMail,
  buildOutlookMessage,
  buildPdf,
  idOf,
  invoiceLines,
  type Json,
  listObjects,
  type MailContent,
  type MailReceiver,
  type NameServer,
  sendMail,
  startMailReceiver,
  startNameServer,
  startSystem,
  type TestSystem,
  uniqueName,
  waitFor,
} from '@intake/testkit';
import JSZip from 'jszip';
import { createTransport } from 'nodemailer';
import sharp from 'sharp';

/** E-mails from outside: what comes in, what becomes of it, and what goes out. API: email-import.md. */

const PUBLIC_URL = 'http://intake.example';
const SENDER = 'supplier@example.org';
const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const publicKey = keys.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
const privateKey = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

let system: TestSystem;
let api: Api;
let relay: MailReceiver;
let names: NameServer;
let inbox: Json;

beforeAll(async () => {
  relay = await startMailReceiver();
  names = await startNameServer({
    '_dmarc.strict.example': { TXT: ['v=DMARC1; p=reject; adkim=s; aspf=s'] },
    'strict.example': { TXT: ['v=spf1 ip4:192.0.2.1 -all'] },
    'key._domainkey.strict.example': { TXT: [`v=DKIM1; k=rsa; p=${publicKey}`] },
  });
  system = await startSystem({
    env: {
      INTAKE_SMTP_RELAY_URL: relay.url,
      INTAKE_PUBLIC_URL: PUBLIC_URL,
      INTAKE_MAIL_CHECK_SENDER: 'on',
      INTAKE_MAIL_DNS_SERVERS: names.address,
      INTAKE_EMAILS_PER_DAY: '1000',
      INTAKE_NOTIFICATIONS_PER_DAY: '1000',
    },
  });
  api = await system.login();
  // People see the installation elsewhere, and so do the URLs that it answers.
  const request = api.request.bind(api);
  api.request = (method, path, options) => request(method, path.replace(`${PUBLIC_URL}/api/v1`, ''), options);
  inbox = (await api.get('/inboxes')).results[0];
});
afterAll(async () => {
  await system?.stop();
  await relay?.stop();
  await names?.stop();
});

const pdf = () => buildPdf({ lines: invoiceLines(uniqueName('INV')) });
const file = async (filename = 'invoice.pdf') => ({ filename, content: await pdf() });
const mail = async (more: Partial<MailContent>) =>
  buildMail({ to: system.inboxEmail, text: 'Hello', attachments: [await file()], ...more });
const send = (raw: Buffer, from = SENDER) => sendMail(system.smtp, { raw, to: system.inboxEmail, from });
const bySubject = (subject: string, isDone = (email: Json) => email.state !== 'received') =>
  waitFor(
    `the e-mail "${subject}"`,
    async () => {
      const { results } = await api.get(`/emails?subject=${encodeURIComponent(subject)}&type=incoming`);
      return results.find(isDone);
    },
    { timeoutMs: 60_000 },
  );
const sendNew = async (more: Partial<MailContent> = {}, from = SENDER): Promise<Json> => {
  const subject = uniqueName('Mail');
  await send(await mail({ subject, from, ...more }), from);
  return bySubject(subject);
};
const setInbox = async (change: object) => {
  inbox = await api.patch(inbox.url, change);
};
const statuses = (email: Json) =>
  Object.fromEntries(email.attachments.map((one: Json) => [one.file_name, one.attachment_status]));
const requestStatus = async (method: string, path: string, body?: unknown) => {
  const response = await api.request(method, path, { body });
  return { status: response.status, body: await response.json() };
};

describe('an e-mail', () => {
  it('tells where it came from, and what became of each attachment', async () => {
    const email = await sendNew({
      cc: 'Accounting <office@example.org>',
      html: '<p>Hello <b>you</b></p>',
      attachments: [await file('one.pdf'), { filename: 'note.txt', content: Buffer.from('a note') }],
    });
    expect(email).toMatchObject({
      type: 'incoming',
      state: 'imported',
      failure: '',
      inbox: inbox.url,
      from: { email: SENDER },
      to: [{ email: system.inboxEmail }],
      cc: [{ email: 'office@example.org', name: 'Accounting' }],
      bcc: [],
      parent: null,
      children: [],
      creator: null,
      body_text_plain: expect.stringContaining('Hello'),
      body_text_html: expect.stringContaining('<b>you</b>'),
      filtered_out_document_count: 1,
      attachments: [
        { file_name: 'one.pdf', attachment_status: 'processed', reason: '' },
        {
          file_name: 'note.txt',
          attachment_status: 'filtered_by_queue_mime_type',
          reason: 'The queue does not take text/plain.',
        },
      ],
    });
    expect(email.documents).toHaveLength(2);
    const [document] = (await api.get(`/documents?email=${email.id}&attachment_status=filtered_by_queue_mime_type`))
      .results;
    expect(document).toMatchObject({
      original_file_name: 'note.txt',
      email: email.url,
      annotations: [],
      creator: null,
    });
    expect((await api.download(document.content)).toString()).toBe('a note');
    const done = await bySubject(email.subject, ({ annotations }) => annotations.length > 0);
    expect(done.annotation_counts).toMatchObject({
      annotations: 1,
      annotations_unprocessed: 1,
      annotations_rejected: 0,
    });
    expect(await api.get(done.annotations[0])).toMatchObject({ email: email.url });
  });

  it('is there as it came', async () => {
    const subject = uniqueName('Raw');
    const raw = await mail({ subject });
    await send(raw);
    const { content } = await bySubject(subject);
    const response = await api.request('GET', content);
    expect(response.headers.get('content-type')).toBe('message/rfc822');
    expect(Buffer.from(await response.arrayBuffer()).equals(raw)).toBe(true);
  });

  it.each([
    ['documents', (email: Json) => `documents=${idOf(email.documents[0])}`],
    ['sender', (email: Json) => `from__email=${email.from.email.toUpperCase()}`],
    ['recipient', () => `to=${encodeURIComponent(system.inboxEmail)}`],
    ['part of the subject', (email: Json) => `subject=${email.subject.slice(2)}`],
    ['thread', (email: Json) => `email_thread=${idOf(email.email_thread)}`],
    ['type', () => 'type=incoming'],
    ['documents or none', () => 'has_documents=true'],
    ['time', (email: Json) => `created_at_after=${encodeURIComponent(email.created_at)}`],
  ])('is found by %s', async (_, query) => {
    const email = await sendNew();
    const urls = async (more: string) =>
      (await api.get(`/emails?${more}&ordering=-id`)).results.map(({ url }: Json) => url);
    expect(await urls(query(email))).toContain(email.url);
    expect(await urls(`${query(email)}&queue=999999`)).toEqual([]);
  });

  it.each(['subject', 'from__name', 'from__email', 'to'])(
    'is not found by a %s with a null character',
    async (name) => {
      expect((await api.get(`/emails?${name}=a%00`)).results).toEqual([]);
    },
  );

  it('is changed, but not what it was', async () => {
    const email = await sendNew();
    const change = { metadata: { a: 1 }, labels: ['forwarded'], subject: 'Other', type: 'outgoing', from: {} };
    expect(await api.patch(email.url, change)).toMatchObject({
      metadata: { a: 1 },
      labels: ['forwarded'],
      subject: 'Other',
      type: 'incoming',
      from: { email: SENDER },
    });
    const wrong = await requestStatus('PATCH', email.url, { labels: ['unknown'] });
    expect(wrong.status).toBe(400);
    expect(wrong.body.labels).toBeDefined();
    const itself = await requestStatus('PATCH', email.url, { parent: email.url });
    expect(itself).toEqual({ status: 400, body: { parent: ['An e-mail cannot answer itself.'] } });
    expect((await api.request('DELETE', email.url)).status).toBe(405);
  });

  it('is counted', async () => {
    const before = (await api.get('/emails/counts')).incoming;
    await sendNew({ attachments: [] });
    const { incoming } = await api.get('/emails/counts');
    expect(incoming.total).toBe(before.total + 1);
    expect(incoming.no_documents).toBe(before.no_documents + 1);
    expect(incoming.recent_with_no_documents_not_replied).toBe(before.recent_with_no_documents_not_replied + 1);
    expect(incoming.recent_with_filtered_out_documents).toBe(incoming.recent_filtered_out_documents);
    const countOf = async (filter: string) => (await api.get(`/emails/counts?${filter}`)).incoming.total as number;
    expect(await countOf('has_documents=false')).toBe(incoming.no_documents);
    expect(await countOf('has_documents=true')).toBe(incoming.total - incoming.no_documents);
    expect(await countOf('type=outgoing')).toBe(0);
  });
});

describe('attachments', () => {
  afterEach(() =>
    setInbox({
      filters: { allowed_senders: [], denied_senders: [], document_rejection_conditions: { enabled: false } },
    }),
  );

  it('are filtered as the inbox says', async () => {
    await setInbox({
      filters: {
        document_rejection_conditions: { enabled: true, file_size_less_than_b: 300, file_name_regexes: ['(?i)terms'] },
      },
    });
    const email = await sendNew({
      attachments: [
        await file('good.pdf'),
        await file('Our Terms.pdf'),
        { filename: 'tiny.pdf', content: Buffer.from('%PDF-1.4 tiny') },
        { filename: 'virus.exe', content: Buffer.from('MZ\0\0') },
      ],
    });
    expect(statuses(email)).toEqual({
      'good.pdf': 'processed',
      'Our Terms.pdf': 'filtered_by_inbox_file_name',
      'tiny.pdf': 'filtered_by_inbox_size',
      'virus.exe': 'filtered_by_insecure_mime_type',
    });
    expect(email.filtered_out_document_count).toBe(3);
  });

  it('of a message that Outlook has stored are taken', async () => {
    const content = buildOutlookMessage({ files: [await file('packed.pdf')] });
    const { url } = await sendNew({ attachments: [{ filename: 'message.msg', content }] });
    const email = await waitFor('the document', async () => {
      const found = await api.get(url);
      return found.annotations.length === 1 && found;
    });
    expect(statuses(email)).toEqual({ 'packed.pdf': 'processed' });
  });

  it('of a forwarded message are taken, and members of archives', async () => {
    const inner = await buildMail({ to: 'x@example.org', text: 'Inner', attachments: [await file('inner.pdf')] });
    const zip = new JSZip().file('member.pdf', await pdf()).file('readme.txt', 'x');
    const subject = uniqueName('Mail');
    await send(
      await mail({
        subject,
        attachments: [
          { filename: 'forwarded.eml', content: inner, contentType: 'message/rfc822' },
          { filename: 'scans.zip', content: await zip.generateAsync({ type: 'nodebuffer' }) },
        ],
      }),
    );
    const isComplete = ({ attachments }: Json) => attachments.length === 4;
    expect(statuses(await bySubject(subject, isComplete))).toEqual({
      'inner.pdf': 'processed',
      'scans.zip': 'extracted_archive',
      'member.pdf': 'processed',
      'readme.txt': 'filtered_by_queue_mime_type',
    });
  });

  it('that are PDF portfolios give their files', async () => {
    const files = { 'one.pdf': await pdf(), 'two.pdf': await pdf(), 'note.txt': Buffer.from('a note') };
    const content = await attachFiles(await pdf(), files, { isPortfolio: true });
    const subject = uniqueName('Mail');
    await send(await mail({ subject, attachments: [{ filename: 'portfolio.pdf', content }] }));
    const email = await bySubject(subject, ({ annotations, attachments }: Json) => {
      return annotations.length === 2 && attachments.length === 4;
    });
    expect(statuses(email)).toEqual({
      'portfolio.pdf': 'extracted_archive',
      'one.pdf': 'processed',
      'two.pdf': 'processed',
      'note.txt': 'filtered_by_queue_mime_type',
    });
    expect(email.attachments[0].reason).toBe('Left out: "note.txt" (the queue does not take text/plain).');
  });

  it('in archives pass the filters of the inbox, too', async () => {
    await setInbox({
      filters: {
        document_rejection_conditions: { enabled: true, file_name_regexes: ['(?i)^terms'], file_size_less_than_b: 60 },
      },
    });
    const zip = new JSZip()
      .file('good.pdf', await pdf())
      .file('Terms.pdf', await pdf())
      .file('tiny.pdf', '%PDF-1.4 tiny')
      .file(
        'logo.png',
        await sharp({ create: { width: 90, height: 90, channels: 3, background: 'red' } })
          .png()
          .toBuffer(),
      )
      .file('virus.pdf', Buffer.concat([Buffer.from('MZ'), Buffer.alloc(200)]));
    const subject = uniqueName('Mail');
    const content = await zip.generateAsync({ type: 'nodebuffer' });
    await send(await mail({ subject, attachments: [{ filename: 'all.zip', content }] }));
    const email = await bySubject(subject, ({ attachments }: Json) => attachments.length === 6);
    expect(statuses(email)).toEqual({
      'all.zip': 'extracted_archive',
      'good.pdf': 'processed',
      'Terms.pdf': 'filtered_by_inbox_file_name',
      'tiny.pdf': 'filtered_by_inbox_size',
      'logo.png': 'filtered_by_inbox_resolution',
      'virus.pdf': 'filtered_by_insecure_mime_type',
    });
    expect(email.attachments.every((one: Json) => (one.reason === '') === /good/.test(one.file_name))).toBe(true);
    expect(email.attachments[0].reason).toMatch(/^Left out: "Terms.pdf" \(the inbox does not take names that match/);
    expect(email.filtered_out_document_count).toBe(4);
  });

  it('of a message with too many parts are not read, and the record says so', async () => {
    const attachments = Array.from({ length: 130 }, (_, i) => ({
      filename: `${i}.pdf`,
      content: Buffer.from('%PDF-1.4'),
    }));
    expect(await sendNew({ attachments })).toMatchObject({
      state: 'failed',
      failure: expect.stringMatching(/more than 100 parts/),
      documents: [],
      from: { email: SENDER },
    });
  });
});

describe('senders', () => {
  afterEach(() =>
    setInbox({ dmarc_check_action: 'accept', filters: { document_rejection_conditions: { enabled: false } } }),
  );
  const isTaken = async (from: string, more: Partial<MailContent> = {}) => {
    const subject = uniqueName('Sender');
    await send(await mail({ subject, from, ...more }), from);
    // Events are acted on in turn; what is sent behind shows when this one has been looked at.
    await waitFor('the message to be looked at', async () => {
      const metrics = await (await fetch(`http://127.0.0.1:${system.opsPortOf('mail-ingest')}/metrics`)).text();
      const dropped = Number(/^intake_mails_dropped_total(?:\{[^}]*\})? (\d+)/m.exec(metrics)?.[1] ?? 0);
      const found = (await api.get(`/emails?subject=${subject}`)).results;
      return dropped > droppedBefore || found.some(({ state }: Json) => state !== 'received');
    });
    return (await api.get(`/emails?subject=${subject}`)).results.length === 1;
  };
  let droppedBefore = 0;
  beforeEach(async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${system.opsPortOf('mail-ingest')}/metrics`)).text();
    droppedBefore = Number(/^intake_mails_dropped_total(?:\{[^}]*\})? (\d+)/m.exec(metrics)?.[1] ?? 0);
  });

  it('that are denied leave nothing, not even the bytes of the message', async () => {
    await setInbox({ filters: { denied_senders: ['*@spam.example'] } });
    const stored = () => listObjects(backing().s3, system.env.INTAKE_S3_BUCKET ?? '');
    const before = new Set(await stored());
    expect(await isTaken('Bad@Spam.example')).toBe(false);
    await waitFor('the message to be removed', async () => (await stored()).every((key) => before.has(key)));
  });
  it('that are not among the allowed ones leave nothing', async () => {
    await setInbox({ filters: { allowed_senders: ['*@example.org'] } });
    expect(await isTaken('a@elsewhere.example')).toBe(false);
  });
  it('that are allowed are taken', async () => {
    await setInbox({ filters: { allowed_senders: ['*@example.org'] } });
    expect(await isTaken(SENDER)).toBe(true);
  });
  it('that fail DMARC are dropped where the inbox wants that', async () => {
    await setInbox({ dmarc_check_action: 'drop' });
    expect(await isTaken('forged@strict.example')).toBe(false);
  });
  it('that fail DMARC are taken otherwise, with the verdict', async () => {
    expect(await sendNew({}, 'forged@strict.example')).toMatchObject({
      authentication: { spf: 'fail', dkim: 'none', dmarc: 'fail', domain: 'strict.example', source: 'own' },
    });
  });
  it('that sign their mail pass', async () => {
    await setInbox({ dmarc_check_action: 'drop' });
    const subject = uniqueName('Signed');
    const transport = createTransport({ ...system.smtp, secure: false, tls: { rejectUnauthorized: false } });
    await transport.sendMail({
      ...{ from: 'billing@strict.example', to: system.inboxEmail, subject, text: 'Signed' },
      attachments: [await file()],
      dkim: { domainName: 'strict.example', keySelector: 'key', privateKey },
    });
    transport.close();
    expect(await bySubject(subject)).toMatchObject({ authentication: { dkim: 'pass', dmarc: 'pass' } });
  });
});

describe('threads', () => {
  it('hold the mails that answer each other', async () => {
    const messageId = `<${uniqueName('id')}@example.org>`;
    const root = await sendNew({ messageId });
    const thread = await api.get(root.email_thread);
    expect(thread).toMatchObject({
      root_email: root.url,
      subject: root.subject,
      from: { email: SENDER },
      has_replies: false,
      has_new_replies: false,
      queue: root.queue,
    });
    const reply = await sendNew({ inReplyTo: messageId, attachments: [] });
    expect(reply).toMatchObject({ parent: root.url, email_thread: root.email_thread });
    expect((await api.get(root.url)).children).toEqual([reply.url]);
    const extended = await api.get(root.email_thread);
    expect(extended).toMatchObject({ has_replies: true, has_new_replies: true });
    expect(Date.parse(extended.last_email_created_at)).toBeGreaterThanOrEqual(Date.parse(reply.created_at));
    const { results } = await api.get('/email_threads?has_new_replies=true&ordering=-id');
    expect(results.map(({ url }: Json) => url)).toContain(thread.url);
    expect(await api.patch(thread.url, { has_new_replies: false })).toMatchObject({ has_new_replies: false });
  });

  it('hold mails that are told by hand what they answer', async () => {
    const [first, second, third] = [await sendNew(), await sendNew(), await sendNew()];
    const childrenOf = async (email: Json) => (await api.get(email.url)).children;
    expect(await api.patch(third.url, { parent: first.url, labels: ['reply', 'reply'] })).toMatchObject({
      ...{ parent: first.url, labels: ['reply'] },
    });
    expect(await childrenOf(first)).toEqual([third.url]);
    await api.patch(third.url, { parent: second.url });
    expect([await childrenOf(first), await childrenOf(second)]).toEqual([[], [third.url]]);
    await api.patch(second.url, { parent: first.url });
    expect(await requestStatus('PATCH', first.url, { parent: third.url })).toEqual({
      status: 400,
      body: { parent: ['An e-mail cannot answer itself.'] },
    });
    await api.patch(second.url, { parent: null });
    expect([await childrenOf(first), await childrenOf(second)]).toEqual([[], [third.url]]);
  });

  it('are shown by the annotations of their mails, with what was sent about these', async () => {
    const messageId = `<${uniqueName('id')}@example.org>`;
    const { subject, email_thread } = await sendNew({ messageId });
    const { annotations } = await bySubject(subject, (one) => one.annotations.length > 0);
    const [url] = annotations;
    expect(await api.get(url)).toMatchObject({
      ...{ email_thread, has_email_thread_with_replies: false, has_email_thread_with_new_replies: false },
      related_emails: [],
    });
    const sent = await api.post('/emails/send', {
      ...{ queue: inbox.queues[0], to: [{ email: SENDER }], related_annotations: [url] },
      template_values: { subject: 'About it', message: 'Please look.' },
    });
    await sendNew({ inReplyTo: messageId, attachments: [] });
    const expected = {
      ...{ url, email_thread, has_email_thread_with_replies: true, has_email_thread_with_new_replies: true },
      related_emails: [sent.url],
    };
    expect(await api.get(url)).toMatchObject(expected);
    for (const flag of ['has_email_thread_with_replies', 'has_email_thread_with_new_replies']) {
      const found = (query: string) => api.get(`/annotations?id=${idOf(url)}&${query}`);
      expect((await found(`${flag}=true`)).pagination.total).toBe(1);
      expect((await found(`${flag}=false`)).pagination.total).toBe(0);
    }
    const search = async (condition: object) => {
      const body = { query: { $and: [{ annotation: { $eq: url } }, condition] } };
      return (await api.post('/annotations/search', body)).pagination.total;
    };
    const elsewhere = `${system.baseUrl}/v1/email_threads/999999`;
    expect([
      await search({ email_thread: { $eq: email_thread } }),
      await search({ email_thread: { $in: [email_thread, elsewhere] } }),
      await search({ email_thread: { $eq: elsewhere } }),
      await search({ email_thread: { $ne: email_thread } }),
      await search({ email_thread: { $emptyOrMissing: true } }),
      await search({ email_sender: { $eq: SENDER.toUpperCase() } }),
      await search({ email_sender: { $startsWith: SENDER.slice(0, 3) } }),
      await search({ email_sender: { $anyTokenStartsWith: SENDER.split('@')[1] } }),
      await search({ email_sender: { $nin: [SENDER] } }),
      await search({ email_sender: { $emptyOrMissing: false } }),
      await search({ has_email_thread_with_replies: { $eq: true } }),
      await search({ has_email_thread_with_new_replies: { $ne: true } }),
    ]).toEqual([1, 1, 0, 0, 0, 1, 1, 1, 0, 1, 1, 0]);
    const list = await api.get(`/annotations?id=${idOf(url)}&sideload=related_emails`);
    expect(list).toMatchObject({ results: [expected], related_emails: [{ url: sent.url, subject: 'About it' }] });
  });

  it('are told to hooks with the annotations of their mails, as the API shows them', async () => {
    const { subject, email_thread } = await sendNew();
    const email = await bySubject(subject, (one) => one.annotations.length > 0);
    const [annotation] = email.annotations;
    const sent = await api.post('/emails/send', {
      ...{ queue: inbox.queues[0], to: [{ email: SENDER }], related_annotations: [annotation] },
      template_values: { subject: 'About it', message: 'Please look.' },
    });
    const edit = await api.post('/suggested_edits', { annotation, documents: [] });
    const hook = await api.post('/hooks', {
      ...{
        name: 'Told of mails',
        active: false,
        events: ['annotation_status'],
        config: { url: 'https://example.com' },
      },
      sideload: ['emails', 'related_emails', 'suggested_edits'],
    });
    const payload = await api.post(`${hook.url}/generate_payload`, {
      ...{ event: 'annotation_status', action: 'changed', annotation },
      ...{ status: 'to_review', previous_status: 'importing' },
    });
    expect(payload.annotation).toMatchObject({ email: email.url, email_thread, related_emails: [sent.url] });
    const [came, went] = [await api.get(email.url), await api.get(sent.url)];
    const { annotations, annotation_counts } = came;
    expect(payload.emails).toMatchObject([{ url: email.url, subject, annotations, annotation_counts }]);
    expect(payload.related_emails).toMatchObject([{ url: sent.url, related_annotations: went.related_annotations }]);
    expect(payload.suggested_edits).toEqual([edit]);
  });
});

it('annotations are ordered by senders and threads of their e-mails; without one they are last', async () => {
  const messageId = `<${uniqueName('id')}@example.org>`;
  const annotationOf = async ({ subject }: Json) =>
    (await bySubject(subject, ({ annotations }) => annotations.length > 0)).annotations[0];
  const first = await annotationOf(await sendNew({}, 'Zoe@example.org'));
  const second = await annotationOf(await sendNew({ messageId }, 'adam@example.org'));
  await sendNew({ inReplyTo: messageId, attachments: [] });
  const task = await api.upload(idOf(inbox.queues[0]), [{ fileName: 'uploaded.pdf', content: await pdf() }]);
  const uploaded = await waitFor('the upload', () => api.findUploaded(task), { timeoutMs: 60_000 });
  const third = (await api.get(`/annotations/${uploaded.annotationIds[0]}`)).url;
  const ordered = async (ordering: string) => {
    const query = { $and: [{ annotation: { $in: [first, second, third] } }] };
    const { results } = await api.post(`/annotations/search?ordering=${ordering}`, { query });
    return results.map(({ url }: Json) => [first, second, third].indexOf(url) + 1);
  };
  expect(await ordered('email_sender')).toEqual([2, 1, 3]);
  expect(await ordered('-email_sender')).toEqual([1, 2, 3]);
  expect(await ordered('email_thread')).toEqual([1, 2, 3]);
  expect(await ordered('-email_thread')).toEqual([2, 1, 3]);
  expect(await ordered('has_email_thread_with_replies')).toEqual([1, 3, 2]);
  expect(await ordered('-has_email_thread_with_new_replies,id')).toEqual([2, 1, 3]);
  await api.post('/emails/send', {
    ...{ queue: inbox.queues[0], to: [{ email: SENDER }], related_annotations: [third] },
    template_values: { subject: 'About it', message: 'Please look.' },
  });
  expect(await ordered('-email_thread')).toEqual([3, 2, 1]);
});

describe('an import by the API', () => {
  const importMail = async (raw: Buffer | null, fields: Record<string, string>) => {
    const form = new FormData();
    if (raw) form.append('raw_message', new Blob([new Uint8Array(raw)]), 'email.eml');
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    return requestStatus('POST', '/emails/import', form);
  };

  it('makes an e-mail, its task tells which', async () => {
    const subject = uniqueName('Import');
    const { status, body } = await importMail(await mail({ subject, from: 'denied@spam.example' }), {
      recipient: system.inboxEmail.toUpperCase(),
      metadata: JSON.stringify({ source: 'archive' }),
      values: JSON.stringify({ 'emails_import:key': 'value' }),
    });
    expect(status).toBe(202);
    const task = await waitFor('the task', async () => {
      const found = await api.get(`${body.url}?no_redirect=true`);
      return found.status === 'running' ? null : found;
    });
    expect(task).toMatchObject({ type: 'email_imported', status: 'succeeded' });
    const email = await api.get(task.result_url);
    expect(email).toMatchObject({ subject, creator: expect.stringMatching(/\/users\/\d+$/) });
    expect(email.annotations).toHaveLength(1);
    expect(await api.get(email.annotations[0])).toMatchObject({ metadata: { source: 'archive' } });
  });

  it.each([
    ['an unknown inbox', 'From: a@b.c\r\n\r\nx', { recipient: 'nobody@localhost' }, 'recipient'],
    ['no inbox', 'From: a@b.c\r\n\r\nx', {}, 'recipient'],
    ['no message', null, { recipient: '' }, 'raw_message'],
    ['no header', '\u0001\u0002\u0003', { recipient: 'inbox' }, 'raw_message'],
    ['other values', 'From: a@b.c\r\n\r\nx', { recipient: 'inbox', values: '{"upload:x": "y"}' }, 'values'],
    ['broken JSON', 'From: a@b.c\r\n\r\nx', { recipient: 'inbox', metadata: '{' }, 'metadata'],
  ])('with %s is 400', async (_, raw, fields, field) => {
    const filled = Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, value === 'inbox' ? system.inboxEmail : value]),
    ) as Record<string, string>;
    const { status, body } = await importMail(raw === null ? null : Buffer.from(raw, 'latin1'), filled);
    expect({ status, fields: Object.keys(body) }).toEqual({ status: 400, fields: [field] });
  });
});

it('is told apart from what is no upload of a message, and tracking is not there', async () => {
  expect((await api.request('POST', '/emails/import', { body: {} })).status).toBe(415);
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const form = await api.request('POST', '/emails/import', { body: Buffer.from('recipient=a%40b.c'), headers });
  expect([form.status, await form.json()]).toEqual([400, { raw_message: ['No file was submitted.'] }]);
  const tracked = await api.request('POST', '/email_tracking_events', { body: {} });
  expect([tracked.status, tracked.headers.get('allow')]).toEqual([405, expect.not.stringContaining('POST')]);
});

describe('mails that go out', () => {
  const sentTo = (address: string, since = 0) =>
    relay.mails.slice(since).filter(({ recipients }) => recipients.includes(address));
  const nextMailTo = (address: string) =>
    waitFor(`a mail to ${address}`, async () => sentTo(address)[0], { timeoutMs: 60_000 });
  afterEach(() =>
    setInbox({
      bounce_email_with_no_attachments: true,
      bounce_unprocessable_attachments: false,
      bounce_email_to: null,
    }),
  );

  it('tell the sender that nothing could be processed', async () => {
    const from = `${uniqueName('nothing')}@example.org`;
    const email = await sendNew({ attachments: [] }, from);
    const bounce = await nextMailTo(from);
    expect(bounce).toMatchObject({ sender: '', recipients: [from] });
    expect(bounce.raw).toMatch(/^Auto-Submitted: auto-replied\r$/m);
    expect(bounce.raw).toMatch(/^X-Loop: localhost\r$/m);
    const [outgoing] = (await api.get(`/emails?type=outgoing&to=${from}`)).results;
    expect(outgoing).toMatchObject({ labels: ['automatic_rejection'], parent: email.url, to: [{ email: from }] });
    await waitFor('it to be noted as sent', async () => (await api.get(outgoing.url)).state === 'sent');
    expect((await api.download(outgoing.content)).toString()).toContain(email.subject);
  });

  it('say what was left out of an archive', async () => {
    const from = `${uniqueName('archive')}@example.org`;
    const zip = new JSZip().file('a/one.pdf', 'x').file('b/two.pdf', 'x');
    const content = await zip.generateAsync({ type: 'nodebuffer' });
    await sendNew({ attachments: [{ filename: 'folders.zip', content }] }, from);
    const { raw } = await nextMailTo(from);
    expect(raw.replace(/=\r\n/g, '')).toContain(
      '- folders.zip: The archive holds no file that can be imported. Left out: "a/one.pdf"',
    );
  });

  it('tell of attachments that could not be, whom the inbox names', async () => {
    const to = `${uniqueName('boss')}@example.org`;
    await setInbox({ bounce_unprocessable_attachments: true, bounce_email_to: to });
    await sendNew({ attachments: [await file(), { filename: 'note.txt', content: Buffer.from('note') }] });
    const { raw } = await nextMailTo(to);
    expect(raw).toContain('note.txt');
    expect(raw).toContain('The queue does not take text/plain.');
    expect(raw).not.toContain('invoice.pdf');
    await sendNew({ attachments: [{ filename: 'broken.pdf', content: Buffer.from('%PDF-1.4 garbage') }] });
    const failed = await waitFor('the other mail', async () => sentTo(to)[1], { timeoutMs: 60_000 });
    expect(failed.raw).toContain('- broken.pdf: The PDF is damaged and cannot be repaired.');
  });

  it('are written from the templates of the queue that are automated', async () => {
    const { results: templates } = await api.get(`/email_templates?queue=${idOf(inbox.queues[0])}`);
    const automated = templates.filter(({ name }: Json) => /received|exported|without/.test(name));
    expect(automated).toHaveLength(3);
    const automate = (on: boolean) =>
      Promise.all(
        automated.map(({ url }: Json) => api.patch(url, { automate: on, to: [{ email: '{{sender_email}}' }] })),
      );
    await automate(true);
    try {
      const from = `${uniqueName('customer')}@example.org`;
      const { subject } = await sendNew({}, from);
      const mailWith = (text: RegExp) =>
        waitFor(`the mail ${text}`, async () => sentTo(from).find(({ raw }) => text.test(raw)), { timeoutMs: 60_000 });
      const received = await mailWith(/^Subject: Your documents were received: /m);
      expect(received.sender).toBe('');
      expect(received.raw).toContain('<li>invoice.pdf</li>');

      const { annotations } = await bySubject(subject, (one) => one.annotations.length > 0);
      const [url] = annotations;
      await waitFor('the document to be read', async () => (await api.get(url)).status === 'to_review');
      await api.post(`${url}/start`, {});
      await api.post(`${url}/confirm`, {});
      await mailWith(/^Subject: Your documents were exported: /m);
      const stats = await api.get('/email_templates/stats');
      const exported = templates.find(({ name }: Json) => /exported/.test(name));
      expect(stats).toContainEqual({ url: exported.url, manual_count: 0, automated_count: 1 });
      expect(stats.map(({ url }: Json) => url)).toEqual(expect.arrayContaining(templates.map(({ url }: Json) => url)));

      const nothing = `${uniqueName('nothing')}@example.org`;
      const { url: parent } = await sendNew({ attachments: [] }, nothing);
      expect((await nextMailTo(nothing)).raw).toMatch(/^Subject: No document found: /m);
      const { results } = await api.get(`/emails?type=outgoing&to=${nothing}`);
      expect(results).toMatchObject([{ parent, labels: ['automatic_rejection'] }]);
    } finally {
      await automate(false);
    }
  });

  it('are switched off and on by whom they are sent to, and by nobody else', async () => {
    const from = `${uniqueName('quiet')}@example.org`;
    await sendNew({ attachments: [] }, from);
    const { raw } = await nextMailTo(from);
    const link = /^List-Unsubscribe:\s*<([^>]+)>/m.exec(raw)?.[1]?.replace(/\s/g, '') ?? '';
    expect(link).toMatch(/^http:\/\/intake\.example\/api\/v1\/emails\/subscription\?content=/);
    const follow = async (change: (url: URL) => void = () => undefined) => {
      const url = new URL(link.replace(`${PUBLIC_URL}/api`, system.baseUrl));
      change(url);
      const response = await fetch(url);
      return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
    };
    expect((await follow((url) => url.searchParams.set('signature', 'x'))).status).toBe(400);
    expect((await follow((url) => url.searchParams.delete('subscribe'))).status).toBe(400);
    expect(await follow()).toMatchObject({ status: 200, type: 'text/html; charset=utf-8' });
    await sendNew({ attachments: [] }, from);
    const person = `${uniqueName('person')}@example.org`;
    await sendNew({ attachments: [] }, person);
    await nextMailTo(person);
    expect(sentTo(from)).toHaveLength(1);

    const on = await follow((url) => url.searchParams.set('subscribe', 'true'));
    expect(on.text).toContain(from);
    await sendNew({ attachments: [] }, from);
    await waitFor('a second mail', async () => sentTo(from)[1], { timeoutMs: 60_000 });
  });

  it('never answer programs, nor the null sender', async () => {
    const programs = ['auto', 'bulk', 'loop', 'null'].map((name) => `${uniqueName(name)}@example.org`);
    const [auto = '', bulk = '', loop = '', nobody = ''] = programs;
    await sendNew({ attachments: [], headers: { 'Auto-Submitted': 'auto-replied' } }, auto);
    await sendNew({ attachments: [], headers: { Precedence: 'bulk' } }, bulk);
    await sendNew({ attachments: [], headers: { 'X-Loop': 'localhost' } }, loop);
    const subject = uniqueName('Null');
    await send(await mail({ subject, from: nobody, attachments: [] }), '');
    await bySubject(subject);
    const person = `${uniqueName('person')}@example.org`;
    await sendNew({ attachments: [] }, person);
    await nextMailTo(person);
    for (const address of programs) expect(sentTo(address)).toEqual([]);
  });

  it('are tried again until the relay takes them', async () => {
    relay.refuse('451 4.3.0 later', 2);
    const from = `${uniqueName('later')}@example.org`;
    await sendNew({ attachments: [] }, from);
    await nextMailTo(from);
    expect(sentTo(from)).toHaveLength(1);
  });

  it('reach everybody in the end but those whom the relay refuses for good', async () => {
    const [now, later, never] = ['now', 'later', 'never'].map((name) => `${uniqueName(name)}@example.org`) as [
      string,
      string,
      string,
    ];
    relay.refuseRecipient(later, ['451 4.2.0 busy', '451 4.2.0 busy']);
    relay.refuseRecipient(never, ['550 5.1.1 no such user']);
    const send = (...addresses: string[]) =>
      api.post('/emails/send', {
        ...{ to: addresses.map((email) => ({ email })), queue: inbox.queues[0] },
        template_values: { subject: 'To all', message: 'Hello' },
      });
    const { url } = await send(now, later, never);
    const email = await waitFor('it to be sent', async () => {
      const found = await api.get(url);
      return found.state !== 'sending' && found;
    });
    expect(email).toMatchObject({ state: 'sent', failure: `${never}: 550 5.1.1 no such user` });
    expect(sentTo(now).map(({ recipients }) => recipients)).toEqual([[now]]);
    expect(sentTo(later).map(({ recipients }) => recipients)).toEqual([[later]]);
    relay.refuseRecipient(never, ['550 5.1.1 no such user']);
    const refused = await send(never);
    await waitFor('it to be given up', async () => (await api.get(refused.url)).state === 'failed');
  });

  it('are sent by people, with placeholders and documents', async () => {
    const email = await sendNew();
    const to = `${uniqueName('to')}@example.org`;
    const answer = await api.post('/emails/send', {
      to: [{ email: to, name: 'Jörg' }],
      queue: inbox.queues[0],
      template_values: { subject: 'Re: {{parent_email_subject}}', message: '<p>{{ who }}</p>', who: 'A <b> & C' },
      attachments: { documents: [email.documents[0]] },
      parent_email: email.url,
      labels: ['reply'],
    });
    expect(answer.email).toBe(answer.url);
    expect(await api.get(answer.url)).toMatchObject({
      type: 'outgoing',
      subject: `Re: ${email.subject}`,
      body_text_html: '<p>A &#60;b&#62; &#38; C</p>',
      from: { email: system.inboxEmail },
      parent: email.url,
      email_thread: email.email_thread,
      labels: ['reply'],
      documents: [email.documents[0]],
    });
    const sent = await nextMailTo(to);
    expect(sent.sender).toBe(system.inboxEmail);
    expect(sent.raw).toMatch(/^In-Reply-To: </m);
    expect(sent.raw).toContain('invoice.pdf');
  });

  it('may take the annotations that they are about into their thread', async () => {
    const { subject, email_thread } = await sendNew();
    const [url] = (await bySubject(subject, (one) => one.annotations.length > 0)).annotations;
    const sendAbout = async (more: Json) => {
      const body = { queue: inbox.queues[0], to: [{ email: SENDER }], related_annotations: [url], ...more };
      return api.get((await api.post('/emails/send', body)).url);
    };
    const threadOf = async () => (await api.get(url)).email_thread;
    await sendAbout({});
    expect(await threadOf()).toBe(email_thread);
    const first = await sendAbout({ reset_related_annotations_email_thread: true });
    expect(await threadOf()).toBe(first.email_thread);
    await sendAbout({ reset_related_annotations_email_thread: false });
    expect(await threadOf()).toBe(first.email_thread);
    const last = await sendAbout({ reset_related_annotations_email_thread: true });
    expect([email_thread, first.email_thread]).not.toContain(last.email_thread);
    expect(await threadOf()).toBe(last.email_thread);
  });

  it('names no document and no annotation any more that is deleted', async () => {
    const to = `${uniqueName('gone')}@example.org`;
    const note = { filename: 'note.txt', content: Buffer.from('a note') };
    const { subject } = await sendNew({ attachments: [await file('one.pdf'), note] });
    const email = await bySubject(subject, (one) => one.annotations.length === 1);
    const [annotation] = email.annotations;
    const [document, filtered] = email.documents;
    await waitFor('the document to be read', async () => (await api.get(annotation)).status === 'to_review');
    const { url } = await api.post('/emails/send', {
      ...{ to: [{ email: to }], queue: email.queue, related_annotations: [annotation], related_documents: [filtered] },
      template_values: { subject: 'About it', message: 'Attached.' },
      attachments: { documents: [document, filtered] },
    });
    await nextMailTo(to);
    expect(await api.get(url)).toMatchObject({
      ...{ documents: [document, filtered], related_annotations: [annotation], related_documents: [filtered] },
      annotation_counts: { related_annotations: 1 },
    });
    expect((await api.request('DELETE', filtered)).status).toBe(204);
    const sideload = ['emails', 'related_emails'];
    const config = { url: 'https://hooks.example.com' };
    const hook = await api.post('/hooks', { name: 'Told', events: [], sideload, config });
    const happening = { event: 'annotation_status', action: 'changed', annotation, status: 'to_review' };
    expect(await api.post(`${hook.url}/generate_payload`, { ...happening, previous_status: null })).toMatchObject({
      emails: [{ documents: [document], attachments: [{ document }, { document: null }] }],
      related_emails: [{ documents: [document], related_annotations: [annotation], related_documents: [] }],
    });
    expect((await api.request('DELETE', annotation)).status).toBe(204);
    expect(await api.get(url)).toMatchObject({
      ...{ documents: [document], related_annotations: [], related_documents: [] },
      annotation_counts: { related_annotations: 0 },
    });
    expect(await api.get(email.url)).toMatchObject({
      ...{ documents: [document], annotations: [] },
      attachments: [{ document }, { document: null, file_name: 'note.txt', size: 6 }],
    });
  });

  it('may reject what came: values of the document stand in the mail, and the e-mail is rejected with its last document', async () => {
    const from = `${uniqueName('rejected')}@example.org`;
    const { subject } = await sendNew({ attachments: [await file('one.pdf'), await file('two.pdf')] }, from);
    const email = await bySubject(subject, (one) => one.annotations.length === 2);
    const [template] = (await api.get(`/email_templates?queue=${idOf(email.queue)}&type=rejection_default`)).results;
    const [first, second] = email.annotations;
    for (const url of [first, second])
      await waitFor('the document to be read', async () => (await api.get(url)).status === 'to_review');
    await api.post('/emails/send', {
      ...{ to: [{ email: from }], queue: email.queue, parent_email: email.url, related_annotations: [first] },
      template_values: {
        subject: 'No: {{annotation.content.value.document_id}}',
        message: '<p>{{annotation.url}}</p>',
      },
      ...{ labels: ['rejection'], email_template: template.url },
    });
    const { raw } = await nextMailTo(from);
    expect(raw).toMatch(/^Subject: No: INV/m);
    expect(raw).toContain(first);
    expect((await api.get(`/emails?type=outgoing&to=${from}`)).results).toMatchObject([{ labels: ['rejection'] }]);
    expect(await api.get('/email_templates/stats')).toContainEqual(
      expect.objectContaining({ url: template.url, manual_count: 1, automated_count: 0 }),
    );

    const { rejected } = (await api.get('/emails/counts')).incoming;
    await api.post(`${first}/reject`, { note_content: 'twice' });
    await api.post(`${second}/reject`, {});
    await waitFor('the label', async () => (await api.get(email.url)).labels.includes('rejected'));
    expect((await api.get(email.email_thread)).labels).toEqual(['rejected']);
    expect((await api.get('/emails/counts')).incoming.rejected).toBe(rejected + 1);

    for (const status of ['to_review', 'postponed', 'importing']) {
      await api.patch(first, { status });
      await waitFor('the label to go', async () => (await api.get(email.url)).labels.length === 0);
      await waitFor('the document to be read', async () => (await api.get(first)).status !== 'importing');
      await api.post(`${first}/reject`, {});
      await waitFor('the label', async () => (await api.get(email.url)).labels.includes('rejected'));
    }
  });

  it.each([
    [{ to: [] }, 'to'],
    [{ to: [{ email: 'nobody' }] }, 'to'],
    [{ to: [{ email: 'a@b.c\r\nBcc: x@y.z' }] }, 'to'],
    [{ to: Array(41).fill({ email: 'a@b.c' }) }, 'to'],
    [{ cc: [{ email: 'nobody' }] }, 'cc'],
    [{ bcc: [{ email: 'nobody' }] }, 'bcc'],
    [{ queue: undefined }, 'queue'],
    [{ labels: ['other'] }, 'labels'],
    [{ related_annotations: [`${PUBLIC_URL}/api/v1/annotations/999999`] }, 'related_annotations'],
    [{ related_documents: [`${PUBLIC_URL}/api/v1/documents/999999`] }, 'related_documents'],
    [{ email_template: `${PUBLIC_URL}/api/v1/email_templates/999999` }, 'email_template'],
  ])('%j is 400', async (more, field) => {
    const body = { to: [{ email: 'a@b.c' }], queue: inbox.queues[0], template_values: {}, ...more };
    const answer = await requestStatus('POST', '/emails/send', body);
    expect({ status: answer.status, fields: Object.keys(answer.body) }).toEqual({ status: 400, fields: [field] });
  });

  it('names what is not there at its place', async () => {
    const unknown = ['Invalid hyperlink - Object does not exist.'];
    const body = { to: [{ email: 'a@b.c' }], queue: inbox.queues[0] };
    const documents = [`${PUBLIC_URL}/api/v1/documents/999999`];
    expect(await requestStatus('POST', '/emails/send', { ...body, attachments: { documents } })).toEqual({
      status: 400,
      body: { attachments: { documents: unknown } },
    });
    const queue = `${PUBLIC_URL}/api/v1/queues/999999`;
    expect(await requestStatus('POST', '/emails/send', { ...body, queue })).toEqual({
      status: 400,
      body: { queue: unknown },
    });
  });
});
