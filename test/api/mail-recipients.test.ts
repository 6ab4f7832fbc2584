import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import {
  type Api,
  buildMail,
  buildPdf,
  invoiceLines,
  type Json,
  type MailContent,
  type MailReceiver,
  type Organization,
  startMailReceiver,
  startSystem,
  type TestSystem,
  uniqueName,
  waitFor,
} from '@intake/testkit';

/** One mail for several inboxes, of one organization and of several. API: email-import.md section 1.1. */

/** An organization with an administrator and its inbox. */
interface Tenant {
  readonly api: Api;
  readonly organization: Organization;
}

const PUBLIC_URL = 'http://intake.example';
const PATIENCE = { timeoutMs: 60_000 };
let system: TestSystem;
let relay: MailReceiver;
let one: Tenant;
let other: Tenant;
/** A second inbox of the first organization. */
let second: { readonly email: string; readonly queue: string };

beforeAll(async () => {
  relay = await startMailReceiver();
  system = await startSystem({
    env: {
      INTAKE_SMTP_RELAY_URL: relay.url,
      INTAKE_PUBLIC_URL: PUBLIC_URL,
      INTAKE_NOTIFICATIONS_PER_DAY: '1',
    },
  });
  one = await begin();
  other = await begin();
  second = await addInbox(one);
});
afterAll(async () => {
  await system?.stop();
  await relay?.stop();
});

async function begin(): Promise<Tenant> {
  const organization = await system.createOrganization(uniqueName('Recipient'));
  const api = await system.login(organization.admin);
  // People see the installation elsewhere, and so do the URLs that it answers.
  const request = api.request.bind(api);
  api.request = (method, path, options) => request(method, path.replace(`${PUBLIC_URL}/api/v1`, ''), options);
  return { organization, api };
}

async function addInbox({ api, organization }: Tenant): Promise<{ email: string; queue: string }> {
  const { workspace, schema } = await api.get(`/queues/${organization.queueId}`);
  const queue = await api.post('/queues', { name: uniqueName('Second'), workspace, schema });
  const { email } = await api.post('/inboxes', { name: 'Second', email_prefix: 'second', queues: [queue.url] });
  return { email, queue: queue.url };
}

/** Says the lines of one mail transaction, and answers what was answered to each recipient and to the message. The message ends with a line end. */
async function transact(recipients: readonly string[], raw: Buffer, beforeData = async () => undefined as unknown) {
  const socket = connect(system.smtp);
  await once(socket, 'connect');
  const lines = createInterface(socket)[Symbol.asyncIterator]();
  const answer = async (): Promise<string> => {
    const { value } = await lines.next();
    return value[3] === '-' ? answer() : value;
  };
  const say = (line: string) => {
    socket.write(`${line}\r\n`);
    return answer();
  };
  await answer();
  await say('EHLO test');
  await say('MAIL FROM:<supplier@example.org>');
  const answers: string[] = [];
  for (const recipient of recipients) answers.push((await say(`RCPT TO:<${recipient}>`)).slice(0, 9));
  await beforeData();
  await say('DATA');
  const message = await say(`${raw.toString('latin1').replace(/^\./gm, '..')}.`);
  socket.destroy();
  return { answers, message: message.slice(0, 3) };
}

const compose = async (more: Partial<MailContent> = {}) => {
  const subject = uniqueName('Together');
  const content = await buildPdf({ lines: invoiceLines(uniqueName('INV')) });
  const attachments = [{ filename: 'invoice.pdf', content }];
  return {
    subject,
    raw: await buildMail({ to: 'accounting@example.org', subject, text: 'Hello', attachments, ...more }),
  };
};
const emailsOf = async ({ api }: Tenant, subject: string): Promise<Json[]> =>
  (await api.get(`/emails?subject=${encodeURIComponent(subject)}&type=incoming`)).results;
