import { connect, type Socket } from 'node:net';
import { connectBackbone } from '@intake/bus';
import { documentStorage, mailIngest, queue } from '@intake/contracts';
import { createIndexes } from '@intake/mongo';
import { type Caller, type Client, connectRpc, systemCaller } from '@intake/rpc';
import { type RunningService, runService } from '@intake/service';
import {
  backing,
  buildMail,
  buildPdf,
  dropTestData,
  findStored,
  freePorts,
  invoiceLines,
  listObjects,
  type MailContent,
  sendMail,
  serviceEnv,
  startMinio,
  startSystem,
  type TestSystem,
  uniqueName,
  waitFor,
} from '@intake/testkit';
import { createEmailStore } from './email/email.store';
import { start } from './main';
import { MAX_MESSAGE_BYTES } from './smtp/smtp-listener';
import { pushResting } from './sweeps';

jest.setTimeout(120_000);

const ORGANIZATION = 21;
const ADMIN: Caller = {
  kind: 'user',
  organizationId: ORGANIZATION,
  userId: 1,
  username: 'admin@example.com',
  roles: ['admin'],
  queueIds: 'all',
};

let minio: Awaited<ReturnType<typeof startMinio>>;
let system: TestSystem;
let service: RunningService;
let probe: RunningService;
let mails: Client<typeof mailIngest.MailIngestServiceService>;
let storage: Client<typeof documentStorage.DocumentStorageServiceService>;
let smtp: { host: string; port: number };
let queueId: number;
let inbox: queue.Inbox;
let secondInbox: queue.Inbox;

beforeAll(async () => {
  minio = await startMinio();
  system = await startSystem({
    services: ['queue', 'document-storage', 'extension', 'annotation'],
    backing: { ...backing(), s3: minio.s3 },
    env: { INTAKE_LOG_LEVEL: 'fatal' },
  });
  const { env } = system;
  const secret = env.INTAKE_RPC_SECRET ?? '';
  const addressOf = (name: string) => env[`INTAKE_${name}_ADDRESS`] ?? '';
  const address = addressOf('MAIL_INGEST');
  smtp = { host: '127.0.0.1', port: Number(env.INTAKE_SMTP_PORT) };
  service = await start({ ...env, INTAKE_OPS_PORT: '0', INTAKE_RPC_PORT: address.split(':')[1] });
  probe = await runService('test', { ...env, INTAKE_OPS_PORT: '0' }, async (runtime) => {
    mails = connectRpc(runtime, mailIngest.MailIngestServiceService, address, secret);
    const { DocumentStorageServiceService: storageDefinition } = documentStorage;
    storage = connectRpc(runtime, storageDefinition, addressOf('DOCUMENT_STORAGE'), secret);
    const queues = connectRpc(runtime, queue.QueueServiceService, addressOf('QUEUE'), secret);
    const caller = systemCaller('test', ORGANIZATION);
    const workspace = await queues.createWorkspace({ name: 'W', metadata: undefined }, caller);
    const schema = await queues.createSchema(
      { name: 'S', contentJson: '', templateName: 'Tax Invoice EU Demo Template', metadata: undefined },
      caller,
    );
    const make = async (name: string) => {
      const ids = { workspaceId: workspace.id, schemaId: schema.id };
      const { id } = await queues.createQueue(queue.CreateQueueRequest.fromPartial({ name, ...ids }), caller);
      return queues.createInbox({ name, queueId: id, emailPrefix: name.toLowerCase() }, caller);
    };
    inbox = await make('Invoices');
    secondInbox = await make('Others');
    queueId = inbox.queueId;
  });
});

afterAll(async () => {
  await probe?.stop();
  await service?.stop();
  await system?.stop();
  await minio?.stop();
});

const pdf = () => buildPdf({ lines: invoiceLines(uniqueName('INV')) });
const mail = async (more: Partial<MailContent> = {}) =>
  buildMail({
    to: inbox.email,
    subject: uniqueName('Subject'),
    text: 'Please find the invoice attached.',
    attachments: [{ filename: 'invoice.pdf', content: await pdf(), contentType: 'application/octet-stream' }],
    ...more,
  });
const send = (raw: Buffer, to: string | string[] = inbox.email) => sendMail(smtp, { raw, to });
const refusalOf = (sending: Promise<string>) =>
  sending.then(
    (answer) => `was accepted: ${answer}`,
    (error: { response?: string; message: string }) => error.response ?? error.message,
  );
