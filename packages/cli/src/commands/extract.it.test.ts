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

test.each([
  [['extract'], 2, /needs at least one file/],
  [['extract', '--what', 'x', 'y.pdf'], 2, /--what/],
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