/** The e-mails of this subject, when each has its documents. */
const imported = (tenant: Tenant, subject: string, count: number) =>
  waitFor(
    'the e-mails',
    async () => {
      const emails = await emailsOf(tenant, subject);
      return emails.length === count && emails.every(({ annotations }) => annotations.length === 1) && emails;
    },
    PATIENCE,
  );

it('each inbox gets a document of its own, whatever else was wrong with the recipients', async () => {
  const { subject, raw } = await compose();
  const [first, foreign] = [one.organization.inboxEmail, other.organization.inboxEmail];
  const { answers, message } = await transact(
    [
      ...[first, 'nobody-000000@localhost', second.email.toUpperCase(), first],
      ...[first.replace('@', '+tag@'), 'someone@example.net', foreign, first.toUpperCase()],
    ],
    raw,
  );
  expect(answers).toEqual([
    ...['250 2.1.5', '550 5.1.1', '250 2.1.5', '250 2.1.5'],
    ...['550 5.1.1', '550 5.7.1', '250 2.1.5', '250 2.1.5'],
  ]);
  expect(message).toBe('250');

  const [own, theirs] = [await imported(one, subject, 2), await imported(other, subject, 1)];
  const queues = [`${PUBLIC_URL}/api/v1/queues/${one.organization.queueId}`, second.queue];
  expect(own.map(({ queue }) => queue).sort()).toEqual([...queues].sort());
  const all = [...own, ...theirs];
  for (const key of ['id', 'documents', 'annotations', 'email_thread']) {
    expect(new Set(all.map((email) => String(email[key]))).size).toBe(3);
  }
  // Who else got it stands nowhere: they were blind copies.
  for (const [{ api }, emails, strangers] of [
    [one, own, [foreign]],
    [other, theirs, [first, second.email]],
  ] as const) {
    for (const email of emails) {
      expect(email.to).toEqual([{ email: 'accounting@example.org' }]);
      const told = JSON.stringify([email, await api.get(email.annotations[0]), await api.get(email.email_thread)]);
      for (const stranger of strangers) expect(told).not.toContain(stranger);
      expect((await api.download(email.content)).equals(raw)).toBe(true);
    }
  }
  const foreignEmail = await other.api.request('GET', own[0]?.url ?? '');
  expect(foreignEmail.status).toBe(404);
});

it('goes on for the others when an inbox or a queue goes away before the message has come', async () => {
  const gone = await begin();
  const { subject, raw } = await compose();
  const { answers, message } = await transact([gone.organization.inboxEmail, second.email], raw, () =>
    gone.api.delete(`/queues/${gone.organization.queueId}?delete_after=0`),
  );
  expect(answers).toEqual(['250 2.1.5', '250 2.1.5']);
  expect(message).toBe('250');
  await imported(one, subject, 1);
});

/** What may go while a mail is on its way: an inbox, or its queue, at once or a day later. */
const DELETIONS: [string, (tenant: Tenant) => Promise<unknown>][] = [
  ['queue', ({ api, organization }) => api.delete(`/queues/${organization.queueId}?delete_after=0`)],
  ['queue later', ({ api, organization }) => api.delete(`/queues/${organization.queueId}`)],
  ['inbox', async ({ api }) => api.delete((await api.get('/inboxes')).results[0].url)],
];

it.each(DELETIONS)('is refused when its only inbox has gone before the message has come: %s', async (_, remove) => {
  const gone = await begin();
  const { subject, raw } = await compose();
  const { answers, message } = await transact([gone.organization.inboxEmail], raw, () => remove(gone));
  expect(answers).toEqual(['250 2.1.5']);
  expect(message).toBe('550');
  expect(await emailsOf(gone, subject)).toEqual([]);
});

