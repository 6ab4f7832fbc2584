import { randomUUID } from 'node:crypto';
import { type ClientSession, type Database, type Inbox, isMongoUnavailable, transaction } from '@intake/mongo';
import { contextFromTraceparent, type Runtime, runInContext, withSpan } from '@intake/service';
import { SpanKind } from '@opentelemetry/api';
import { headers, type JsMsg } from 'nats';
import { Counter } from 'prom-client';
import type { Bus } from './connection';
import { type BusEvent, fromMessage } from './event';
import { startPull } from './pull';
import { afterFailure } from './retry';
import type { Subject } from './subjects';

/** The part of acting on an event that happens in one transaction, together with the note that the event was seen. */
export type Effect = (session: ClientSession) => Promise<void>;

/** What a service does about one kind of event. */
export interface EventHandler<S extends Subject> {
  /** Reads what it needs (rpcs included) and answers the effect. May run more than once; only the effect counts once. */
  readonly on: (event: BusEvent<S>) => Promise<Effect> | Effect;
  /** After the last try: makes the failure visible to the user. Runs in the transaction that notes the event. */
  readonly giveUp?: (event: BusEvent<S>, error: Error, session: ClientSession) => Promise<void>;
}

/** Subject -> what to do. */
export type EventHandlers = { readonly [S in Subject]?: EventHandler<S> };

/** What a consumer stands on. */
export interface ConsumerOptions {
  readonly bus: Bus;
  readonly database: Database;
  readonly inbox: Inbox;
  readonly handlers: EventHandlers;
  /** Tells that a failure is somebody else's and passes (a neighbour that is away). */
  readonly isAway?: (error: unknown) => boolean;
  /** Events in work at the same time; those of one aggregate always one after the other. */
  readonly concurrency?: number;
}

const ACK_WAIT_MS = 30_000;

/**
 * The service's durable consumer of events: each event takes effect once, however often it is delivered. A failure is
 * tried again after the waits of the retry table; then the event is given up and parked among the dead letters.
 */
export function startConsumer(runtime: Runtime, options: ConsumerOptions): void {
  const { bus, database, inbox, handlers, isAway = () => false, concurrency = 16 } = options;
  const subjects = Object.keys(handlers) as Subject[];
  const names = new Map(subjects.map((subject) => [bus.subjectOf(subject), subject]));
  const handled = new Counter({
    name: 'intake_bus_events_total',
    help: 'Deliveries of events, by subject and outcome (done, repeated, retried, parked)',
    labelNames: ['subject', 'outcome'],
    registers: [runtime.metrics],
  });

  const actOn = async (event: BusEvent, handler: EventHandler<Subject>): Promise<'done' | 'repeated'> => {
    if (await inbox.has(runtime.name, event.id)) return 'repeated';
    const effect = await handler.on(event);
    let outcome: 'done' | 'repeated' = 'repeated';
    await transaction(database, async (session) => {
      outcome = 'repeated';
      if (!(await inbox.claim(session, runtime.name, event.id))) return;
      await effect(session);
      outcome = 'done';
    });
    return outcome;
  };

  const handle = async (message: JsMsg): Promise<void> => {
    const subject = names.get(message.subject);
    const handler = subject && (handlers[subject] as EventHandler<Subject> | undefined);
    if (!subject || !handler) {
      message.ack();
      return;
    }
    const event = fromMessage(message, subject);
    const context = { requestId: event.requestId ?? randomUUID(), otel: contextFromTraceparent(event.traceparent) };
    await runInContext(context, async () => {
      try {
        const outcome = await withSpan(runtime.tracer, `consume ${subject}`, SpanKind.CONSUMER, () =>
          actOn(event, handler),
        );
        handled.inc({ subject, outcome });
        await message.ackAck();
      } catch (cause) {
        const error = cause as Error;
        const next = afterFailure(message.info.deliveryCount, isMongoUnavailable(error) || isAway(error));
        if (next.kind === 'retry') {
          runtime.log.warn(
            { err: error, event: event.id, tries: message.info.deliveryCount, delayMs: next.delayMs },
            'event will be tried again',
          );
          handled.inc({ subject, outcome: 'retried' });
          message.nak(next.delayMs);
          return;
        }
        runtime.log.error(
          { err: error, event: event.id, tries: message.info.deliveryCount },
          'event is given up and parked',
        );
        await transaction(database, async (session) => {
          if (!(await inbox.claim(session, runtime.name, event.id))) return;
          await handler.giveUp?.(event, error, session);
        });
        await park(bus, runtime.name, message, error);
        handled.inc({ subject, outcome: 'parked' });
      }
    });
  };

  const pull = startPull(runtime, bus, {
    stream: 'events',
    durable: runtime.name,
    subjects: [...names.keys()],
    concurrency,
    ackWaitMs: ACK_WAIT_MS,
    handle,
    keyOf: (message) => message.headers?.get('Intake-Aggregate') ?? '',
  });
  runtime.onStop('event consumer', () => pull.stop());
}

/** Copies a message to the dead letters, with the reason, and takes it off the stream's deliveries. */
async function park(bus: Bus, consumer: string, message: JsMsg, error: Error): Promise<void> {
  const h = headers();
  for (const key of message.headers?.keys() ?? []) h.set(key, message.headers?.get(key) ?? '');
  h.set('Nats-Msg-Id', `dead/${consumer}/${message.headers?.get('Nats-Msg-Id')}`);
  h.set('Intake-Dead-Subject', message.subject);
  h.set('Intake-Dead-Consumer', consumer);
  h.set('Intake-Dead-Reason', error.message.replaceAll(/\s+/g, ' ').slice(0, 500));
  h.set('Intake-Dead-At', new Date().toISOString());
  await (await bus.jetstream()).publish(bus.deadSubjectOf(consumer), message.data, { headers: h });
  message.term();
}
