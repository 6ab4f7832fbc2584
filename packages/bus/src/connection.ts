import { namePrefix, type Runtime, type Setting } from '@intake/service';
import {
  AckPolicy,
  type ConsumerConfig,
  connect,
  DeliverPolicy,
  DiscardPolicy,
  type JetStreamClient,
  type JetStreamManager,
  type NatsConnection,
  type NatsError,
  nanos,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from 'nats';
import { requestIdOf, wasPublishedAgain } from './event';
import { readNatsUrl } from './nats-url';
import { type Payload, STREAMS, SUBJECTS, type Subject, streamOf } from './subjects';

/** How to reach NATS. */
export interface BusOptions {
  readonly url: string;
  /** Streams are named `<prefix>-EVENTS`, subjects begin with `<prefix>.`. */
  readonly prefix: string;
}

const natsUrl: Setting<string> = {
  variable: 'INTAKE_NATS_URL',
  about: 'NATS with JetStream; several servers separated by commas',
  parse: (text) => {
    readNatsUrl(text);
    return text;
  },
};

/** Settings of whoever connects to the bus. */
export const BUS_SETTINGS = {
  url: natsUrl,
  prefix: namePrefix('INTAKE_NATS_PREFIX', 'streams and subjects begin with it', 'intake'),
};

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
  /**
   * Calls `handle` for every such event from now on, in every replica; nothing is kept for later. `again`: the event is not
   * new, it is published once more because the bus had lost its data. `requestId`: the request that made it.
   */
  listen<S extends Subject>(
    subject: S,
    handle: (payload: Payload<S>, again: boolean, requestId?: string) => void,
  ): void;
  /** Tells all replicas something, this one too; nobody may hear it. The payload is written as JSON. */
  signal(topic: string, payload?: object): void;
  /** Calls `handle` for every signal on a topic. */
  onSignal<T = unknown>(topic: string, handle: (payload: T) => void): void;
  /** Whether NATS can be reached now: what is signalled meanwhile is heard late. */
  readonly online: boolean;
  /** How often the connection was lost and found again. */
  readonly reconnects: number;
  readonly stopping: boolean;
}

/** Pause between attempts while NATS was never reached, in milliseconds. */
const FIRST_CONNECT_PAUSE_MS = 250;
const DAYS = 24 * 3600 * 1000;
/** Servers that keep a stream, where NATS is a cluster; an operator may have more of them. */
const REPLICAS = 3;
/** What NATS answers when it has no servers for as many replicas: "no suitable peers for placement", "insufficient resources". */
const TOO_FEW_SERVERS = [10_005, 10_023];

/** What the client is told where nobody answers for JetStream. */
const NO_JETSTREAM = '503';

