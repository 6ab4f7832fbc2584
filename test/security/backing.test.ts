import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  backing,
  buildMail,
  buildPdf,
  invoiceLines,
  makeCertificate,
  type PrivateServer,
  type ServerSecurity,
  sendMail,
  startMongo,
  startNats,
  startSystem,
  type TestSystem,
  waitFor,
} from '@intake/testkit';

/** The whole system on MongoDB and NATS that want TLS and a password. docs/operations.md, Connections. */

jest.setTimeout(180_000);

let folder: string;
let security: ServerSecurity;
let mongo: PrivateServer;
let nats: PrivateServer;
let system: TestSystem;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'intake-backing-'));
  security = { user: 'intake', password: 'pass/word:1', ...(await makeCertificate(folder)) };
  mongo = await startMongo({ security });
  nats = await startNats({ security });
  system = await startSystem({
    backing: { ...backing(), mongodbUrl: mongo.url, natsUrl: nats.url },
    env: { NODE_EXTRA_CA_CERTS: security.certFile },
  });
});
afterAll(async () => {
  await system?.stop();
  await nats?.stop();
  await mongo?.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('documents come in and are read', async () => {
  const api = await system.login();
  const content = await buildPdf({ lines: invoiceLines('INV-1') });
  const task = await api.upload(system.queueId, [{ fileName: 'invoice.pdf', content }]);
  const attachments = [{ filename: 'mail.pdf', content: await buildPdf({ lines: invoiceLines('INV-2') }) }];
  const raw = await buildMail({ to: system.inboxEmail, subject: 'Invoice', text: 'Hello', attachments });
  expect(await sendMail(system.smtp, { raw, to: system.inboxEmail })).toMatch(/^250/);
  await waitFor('the upload', () => api.findUploaded(task), { timeoutMs: 60_000 });
  await waitFor(
    'both to be read',
    async () => (await api.get(`/annotations?queue=${system.queueId}&status=to_review`)).pagination.total === 2,
    { timeoutMs: 60_000 },
  );
});

it.each([
  ['a wrong password', (url: string) => url.replace(encodeURIComponent(security.password), 'other'), /auth/i],
  ['no password', (url: string) => url.replace(/\/\/[^@]+@/, '//'), /auth/i],
])('no service starts with %s for MongoDB', async (_, change, says) => {
  const addresses = { ...backing(), mongodbUrl: change(mongo.url), natsUrl: nats.url };
  await expect(startSystem({ backing: addresses, services: ['reporting'] })).rejects.toThrow(says);
});
