import { headers, type JsMsg } from 'nats';
import { type Bus, findMessage } from './connection';
import { idOf } from './event';

/** An event that a consumer gave up on. */
export interface DeadLetter {
  /** Sequence in the DEAD stream, by which it is named. */
  readonly sequence: number;
  readonly consumer: string;
  readonly eventId: string;
  readonly subject: string;
  readonly reason: string;
  readonly at: string;
}

/** Subject of the outbox row of a dead letter: this and the name of the consumer. */
export const DEAD_PREFIX = 'dead.';

/** The outbox row that puts a message among the dead letters of a consumer. */
export function toDeadLetter(message: JsMsg, consumer: string, error: Error) {
  const id = idOf(message);
  return {
    id: `dead/${consumer}/${id}`,
    subject: `${DEAD_PREFIX}${consumer}`,
    payload: readPayload(message),
    aggregate: `dead/${consumer}/${id}`,
    version: Number(message.headers?.get('Intake-Version') ?? 0),
    headers: {
      'Intake-Aggregate': message.headers?.get('Intake-Aggregate') ?? '',
      'Intake-Dead-Subject': message.subject,
      'Intake-Dead-Consumer': consumer,
      'Intake-Dead-Reason': error.message.replaceAll(/\s+/g, ' ').slice(0, 500),
      'Intake-Dead-At': new Date().toISOString(),
    },
  };
}

/** A message that is no JSON is kept as text. */
function readPayload(message: JsMsg): unknown {
  try {
    return message.json();
  } catch {
    return message.string();
  }
}

/** The dead letters, oldest first. */
export async function listDeadLetters(bus: Bus, limit = 100): Promise<DeadLetter[]> {
  const manager = await bus.ensureStreams();
  const stream = bus.streamName('dead');
  const { state } = await manager.streams.info(stream);
  const letters: DeadLetter[] = [];
  // A stream that never held anything says 0, which is no sequence.
  for (let sequence = Math.max(state.first_seq, 1); sequence <= state.last_seq && letters.length < limit; sequence++) {
    const message = await findMessage(manager, stream, sequence);
    if (!message) continue;
    const of = (key: string) => message.header.get(key);
    const consumer = of('Intake-Dead-Consumer');
    letters.push({
      sequence,
      consumer,
      eventId: of('Nats-Msg-Id').replace(`dead/${consumer}/`, ''),
      subject: of('Intake-Dead-Subject'),
      reason: of('Intake-Dead-Reason'),
      at: of('Intake-Dead-At'),
    });
  }
  return letters;
}

/**
 * Puts a dead letter back on the bus under a new event id, so that its consumer acts on it once more, and removes it from
 * the dead letters. Other consumers of the subject see it too and act only if their own rules let them.
 */
export async function replayDeadLetter(bus: Bus, sequence: number): Promise<void> {
  const manager = await bus.ensureStreams();
  const stream = bus.streamName('dead');
  const message = await manager.streams.getMessage(stream, { seq: sequence });
  const h = headers();
  for (const key of message.header.keys())
    if (!key.startsWith('Intake-Dead') && key !== 'Nats-Msg-Id') h.set(key, message.header.get(key));
  const eventId = message.header.get('Nats-Msg-Id').split('/').slice(2).join('/');
  await (await bus.jetstream()).publish(message.header.get('Intake-Dead-Subject'), message.data, {
    headers: h,
    msgID: `${eventId}#replay-${sequence}`,
  });
  await manager.streams.deleteMessage(stream, sequence);
}
