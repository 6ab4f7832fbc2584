import { parseArgs } from 'node:util';
import type { Command } from './command';

/** The command line cannot be understood; the message says why. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What the command line asks for. */
export type Request =
  | { readonly kind: 'help' }
  | { readonly kind: 'run'; readonly command: Command; readonly options: Readonly<Record<string, string>> };

/** Reads a command line (without program name). Throws UsageError naming what is unknown or missing. */
export function readArguments(args: readonly string[], commands: readonly Command[]): Request {
  if (args.length === 0 || args[0] === 'help' || args.at(-1) === '--help' || args.at(-1) === '-h')
    return { kind: 'help' };
  const command = commands.find(({ name }) => name.split(' ').every((word, i) => args[i] === word));
  if (!command) throw new UsageError(`There is no command "${args.filter((arg) => !arg.startsWith('-')).join(' ')}".`);
  const options = readOptions(args.slice(command.name.split(' ').length), command);
  const missing = Object.keys(command.options).filter((name) => !options[name]);
  if (missing.length > 0)
    throw new UsageError(`${command.name} needs ${missing.map((name) => `--${name}`).join(', ')}.`);
  return { kind: 'run', command, options };
}

function readOptions(args: readonly string[], command: Command): Record<string, string> {
  try {
    const { values } = parseArgs({
      args: joinValues(args, Object.keys(command.options)),
      options: Object.fromEntries(Object.keys(command.options).map((name) => [name, { type: 'string' as const }])),
    });
    return values as Record<string, string>;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
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
export function describeCommands(commands: readonly Command[]): string {
  const lines = commands.flatMap(({ name, about, options }) => [
    `  ${name}`,
    `      ${about}`,
    ...Object.entries(options).map(([option, meaning]) => `      --${option.padEnd(16)} ${meaning}`),
  ]);
  return [
    'Usage: intake <command> [options]',
    '',
    'Talks to the running services (INTAKE_RPC_SECRET, INTAKE_AUTH_ADDRESS, INTAKE_QUEUE_ADDRESS)',
    'and prints its result as one line of JSON.',
    '',
    'Commands:',
    ...lines,
    '',
  ].join('\n');
}
