import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, type TLSSocket } from 'node:tls';
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
  makeCertificate,
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

const ORGANIZATION = 21;
const ADMIN: Caller = {
  kind: 'user',
  organizationId: ORGANIZATION,
  userId: 1,
  username: 'admin@example.com',
  roles: ['admin'],
  queueIds: 'all',
};

/** Whether this process may mount a file system that can be made full. */
const MAY_MOUNT = process.platform === 'linux' && process.getuid?.() === 0;

let folder: string;
let certificate: string;
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
let makeInboxes: (count: number) => Promise<queue.Inbox[]>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'intake-mail-ingest-'));
  const { certFile, keyFile } = await makeCertificate(folder);
  certificate = readFileSync(certFile, 'utf8');
  const dataDir = join(folder, 'objects');
  if (MAY_MOUNT) execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4g', 'tmpfs', mkdirOf(dataDir)]);
  minio = await startMinio({ dataDir });
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
  service = await start({
    ...env,
    INTAKE_OPS_PORT: '0',
    INTAKE_RPC_PORT: address.split(':')[1],
    INTAKE_SMTP_TLS_CERT: certFile,
    INTAKE_SMTP_TLS_KEY: keyFile,
    INTAKE_SMTP_CONNECTIONS_PER_ADDRESS: '10',
    INTAKE_MAIL_CHECK_SENDER: 'off',
  });
  probe = await runService('test', { ...env, INTAKE_OPS_PORT: '0' }, async (runtime) => {
    mails = connectRpc(runtime, mailIngest.MailIngestServiceService, address, { secret });
    const { DocumentStorageServiceService: storageDefinition } = documentStorage;
    storage = connectRpc(runtime, storageDefinition, addressOf('DOCUMENT_STORAGE'), { secret });
    const queues = connectRpc(runtime, queue.QueueServiceService, addressOf('QUEUE'), { secret });
    const caller = systemCaller('test', ORGANIZATION);
    const workspace = await queues.createWorkspace({ name: 'W', metadata: undefined }, caller);
    const schema = await queues.createSchema(
      { name: 'S', contentJson: '', templateName: 'Tax Invoice EU Demo Template', metadata: undefined },
      caller,
    );
    const make = async (name: string) => {
      const ids = { workspaceId: workspace.id, schemaId: schema.id };
      const { id } = await queues.createQueue(queue.CreateQueueRequest.fromPartial({ name, ...ids }), caller);
      return queues.createInbox(
        queue.CreateInboxRequest.fromPartial({ name, queueId: id, emailPrefix: name.toLowerCase() }),
        caller,
      );
    };
    inbox = await make('Invoices');
    secondInbox = await make('Others');
    makeInboxes = async (count) => {
      const made: queue.Inbox[] = [];
      while (made.length < count)
        made.push(...(await Promise.all(Array.from({ length: 10 }, (_, i) => make(`Many${made.length + i}`)))));
      return made.slice(0, count);
    };
    queueId = inbox.queueId;
  });
});

