import { connect, headers, nanos } from 'nats';

/** Every message comes a second time. */
export interface MessageRepeater {
  /** How many messages were sent again so far. */
  readonly count: number;
  stop(): Promise<void>;
}

/** Shortest time in which NATS itself recognises a message that was sent before, in milliseconds. */
const WINDOW_MS = 100;
const MARK = 'Test-Repeated';

/**
 * Sends every message of an installation again under the same id, later than NATS recognises it, and in another order than before:
 * what relays do that died before they noted what they had published, and what a redelivery after an acknowledgement looks like.
 */
export async function repeatMessages(url: string, prefix: string): Promise<MessageRepeater> {
  const nats = await connect({ servers: url.split(','), timeout: 5000 });
  const manager = await nats.jetstreamManager({ timeout: 5000 });
  for (const stream of ['EVENTS', 'JOBS']) {
    const { config } = await manager.streams.info(`${prefix}-${stream}`);
    await manager.streams.update(config.name, { ...config, duplicate_window: nanos(WINDOW_MS) });
  }
  const js = nats.jetstream();
  let count = 0;
  let waiting: (() => Promise<void>)[] = [];
  const flush = async () => {
    const batch = waiting.reverse();
    waiting = [];
    for (const send of batch) await send();
  };
  let flushing = Promise.resolve();
  const timer = setInterval(() => {
    flushing = flushing.then(flush);
  }, 3 * WINDOW_MS);
  nats.subscribe(`${prefix}.event.>`, {
    callback(_error, { subject, data, headers: sent }) {
      if (sent?.has(MARK)) return;
      const h = headers();
      for (const key of sent?.keys() ?? []) h.set(key, sent?.get(key) ?? '');
      h.set(MARK, '1');
      waiting.push(async () => {
        await js.publish(subject, data, { headers: h });
        count += 1;
      });
    },
  });
  return {
    get count() {
      return count;
    },
    async stop() {
      clearInterval(timer);
      await flushing;
      await flush();
      await nats.close();
    },
  };
}