/** Connects in the background and keeps trying for ever. */
export function connectBus(runtime: Runtime, { url, prefix }: BusOptions): Bus {
  const servers = readNatsUrl(url);
  let stopping = false;
  let reconnects = 0;
  let online = false;
  let current: NatsConnection | undefined;
  let wakeUp: () => void = () => undefined;
  const connectOnce = () =>
    connect({
      ...servers,
      name: `intake-${runtime.name}`,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      reconnectJitter: 100,
      timeout: 5000,
      pingInterval: 10_000,
      maxPingOut: 2,
    });
  const keepTrying = async (): Promise<NatsConnection> => {
    for (let tries = 0; !stopping; tries++) {
      try {
        current = await connectOnce();
        if (!stopping) return current;
        await current.close();
      } catch (error) {
        if (tries % 40 === 0)
          runtime.log.warn({ problem: (error as Error).message }, 'NATS cannot be reached, trying on');
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, FIRST_CONNECT_PAUSE_MS);
          wakeUp = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    }
    throw new Error('the bus is closed');
  };
  const connection = keepTrying();
  connection.then(
    async (nats) => {
      online = true;
      for await (const { type } of nats.status()) {
        if (type === 'reconnect') reconnects += 1;
        if (type === 'disconnect' || type === 'reconnect') online = type === 'reconnect';
        if (type === 'disconnect' || type === 'reconnect') runtime.log.info({ nats: type }, 'bus');
      }
    },
    (error) => stopping || runtime.log.error({ err: error }, 'bus cannot be used'),
  );

  const streamName = (stream: keyof typeof STREAMS) => `${prefix}-${STREAMS[stream]}`;
  const streams: Partial<StreamConfig>[] = [
    {
      name: streamName('events'),
      subjects: [
        ...new Set(
          (Object.keys(SUBJECTS) as Subject[])
            .filter((subject) => streamOf(subject) === 'events')
            .map((subject) => `${prefix}.event.${subject.split('.')[0]}.>`),
        ),
      ],
      retention: RetentionPolicy.Limits,
      max_age: nanos(3 * DAYS),
    },
    { name: streamName('jobs'), subjects: [`${prefix}.event.jobs.>`], retention: RetentionPolicy.Workqueue },
    { name: streamName('dead'), subjects: [`${prefix}.dead.>`], retention: RetentionPolicy.Limits },
  ];

  /** A cluster that has too few servers, or not all of them now, is asked again when a consumer is opened. */
  const ensureReplicas = async (manager: JetStreamManager, name: string): Promise<void> => {
    if (!current?.info?.cluster) return;
    const { config } = await manager.streams.info(name);
    if (config.num_replicas >= REPLICAS) return;
    await manager.streams.update(name, { ...config, num_replicas: REPLICAS }).catch((error) => {
      if (!TOO_FEW_SERVERS.includes((error as NatsError).api_error?.err_code ?? 0)) throw error;
      runtime.log.info({ stream: name, problem: error.message }, 'a stream has fewer replicas than it should');
    });
  };

  const bus: Bus = {
    subjectOf: (subject) => `${prefix}.event.${subject}`,
    streamName,
    deadSubjectOf: (consumer) => `${prefix}.dead.${consumer}`,
    connected: () => connection,
    jetstream: async () => (await connection).jetstream({ timeout: 5000 }),
    async ensureStreams() {
      const manager = await (await connection).jetstreamManager({ timeout: 5000 }).catch((error) => {
        if ((error as NatsError).code !== NO_JETSTREAM) throw error;
        throw new Error('NATS answers, its JetStream does not: is it switched on, and do most of its servers run?');
      });
      for (const config of streams) {
        const full = {
          storage: StorageType.File,
          discard: DiscardPolicy.Old,
          duplicate_window: nanos(120_000),
          ...config,
        };
        const name = config.name as string;
        const found = await manager.streams.info(name).catch((error) => {
          if (isNotFound(error)) return undefined;
          throw error;
        });
        if (!found) {
          await manager.streams.add(full).catch((problem) => {
            if (!/already in use/.test(String(problem))) throw problem;
          });
        } else if (!config.subjects?.every((subject) => found.config.subjects.includes(subject))) {
          // What a newer version has added stays.
          const subjects = [...new Set([...found.config.subjects, ...(config.subjects ?? [])])];
          await manager.streams.update(name, { ...found.config, subjects });
        }
        await ensureReplicas(manager, name);
      }
      return manager;
    },
    async ensureConsumer(stream, config) {
      const manager = await bus.ensureStreams();
      const name = streamName(stream);
      const durable = config.durable_name as string;
      const found = await manager.consumers.info(name, durable).catch((error) => {
        if (isNotFound(error)) return undefined;
        throw error;
      });
      if (!found) {
        await manager.consumers.add(name, {
          ack_policy: AckPolicy.Explicit,
          deliver_policy: DeliverPolicy.All,
          ...config,
        });
        return;
      }
      const { durable_name: _, ...wanted } = config;
      const { filter_subjects, filter_subject, ack_wait, max_ack_pending } = found.config;
      const same =
        sameList(filter_subjects ?? (filter_subject ? [filter_subject] : []), wanted.filter_subjects) &&
        ack_wait === wanted.ack_wait &&
        max_ack_pending === wanted.max_ack_pending;
      if (!same) await manager.consumers.update(name, durable, wanted);
    },
    listen(subject, handle) {
      const subscribe = (nats: NatsConnection) => {
        nats.subscribe(bus.subjectOf(subject), {
          callback: (error, message) => {
            if (error) return;
            try {
              const payload = SUBJECTS[subject].fromJSON(message.json()) as Payload<typeof subject>;
              handle(payload, wasPublishedAgain(message), requestIdOf(message));
            } catch (problem) {
              runtime.log.error({ err: problem, subject }, 'event could not be heard');
            }
          },
        });
      };
      connection.then(subscribe, () => undefined);
    },
    signal(topic, payload = {}) {
      if (current && !current.isClosed()) current.publish(`${prefix}.signal.${topic}`, JSON.stringify(payload));
    },
    onSignal<T>(topic: string, handle: (payload: T) => void) {
      const subscribe = (nats: NatsConnection) => {
        nats.subscribe(`${prefix}.signal.${topic}`, {
          callback: (error, message) => {
            if (error) return;
            try {
              handle((message.data.length > 0 ? message.json() : {}) as T);
            } catch (problem) {
              runtime.log.error({ err: problem, topic }, 'signal could not be heard');
            }
          },
        });
      };
      connection.then(subscribe, () => undefined);
    },
    get online() {
      return online;
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
    wakeUp();
    await current?.close();
  });
  return bus;
}

/** A message of a stream, or null when the stream has none there; other failures are thrown, they say nothing about it. */
export async function findMessage(manager: JetStreamManager, stream: string, sequence: number) {
  try {
    return await manager.streams.getMessage(stream, { seq: sequence });
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

function isNotFound(error: unknown): boolean {
  return (error as { api_error?: { code: number } }).api_error?.code === 404;
}

function sameList(one: readonly string[] = [], other: readonly string[] = []): boolean {
  return one.length === other.length && one.every((item) => other.includes(item));
}