it.each(DELETIONS)(
  'says that the inbox has gone, to the sender too while it is known how: %s',
  async (what, remove) => {
    const gone = await begin();
    const from = `${uniqueName('supplier')}@example.org`;
    const { subject, raw } = await compose({ from });
    const { message } = await transact([gone.organization.inboxEmail, second.email], raw, () => remove(gone));
    expect(message).toBe('250');
    const failure = 'The inbox, or its queue, was deleted before the message was read.';
    const email = await waitFor(
      'the e-mail to be read',
      async () => (await emailsOf(gone, subject)).find(({ state }) => state !== 'received'),
      PATIENCE,
    );
    expect(email).toMatchObject({ state: 'failed', failure, from: { email: from }, documents: [] });
    await imported(one, subject, 1);
    if (what !== 'queue later') return;
    const told = await waitFor(
      'the answer',
      async () => relay.mails.find((one) => one.recipients.includes(from)),
      PATIENCE,
    );
    expect(told.raw.replace(/=\r\n/g, '')).toContain(failure);
  },
);

it('reaches the queue that its inbox had when it came, though the inbox is given to another one meanwhile', async () => {
  const moving = await begin();
  const { api, organization } = moving;
  const { subject, raw } = await compose();
  const inbox = (await api.get('/inboxes')).results[0];
  const { name, workspace, schema, url } = await api.get(`/queues/${organization.queueId}`);
  const elsewhere = await api.post('/queues', { name: `${name} elsewhere`, workspace, schema });
  const { message } = await transact([organization.inboxEmail], raw, () =>
    api.patch(inbox.url, { queues: [elsewhere.url] }),
  );
  expect(message).toBe('250');
  const [email] = await imported(moving, subject, 1);
  expect(email).toMatchObject({ queue: url, inbox: inbox.url });
});

it('what one organization deletes and purges stays with the others', async () => {
  const { subject, raw } = await compose();
  await transact([one.organization.inboxEmail, other.organization.inboxEmail], raw);
  const [[own], [theirs]] = [await imported(one, subject, 1), await imported(other, subject, 1)];
  const annotation = String(own?.annotations[0]);
  await waitFor('it to be read', async () => (await one.api.get(annotation)).status === 'to_review', PATIENCE);
  await one.api.post(`${annotation}/delete`, {});
  await one.api.post('/annotations/purge_deleted', { annotations: [annotation] });
  await waitFor('it to be purged', async () => (await one.api.get(annotation)).status === 'purged', PATIENCE);
  await waitFor('the message to go', async () => (await one.api.request('GET', own?.content)).status === 404, PATIENCE);
  expect((await other.api.download(theirs?.content)).equals(raw)).toBe(true);
  const document = await other.api.get(theirs?.documents[0]);
  expect((await other.api.download(document.content)).subarray(0, 5).toString()).toBe('%PDF-');
});

it('each organization answers for itself, within its own limit', async () => {
  const sender = `${uniqueName('nothing')}@example.org`;
  const answersOf = ({ api }: Tenant): Promise<Json[]> =>
    api.get(`/emails?type=outgoing&to=${sender}`).then(({ results }) => results);
  const write = async (to: string[]) => {
    const { subject, raw } = await compose({ from: sender, attachments: [] });
    await transact(to, raw);
    return subject;
  };
  // The first one has used up what it may send in a day.
  await write([one.organization.inboxEmail]);
  await waitFor('its answer', async () => (await answersOf(one)).some(({ state }) => state === 'sent'), PATIENCE);
  const subject = await write([one.organization.inboxEmail, other.organization.inboxEmail]);
  await waitFor(
    'the other answer',
    async () => (await answersOf(other)).some(({ state }) => state === 'sent'),
    PATIENCE,
  );
  const held = await waitFor('the answer that waits', async () => (await answersOf(one))[1], PATIENCE);
  expect((await answersOf(one)).map(({ state }) => state).sort()).toEqual(['sending', 'sent']);
  expect(held).toBeDefined();

  const sent = relay.mails.filter(({ recipients, raw }) => recipients.includes(sender) && raw.includes(subject));
  expect(sent).toHaveLength(1);
  expect(sent[0]?.raw).toContain(other.organization.inboxEmail);
  expect(sent[0]?.raw).not.toContain(one.organization.inboxEmail);
});
