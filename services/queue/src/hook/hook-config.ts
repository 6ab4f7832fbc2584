import type { FieldErrors } from '@intake/rpc';
import { Cron } from 'croner';
import { findCertificateProblem, findUrlProblem, type JsonObject } from '../fields';

type Check = (value: unknown) => string | null;

const isBoolean: Check = (value) => (typeof value === 'boolean' ? null : 'Must be a valid boolean.');
const isText: Check = (value) => (typeof value === 'string' ? null : 'Not a valid string.');
const isTextOrNull: Check = (value) => (value === null ? null : isText(value));
const isCertificateOrNull: Check = (value) => isTextOrNull(value) ?? findCertificateProblem(value as string | null);
const isIntegerBetween =
  (min: number, max: number): Check =>
  (value) => {
    if (!Number.isSafeInteger(value)) return 'A valid integer is required.';
    if ((value as number) < min) return `Ensure this value is greater than or equal to ${min}.`;
    return (value as number) > max ? `Ensure this value is less than or equal to ${max}.` : null;
  };
const isUrl: Check = (value) => (typeof value === 'string' ? findUrlProblem(value) : 'Not a valid string.');

/** Scheduled calls come at most that often, in milliseconds. */
const SHORTEST_INTERVAL_MS = 600_000;
/** Enough runs to see the shortest distance of a pattern that repeats by the hour or day. */
const RUNS_LOOKED_AT = 200;

const isSchedule: Check = (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'Expected a dictionary of items.';
  const { cron } = value as JsonObject;
  if (cron === undefined || cron === null) return null;
  if (typeof cron !== 'string' || cron.trim().split(/\s+/).length !== 5) {
    return 'cron: expected five fields: minute, hour, day of month, month, day of week.';
  }
  let runs: Date[];
  try {
    runs = new Cron(cron, { paused: true, timezone: 'UTC' }).nextRuns(RUNS_LOOKED_AT);
  } catch {
    return 'cron: not a valid expression.';
  }
  const tooOften = runs.some((run, i) => i > 0 && run.getTime() - runs[i - 1]!.getTime() < SHORTEST_INTERVAL_MS);
  return tooOften ? 'cron: the hook may be called every 10 minutes at most.' : null;
};

const NO_POLLING = 'It can be changed for upload.created and invocation.scheduled only.';

/** Keys of a webhook's configuration: what each must be, and what it is when it is not given. API: section 1.1. */
const KEYS: Readonly<Record<string, readonly [check: Check, fallback: unknown]>> = {
  secret: [isTextOrNull, null],
  insecure_ssl: [isBoolean, false],
  client_ssl_certificate: [isCertificateOrNull, null],
  client_ssl_key: [isTextOrNull, null],
  private: [isBoolean, false],
  timeout_s: [isIntegerBetween(0, 60), 30],
  retry_count: [isIntegerBetween(0, 4), 4],
  retry_on_any_non_2xx: [isBoolean, false],
  max_polling_time_s: [isIntegerBetween(1, 3600), 300],
  retry_after_polling_failure: [isBoolean, true],
  payload_logging_enabled: [isBoolean, false],
  schedule: [isSchedule, {}],
};

/** Keys that are encrypted like the secrets of a hook. A replacement keeps them: who reads a configuration does not see them all. */
export const SECRET_KEYS: readonly string[] = ['secret', 'client_ssl_key'];

/** What a replacement of a configuration keeps. */
export function keptConfig(before: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(before).filter(([key]) => SECRET_KEYS.includes(key)));
}

/** The configuration after a change: a key that is null returns to its default, one that is not there stays. */
export function mergeConfig(type: string, before: JsonObject, change: JsonObject): JsonObject {
  const merged = { ...before, ...change };
  if (type !== 'webhook') return merged;
  const kept = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
  const defaults = Object.fromEntries(Object.entries(KEYS).map(([key, [, fallback]]) => [key, fallback]));
  return { ...defaults, ...kept };
}

/**
 * What is wrong with a configuration, by key; null: nothing. Only webhooks are checked: functions are stored as they are.
 *
 * @param before the configuration until now: what it has already is not looked at again
 */
export function findConfigProblem(
  type: string,
  config: JsonObject,
  events: readonly string[],
  before: JsonObject = {},
): FieldErrors | null {
  if (type !== 'webhook') return null;
  const errors: FieldErrors = {};
  const urlProblem = config.url === undefined ? 'This field is required.' : isUrl(config.url);
  if (urlProblem) errors.url = [urlProblem];
  const mayPoll = events.some((event) => event === 'upload.created' || event === 'invocation.scheduled');
  for (const [key, [check, fallback]] of Object.entries(KEYS)) {
    const value = config[key];
    if (value === fallback || value === before[key]) continue;
    const problem = check(value) ?? (key === 'max_polling_time_s' && !mayPoll ? NO_POLLING : null);
    if (problem) errors[key] = [problem];
  }
  return Object.keys(errors).length > 0 ? errors : null;
}
