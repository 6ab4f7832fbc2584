import type { Runtime } from '@intake/service';
import {
  AckPolicy,
  type ConsumerConfig,
  connect,
  DeliverPolicy,
  DiscardPolicy,
  type JetStreamClient,
  type JetStreamManager,
  type NatsConnection,
  nanos,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from 'nats';
import { type Payload, STREAMS, SUBJECTS, type Subject } from './subjects';

/** How to reach NATS. */
export interface BusOptions {
  readonly url: string;
  /** Streams are named `<prefix>-EVENTS`, subjects begin with `<prefix>.`. */
  readonly prefix: string;
}

/** The installation's bus. It may be away at any time, also at start: what needs it waits, nothing else does. */
export interface Bus {
  /** Full NATS subject of an event or job. */
  subjectOf(subject: Subject): string;
  streamName(stream: keyof typeof STREAMS): string;
  /** NATS subject of the dead letters of a consumer. */
  deadSubjectOf(consumer: string): string;
  /** The connection, once there is one. */
  connected(): Promise<NatsConnection>;
  jetstream(): Promise<JetStreamClient>;
  /** Creates what is missing of the three streams. */
  ensureStreams(): Promise<JetStreamManager>;
  /** Creates or updates a durable consumer. */
  ensureConsumer(stream: keyof typeof STREAMS, config: Partial<ConsumerConfig>): Promise<void>;
  /** Calls `handle` for every such event from now on, in every replica; nothing is kept for later. */
  listen<S extends Subject>(subject: S, handle: (payload: Payload<S>) => void): void;
  /** How often the connection was lost and found again. */
  readonly reconnects: number;
  readonly stopping: boolean;
}

const DAYS = 24 * 3600 * 1000;

/** Connects in the background and keeps trying for ever. */
export function connectBus(runtime: Runtime, { url, prefix }: BusOptions): Bus {
  let stopping = false;
  let reconnects = 0;
  const connection = connect({
    servers: url.split(','),
    name: `intake-${runtime.name}`,
    waitOnFirstConnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    reconnectJitter: 100,
    timeout: 5000,
    pingInterval: 10_000,
    maxPingOut: 2,
  });
  connection.then(
    async (nats) => {
      for await (const { type } of nats.status()) {
        if (type === 'reconnect') reconnects += 1;
        if (type === 'disconnect' || type === 'reconnect') runtime.log.info({ nats: type }, 'bus');
      }
    },
    (error) => stopping || runtime.log.error({ err: error }, 'bus cannot be used'),
  );

  const streamName = (stream: keyof typeof STREAMS) => `${prefix}-${STREAMS[stream]}`;
  const streams: Partial<StreamConfig>[] = [
    {
      name: streamName('events'),
      subjects: Object.keys(SUBJECTS)
        .map((subject) => `${prefix}.event.${subject.split('.')[0]}.>`)
        .filter((subject, i, all) => !subject.includes('.jobs.') && all.indexOf(subject) === i),
      retention: RetentionPolicy.Limits,
      max_age: nanos(3 * DAYS),
    },
    { name: streamName('jobs'), subjects: [`${prefix}.event.jobs.>`], retention: RetentionPolicy.Workqueue },
    { name: streamName('dead'), subjects: [`${prefix}.dead.>`], retention: RetentionPolicy.Limits },
  ];

  const bus: Bus = {
    subjectOf: (subject) => `${prefix}.event.${subject}`,
    streamName,
    deadSubjectOf: (consumer) => `${prefix}.dead.${consumer}`,
    connected: () => connection,
    jetstream: async () => (await connection).jetstream({ timeout: 5000 }),
    async ensureStreams() {
      const manager = await (await connection).jetstreamManager({ timeout: 5000 });
      for (const config of streams) {
        const full = {
          storage: StorageType.File,
          discard: DiscardPolicy.Old,
          duplicate_window: nanos(120_000),
          ...config,
        };
        await manager.streams.info(config.name as string).catch(async (error) => {
          if ((error as { api_error?: { code: number } }).api_error?.code !== 404) throw error;
          await manager.streams.add(full).catch((problem) => {
            if (!/already in use/.test(String(problem))) throw problem;
          });
        });
      }
      return manager;
    },
    async ensureConsumer(stream, config) {
      const manager = await bus.ensureStreams();
      await manager.consumers.add(streamName(stream), {
        ack_policy: AckPolicy.Explicit,
        deliver_policy: DeliverPolicy.All,
        ...config,
      });
    },
    listen(subject, handle) {
      void connection.then((nats) => {
        nats.subscribe(bus.subjectOf(subject), {
          callback: (error, message) => {
            if (error) return;
            handle(SUBJECTS[subject].fromJSON(message.json()) as Payload<typeof subject>);
          },
        });
      });
    },
    get reconnects() {
      return reconnects;
    },
    get stopping() {
      return stopping;
    },
  };
  runtime.onStop('NATS', async () => {
    stopping = true;
    const nats = await Promise.race([connection, new Promise<null>((resolve) => setTimeout(() => resolve(null), 100))]);
    await nats?.close();
  });
  return bus;
}
