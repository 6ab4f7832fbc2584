import type { Runtime } from '@intake/service';
import type { JsMsg } from 'nats';
import type { Bus } from './connection';
import { type BusEvent, fromMessage } from './event';
import { startPull } from './pull';
import { AWAY_DELAY_MS, LOST_DELAY_MS } from './retry';
import type { Subject } from './subjects';

type Job = Extract<Subject, `jobs.${string}`>;

/**
 * Takes job tickets from the work queue, `concurrency` at a time in this process. A ticket stays in the stream (whose depth
 * is therefore the backlog) until `work` is done; it comes again when the worker dies. `work` decides from its own
 * database what is to be done, so a ticket too many, or one too few, does no harm.
 * @param work answers whether the ticket is used up; otherwise it comes again, as it does when `work` throws
 */
export function startWorkers<S extends Job>(
  runtime: Runtime,
  bus: Bus,
  subject: S,
  concurrency: number,
  work: (ticket: BusEvent<S>) => Promise<boolean>,
  lostAfterMs = LOST_DELAY_MS,
): void {
  const readTicket = (message: JsMsg): BusEvent<S> | undefined => {
    try {
      return fromMessage(message, subject);
    } catch (error) {
      runtime.log.error({ err: error, subject }, 'ticket cannot be read and is dropped');
      return undefined;
    }
  };
  const pull = startPull(runtime, bus, {
    stream: 'jobs',
    durable: subject.replace('.', '-'),
    subjects: [bus.subjectOf(subject)],
    concurrency,
    ackWaitMs: lostAfterMs,
    handle: async (message) => {
      const ticket = readTicket(message);
      if (!ticket) {
        message.term();
        return;
      }
      try {
        if (await work(ticket)) message.ack();
        else message.nak(AWAY_DELAY_MS);
      } catch (error) {
        runtime.log.warn({ err: error, subject }, 'ticket will come again');
        message.nak(AWAY_DELAY_MS);
      }
    },
  });
  runtime.onStop(`workers of ${subject}`, () => pull.stop());
}
