import {
  type Api,
  buildMail,
  buildPdf,
  invoiceLines,
  type Json,
  sendMail,
  startSystem,
  type TestSystem,
  uniqueName,
  waitFor,
} from '@intake/testkit';
import { expectAtRest, expectReviewedOnce } from './ledger';

/** `INTAKE_FAULT_MAILS=500` for the long run. */
const MAILS = Number(process.env.INTAKE_FAULT_MAILS ?? 60);
const SENDERS = 4;
const VICTIMS = ['mail-ingest', 'document-storage', 'queue', 'annotation', 'extraction', 'extension'];
const MAIL_MS = 60_000;

jest.setTimeout(240_000 + MAILS * 4000);

let system: TestSystem;
let api: Api;

beforeAll(async () => {
  system = await startSystem({ processes: true });
  api = await system.login();
});
afterAll(() => system?.stop());

/** Sends a mail as a mail server does: again, until it is taken. */
async function deliver(marker: string): Promise<void> {
  const content = await buildPdf({ lines: invoiceLines(marker) });
  const attachments = [{ filename: `${marker}.pdf`, content }];
  const raw = await buildMail({ to: system.inboxEmail, subject: marker, text: 'An invoice.', attachments });
  const send = async () => /^250 /.test(await sendMail(system.smtp, { raw, to: system.inboxEmail }));
  await waitFor(`the mail ${marker} to be taken`, send, { timeoutMs: MAIL_MS });
}

it(`${MAILS} mails while services are killed one by one: all end as annotations, once`, async () => {
  const markers = Array.from({ length: MAILS }, () => uniqueName('INV').replaceAll('_', '-').toUpperCase());
  const waiting = [...markers];
  let taken = 0;
  const sendSome = async () => {
    for (let marker = waiting.pop(); marker; marker = waiting.pop()) {
      await deliver(marker);
      taken += 1;
    }
  };
  const sending = Promise.all(Array.from({ length: SENDERS }, sendSome));
  for (const [i, victim] of VICTIMS.entries()) {
    const share = Math.floor((MAILS * (i + 0.5)) / VICTIMS.length);
    await waitFor(`${share} mails to be taken`, () => taken >= share, { timeoutMs: 60_000 + MAILS * 2000 });
    await system.kill(victim);
    await system.restart(victim);
  }
  await sending;

  const arrived = async (): Promise<Json[]> => {
    const rows: Json[] = [];
    for (let page = 1; ; page += 1) {
      const { results, pagination } = await api.get(
        `/annotations?queue=${system.queueId}&page=${page}&page_size=100&sideload=documents`,
      );
      rows.push(...results);
      if (page >= pagination.total_pages) return rows;
    }
  };
  await waitFor(
    'all annotations to be in review',
    async () => (await arrived()).filter(({ status }) => status === 'to_review').length >= MAILS,
    { timeoutMs: 120_000 + MAILS * 2000 },
  );
  await expectAtRest(system);
  const annotations = await arrived();
  expect(annotations).toHaveLength(MAILS);
  const names = await Promise.all(
    annotations.map(async ({ document }) => (await api.get(document)).original_file_name),
  );
  expect(names.sort()).toEqual(markers.map((marker) => `${marker}.pdf`).sort());
  expect((await api.get('/emails?page_size=1')).pagination.total).toBe(MAILS);
  await expectReviewedOnce(system);
});
