import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startSystem, type TestSystem } from '@intake/testkit';

const SAMPLES = join(__dirname, '../samples');
const truth = JSON.parse(readFileSync(join(SAMPLES, 'truth.json'), 'utf8'));
const python = process.env.INTAKE_TEST_PYTHON;
const problem = process.env.INTAKE_TEST_PYTHON_PROBLEM;
if (!python && problem) console.warn(`The Python package is not tried: ${problem}`);

let system: TestSystem;
let results: string;

beforeAll(async () => {
  if (!python) return;
  system = await startSystem();
  results = mkdtempSync(join(tmpdir(), 'intake-sdk-'));
});

afterAll(async () => {
  await system?.stop();
  if (results) rmSync(results, { recursive: true, force: true });
});

(python ? it : it.skip)(
  'the Python package rossum-api walks the whole flow, given base URL and login only',
  async () => {
    const { username, password } = system.admin;
    const script = join(__dirname, 'sdk_flow.py');
    const { stdout } = await promisify(execFile)(
      python as string,
      [script, system.baseUrl, username, password, SAMPLES, results],
      { timeout: 150_000 },
    ).catch((error) => {
      throw new Error(`${error.message}\n${system.readLogs()}`);
    });
    const seen = JSON.parse(stdout);
    expect(seen).toMatchObject({
      legacy: { status: 'to_review', extracted: truth['invoice-en.pdf'].fields.document_id },
      task: { status: 'succeeded', type: 'upload_created' },
      upload: {
        status: 'to_review',
        metadata: { source: 'sdk' },
        file_name: 'Rechnung Nr. 1.pdf',
        bytes: statSync(join(SAMPLES, 'invoice-de.pdf')).size,
      },
      reviewing: { status: 'reviewing', modifier: true },
      annotation: {
        cancelled: 'to_review',
        patched: [{ checked: true }, null],
        put: ['postponed', { checked: true }],
        duration: 0,
        sideloaded: {
          content: ['amount_total', 'document_id'],
          document: 'Rechnung Nr. 1.pdf',
          blocker: [{ level: 'annotation', type: 'automation_disabled' }],
          modifier: true,
        },
        related: 'Rechnung Nr. 1.pdf',
        relations: true,
        deleted: 'deleted',
        restored: 'to_review',
      },
      edited: 'SDK-4711',
      exported: 'exported',
      export_values: { document_id: 'SDK-4711', amount_total: truth['invoice-en.pdf'].fields.amount_total },
      export_rows: 1,
      listed: true,
    });
    expect(seen.queues).toHaveLength(1);
    expect(seen.upload.datapoints).toBeGreaterThan(10);
    for (const format of ['csv', 'xml']) {
      expect(readFileSync(join(results, `export.${format}`), 'utf8')).toContain('SDK-4711');
    }
    expect(readFileSync(join(results, 'export.xlsx')).subarray(0, 2).toString()).toBe('PK');
  },
);

(python ? it : it.skip)('the Python package rossum-api manages users, and logs in again by itself', async () => {
  const { admin } = await system.createOrganization('Accounts');
  const script = join(__dirname, 'sdk_accounts.py');
  const { stdout } = await promisify(execFile)(
    python as string,
    [script, system.baseUrl, admin.username, admin.password],
    { timeout: 150_000 },
  ).catch((error) => {
    throw new Error(`${error.message}\n${system.readLogs()}`);
  });
  expect(JSON.parse(stdout)).toEqual({
    organizations: ['Accounts'],
    same: true,
    limit: 0,
    group: true,
    roles: [
      'admin',
      'annotator',
      'annotator_embedded',
      'annotator_limited',
      'approver',
      'manager',
      'organization_group_admin',
      'viewer',
    ],
    user: 'sdk.1@example.com',
    found: true,
    changed: ['Jan', []],
    me: 'sdk.1@example.com',
    renewed: true,
    async: { users: 101, distinct: 101, organization: 'Accounts' },
  });
});
