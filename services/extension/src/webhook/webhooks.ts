import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { auth } from '@intake/contracts';
import { formatTime } from '@intake/resources';
import { type Client, Refusal, systemCaller } from '@intake/rpc';
import type { Outgoing } from '@intake/untrusted';
import type { ApiUrls } from '@intake/urls';
import { configOf, type Hook } from '../hook/hook';
import type { LogRecord, LogStore } from '../log/log.store';
import { type JsonObject, type Outcome, parseObject, readFailure, readOutcome } from './outcome';
import { nextAttempt } from './retry';
import { signatureHeaders } from './signature';

/** A call of a webhook. */
export interface Call {
  readonly hook: Hook;
  readonly event: string;
  readonly action: string;
  /** The same for all attempts. */
  readonly requestId: string;
  /** When the event happened. */
  readonly at: Date;
  /** What the payload says beside the keys that every payload has. */
  readonly parts: JsonObject;
  /** Objects that it is about, for the log and the token. */
  readonly about: {
    readonly queueId?: number;
    readonly annotationId?: number;
    readonly uploadId?: number;
    readonly emailId?: number;
  };
  /** Throws an Error that says what is wrong with an answer: the call has failed then. */
  readonly check?: (body: JsonObject) => unknown;
  readonly signal?: AbortSignal;
}

/** How one attempt is made. */
interface Attempt {
  readonly timeoutMs: number;
  /** The answer is used. */
  readonly expectsJson: boolean;
  readonly mayPoll: boolean;
}

export interface WebhooksOptions {
  readonly outgoing: Outgoing;
  readonly auth: Pick<Client<typeof auth.AuthServiceService>, 'issueUserToken' | 'logout'>;
  readonly logs: LogStore;
  /** Scheme, host and port of the API. */
  readonly origin: string;
  readonly urls: ApiUrls;
}

/** A call that somebody waits for, in milliseconds. API: limits.md. */
export const INTERACTIVE_MS = 30_000;
/** A token that ends with the answer lives no longer than that, in seconds. */
const TOKEN_LIFETIME_S = 600;
const POLL_EVERY_MS = 30_000;
const POLL_AGAIN = [408, 429, 500, 502, 503, 504];
/** Longest text that the log keeps of a request or response. */
const LONGEST_LOGGED = 100_000;
const USER_AGENT = 'Intake/0.1';
const HIDDEN = '[redacted...]';
/** Shorter values stand in many a text without being a secret there. */
const SHORTEST_SECRET = 4;

/** Calls webhooks. API: hooks-and-connectors.md sections 3 and 5. */
export type Webhooks = ReturnType<typeof createWebhooks>;

