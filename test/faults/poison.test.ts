import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Api, type Json, startSystem, type TestSystem, uniqueName, waitFor } from '@intake/testkit';
import { PDFDocument, PDFName } from 'pdf-lib';
import { ALL_FAULTS, expectAtRest, Ledger, report } from './ledger';

/** F10: documents that cannot be read, or that want all there is of time and memory, among others. */

jest.setTimeout(900_000);

const [POISON, GOOD] = ALL_FAULTS ? [20, 200] : [4, 16];
/** What a document may cost here, so that the test does not wait a minute for each. */
const LIMIT_MS = 20_000;
/** Memory of the extraction with its readers afterwards, as a share of what it was before. */
const MEMORY_SHARE = 1.1;

let system: TestSystem;
let api: Api;

beforeAll(async () => {
  const env = { INTAKE_EXTRACTION_TIMEOUT_MS: String(LIMIT_MS) };
  system = await startSystem({ processes: ALL_FAULTS, env });
  api = await system.login();
});
afterAll(() => system?.stop());

const sample = (name: string) => readFileSync(join(__dirname, '../samples', name));

/** A page whose content is small in the file and endless when it is read. */
async function makeBomb(): Promise<Buffer> {
  const pdf = await PDFDocument.create();
  const page = pdf.addPage();
  const lines = Buffer.alloc(150_000_000, '1 1 m 2 2 l S ');
  page.node.set(PDFName.of('Contents'), pdf.context.register(pdf.context.flateStream(lines)));
  return Buffer.from(await pdf.save());
}

it(`${POISON} poisonous documents among ${GOOD}: they end with a reason, the others do not notice`, async () => {
  const ledger = await Ledger.open(system);
  await ledger.sendLoad({ uploads: 10, mails: 0, reviews: 0 });
  await ledger.expectAllArrived();
  const before = memoryOfReaders();

  const poison = [
    sample('encrypted.pdf'),
    Buffer.from(`%PDF-1.7\n${'no objects '.repeat(500)}`),
    await makeBomb(),
    sample('invoice-en.pdf').subarray(0, 900),
  ];
  const names: string[] = [];
  const sendPoison = async () => {
    for (let i = 0; i < POISON; i++) {
      const fileName = `${uniqueName('poison')}.pdf`;
      const files = [{ fileName, content: poison[i % poison.length] as Buffer }];
      const headers = { 'Idempotency-Key': fileName };
      const take = () => api.upload(system.queueId, files, headers);
      await waitFor(`${fileName} to be taken`, take, { timeoutMs: 60_000 }); // busy machines refuse for a while
      names.push(fileName);
    }
  };
  await Promise.all([sendPoison(), ledger.sendLoad({ uploads: GOOD, mails: 0, reviews: 0 })]);
  await ledger.expectAllArrived(60_000 + POISON * 4 * LIMIT_MS);
  const ended = await waitFor('the poison to end', () => endsOf(names), { timeoutMs: 180_000 });
  for (const { status, messages } of ended)
    if (status === 'failed_import') expect(messages[0].content).toMatch(/\w+ \w+ \w+/);
  expect(ended.filter(({ status }) => status === 'failed_import').length).toBeGreaterThanOrEqual(
    Math.floor(POISON / 2),
  );
  await ledger.expectNothingElse(POISON);
  await expectAtRest(system);
  if (ALL_FAULTS)
    await waitFor('the memory to be as before', () => memoryOfReaders() <= before * MEMORY_SHARE, {
      timeoutMs: 60_000,
    });
  report('F10', { poison: POISON, good: GOOD, memoryBefore: before, memoryAfter: memoryOfReaders() });
});

/** What became of the files, once all are at rest. */
async function endsOf(names: readonly string[]): Promise<Json[] | undefined> {
  const found: Json[] = [];
  for (const name of names) {
    const query = `original_file_name=${name}&queue=${system.queueId}`;
    const { results } = await api.get(`/documents?${query}`);
    for (const url of results[0]?.annotations ?? []) found.push(await api.get(url));
  }
  const atRest = found.filter(({ status }) => !['created', 'importing'].includes(status));
  return atRest.length === names.length ? atRest : undefined;
}

/** Bytes that the extraction and its children hold, where the operating system tells (Linux). */
function memoryOfReaders(): number {
  const pid = system.pidOf('extraction');
  const file = `/proc/${pid}/task/${pid}/children`;
  const pids = existsSync(file) ? [pid, ...readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number)] : [];
  return pids.reduce((sum, one) => sum + residentBytes(one), 0);
}

function residentBytes(pid: number): number {
  const file = `/proc/${pid}/status`;
  const kB = existsSync(file) ? /VmRSS:\s+(\d+)/.exec(readFileSync(file, 'utf8'))?.[1] : undefined;
  return Number(kB ?? 0) * 1024;
}
