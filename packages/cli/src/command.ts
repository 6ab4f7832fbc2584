import type { auth, documentStorage, queue } from '@intake/contracts';
import type { Client } from '@intake/rpc';
import type { Environment } from '@intake/service';

/** The services that commands talk to. */
export interface Services {
  readonly auth: Client<typeof auth.AuthServiceService>;
  readonly queues: Client<typeof queue.QueueServiceService>;
  readonly storage: Client<typeof documentStorage.DocumentStorageServiceService>;
}

/** One sub-command. */
export interface Command {
  /** Words that call it, such as `organization create`. */
  readonly name: string;
  readonly about: string;
  /** Option -> what it is; every option takes a text, and these are required. */
  readonly options: Readonly<Record<string, string>>;
  /** Those that may be left out. */
  readonly optional?: Readonly<Record<string, string>>;
  /** Answers what is printed as one line of JSON. */
  readonly run: (options: Readonly<Record<string, string>>, services: Services, env: Environment) => Promise<unknown>;
  /** Whether what was printed is bad news: the exit code is then 1. */
  readonly isFailure?: (printed: unknown) => boolean;
}

/** A sub-command that reads files and needs no services: it prints one line of JSON for each. */
export interface FileCommand {
  readonly name: string;
  readonly about: string;
  /** Options that may be given, each with a text. */
  readonly optional: Readonly<Record<string, string>>;
  readonly run: (
    files: readonly string[],
    options: Readonly<Record<string, string>>,
    env: Environment,
  ) => AsyncIterable<unknown>;
}
