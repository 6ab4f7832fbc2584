import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { auth, documentStorage, queue } from '@intake/contracts';
import { connectRpc, readRpcSettings } from '@intake/rpc';
import { type CommandRuntime, createCommandRuntime, type Environment } from '@intake/service';
import { describeCommands, readArguments, readFileArguments } from './arguments';
import type { Command, Services } from './command';
import { deadLettersList, deadLettersReplay } from './commands/dead-letters';
import { deliveriesList, deliveriesReplay } from './commands/deliveries';
import { extract } from './commands/extract';
import { fsck } from './commands/fsck';
import { jwtKeyAdd, jwtKeyList, jwtKeyRemove } from './commands/jwt-key';
import { organizationCreate } from './commands/organization-create';
import { reportingRebuild } from './commands/reporting';
import { separatorPage } from './commands/separator-page';
import { setup } from './commands/setup';
import { ssoRemove, ssoSet, ssoShow } from './commands/sso';
import { retry, status } from './commands/status';
import { userResetPassword } from './commands/user-reset-password';
import { describeError } from './errors';

/** Every sub-command. */
export const COMMANDS: readonly Command[] = [
  setup,
  organizationCreate,
  userResetPassword,
  jwtKeyAdd,
  jwtKeyList,
  jwtKeyRemove,
  ssoSet,
  ssoShow,
  ssoRemove,
  deadLettersList,
  deadLettersReplay,
  deliveriesList,
  deliveriesReplay,
  reportingRebuild,
  separatorPage,
  fsck,
  status,
  retry,
];

/** Where a command writes. */
export interface Output {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** Runs one command line. Answers the exit code: 0, 1 when it failed, 2 when the arguments or settings are wrong. */
export async function runCli(args: readonly string[], env: Environment, { out, err }: Output): Promise<number> {
  try {
    if (args.length === 1 && args[0] === '--version') {
      out(`intake ${readVersion()}\n`);
      return 0;
    }
    if (args[0] === extract.name && !args.some((arg) => arg === '--help' || arg === '-h')) {
      const { files, options } = readFileArguments(args.slice(1), extract);
      for await (const line of extract.run(files, options, env)) out(`${JSON.stringify(line)}\n`);
      return 0;
    }
    const request = readArguments(args, COMMANDS);
    if (request.kind === 'help') {
      const { commands } = request;
      const isAll = commands.length === COMMANDS.length;
      out(
        args.includes(extract.name)
          ? describeCommands([], [extract])
          : describeCommands(commands, isAll ? [extract] : []),
      );
      return 0;
    }
    const { command, options } = request;
    const result = await runCommand(command, options, env);
    out(`${JSON.stringify(result)}\n`);
    return command.isFailure?.(result) ? 1 : 0;
  } catch (error) {
    const { message, exitCode } = describeError(error);
    err(`${message}\n`);
    return exitCode;
  }
}

const readVersion = (): string => JSON.parse(readFileSync(join(__dirname, '../package.json'), 'utf8')).version;

async function runCommand(command: Command, options: Readonly<Record<string, string>>, env: Environment) {
  const runtime = createCommandRuntime('cli');
  try {
    const services = connectServices(runtime, env);
    return await command.run(options, services, env);
  } finally {
    await runtime.stop();
  }
}

/** Connects to a service when a command first asks for it: some need none, and no settings for it. */
function connectServices(runtime: CommandRuntime, env: Environment): Services {
  return {
    get auth() {
      const rpc = readRpcSettings(env);
      return connectRpc(runtime, auth.AuthServiceService, rpc.addressOf('auth'), rpc);
    },
    get queues() {
      const rpc = readRpcSettings(env);
      return connectRpc(runtime, queue.QueueServiceService, rpc.addressOf('queue'), rpc);
    },
    get storage() {
      const rpc = readRpcSettings(env);
      const { DocumentStorageServiceService: definition } = documentStorage;
      return connectRpc(runtime, definition, rpc.addressOf('document-storage'), rpc);
    },
  };
}
