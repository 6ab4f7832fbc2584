import { type FieldErrors, Refusal } from '@intake/rpc';
import { ConfigError } from '@intake/service';
import { UsageError } from './arguments';

/** Exit code of a command line or of settings that are wrong. */
const EXIT_USAGE = 2;
/** Exit code of a command that failed. */
const EXIT_FAILED = 1;

/** A command failed for a reason that a person understands. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** What a person is told of an error, and the exit code. */
export function describeError(error: unknown): { message: string; exitCode: number } {
  if (error instanceof UsageError)
    return { message: `${error.message}\nRun "intake --help" for the commands.`, exitCode: EXIT_USAGE };
  if (error instanceof ConfigError) return { message: error.message, exitCode: EXIT_USAGE };
  if (error instanceof CommandError) return { message: error.message, exitCode: EXIT_FAILED };
  if (!(error instanceof Refusal)) return { message: String((error as Error)?.stack ?? error), exitCode: EXIT_FAILED };
  return { message: describeRefusal(error), exitCode: EXIT_FAILED };
}

function describeRefusal(refusal: Refusal): string {
  const cause = refusal.cause instanceof Error ? refusal.cause.message : '';
  if (refusal.fields) return listFields(refusal.fields).join('\n');
  if (refusal.reason === 'SERVICE_UNAVAILABLE')
    return `A service cannot be reached (${cause}). Is Intake running, and is INTAKE_<SERVICE>_ADDRESS of that service right?`;
  if (refusal.reason === 'UNVERIFIED_CALLER')
    return 'The services do not accept INTAKE_RPC_SECRET; it must be the one they were started with.';
  return refusal.reason === 'INTERNAL' && cause ? `${refusal.detail} (${cause})` : refusal.detail;
}

function listFields(fields: FieldErrors, path = ''): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const field = path ? `${path}.${name}` : name;
    if (!Array.isArray(value)) return listFields(value, field);
    return value.flatMap((item, i) =>
      typeof item === 'string' ? [`${field}: ${item}`] : listFields(item, `${field}[${i}]`),
    );
  });
}
