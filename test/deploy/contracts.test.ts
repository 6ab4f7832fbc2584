import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Rpcs and events of the last release stay readable: while an upgrade is rolled out, both versions talk to each other.
 * `proto/released.binpb.gz` is what was released; `npm run release-contracts` writes it, with a release and never before.
 */

jest.setTimeout(60_000);

const ROOT = join(__dirname, '../..');
const RELEASED = join(ROOT, 'proto/released.binpb.gz');

const compare = (folder: string) =>
  spawnSync(join(ROOT, 'node_modules/.bin/buf'), ['breaking', folder, '--against', RELEASED], { encoding: 'utf8' });

it('everything that the last release sends is understood, and the other way round', () => {
  const { status, stdout, stderr } = compare(join(ROOT, 'proto'));
  expect(`${stdout}${stderr}`).toBe('');
  expect(status).toBe(0);
});

describe('a change that breaks them', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'intake-proto-'));
    cpSync(join(ROOT, 'proto'), folder, { recursive: true });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    ['a field with another number', /int64 annotation_id = 1;/, 'int64 annotation_id = 101;'],
    ['a field with another name', /int64 annotation_id = 1;/, 'int64 annotation = 1;'],
    ['a field with another type', /int64 annotation_id = 1;/, 'string annotation_id = 1;'],
  ])('is found: %s', (_what, field, changed) => {
    const file = join(folder, 'intake/events/v1/events.proto');
    const text = readFileSync(join(ROOT, 'proto/intake/events/v1/events.proto'), 'utf8');
    expect(text).toMatch(field);
    writeFileSync(file, text.replace(field, changed));
    const { status, stdout } = compare(folder);
    expect(status).not.toBe(0);
    expect(stdout).toContain('events.proto');
  });
});
