import type { OutboxRow } from '@intake/mongo';
import { headers, type JsMsg, type Msg, type MsgHdrs } from 'nats';
import { type Payload, SUBJECTS, type Subject } from './subjects';

/** A fact or job as a consumer gets it. */
export interface BusEvent<S extends Subject = Subject> {
  /** `<aggregate>:<version>`; the same on every redelivery. */
  readonly id: string;
  readonly subject: S;
  readonly payload: Payload<S>;
  /** What the event is about, such as `annotation:17`. */
  readonly aggregate: string;
  readonly version: number;
  readonly at: Date;
  readonly requestId?: string;
  readonly traceparent?: string;
}

/** An event before it is written to the outbox. */
export type NewEvent = {
  [S in Subject]: {
    readonly subject: S;
    readonly aggregate: string;
    readonly version: number;
    readonly payload: Payload<S>;
    /** Not 0: the same fact is put on the bus once more, so that consumers act on it once more. */
    readonly resend?: number;
  };
}[Subject];

/** The outbox row of an event: id from aggregate and version, payload as JSON. */
export function toOutboxRow({ subject, aggregate, version, payload, resend }: NewEvent) {
  return {
    id: `${subject}/${aggregate}:${version}${resend ? `#${resend}` : ''}`,
    subject,
    aggregate,
    version,
    payload: SUBJECTS[subject].toJSON(payload as never),
  };
}

const HEADER = {
  aggregate: 'Intake-Aggregate',
  version: 'Intake-Version',
  at: 'Intake-At',
  requestId: 'Intake-Request-Id',
  traceparent: 'traceparent',
  id: 'Nats-Msg-Id',
  again: 'Intake-Again',
} as const;

/** Headers of the message that carries an outbox row. */
export function toHeaders(row: OutboxRow): MsgHdrs {
  const h = headers();
  h.set(HEADER.aggregate, row.aggregate);
  h.set(HEADER.version, String(row.version));
  h.set(HEADER.at, row.at.toISOString());
  if (row.requestId) h.set(HEADER.requestId, row.requestId);
  if (row.traceparent) h.set(HEADER.traceparent, row.traceparent);
  if (row.again) h.set(HEADER.again, '1');
  for (const [key, value] of Object.entries(row.headers ?? {})) h.set(key, value);
  return h;
}

/** Whether the relay published the message because the bus had lost its data: consumers may have acted on it before. */
export function wasPublishedAgain(message: Pick<Msg, 'headers'>): boolean {
  return message.headers?.has(HEADER.again) ?? false;
}

/** The request that made the event in a message. */
export function requestIdOf(message: Pick<Msg, 'headers'>): string | undefined {
  return message.headers?.get(HEADER.requestId) || undefined;
}

/** Id of the event in a message, also when the rest of it cannot be read. */
export function idOf(message: JsMsg): string {
  return message.headers?.get(HEADER.id) || `${message.info.stream}#${message.seq}`;
}

/** Reads a message back into an event; throws when it is none. Unknown fields of newer versions are dropped. */
export function fromMessage<S extends Subject>(message: JsMsg, subject: S): BusEvent<S> {
  const h = message.headers;
  return {
    id: idOf(message),
    subject,
    payload: SUBJECTS[subject].fromJSON(message.json()) as Payload<S>,
    aggregate: h?.get(HEADER.aggregate) ?? '',
    version: Number(h?.get(HEADER.version) ?? 0),
    at: new Date(h?.get(HEADER.at) ?? 0),
    requestId: requestIdOf(message),
    traceparent: h?.get(HEADER.traceparent) || undefined,
  };
}