afterAll(async () => {
  await probe?.stop();
  await service?.stop();
  await system?.stop();
  await minio?.kill();
  if (MAY_MOUNT) execFileSync('umount', [minio.dataDir]);
  await minio?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Writes until the file system takes no more. */
function fillUp(file: string): void {
  const block = Buffer.alloc(4096);
  try {
    for (;;) appendFileSync(file, block);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

function mkdirOf(path: string): string {
  mkdirSync(path, { recursive: true });
  return path;
}

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
/** Nothing that was taken waits to be read, or for what it brought to be stored. */
const allRead = () => {
  const { INTAKE_MONGODB_URL: url = '', INTAKE_MONGODB_PREFIX: prefix } = system.env;
  return waitFor('all mails to be read', async () => {
    const mailsLeft = await findStored(url, `${prefix}_mail_ingest`, 'emails', { state: 'received' });
    const uploadsLeft = await findStored(url, `${prefix}_document_storage`, 'uploads', { state: { $ne: 'finished' } });
    return mailsLeft.length + uploadsLeft.length === 0;
  });
};

/** An SMTP client that says exactly what it is told. */
interface Dialogue {
  say(bytes: string | Buffer): void;
  /** The last line of the next answer; `closed` when there is none any more. */
  answer(): Promise<string>;
  readonly socket: Socket;
}
function dialogue(socket: Socket = connect(smtp), greeted = true): Promise<Dialogue> {
  return new Promise((resolve, reject) => {
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
    if (greeted) answer().then(() => resolve(client), reject);
    else resolve(client);
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

describe('TLS', () => {
  const startTls = async () => {
    const plain = await dialogue();
    plain.say('EHLO test\r\n');
    await plain.answer();
    return plain;
  };
  const secure = (socket: Socket) =>
    new Promise<TLSSocket>((resolve, reject) => {
      socket.removeAllListeners('data');
      const upgraded = connectTls({ socket, ca: certificate, host: 'localhost' }, () => resolve(upgraded));
      upgraded.on('error', reject);
    });

  it('is there by STARTTLS, with the certificate of the settings', async () => {
    const answer = await sendMail({ ...smtp, host: 'localhost', certificate }, { raw: await mail(), to: inbox.email });
    expect(answer).toMatch(/^250 /);
  });

  it('begins with nothing of what was said before', async () => {
    const plain = await startTls();
    const smuggled = `MAIL FROM:<a@example.org>\r\nRCPT TO:<${inbox.email}>\r\n`;
    plain.say(`STARTTLS\r\n${smuggled}`);
    expect(await plain.answer()).toMatch(/^220 /);
    const client = await dialogue(await secure(plain.socket), false);
    client.say('DATA\r\n');
    expect(await client.answer()).toMatch(/^503 /);
    client.say('EHLO test\r\nRCPT TO:<x@localhost>\r\n');
    expect(await client.answer()).toMatch(/^250 /);
    expect(await client.answer()).toMatch(/^503 /);
    client.socket.destroy();
  });
});

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
    expect(documents.map((document) => [document.originalFileName, document.attachmentStatus]).sort()).toEqual([
      ['note.txt', 'filtered_by_queue_mime_type'],
      ['one.pdf', 'processed'],
      ['two.pdf', 'processed'],
    ]);
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
    await allRead();
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
    ['\n.\n', 1],
    ['\n.\r\n', 1],
    ['\r\n.\n', 1],
    ['\r.\r\n', 1],
    ['\r\n.\r', 1],
    ['\r.\r', 1],
    ['\n.\r\n', 2],
    ['\r\n\0.\n', 2],
    ['\r\n.\n', 4],
  ])('%j as the end of data, in %d pieces: never a second message', async (end, pieces) => {
    const before = await countOf(inbox.id);
    const client = await openData();
    client.socket.setNoDelay(true);
    const smuggled = `MAIL FROM:<b@example.org>\r\nRCPT TO:<${inbox.email}>\r\nDATA\r\nSubject: smuggled\r\n\r\n.\r\n`;
    for (let i = 0; i < pieces; i++) {
      const from = Math.ceil((end.length * i) / pieces);
      const part = end.slice(from, Math.ceil((end.length * (i + 1)) / pieces));
      await new Promise<void>((resolve) => {
        client.socket.write((i === 0 ? 'Subject: first\r\n\r\nbody' : '') + part, () => setImmediate(resolve));
      });
    }
    client.say(smuggled);
    expect(await client.answer()).toMatch(/^550 5\.5\.2 /);
    await waitFor('the connection to be closed', () => client.socket.closed || client.socket.destroyed);
    expect(await countOf(inbox.id)).toBe(before);
  });
});

describe('limits of a connection', () => {
  it('from one address there are only so many', async () => {
    const clients = await Promise.all(Array.from({ length: 10 }, () => dialogue()));
    const oneMore = await dialogue(connect(smtp), false);
    expect(await oneMore.answer()).toMatch(/^421 4\.7\.0 /);
    for (const client of clients) client.socket.destroy();
    await waitFor('a connection to be taken again', async () => {
      const again = await dialogue(connect(smtp), false);
      const greeting = await again.answer();
      again.socket.destroy();
      return /^220 /.test(greeting);
    });
  });

  it('who tries addresses is sent away', async () => {
    const client = await dialogue();
    client.say('EHLO test\r\nMAIL FROM:<a@example.org>\r\n');
    await client.answer();
    await client.answer();
    const answers: string[] = [];
    while (answers.at(-1) !== 'closed' && answers.length < 100) {
      if (!client.socket.destroyed) client.say('RCPT TO:<guess@localhost>\r\n');
      answers.push(await client.answer());
    }
    expect(answers.filter((answer) => answer.startsWith('550 5.1.1 '))).toHaveLength(20);
  });

  it('a message has at most 100 recipients, the others come with the next one', async () => {
    const manyInboxes = [inbox, secondInbox, ...(await makeInboxes(99))];
    const client = await dialogue();
    client.say('EHLO test\r\nMAIL FROM:<a@example.org>\r\n');
    await client.answer();
    await client.answer();
    const answers: string[] = [];
    for (const { email } of manyInboxes) {
      client.say(`RCPT TO:<${email}>\r\n`);
      answers.push((await client.answer()).slice(0, 9));
    }
    client.socket.destroy();
    expect(answers).toEqual([...Array(100).fill('250 2.1.5'), '452 4.5.3']);
  });
});

it('a sender that disconnects in the middle leaves nothing', async () => {
  await allRead();
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

  (MAY_MOUNT ? it : it.skip)('the object store has no room: 452, until it has', async () => {
    const subject = uniqueName('Room');
    const raw = await mail({ subject });
    execFileSync('mount', ['-o', 'remount,size=16m', minio.dataDir]);
    const filler = join(minio.dataDir, 'filler');
    fillUp(filler);
    try {
      await waitFor('no room to be seen', async () => /^452 4\.3\.1 /.test(await refusalOf(send(raw))), {
        timeoutMs: 30_000,
      });
    } finally {
      rmSync(filler);
      execFileSync('mount', ['-o', 'remount,size=4g', minio.dataDir]);
    }
    await waitFor('the mail to be taken', async () => /^250/.test(await send(raw)), { timeoutMs: 30_000 });
    expect((await bySubject(inbox.id, subject)).documentIds).toHaveLength(1);
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
    const recipient = { inboxId: 1, organizationId: 2, queueId: 3, mayDrop: false };
    const raw = { key: 'k', sha256: 's', messageId: '' };
    const session = await backbone.database.connection.startSession();
    await emails
      .insert(session, [{ id: 9, ...recipient, raw, envelope: null, imported: null }])
      .finally(() => session.endSession());
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
