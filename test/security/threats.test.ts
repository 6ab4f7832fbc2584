import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Each threat of SECURITY.md is met by tests that are there. */

const ROOT = join(__dirname, '../..');
const text = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8');
const table = text.slice(text.indexOf('| threat |')).split('\n\n', 1)[0] ?? '';
const rows = table
  .split('\n')
  .slice(2)
  .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));

it('names them all', () => expect(rows.length).toBeGreaterThan(20));

it.each(rows)('%s: %s', (_threat, _what, shownBy) => {
  const files = [...(shownBy ?? '').matchAll(/`([^`]+)`: ((?:"[^"]+"(?:, )?)+)/g)];
  expect(files.length).toBeGreaterThan(0);
  for (const [, file = '', titles = ''] of files) {
    expect([file, existsSync(join(ROOT, file))]).toEqual([file, true]);
    const source = readFileSync(join(ROOT, file), 'utf8');
    for (const [, title = ''] of titles.matchAll(/"([^"]+)"/g))
      expect({ file, title, isThere: source.includes(title) }).toEqual({ file, title, isThere: true });
  }
});
