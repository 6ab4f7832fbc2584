import { randomUUID } from 'node:crypto';
import {
  type ClientSession,
  type Database,
  type Inbox,
  isMongoUnavailable,
  type Outbox,
  transaction,
} from '@intake/mongo';
import { contextFromTraceparent, type Runtime, runInContext, withSpan } from '@intake/service';
import { SpanKind } from '@opentelemetry/api';
import type { JsMsg } from 'nats';
import { Counter } from 'prom-client';
import { createAcknowledge } from './acknowledge';
import type { Bus } from './connection';
import { toDeadLetter } from './dead-letters';
import { type BusEvent, fromMessage, idOf, wasPublishedAgain } from './event';
import { createFailedFirst } from './failed-first';
import { createGroupCommit, type Outcome } from './group-commit';
import type { EventHandler, EventHandlers } from './handlers';
import { startPull } from './pull';
import { afterFailure, RETRY_DELAYS, type RetryDelays } from './retry';
import type { Subject } from './subjects';

/** What a consumer stands on. */
export interface ConsumerOptions {
  readonly bus: Bus;
  readonly database: Database;
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly handlers: EventHandlers;
  /** Tells that a failure is somebody else's and passes (a neighbour that is away). */
  readonly isAway?: (error: unknown) => boolean;
  /** Events in work at the same time; those of one aggregate always one after the other. */
  readonly concurrency?: number;
  /** Other waits than those of the retry table, for tests. */
  readonly delays?: Partial<RetryDelays>;
}

/**
 * The service's durable consumer of events: each event takes effect once, however often it is delivered. A failure is
 * tried again after the waits of the retry table; then the event is given up and parked among the dead letters. Failures
 * that are somebody else's are tried again for as long as they last.
 *
 * Events of one aggregate are acted on one after the other in each replica, in the order of their versions: those after one that
 * failed wait for it. Between replicas there is no order; a handler for which a late event would be wrong compares
 * `event.version` with what it has.
 */
export function startConsumer(runtime: Runtime, options: ConsumerOptions): void {
  const { bus, database, inbox, outbox, handlers, isAway = () => false, concurrency = 32 } = options;
  const delays = { ...RETRY_DELAYS, ...options.delays };
  const subjects = Object.keys(handlers) as Subject[];
  const names = new Map(subjects.map((subject) => [bus.subjectOf(subject), subject]));
  const handled = new Counter({
    name: 'intake_bus_events_total',
    help: 'Deliveries of events, by subject and outcome (done, repeated, retried, parked)',
    labelNames: ['subject', 'outcome'],
    registers: [runtime.metrics],
  });
  // Counted from the first on: an increase from nothing is none to Prometheus, and one parked event is one too many.
  for (const subject of subjects) handled.inc({ subject, outcome: 'parked' }, 0);

  const commit = createGroupCommit(database, inbox, runtime.name);
  const acknowledge = createAcknowledge();
  const order = createFailedFirst();

  const actOn = async (event: BusEvent, handler: EventHandler<Subject>, mayBeRepeated: boolean): Promise<Outcome> => {
    // Only then: the claim with the effect decides, this saves the work before it.
    if (mayBeRepeated && (await inbox.has(runtime.name, event.id))) return 'repeated';
    return commit(event, 'together' in handler ? handler : await handler.on(event));
  };

  /** The failure is recorded where the user sees it, together with the dead letter, in one transaction. */
  const giveUp = async (message: JsMsg, error: Error, more?: (session: ClientSession) => Promise<void>) => {
    const id = idOf(message);
    runtime.log.error({ err: error, event: id }, 'event is given up and parked');
    await transaction(database, async (session) => {
      const [isNew] = await inbox.claim(session, runtime.name, [id]);
      if (!isNew) return;
      await more?.(session);
      await outbox.add(session, toDeadLetter(message, runtime.name, error));
    });
  };

  const handle = async (message: JsMsg): Promise<void> => {
    const subject = names.get(message.subject);
    const handler = subject && (handlers[subject] as EventHandler<Subject> | undefined);
    if (!subject || !handler) {
      message.ack();
      return;
    }
    let event: BusEvent;
    try {
      event = fromMessage(message, subject);
    } catch (error) {
      await giveUp(message, error as Error);
      handled.inc({ subject, outcome: 'parked' });
      message.term();
      return;
    }
    const holdMs = order.waitFor(event);
    if (holdMs > 0) {
      message.nak(holdMs);
      return;
    }
    const context = { requestId: event.requestId ?? randomUUID(), otel: contextFromTraceparent(event.traceparent) };
    await runInContext(context, async () => {
      try {
        const outcome = await withSpan(runtime.tracer, `consume ${subject}`, SpanKind.CONSUMER, () =>
          actOn(event, handler, message.redelivered || wasPublishedAgain(message)),
        );
        handled.inc({ subject, outcome });
        order.passed(event);
        await acknowledge(message);
      } catch (cause) {
        await afterError(message, event, handler, cause as Error);
      }
    });
  };

  const afterError = async (message: JsMsg, event: BusEvent, handler: EventHandler<Subject>, error: Error) => {
    const { subject } = event;
    const away = isMongoUnavailable(error) || isAway(error);
    const tries = away ? 0 : await inbox.countFailure(runtime.name, event.id).catch(() => 1);
    const next = afterFailure(tries, away, delays);
    if (next.kind === 'park') {
      try {
        await giveUp(message, error, async (session) => handler.giveUp?.(event, error, session));
        handled.inc({ subject, outcome: 'parked' });
        order.passed(event);
        message.term();
        return;
      } catch (problem) {
        runtime.log.error({ err: problem, event: event.id }, 'giving up failed and will be tried again');
      }
    }
    const delayMs = next.kind === 'retry' ? next.delayMs : delays.away;
    runtime.log.warn({ err: error, event: event.id, tries, delayMs }, 'event will be tried again');
    handled.inc({ subject, outcome: 'retried' });
    order.failed(event, delayMs);
    message.nak(delayMs);
  };

  if (subjects.length === 0) return;
  const pull = startPull(runtime, bus, {
    stream: 'events',
    durable: runtime.name,
    subjects: [...names.keys()],
    concurrency,
    atLeastFree: Math.ceil(concurrency / 2),
    ackWaitMs: delays.lost,
    handle,
    keyOf: (message) => message.headers?.get('Intake-Aggregate') ?? '',
  });
  runtime.onStop('event consumer', () => pull.stop());
}