const emailsOf = async (inboxId: number) =>
  (await mails.listEmails(mailIngest.ListEmailsRequest.fromPartial({ inboxIds: [inboxId], pageSize: 100 }), ADMIN))
    .emails;
const countOf = async (inboxId: number) => (await emailsOf(inboxId)).length;
const bySubject = (inboxId: number, subject: string) =>
  waitFor(`the e-mail "${subject}" to be read`, async () =>
    (await emailsOf(inboxId)).find((one) => one.subject === subject && one.state !== 'received'),
  );

/** An SMTP client that says exactly what it is told. */
function dialogue(): Promise<{ say(bytes: string | Buffer): void; answer(): Promise<string>; socket: Socket }> {
  return new Promise((resolve, reject) => {
    const socket = connect(smtp);
    let buffer = '';
    let wake: () => void = () => undefined;
    socket.on('data', (bytes) => {
      buffer += bytes.toString('latin1');
      wake();
    });
    socket.on('close', () => {
      buffer += '\r\nclosed\r\n';
      wake();
    });
    socket.on('error', reject);
    const answer = async (): Promise<string> => {
      for (;;) {
        const found = /^(?:\d{3}-.*\r\n)*((?:\d{3} |closed).*)\r\n/m.exec(buffer);
        if (found) {
          buffer = buffer.slice(found.index + found[0].length);
          return found[1] ?? '';
        }
        await new Promise<void>((resume) => {
          wake = resume;
        });
      }
    };
    const client = { say: (bytes: string | Buffer) => void socket.write(bytes), answer, socket };
    answer().then(() => resolve(client), reject);
  });
}
const openData = async (to = inbox.email) => {
  const client = await dialogue();
  for (const line of ['EHLO test', 'MAIL FROM:<a@example.org>', `RCPT TO:<${to}>`, 'DATA']) {
    client.say(`${line}\r\n`);
    await client.answer();
  }
  return client;
};

describe('a mail with attachments', () => {
  it('becomes an e-mail, documents and annotations', async () => {
    const subject = uniqueName('Übersicht');
    const bytes = await pdf();
    const answer = await send(
      await mail({
        subject,
        messageId: '<m1@example.org>',
        attachments: [
          { filename: 'one.pdf', content: bytes, contentType: 'application/octet-stream' },
          { filename: 'note.txt', content: Buffer.from('a note') },
          { filename: 'two.pdf', content: await pdf() },
        ],
      }),
    );
    expect(answer).toMatch(/^250 /);

    const email = await bySubject(inbox.id, subject);
    expect(email).toMatchObject({
      organizationId: ORGANIZATION,
      queueId,
      inboxId: inbox.id,
      state: 'imported',
      failure: '',
      from: { email: 'supplier@example.org' },
      to: [{ email: inbox.email }],
      messageId: 'm1@example.org',
      bodyTextPlain: expect.stringContaining('Please find the invoice'),
      type: 'incoming',
      leftOut: [{ fileName: 'note.txt', mimeType: 'text/plain', size: 6, status: 'filtered_by_queue_mime_type' }],
    });
    const upload = await storage.awaitUpload({ id: email.uploadId ?? 0 }, ADMIN, { timeoutMs: 20_000 });
    expect(upload).toMatchObject({ finished: true, emailId: email.id, queueId, creatorId: undefined });
    expect(upload.annotations).toHaveLength(2);
    const { documents } = await storage.getDocuments({ ids: email.documentIds }, ADMIN);
    expect(documents.map((document) => document.originalFileName).sort()).toEqual(['one.pdf', 'two.pdf']);
    expect(documents.every((document) => document.emailId === email.id)).toBe(true);
    expect(documents.find((document) => document.originalFileName === 'one.pdf')?.size).toBe(bytes.length);
    const [stored] = await findStored(
      system.env.INTAKE_MONGODB_URL ?? '',
      `${system.env.INTAKE_MONGODB_PREFIX}_document_storage`,
      'outbox',
      { subject: 'document.stored', 'payload.emailId': email.id },
    );
    const { values } = (stored?.payload as { values?: unknown }) ?? {};
    expect(values).toMatchObject({
      'email_header:subject': subject,
      'email_header:from': expect.stringContaining('supplier@example.org'),
      'email_header:message-id': 'm1@example.org',
      'email_body:text_plain': expect.stringContaining('Please find'),
    });
  });

  it('is shown to those who see the queue', async () => {
    const total = async (caller: Caller) =>
      (await mails.listEmails(mailIngest.ListEmailsRequest.fromPartial({ inboxIds: [inbox.id] }), caller)).total;
    expect(await total({ ...ADMIN, roles: ['annotator'], queueIds: [queueId] })).toBeGreaterThan(0);
    expect(await total({ ...ADMIN, roles: ['annotator'], queueIds: [secondInbox.queueId] })).toBe(0);
    expect(await total({ ...ADMIN, organizationId: ORGANIZATION + 1 })).toBe(0);
  });

  it('gets one e-mail for each distinct inbox', async () => {
    const subject = uniqueName('Both');
    await send(await mail({ subject }), [inbox.email, secondInbox.email.toUpperCase(), inbox.email.toUpperCase()]);
    const [first, second] = [await bySubject(inbox.id, subject), await bySubject(secondInbox.id, subject)];
    expect((await emailsOf(inbox.id)).filter((one) => one.subject === subject)).toHaveLength(1);
    expect(first.documentIds).toHaveLength(1);
    expect(second.documentIds).toHaveLength(1);
    expect(second.documentIds).not.toEqual(first.documentIds);
  });

  it('without anything to import is kept as an e-mail', async () => {
    const subject = uniqueName('Nothing');
    await send(await mail({ subject, attachments: [] }));
    expect(await bySubject(inbox.id, subject)).toMatchObject({ state: 'imported', documentIds: [], leftOut: [] });
  });
});

