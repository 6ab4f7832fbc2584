import { OutgoingError, type OutgoingResponse } from '@intake/untrusted';

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** What became of one call of a webhook. */
export interface Outcome {
  /** `answered`: 2xx, with the answer. `accepted`: the answer is to be asked for at `location`. `failed`: anything else. */
  readonly kind: 'answered' | 'accepted' | 'failed';
  /** Absent: there was no answer. */
  readonly status?: number;
  /** The answer, where it is a JSON object; of a failed call too. */
  readonly body?: JsonObject;
  /** The answer as it came, for the log. */
  readonly text: string;
  readonly location?: string;
  /** What went wrong, for people; empty when nothing did. */
  readonly message: string;
  /** Of a failed call: whether the same call may succeed later. */
  readonly retryable: boolean;
  /** Of a failed call: it was accepted, and its answer could not be had. */
  readonly isPollingFailure?: boolean;
  /** The receiver asks not to be called before so many milliseconds have passed. */
  readonly retryAfterMs?: number;
}

/** Statuses that may be others at the next attempt. API: hooks-and-connectors.md section 5. */
const PASSING = [408, 429, 500, 502, 503, 504];
/** Failures of the connection that may be gone at the next attempt; others are the configuration's. */
const LASTING: readonly string[] = ['INVALID_REQUEST', 'REFUSED_ADDRESS', 'NEEDS_HTTPS', 'TOO_LARGE'];
const LONGEST_WAIT_MS = 3_600_000;

/** How an answer is read. */
export interface Reading {
  /** Every status but 2xx is tried again. */
  readonly retryOnAnyNon2xx?: boolean;
  /** The answer is used, so it has to be a JSON object or empty. */
  readonly expectsJson: boolean;
  /** 202 with a `Location` means: later, there. */
  readonly mayPoll: boolean;
}

/** What the answer of a webhook means. */
export function readOutcome({ status, headers, body: bytes }: OutgoingResponse, reading: Reading): Outcome {
  const text = bytes.toString('utf8');
  const body = parseObject(text);
  const said = { status, text, ...(body && { body }) };
  if (status >= 200 && status < 300) {
    const { location } = headers;
    // Where the answer is neither used nor asked for later, it was taken, and that is all.
    if (status === 202 && location && (reading.mayPoll || reading.expectsJson)) {
      if (reading.mayPoll) return { ...said, kind: 'accepted', location, message: '', retryable: false };
      const message = 'It answered 202 with a Location, but the answer to this event is waited for.';
      return { ...said, kind: 'failed', message, retryable: false };
    }
    if (!body && reading.expectsJson) {
      return { ...said, kind: 'failed', message: 'Its answer is no JSON object.', retryable: false };
    }
    return { ...said, kind: 'answered', message: '', retryable: false };
  }
  const isRedirect = status >= 300 && status < 400;
  return {
    ...said,
    kind: 'failed',
    message: isRedirect ? `It answered ${status}; redirects are not followed.` : `It answered ${status}.`,
    retryable: PASSING.includes(status) || reading.retryOnAnyNon2xx === true,
    retryAfterMs: readRetryAfter(headers['retry-after']),
  };
}

/** What a call means that got no answer. */
export function readFailure(error: unknown): Outcome {
  if (!(error instanceof OutgoingError)) throw error;
  return { kind: 'failed', text: '', message: error.message, retryable: !LASTING.includes(error.reason) };
}

/** A JSON object, also behind a byte order mark; `{}` for an empty text; undefined for anything else. */
export function parseObject(text: string): JsonObject | undefined {
  const json = text.trim();
  if (json === '') return {};
  try {
    const value = JSON.parse(json) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

/** Seconds or a date. */
function readRetryAfter(header: string | undefined): number | undefined {
  if (!header) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), LONGEST_WAIT_MS) : undefined;
}
