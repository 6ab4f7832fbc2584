import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeCommands, readArguments, readPassword, UsageError } from './arguments';
import { COMMANDS } from './cli';
import type { Command } from './command';

const make: Command = {
  name: 'thing make',
  about: 'make a thing',
  options: { name: 'its name', secret: 'its secret' },
  run: async () => ({}),
};
const commands = [make, { ...make, name: 'list', options: {} }];

it('finds a command of several words and its options', () => {
  const request = readArguments(['thing', 'make', '--name', 'A thing', '--secret=x=y'], commands);
  expect(request).toEqual({ kind: 'run', command: make, options: { name: 'A thing', secret: 'x=y' } });
});

it('takes a value that begins with a dash, as generated passwords may', () => {
  const request = readArguments(['thing', 'make', '--name', '-h', '--secret', '--name'], commands);
  expect(request).toMatchObject({ options: { name: '-h', secret: '--name' } });
});

it.each([[[]], [['--help']], [['-h']], [['help']], [['unheard-of', '--help']]])('shows all help for %j', (args) => {
  expect(readArguments(args, commands)).toEqual({ kind: 'help', commands });
});

it.each([
  [['thing', 'make', '--help']],
  [['thing', '-h']],
  [['help', 'thing', 'make']],
  [['thing', 'make', '--name', '-h']],
])('shows the help of what is meant for %j', (args) =>
  expect(readArguments(args, commands)).toEqual({ kind: 'help', commands: [commands[0]] }),
);

it.each([
  [['thing'], 'There is no command "thing". Commands that begin so: thing make.'],
  [['thing', 'mak'], 'There is no command "thing mak". Commands that begin so: thing make.'],
  [['nothing', '--name', 'x'], 'There is no command "nothing x".'],
  [['thing', 'make'], 'thing make needs --name, --secret.'],
  [['thing', 'make', '--name', '', '--secret', 's'], 'thing make needs --name.'],
  [['list', '--name', 'x'], "Unknown option '--name'"],
  [['list', 'more'], "Unexpected argument 'more'"],
])('refuses %j', (args, message) => {
  const read = () => readArguments(args, commands);
  expect(read).toThrow(UsageError);
  expect(read).toThrow(message);
});

it('describes every command with its options', () => {
  const help = describeCommands(COMMANDS);
  for (const { name, about, options, optional } of COMMANDS) {
    expect(help).toContain(`  ${name}\n      ${about}`);
    for (const option of Object.keys({ ...options, ...optional })) expect(help).toContain(`--${option} `);
  }
});

describe('passwords', () => {
  const folder = mkdtempSync(join(tmpdir(), 'intake-arguments-'));
  const file = join(folder, 'password');
  writeFileSync(file, ' from a file \r\nanother line\n');
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    [{ password: '-given ' }, '-given '],
    [{ 'password-file': file }, ' from a file '],
  ])('reads %j', async (options, password) => expect(await readPassword(options, 'password')).toBe(password));

  it.each([
    [{}, 'Give either --password or --password-file.'],
    [{ password: 'x', 'password-file': file }, 'Give either --password or --password-file.'],
    [{ 'password-file': join(folder, 'none') }, 'The file cannot be read (ENOENT'],
  ])('refuses %j', async (options, message) => {
    await expect(readPassword(options, 'password')).rejects.toThrow(UsageError);
    await expect(readPassword(options, 'password')).rejects.toThrow(message);
  });
});
