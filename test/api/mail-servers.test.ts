import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  type Api,
  buildMail,
  buildPdf,
  invoiceLines,
  type Json,
  makeCertificate,
  sendMail,
  startSystem,
  type TestSystem,
  uniqueName,
  waitFor,
} from '@intake/testkit';
import { postfixProblem, startPostfix } from './postfix';

/** Mail as the programs of others send it. Those that are not installed are not tried. */

jest.setTimeout(300_000);

const run = promisify(execFile);
const SAMPLE = join(__dirname, '../samples/invoice-en.pdf');
const problem = postfixProblem();
if (problem) console.warn(`Postfix is not tried: ${problem}`);
const withPostfix = problem ? it.skip : it;
const withSwaks = existsSync('/usr/bin/swaks') ? it : it.skip;

let system: TestSystem;
let api: Api;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'intake-mail-servers-'));
  const { certFile, keyFile } = await makeCertificate(folder);
  system = await startSystem({
    processes: true,
    env: { INTAKE_SMTP_TLS_CERT: certFile, INTAKE_SMTP_TLS_KEY: keyFile },
  });
  api = await system.login();
});
afterAll(async () => {
  await system?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const subjects = async (prefix: string): Promise<string[]> =>
  ((await api.get('/emails?page_size=100')).results as Json[])
    .map(({ subject }) => subject as string)
    .filter((one) => one.startsWith(prefix));

withPostfix('Postfix relays by STARTTLS; what came while nobody took it arrives afterwards, once', async () => {
  const postfix = await startPostfix(system.smtp);
  try {
    const markers = Array.from({ length: 8 }, () => uniqueName('POSTFIX').replaceAll('_', '-').toUpperCase());
    const deliver = async (marker: string) => {
      const content = await buildPdf({ lines: invoiceLines(marker) });
      const attachments = [{ filename: `${marker}.pdf`, content }];
      const raw = await buildMail({ to: system.inboxEmail, subject: marker, text: 'An invoice.', attachments });
      const server = { host: '127.0.0.1', port: postfix.port };
      expect(await sendMail(server, { raw, to: system.inboxEmail })).toMatch(/^250 /);
    };
    await deliver(markers[0] as string);
    await waitFor('the first mail', async () => (await subjects('POSTFIX')).length === 1);
    expect(await postfix.readLog()).toMatch(/TLS connection established to 127\.0\.0\.1/);

    await system.kill('mail-ingest');
    for (const marker of markers.slice(1)) await deliver(marker);
    await waitFor('Postfix to have tried', async () => /status=deferred/.test(await postfix.readLog()));
    await system.restart('mail-ingest');
    const arrived = async () =>
      ((await api.get('/annotations?sideload=documents&status=to_review&page_size=100')).documents as Json[])
        .map(({ original_file_name: name }) => name as string)
        .filter((name) => name.startsWith('POSTFIX'))
        .sort();
    const expected = markers.map((marker) => `${marker}.pdf`).sort();
    await waitFor('all of them', async () => String(await arrived()) === String(expected), { timeoutMs: 120_000 });
    await waitFor('its queue to be empty', async () => (await postfix.countWaiting()) === 0);
    expect((await subjects('POSTFIX')).sort()).toEqual(markers.sort());
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${await postfix.readLog()}`, { cause: error });
  } finally {
    await postfix.stop();
  }
});

withPostfix('smtp-source fills several connections with mails: each is there once', async () => {
  const { host, port } = system.smtp;
  const options = [
    '-s',
    '4',
    '-m',
    '24',
    '-l',
    '30000',
    '-S',
    'LOADED',
    '-f',
    'a@example.com',
    '-t',
    system.inboxEmail,
  ];
  await run('/usr/sbin/smtp-source', [...options, `${host}:${port}`], { timeout: 60_000 });
  await waitFor('the mails', async () => (await subjects('LOADED')).length >= 24, { timeoutMs: 60_000 });
  expect(await subjects('LOADED')).toHaveLength(24);
});

withSwaks('swaks sends an attachment, all commands at once', async () => {
  const { host, port } = system.smtp;
  const subject = uniqueName('SWAKS');
  await run(
    'swaks',
    // One after the other in one connection, without waiting for answers.
    ['--server', `${host}:${port}`, '--to', system.inboxEmail, '--from', 'swaks@example.com', '--pipeline'].concat([
      '--header',
      `Subject: ${subject}`,
      '--attach',
      `@${SAMPLE}`,
    ]),
    { timeout: 60_000 },
  );
  const find = async () =>
    ((await api.get('/emails?page_size=100')).results as Json[]).find((one) => one.subject === subject);
  const email = await waitFor('the mail', find);
  const { documents } = email as Json;
  expect(documents).toHaveLength(1);
  expect((await api.get(documents[0])).original_file_name).toBe('invoice-en.pdf');
});
