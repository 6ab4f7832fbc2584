import { randomUUID } from 'node:crypto';
import { PassThrough, type Readable } from 'node:stream';
import { ANNOTATION_STATUSES, type Bus } from '@intake/bus';
import { type Caller, isNeighbourAway, Refusal, rateLimited } from '@intake/rpc';
import { currentContext, type Runtime, runInContext } from '@intake/service';
import type { ApiUrls } from '@intake/urls';
import { Gauge } from 'prom-client';
import { EventLog } from './event-log';
import {
  annotationChanged,
  type ContentChanged,
  contentChanged,
  type Happened,
  suggestedEditChanged,
  taskChanged,
} from './happened';

/** Who listens, and to whom it is told when who that is has changed. */
export interface Listener {
  readonly caller: Caller;
  readonly urls: ApiUrls;
  /** Id of the event that the client had last, when it comes back. */
  readonly lastEventId: string | undefined;
  /** Who calls now. Rejects with a refusal when the credentials are not good any more. */
  readonly identify: () => Promise<Caller>;
}

/** Streams of server-sent events. */
export interface EventStreams {
  /** Opens a stream; it ends when the client goes, the credentials end, or this process does. Throws RATE_LIMITED. */
  open(listener: Listener): Readable;
  /** The rights or tokens of a user have changed. */
  checkUser(userId: number): void;
  /** Ends all streams, and opens no others. */
  close(): void;
}

/** Streams of one user that one replica holds. */
export const MOST_PER_USER = 20;
/** How often a comment is sent, and the credentials are looked at. */
export const HEARTBEAT_MS = 15_000;
/** What waits for a client that does not read. */
const MOST_WAITING_BYTES = 256 * 1024;
const IDENTIFY_MS = 5000;
/** How long a client waits before it comes back. */
const RETRY_MS = 2000;

interface Stream extends Omit<Listener, 'caller' | 'lastEventId'> {
  caller: Caller;
  readonly output: PassThrough;
}

const format = (name: string, data: object, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

/**
 * Tells clients of changes of state as they are heard on the bus; every replica hears all. What was missed while the bus was
 * away cannot be told: then clients get `ready` once more, which says that they have to read again. docs/events.md.
 */
export function createEventStreams(runtime: Runtime, bus: Bus): EventStreams {
  const log = new EventLog<Happened>();
  const streams = new Set<Stream>();
  /** Which connection to the bus was heard last; 0: none. */
  let heardOn = 0;
  let closed = false;
  new Gauge({
    name: 'intake_event_streams',
    help: 'Open streams of server-sent events',
    registers: [runtime.metrics],
    collect() {
      this.set(streams.size);
    },
  });

  const send = ({ output }: Stream, text: string): void => {
    // Who does not read comes back later, and says what it had; who may not come back need not read the rest.
    if (output.writableEnded || output.readableLength + output.writableLength > MOST_WAITING_BYTES) output.destroy();
    else output.write(text);
  };
  const sees = ({ caller }: Stream, happened: ContentChanged) =>
    caller.organizationId === happened.organizationId && happened.isFor(caller);
  const tell = (stream: Stream, happened: Happened): void => {
    if (sees(stream, happened)) send(stream, format(happened.name, happened.toJson(stream.urls), happened.id));
  };

  /** What happened between two connections to the bus was not heard. */
  const noticeGap = (): void => {
    const connection = bus.online ? bus.reconnects + 1 : heardOn;
    if (connection === heardOn) return;
    heardOn = connection;
    log.clear();
    for (const stream of streams) send(stream, format('ready', { resumed: false }));
  };
  const hear = (happened: Happened, again: boolean): void => {
    noticeGap();
    if (again || !log.add(happened)) return;
    for (const stream of streams) tell(stream, happened);
  };
  const hearContent = (changed: ContentChanged): void => {
    noticeGap();
    for (const stream of streams)
      if (sees(stream, changed)) send(stream, format('content', changed.toJson(stream.urls)));
  };
  for (const status of ANNOTATION_STATUSES) {
    bus.listen(`annotation.${status}`, (event, again) => hear(annotationChanged(event), again));
  }
  bus.listen('annotation.content_changed', (event, again, requestId) => {
    if (!again) hearContent(contentChanged(event, requestId));
  });
  bus.listen('annotation.suggested_edit_changed', (event, again) => hear(suggestedEditChanged(event), again));
  bus.listen('task.changed', (event, again) => hear(taskChanged(event), again));

  /** Ends the stream when its credentials are not good any more; goes on while nobody can say. */
  const identifyAgain = async (stream: Stream): Promise<void> => {
    const context = {
      requestId: randomUUID(),
      otel: currentContext().otel,
      deadline: new Date(Date.now() + IDENTIFY_MS),
    };
    try {
      stream.caller = await runInContext(context, stream.identify);
    } catch (error) {
      if (error instanceof Refusal && !isNeighbourAway(error)) stream.output.end();
      else runtime.log.warn({ err: error }, 'the credentials of an event stream could not be looked at');
    }
  };

  const beat = setInterval(() => {
    noticeGap();
    for (const stream of streams) {
      send(stream, ': heartbeat\n\n');
      void identifyAgain(stream);
    }
  }, HEARTBEAT_MS).unref();

  return {
    open({ lastEventId, ...listener }) {
      if (closed) throw new Refusal('SERVICE_UNAVAILABLE');
      const { userId } = listener.caller;
      if ([...streams].filter(({ caller }) => caller.userId === userId).length >= MOST_PER_USER) {
        throw rateLimited(HEARTBEAT_MS / 1000);
      }
      noticeGap();
      const stream: Stream = { ...listener, output: new PassThrough() };
      streams.add(stream);
      stream.output.once('close', () => streams.delete(stream)).once('end', () => streams.delete(stream));
      const missed = lastEventId === undefined || !bus.online ? null : log.since(lastEventId);
      send(stream, `retry: ${RETRY_MS}\n${format('ready', { resumed: missed !== null })}`);
      for (const happened of missed ?? []) tell(stream, happened);
      return stream.output;
    },
    checkUser(userId) {
      for (const stream of streams) if (stream.caller.userId === userId) void identifyAgain(stream);
    },
    close() {
      closed = true;
      clearInterval(beat);
      for (const { output } of streams) output.end();
    },
  };
}
