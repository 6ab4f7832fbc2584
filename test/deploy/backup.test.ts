import { execFile } from 'node:child_process';
import { join } from 'node:path';
import {
  Api,
  backing,
  buildPdf,
  copyBucket,
  copyDatabases,
  findStored,
  invoiceLines,
  type Json,
  putObject,
  removeObject,
  startSystem,
  type TestSystem,
  uniqueName,
  waitFor,
} from '@intake/testkit';

/** Backup and restoration as docs/operations.md has them: databases first, then the bucket; NATS is not needed. */

jest.setTimeout(300_000);

const ROOT = join(__dirname, '../..');
const DOCUMENTS = 6;

let system: TestSystem;
let restored: TestSystem;
const sent = new Map<string, Buffer>();

beforeAll(async () => {
  system = await startSystem();
  const api = await system.login();
  for (let i = 0; i < DOCUMENTS; i++) {
    const fileName = `${uniqueName('invoice')}.pdf`;
    const content = await buildPdf({ lines: invoiceLines(`INV-${i}`) });
    sent.set(fileName, content);
    await api.upload(system.queueId, [{ fileName, content }]);
  }
  const total = async () => (await api.get('/annotations?status=to_review')).pagination.total;
  await waitFor('all to be read', async () => (await total()) === DOCUMENTS, { timeoutMs: 120_000 });
});
afterAll(async () => {
  await restored?.stop();
  await system?.stop();
});

/** `intake fsck` of a system: its exit code and what it printed. */
function fsck({ env }: TestSystem, ...args: string[]): Promise<{ code: number; printed: Json }> {
  return new Promise((resolve) => {
    const command = [join(ROOT, 'packages/cli/dist/index.js'), 'fsck', ...args];
    execFile(process.execPath, command, { cwd: ROOT, env: { ...process.env, ...env } }, (error, stdout, stderr) => {
      const code = error ? Number(error.code) : 0;
      resolve({ code, printed: stdout === '' ? stderr : JSON.parse(stdout) });
    });
  });
}

it('what was backed up and restored is whole, passes fsck, and goes on', async () => {
  const name = uniqueName('t');
  const { mongodbUrl, s3 } = backing();
  const { INTAKE_MONGODB_PREFIX: prefix, INTAKE_S3_BUCKET: bucket, INTAKE_RPC_SECRET: secret } = system.env;
  const target = { INTAKE_MONGODB_PREFIX: name, INTAKE_NATS_PREFIX: name, INTAKE_S3_BUCKET: name.replaceAll('_', '-') };
  await copyDatabases(mongodbUrl, `${prefix}_`, `${name}_`);
  await copyBucket(s3, bucket as string, target.INTAKE_S3_BUCKET);

  restored = await startSystem({ env: { ...target, INTAKE_RPC_SECRET: secret as string } });
  expect(await fsck(restored, '--bytes', 'yes')).toMatchObject({
    code: 0,
    printed: { files: DOCUMENTS, documents: DOCUMENTS, problems: [] },
  });
  const { username, password } = system.admin;
  const api = await Api.login(restored.baseUrl, username, password);
  const { results } = await api.get('/documents?page_size=100');
  expect(results).toHaveLength(DOCUMENTS);
  for (const { original_file_name: fileName, id } of results)
    expect((await api.download(`/documents/${id}/content`)).equals(sent.get(fileName) as Buffer)).toBe(true);

  const task = await api.upload(system.queueId, [
    { fileName: 'new.pdf', content: await buildPdf({ lines: invoiceLines('INV-NEW') }) },
  ]);
  const { annotationIds } = await waitFor('the upload', () => api.findUploaded(task), { timeoutMs: 60_000 });
  const isRead = async () => (await api.get(`/annotations/${annotationIds[0]}`)).status === 'to_review';
  await waitFor('it to be read', isRead, { timeoutMs: 60_000 });
});

it('fsck finds what is in one place only, and what is not what it was', async () => {
  expect(await fsck(system)).toMatchObject({ code: 0, printed: { problems: [] } });
  const { s3 } = backing();
  const { INTAKE_MONGODB_URL: url = '', INTAKE_MONGODB_PREFIX: prefix, INTAKE_S3_BUCKET: bucket = '' } = system.env;
  const files = await findStored(url, `${prefix}_document_storage`, 'stored_files');
  const [gone, short, changed] = files.map(({ _id, size }) => ({ key: String(_id), size: Number(size) }));
  if (!gone || !short || !changed) throw new Error('there are too few files');
  await removeObject(s3, bucket, gone.key);
  await putObject(s3, bucket, short.key, Buffer.from('short'));
  await putObject(s3, bucket, changed.key, Buffer.alloc(changed.size));
  await putObject(s3, bucket, 'f'.repeat(32), Buffer.from('nobody knows me'));

  const found = ({ printed }: { printed: Json }) =>
    printed.problems.map(({ kind, key }: Json) => `${kind} ${key}`).sort();
  const quick = await fsck(system);
  expect([quick.code, found(quick)]).toEqual([
    1,
    [`missing_object ${gone.key}`, `unknown_object ${'f'.repeat(32)}`, `wrong_size ${short.key}`],
  ]);
  expect(found(await fsck(system, '--bytes', 'yes'))).toContain(`wrong_bytes ${changed.key}`);
});

it('is for operators only', async () => {
  const { code, printed } = await fsck({ ...system, env: { ...system.env, INTAKE_RPC_SECRET: 'another' } });
  expect([code, printed]).toEqual([1, expect.stringContaining('INTAKE_RPC_SECRET')]);
});
