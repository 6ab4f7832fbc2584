import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { Command, FileCommand } from './command';

/** The command line cannot be understood; the message says why. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What the command line asks for. */
export type Request =
  | { readonly kind: 'help'; readonly commands: readonly Command[] }
  | { readonly kind: 'run'; readonly command: Command; readonly options: Readonly<Record<string, string>> };

/** The files and options of a command that reads files. Throws UsageError. */
export function readFileArguments(
  args: readonly string[],
  command: FileCommand,
): { files: readonly string[]; options: Readonly<Record<string, string>> } {
  const options = Object.fromEntries(Object.keys(command.optional).map((name) => [name, { type: 'string' as const }]));
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    if (positionals.length === 0) throw new UsageError(`${command.name} needs at least one file.`);
    return { files: positionals, options: values as Record<string, string> };
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError((error as Error).message);
  }
}

/** Reads a command line (without program name). Throws UsageError naming what is unknown or missing. */
export function readArguments(args: readonly string[], commands: readonly Command[]): Request {
  if (args.length === 0 || args[0] === 'help' || args.at(-1) === '--help' || args.at(-1) === '-h') {
    const words = args.filter((arg, i) => !arg.startsWith('-') && (i > 0 || arg !== 'help'));
    const meant = commands.filter(({ name }) => name.split(' ').every((word, i) => (words[i] ?? word) === word));
    return { kind: 'help', commands: meant.length > 0 ? meant : commands };
  }
  const command = commands.find(({ name }) => name.split(' ').every((word, i) => args[i] === word));
  if (!command) throw new UsageError(describeUnknown(args, commands));
  const options = readOptions(args.slice(command.name.split(' ').length), command);
  const missing = Object.keys(command.options).filter((name) => !options[name]);
  if (missing.length > 0)
    throw new UsageError(`${command.name} needs ${missing.map((name) => `--${name}`).join(', ')}.`);
  return { kind: 'run', command, options };
}

function describeUnknown(args: readonly string[], commands: readonly Command[]): string {
  const alike = commands.filter(({ name }) => name.startsWith(`${args[0]} `)).map(({ name }) => name);
  const given = args.filter((arg) => !arg.startsWith('-')).join(' ');
  return `There is no command "${given}".${alike.length > 0 ? ` Commands that begin so: ${alike.join(', ')}.` : ''}`;
}

function readOptions(args: readonly string[], command: Command): Record<string, string> {
  const names = Object.keys({ ...command.options, ...command.optional });
  try {
    const { values } = parseArgs({
      args: joinValues(args, names),
      options: Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
    });
    return values as Record<string, string>;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** The id that an option gives. Throws UsageError. */
export function readId(value: string | undefined, option: string): number {
  if (!value || !/^[1-9]\d{0,14}$/.test(value)) throw new UsageError(`--${option} must be an id.`);
  return Number(value);
}

/** The text of the file that an option names. Throws UsageError. */
export function readFileOption(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: Error) => {
    throw new UsageError(`The file cannot be read (${error.message}).`);
  });
}

/**
 * A password: the option itself, or the first line of the file that `--<option>-file` names, which keeps it out of the list of
 * processes. Throws UsageError when there is none or both.
 */
export async function readPassword(options: Readonly<Record<string, string>>, option: string): Promise<string> {
  const { [option]: given, [`${option}-file`]: file } = options;
  if ((given === undefined) === (file === undefined))
    throw new UsageError(`Give either --${option} or --${option}-file.`);
  return given ?? ((await readFileOption(file as string)).split(/\r?\n/, 1)[0] as string);
}

/** Writes `--option value` as `--option=value`, so that a value may begin with `-`, as generated passwords do. */
function joinValues(args: readonly string[], options: readonly string[]): string[] {
  const joined: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] as string;
    const value = args[i + 1];
    if (options.some((option) => arg === `--${option}`) && value !== undefined) {
      joined.push(`${arg}=${value}`);
      i += 1;
    } else joined.push(arg);
  }
  return joined;
}

/** The text of `--help`. */
export function describeCommands(commands: readonly Command[], fileCommands: readonly FileCommand[] = []): string {
  const describe = (options: Readonly<Record<string, string>>, mark: string) =>
    Object.entries(options).map(([option, meaning]) => `      --${option.padEnd(18)} ${meaning}${mark}`);
  const lines = commands.flatMap(({ name, about, options, optional = {} }) => [
    `  ${name}`,
    `      ${about}`,
    ...describe(options, ''),
    ...describe(optional, ' (optional)'),
  ]);
  return [
    'Usage: intake <command> [options]',
    '',
    'Talks to the running services and prints its result as one line of JSON. Where Intake was started',
    'by "npm start" it finds them itself ("npm run intake -- <command>"); elsewhere it needs',
    'INTAKE_RPC_SECRET, INTAKE_<SERVICE>_ADDRESS of the services that it asks where that is not',
    'intake-<service>:7400, and for dead letters INTAKE_NATS_URL and INTAKE_NATS_PREFIX. Exit codes: 0 done,',
    '1 failed, 2 arguments or settings are wrong.',
    '',
    'Commands:',
    ...fileCommands.flatMap(({ name, about, optional }) => [
      `  ${name} FILE...`,
      `      ${about}`,
      ...describe(optional, ' (optional)'),
    ]),
    ...lines,
    '',
  ].join('\n');
}
