import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ChildPool } from '@intake/untrusted';
import { type EngineJobs, engineWorker } from './index';

/** Needs the built packages: the worker is a process of its own. */
const read = (name: string) => readFileSync(path.join(__dirname, '..', '..', '..', 'test', 'samples', name));
const mimeType = 'application/pdf';

let pool: ChildPool<EngineJobs>;
beforeAll(() => {
  pool = new ChildPool<EngineJobs>({ worker: engineWorker, size: 1 });
});
afterAll(() => pool.close());

test('documents are recognised, drawn and measured in a child process', async () => {
  const bytes = read('invoice-de.pdf');
  const { fields } = await pool.run('recognize', { bytes, options: { mimeType } });
  expect(fields.document_id![0]!.value).toBe('2024/0538');
  const image = await pool.run('renderPage', { bytes, mimeType, pageNumber: 1, longestSide: 512 });
  expect(Buffer.isBuffer(image.png)).toBe(true);
  expect(image.height).toBe(512);
  expect(await pool.run('readPages', { bytes, mimeType })).toHaveLength(1);
}, 30_000);

test('the reason of a refusal comes through', async () => {
  const refused = pool.run('recognize', { bytes: read('encrypted.pdf'), options: { mimeType } });
  await expect(refused).rejects.toMatchObject({ name: 'UnreadableDocument', reason: 'encrypted' });
});
