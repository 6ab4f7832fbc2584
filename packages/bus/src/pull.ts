import type { Runtime } from '@intake/service';
import type { Consumer, ConsumerMessages, JsMsg } from 'nats';
import type { Bus } from './connection';
import type { STREAMS } from './subjects';

/** A running pull loop. */
export interface Pull {
  /** Takes no more messages and waits for those in work. */
  stop(): Promise<void>;
}

/** How a pull loop works. */
export interface PullOptions {
  readonly stream: keyof typeof STREAMS;
  readonly durable: string;
  readonly subjects: string[];
  /** Messages in work at the same time. */
  readonly concurrency: number;
  /** Places for further messages at which more are asked for: many cost as much to ask for as one. */
  readonly atLeastFree?: number;
  /** Nanoseconds are NATS's business: milliseconds here. */
  readonly ackWaitMs: number;
  readonly handle: (message: JsMsg) => Promise<void>;
  /** Messages with the same key are handled one after the other. */
  readonly keyOf?: (message: JsMsg) => string;
}

const FETCH_MS = 5000;
const PAUSE_MS = 500;

/**
 * Pulls messages of a durable consumer for ever. Streams and consumers that have gone (NATS lost its data) are made
 * again; while NATS is away the loop waits. Messages in work are kept from redelivery by heartbeats.
 */
export function startPull(runtime: Runtime, bus: Bus, options: PullOptions): Pull {
  const { stream, durable, subjects, concurrency, atLeastFree = 1, ackWaitMs, handle, keyOf } = options;
  const inWork = new Set<Promise<void>>();
  const tails = new Map<string, Promise<void>>();
  let stopped = false;
  let fetching: ConsumerMessages | undefined;
  let wakeUp: (() => void) | undefined;
  let askToStop: () => void = () => undefined;
  const askedToStop = new Promise<void>((resolve) => {
    askToStop = resolve;
  });

  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const open = async (): Promise<Consumer> => {
    await bus.ensureConsumer(stream, {
      durable_name: durable,
      filter_subjects: subjects,
      ack_wait: ackWaitMs * 1e6,
      max_ack_pending: Math.max(concurrency * 4, 64),
    });
    return (await bus.jetstream()).consumers.get(bus.streamName(stream), durable);
  };

  const work = async (message: JsMsg): Promise<void> => {
    try {
      await handle(message);
    } catch (error) {
      runtime.log.error({ err: error, durable }, 'message handler failed');
    }
  };

  const dispatch = (message: JsMsg): void => {
    const key = keyOf?.(message);
    const before = key === undefined ? undefined : tails.get(key);
    // From the start, not only from its turn: what waits behind a slow one must not be delivered again meanwhile.
    const heartbeat = setInterval(() => message.working(), ackWaitMs / 3);
    const task = (before ?? Promise.resolve()).then(() => work(message)).finally(() => clearInterval(heartbeat));
    if (key !== undefined) tails.set(key, task);
    inWork.add(task);
    void task.finally(() => {
      inWork.delete(task);
      if (key !== undefined && tails.get(key) === task) tails.delete(key);
    });
  };

  const loop = async (): Promise<void> => {
    let consumer: Consumer | undefined;
    while (!stopped) {
      try {
        // Each wait leaves something behind at the promise of the end, so there is none while all is well.
        if (!bus.online) await Promise.race([bus.connected(), askedToStop]);
        if (stopped) return;
        consumer ??= await open();
        if (concurrency - inWork.size < atLeastFree) {
          await Promise.race(inWork);
          continue;
        }
        fetching = await consumer.fetch({ max_messages: concurrency - inWork.size, expires: FETCH_MS });
        const askedAt = Date.now();
        let received = 0;
        for await (const message of fetching) {
          received += 1;
          dispatch(message);
        }
        if (received === 0 && Date.now() - askedAt < FETCH_MS / 2 && !stopped)
          throw new Error('the server gave up early');
      } catch (error) {
        if (stopped || bus.stopping) return;
        runtime.log.warn({ durable, problem: (error as Error).message }, 'bus consumer will be opened again');
        consumer = undefined;
        await pause(PAUSE_MS);
      }
    }
  };
  const running = loop();

  return {
    async stop() {
      stopped = true;
      askToStop();
      wakeUp?.();
      fetching?.stop();
      await Promise.race([running, new Promise((resolve) => setTimeout(resolve, 1000).unref())]);
      await Promise.all(inWork);
    },
  };
}
