import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../cli';

const samples = join(__dirname, '../../../../test/samples');

async function intake(...args: string[]) {
  const written = { out: '', err: '' };
  const exitCode = await runCli(
    args,
    { PATH: process.env.PATH },
    {
      out: (text) => {
        written.out += text;
      },
      err: (text) => {
        written.err += text;
      },
    },
  );
  return { exitCode, ...written };
}

test('files are read without any server, one line of JSON each', async () => {
  const files = ['invoice-en.pdf', 'invoice-de.pdf'].map((name) => join(samples, name));
  const { exitCode, out, err } = await intake('extract', ...files, '--locale', 'en_GB');
  expect([exitCode, err]).toEqual([0, '']);
  const lines = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map((line) => [line.file, line.language, line.pages])).toEqual([
    [files[0], 'eng', 1],
    [files[1], 'deu', 1],
  ]);
  expect(lines[0].fields.amount_total).toMatchObject({ value: expect.stringMatching(/^\d+\.\d\d$/), page: 1 });
  expect(lines[0].tables.line_items.length).toBeGreaterThan(0);
});

describe('files that have to be converted first', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'intake-test-extract-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('are read as the services do, and one that cannot be read does not keep the others back', async () => {
    const text = ['Harbour Ltd', 'Invoice number: HF-2024-0117', 'Invoice date: 15 March 2024'];
    const file = (name: string) => join(folder, name);
    writeFileSync(file('letter.rtf'), `{\\rtf1\\ansi ${text.map((line) => `${line}\\par`).join('\n')}}`);
    writeFileSync(file('nothing.rtf'), '');
    const damaged = readFileSync(join(samples, 'invoice-en.pdf'), 'latin1').replace(/endobj/g, '');
    writeFileSync(file('damaged.pdf'), damaged, 'latin1');
    execFileSync('heif-enc', ['-q', '80', '-o', file('photo.heic'), join(samples, 'scan-en.png')], { stdio: 'pipe' });
    const names = ['letter.rtf', 'nothing.rtf', 'damaged.pdf', 'photo.heic'];

    const { exitCode, out, err } = await intake('extract', ...names.map(file));
    expect([exitCode, err]).toEqual([1, expect.stringMatching(/^\S*nothing\.rtf: .+\n$/)]);
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map((line) => [line.file, line.mimeType, line.fields.document_id?.value])).toEqual([
      [file('letter.rtf'), 'application/rtf', 'HF-2024-0117'],
      [file('damaged.pdf'), 'application/pdf', expect.stringMatching(/\d/)],
      [file('photo.heic'), 'image/heic', '70425'],
    ]);
  });
});

test.each([
  [['extract'], 2, /needs at least one file/],
  [['extract', '--what', 'x', 'y.pdf'], 2, /--what/],
  [['extract', '--locale', 'american', join(samples, 'invoice-en.pdf')], 2, /--locale must be auto, or such as en_US/],
  [['extract', join(samples, 'nowhere.pdf')], 1, /nowhere\.pdf.*no such file/],
  [['extract', join(samples, 'encrypted.pdf')], 1, /encrypted\.pdf: .*password/],
])('%j ends with %p', async (args, code, message) => {
  const { exitCode, out, err } = await intake(...args);
  expect([exitCode, out]).toEqual([code, '']);
  expect(err).toMatch(message);
});

test('help names it', async () => {
  expect((await intake('--help')).out).toContain('extract FILE...');
});
