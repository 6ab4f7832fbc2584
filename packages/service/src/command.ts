import { Registry } from 'prom-client';
import type { Environment } from './config';
import { createLog } from './log';
import type { Runtime } from './run';
import { createTracing } from './tracing';

/** What a command that runs once and ends is given to work with. */
export interface CommandRuntime extends Runtime {
  /** Closes what was opened, in the reverse order. */
  stop(): Promise<void>;
}

/** A runtime for a command: it serves nothing, and its standard output belongs to its result, so nothing is logged. */
export function createCommandRuntime(name: string): CommandRuntime {
  const closers: (() => Promise<void> | void)[] = [];
  const tracing = createTracing(name, '');
  return {
    name,
    log: createLog(name, 'silent'),
    metrics: new Registry(),
    tracer: tracing.tracer,
    addReadiness: () => undefined,
    onStop: (_what, close) => void closers.push(close),
    async stop() {
      for (const close of closers.reverse()) await close();
      await tracing.close();
    },
  };
}

/** Exit code of a program whose reader has gone: 128 and SIGPIPE, as a shell counts. */
const READER_GONE = 141;

/**
 * For a command's own entry: runs it with the arguments and environment of the process, which ends with the code it answers, whatever is
 * still open (the client of NATS leaves its connection to a server that hangs), or at once
 * when its output cannot be written: without a word when nobody reads on (`| head`).
 */
export async function runAsCommand(
  main: (args: readonly string[], env: Environment) => Promise<number>,
): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.stderr.write(`The output cannot be written (${error.message}).\n`);
    process.exit(error.code === 'EPIPE' ? READER_GONE : 1);
  });
  const exitCode = await main(process.argv.slice(2), process.env);
  process.stdout.write('', (error) => {
    if (!error) process.exit(exitCode);
  });
}