export function createWebhooks({ outgoing, auth: accounts, logs, origin, urls }: WebhooksOptions) {
  /** The payload as it is sent. */
  const payloadOf = ({ hook, event, action, requestId, at, parts }: Call, token: string | undefined): JsonObject => ({
    ...parts,
    request_id: requestId,
    timestamp: formatTime(at),
    base_url: origin,
    ...(token !== undefined && { rossum_authorization_token: token }),
    hook: urls.hook(hook.id),
    settings: hook.settings ?? {},
    secrets: hook.secrets ?? {},
    event,
    action,
  });

  const withToken = async <T>({ hook, event, action, about }: Call, use: (token?: string) => Promise<T>) => {
    const { tokenOwnerId, tokenLifetimeS, organizationId } = hook;
    if (tokenOwnerId === undefined) return use();
    const caller = systemCaller('extension', organizationId);
    const lifetimeS = tokenLifetimeS || TOKEN_LIFETIME_S;
    const askedAnnotationId = event === 'annotation_content' ? about.annotationId : undefined;
    const initializedAnnotationId = action === 'initialize' ? askedAnnotationId : undefined;
    const asked = { initializedAnnotationId, arrivedUploadId: about.uploadId, askedAnnotationId };
    const request = { userId: tokenOwnerId, lifetimeS, ...asked };
    const { key } = await accounts.issueUserToken(request, caller);
    try {
      return await use(key);
    } finally {
      // Whoever wants to use it after the answer says for how long.
      if (!tokenLifetimeS) await accounts.logout({ key }, caller).catch(() => undefined);
    }
  };

  const send = async (
    hook: Hook,
    request: { method: string; url: string; body: string; id: string },
    attempt: Attempt,
    signal?: AbortSignal,
  ) => {
    const config = configOf(hook);
    const { client_ssl_certificate: cert, client_ssl_key: key } = config;
    const { body, id } = request;
    try {
      const response = await outgoing({
        url: request.url,
        method: request.method,
        headers: {
          'Content-Type': 'application/json',
          'User-Agent': USER_AGENT,
          ...signatureHeaders(config.secret, { id, at: new Date(), body }),
        },
        ...(request.method === 'POST' && { body }),
        timeoutMs: attempt.timeoutMs,
        allowPlainHttp: true,
        anyCertificate: config.insecure_ssl,
        ...(cert && key && { clientCertificate: { cert, key } }),
        signal,
      });
      return readOutcome(response, { ...attempt, retryOnAnyNon2xx: config.retry_on_any_non_2xx });
    } catch (error) {
      return readFailure(error);
    }
  };

  const record = (call: Call, message: string, level: LogRecord['level']): LogRecord => {
    const { hook, event, action, requestId, about } = call;
    const now = new Date();
    return {
      uuid: randomUUID(),
      requestId,
      organizationId: hook.organizationId,
      hookId: hook.id,
      hookType: hook.type,
      queueId: about.queueId ?? null,
      annotationId: about.annotationId ?? null,
      emailId: about.emailId ?? null,
      event,
      action,
      start: now,
      end: now,
      level,
      message,
      request: null,
      response: null,
      settings: hook.settings ?? {},
      status: 'cancelled',
      statusCode: null,
    };
  };

  const recordOf = (call: Call, start: Date, outcome: Outcome, sent: JsonObject): LogRecord => {
    const failed = outcome.kind === 'failed';
    const isKept = failed || configOf(call.hook).payload_logging_enabled;
    return {
      ...record(call, outcome.message, failed ? 'ERROR' : 'INFO'),
      start,
      request: isKept ? JSON.stringify(maskPayload(sent)).slice(0, LONGEST_LOGGED) : null,
      response: isKept ? maskEcho(outcome.text, sent).slice(0, LONGEST_LOGGED) : null,
      status: failed ? 'failed' : outcome.kind === 'accepted' ? 'running' : 'completed',
      statusCode: outcome.status ?? null,
    };
  };

  /** Asks for the answer of a call that was accepted until it is there. */
  const poll = async (call: Call, location: string, sent: JsonObject): Promise<Outcome> => {
    const { hook, requestId, signal } = call;
    const { url, max_polling_time_s: limitS } = configOf(hook);
    const start = new Date();
    const until = start.getTime() + limitS * 1000;
    const failed = (message: string): Outcome => ({
      ...{ kind: 'failed', text: '', message, retryable: true, isPollingFailure: true },
    });
    const finish = async (outcome: Outcome) => {
      await logs.add([recordOf(call, start, outcome, sent)]);
      return outcome;
    };
    if (!URL.canParse(location, url)) return finish(failed('The Location of its answer is no URL.'));
    const target = new URL(location, url).href;
    for (;;) {
      const left = until - Date.now();
      if (left <= 0) return finish(failed(`Its answer was not there after ${limitS} seconds.`));
      const how = { timeoutMs: Math.min(INTERACTIVE_MS, left), expectsJson: false, mayPoll: false };
      const answer = await send(hook, { method: 'GET', url: target, body: '', id: requestId }, how, signal);
      if (answer.status === 201) {
        return finish(parseObject(answer.text) ? checked(call, answer) : failed('Its answer is no JSON object.'));
      }
      const goesOn =
        answer.kind === 'answered' || POLL_AGAIN.includes(answer.status ?? 0) || answer.status === undefined;
      if (!goesOn) return finish(failed(`Asked for its answer, it answered ${answer.status}.`));
      await pause(Math.min(POLL_EVERY_MS, Math.max(until - Date.now(), 0)), undefined, { signal });
    }
  };

  /** One attempt, with its records in the log; its token is good until the answer is there. */
  const attempt = async (call: Call, how: Attempt, payload?: JsonObject): Promise<Outcome> => {
    const { hook, requestId, signal } = call;
    const start = new Date();
    const note = async (outcome: Outcome, sent: JsonObject) => {
      await logs.add([recordOf(call, start, outcome, sent)]);
      return outcome;
    };
    return withToken(call, async (token) => {
      const sent = payload ?? payloadOf(call, token);
      const body = JSON.stringify(sent);
      const request = { method: 'POST', url: configOf(hook).url, body, id: requestId };
      const outcome = await note(checked(call, await send(hook, request, how, signal)), sent);
      return outcome.kind === 'accepted' ? poll(call, outcome.location ?? '', sent) : outcome;
    }).catch((error): Promise<Outcome> => {
      if (!(error instanceof Refusal) || error.reason === 'SERVICE_UNAVAILABLE') throw error;
      const message = 'Its token cannot be issued: the owner is gone, not active, or an organization group admin.';
      return note({ kind: 'failed', text: '', message, retryable: false }, payload ?? payloadOf(call, undefined));
    });
  };

  return {
    payloadOf,

    /** A call that somebody waits for: one attempt. */
    callOnce: (call: Call, timeoutMs = INTERACTIVE_MS): Promise<Outcome> =>
      attempt(call, { timeoutMs, expectsJson: true, mayPoll: false }),

    /** The same with exactly this payload. */
    callWith: (call: Call, payload: JsonObject): Promise<Outcome> =>
      attempt(call, { timeoutMs: INTERACTIVE_MS, expectsJson: true, mayPoll: false }, payload),

    /** One attempt of a notification: whatever is answered with 2xx will do. */
    notify: (call: Call): Promise<Outcome> =>
      attempt(call, { timeoutMs: timeoutOf(call.hook), expectsJson: false, mayPoll: false }),

    /** A call in the background that ends with its answer: all its attempts. @param expectsJson the answer is used */
    async call(call: Call, expectsJson = true): Promise<Outcome> {
      const { hook, signal } = call;
      const { retry_count: retryCount, retry_after_polling_failure: retriesPolling } = configOf(hook);
      for (let attempts = 1; ; attempts++) {
        const outcome = await attempt(call, { timeoutMs: timeoutOf(hook), expectsJson, mayPoll: true });
        if (outcome.isPollingFailure && !retriesPolling) return outcome;
        if (outcome.kind === 'answered' || !outcome.retryable) return outcome;
        const next = nextAttempt(attempts, { retryCount, goesOn: false, retryAfterMs: outcome.retryAfterMs });
        if (!next) return outcome;
        await pause(next.delayMs, undefined, { signal });
      }
    },

    /** A record of what is no call. */
    record,

    /** The record of a hook that would be called, were it a webhook. */
    recordFunction: (call: Call): LogRecord =>
      record(call, 'Functions are stored, but not executed here: set up a webhook instead.', 'WARNING'),
  };
}