describe('a mail received again', () => {
  it.each([
    ['with a Message-ID', () => mail({ messageId: `<${uniqueName('id')}@example.org>` })],
    [
      'without one',
      async () => Buffer.from((await mail()).toString('latin1').replace(/^Message-ID:.*\r\n/im, ''), 'latin1'),
    ],
  ])('%s is answered 250 and ignored', async (_, build) => {
    const raw = await build();
    const before = await countOf(inbox.id);
    for (const answer of await Promise.all([send(raw), send(raw), send(raw)])) expect(answer).toMatch(/^250 /);
    expect(await send(raw)).toMatch(/^250 /);
    expect(await countOf(inbox.id)).toBe(before + 1);
    await send(raw, secondInbox.email);
    expect(await countOf(inbox.id)).toBe(before + 1);
  });

  it('under the same Message-ID with other bytes is imported', async () => {
    const messageId = `<${uniqueName('id')}@example.org>`;
    const before = await countOf(inbox.id);
    await send(await mail({ messageId }));
    await send(await mail({ messageId }));
    expect(await countOf(inbox.id)).toBe(before + 2);
  });
});

describe('what is refused', () => {
  it('an unknown recipient and another domain', async () => {
    const raw = await mail();
    expect(await refusalOf(send(raw, 'nobody@localhost'))).toMatch(/^550 5\.1\.1 /);
    expect(await refusalOf(send(raw, 'invoices@example.org'))).toMatch(/^550 5\.7\.1 /);
  });

  it('a size above 50 MB, announced before the message', async () => {
    const client = await dialogue();
    client.say('EHLO test\r\n');
    await client.answer();
    client.say(`MAIL FROM:<a@example.org> SIZE=${MAX_MESSAGE_BYTES + 1}\r\n`);
    expect(await client.answer()).toMatch(/^552 5\.3\.4 /);
    client.say(`MAIL FROM:<a@example.org> SIZE=${MAX_MESSAGE_BYTES}\r\n`);
    expect(await client.answer()).toMatch(/^250 /);
    client.socket.destroy();
  });

  it('a message above 50 MB, after its end; the session goes on', async () => {
    const before = await listObjects(minio.s3, system.env.INTAKE_S3_BUCKET ?? '');
    const client = await openData();
    const line = Buffer.from(`${'x'.repeat(998)}\r\n`);
    const block = Buffer.concat(Array.from({ length: 1000 }, () => line));
    client.say('Subject: large\r\n\r\n');
    for (let sent = 0; sent <= MAX_MESSAGE_BYTES; sent += block.length)
      if (!client.socket.write(block)) await new Promise((resolve) => client.socket.once('drain', resolve));
    client.say('.\r\n');
    expect(await client.answer()).toMatch(/^552 5\.3\.4 /);
    client.say('NOOP\r\n');
    expect(await client.answer()).toMatch(/^250 /);
    client.socket.destroy();
    const after = await listObjects(minio.s3, system.env.INTAKE_S3_BUCKET ?? '');
    expect(after.length).toBe(before.length);
  });

  it.each([
    ['\n.\r\n', 'a bare LF before the dot'],
    ['\r\n.\n', 'a bare LF behind the dot'],
    ['\r.\r\n', 'a bare CR'],
  ])('%j as the end of data: never a second message', async (end) => {
    const before = await countOf(inbox.id);
    const client = await openData();
    const smuggled = `MAIL FROM:<b@example.org>\r\nRCPT TO:<${inbox.email}>\r\nDATA\r\nSubject: smuggled\r\n\r\n.\r\n`;
    client.say(`Subject: first\r\n\r\nbody${end}${smuggled}`);
    expect(await client.answer()).toMatch(/^550 5\.5\.2 /);
    await waitFor('the connection to be closed', () => client.socket.closed || client.socket.destroyed);
    expect(await countOf(inbox.id)).toBe(before);
  });
});