/** What an answer means that has the right form, but cannot be used. */
function checked({ check }: Call, outcome: Outcome): Outcome {
  if (outcome.kind !== 'answered' || !outcome.body) return outcome;
  try {
    check?.(outcome.body);
    return outcome;
  } catch (error) {
    const message = `Its answer cannot be used: ${(error as Error).message}.`;
    return { ...outcome, kind: 'failed', body: undefined, message, retryable: false };
  }
}

function timeoutOf(hook: Hook): number {
  return Math.max(configOf(hook).timeout_s * 1000, 1);
}

/** The names of secrets without their values. */
export function maskAll(secrets: JsonObject): JsonObject {
  return Object.fromEntries(Object.keys(secrets).map((key) => [key, HIDDEN]));
}

/** A payload as the log shows it: without its token, and with the names of its secrets only. */
function maskPayload(sent: JsonObject): JsonObject {
  const { rossum_authorization_token: token, secrets } = sent;
  return {
    ...sent,
    ...(token !== undefined && { rossum_authorization_token: HIDDEN }),
    ...(isObject(secrets) && { secrets: maskAll(secrets) }),
  };
}

/** An answer as the log shows it: some receivers send back what they were sent. */
function maskEcho(text: string, { rossum_authorization_token: token, secrets }: JsonObject): string {
  return (
    textsIn([token, secrets])
      .filter((value) => value.length >= SHORTEST_SECRET)
      .flatMap((value) => [value, JSON.stringify(value).slice(1, -1)])
      // One may stand in another.
      .sort((one, other) => other.length - one.length)
      .reduce((shown, value) => shown.replaceAll(value, HIDDEN), text)
  );
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