it('a sender that disconnects in the middle leaves nothing', async () => {
  const before = await countOf(inbox.id);
  const bucket = system.env.INTAKE_S3_BUCKET ?? '';
  const objects = await listObjects(minio.s3, bucket);
  const client = await openData();
  client.say(`Subject: half\r\n\r\n${'half a message\r\n'.repeat(1000)}`);
  client.socket.destroy();
  const database = `${system.env.INTAKE_MONGODB_PREFIX}_document_storage`;
  await waitFor('the half message to go', async () => {
    const url = system.env.INTAKE_MONGODB_URL ?? '';
    return (await findStored(url, database, 'stored_files', { state: { $ne: 'stored' } })).length === 0;
  });
  expect(await countOf(inbox.id)).toBe(before);
  expect(await listObjects(minio.s3, bucket)).toHaveLength(objects.length);
});

describe('while a neighbour is away', () => {
  it('the sender is told to try again, and its next try is taken once', async () => {
    const subject = uniqueName('Again');
    const raw = await mail({ subject });
    await minio.kill();
    expect(await refusalOf(send(raw))).toMatch(/^451 /);
    expect(await refusalOf(send(raw))).toMatch(/^451 /);
    await minio.restart();
    await waitFor('the mail to be taken', async () => /^250/.test(await send(raw)), { timeoutMs: 30_000 });
    const email = await bySubject(inbox.id, subject);
    expect(email.documentIds).toHaveLength(1);
    expect((await emailsOf(inbox.id)).filter((one) => one.subject === subject)).toHaveLength(1);
  });

  it('recipients cannot be looked up: 451', async () => {
    const [rpcPort, smtpPort, nobody] = await freePorts(3);
    const lonely = await start({
      ...system.env,
      INTAKE_OPS_PORT: '0',
      INTAKE_RPC_PORT: String(rpcPort),
      INTAKE_SMTP_PORT: String(smtpPort),
      INTAKE_QUEUE_ADDRESS: `127.0.0.1:${nobody}`,
    });
    try {
      const sending = sendMail({ host: '127.0.0.1', port: smtpPort ?? 0 }, { raw: await mail(), to: inbox.email });
      expect(await refusalOf(sending)).toMatch(/^451 /);
    } finally {
      await lonely.stop();
    }
  });
});

it('an e-mail that rests unread is put on the bus again, less and less often', async () => {
  const env = serviceEnv();
  const alone = await runService('mail-ingest', env, async (runtime) => {
    const backbone = await connectBackbone(runtime, env);
    const emails = createEmailStore(backbone.database);
    await createIndexes(backbone.database);
    const recipient = { inboxId: 1, organizationId: 2, queueId: 3 };
    const raw = { key: 'k', sha256: 's', messageId: '' };
    const session = await backbone.database.connection.startSession();
    await emails.insert(session, { id: 9, ...recipient }, raw).finally(() => session.endSession());
    const later = (minutes: number) => new Date(Date.now() + minutes * 60_000);
    expect(await pushResting(backbone, emails, new Date())).toBe(0);
    expect(await pushResting(backbone, emails, later(2))).toBe(1);
    expect(await pushResting(backbone, emails, later(3))).toBe(0);
    expect(await pushResting(backbone, emails, later(5))).toBe(1);
    const database = `${env.INTAKE_MONGODB_PREFIX}_mail_ingest`;
    const rows = await findStored(env.INTAKE_MONGODB_URL ?? '', database, 'outbox', { aggregate: 'email:9' });
    expect(rows.map((row) => row.version).sort()).toEqual([2, 3]);
  });
  await alone.stop();
  await dropTestData(env);
});
