import { setTimeout as pause } from 'node:timers/promises';
import type { Leases, Outbox, OutboxRow } from '@intake/mongo';
import { isMongoUnavailable } from '@intake/mongo';
import type { Runtime } from '@intake/service';
import type { JetStreamClient, JetStreamManager } from 'nats';
import { Gauge } from 'prom-client';
import { type Bus, findMessage } from './connection';
import { DEAD_PREFIX } from './dead-letters';
import { toHeaders } from './event';
import type { Subject } from './subjects';

const encoder = new TextEncoder();
const BATCH = 200;
const POLL_MS = 1000;
/** While events keep coming, they are collected for so long and go together: one look and one note for all of them. */
const COLLECT_MS = 20;
/** Published events are noted together, so long after the first of them at the latest. Who forgets them publishes them again. */
const NOTE_MS = 250;
const LEASE_MS = 6000;
/** Rows that go to other streams than the events. */
const NOT_EVENTS = /^(jobs|dead)\./;
/** Sent rows younger than this are published again when the bus lost its data (the outbox keeps them as long). */
const REPUBLISH_MS = 3 * 24 * 3600 * 1000;

/**
 * Publishes the service's outbox to the bus, in order, at least once, from one replica at a time. It wakes when a
 * transaction of this process added events, or another replica says so, with a poll as fallback; the other replicas only look
 * now and then whether it is gone. When a stream turns out to
 * be new, or no longer has what was published last, everything recent is published again.
 */
export function startRelay(runtime: Runtime, bus: Bus, outbox: Outbox, leases: Leases): void {
  let stopped = false;
  let wake: () => void = () => undefined;
  let rest: NodeJS.Timeout | undefined;
  let pending = false;
  let isHolder = false;
  let askToStop: () => void = () => undefined;
  const askedToStop = new Promise<void>((resolve) => {
    askToStop = resolve;
  });
  new Gauge({
    name: 'intake_outbox_lag_seconds',
    help: 'Age of the oldest event that is not yet on the bus',
    registers: [runtime.metrics],
    async collect() {
      this.set(await outbox.lagSeconds().catch(() => Number.NaN));
    },
  });

  const nextWake = (ms: number) =>
    new Promise<void>((resolve) => {
      wake = () => {
        pending = true;
        clearTimeout(rest);
        resolve();
      };
      rest = setTimeout(resolve, ms);
      if (pending || stopped) wake();
    });

  const topic = `outbox.${runtime.name}`;
  outbox.onAdded(() => (isHolder ? wake() : bus.signal(topic)));
  bus.onSignal(topic, () => {
    if (isHolder) wake();
  });

  /** Whether the stream is still the one that was published to, with the message that was published last. */
  const isComplete = async (manager: JetStreamManager, stream: 'events' | 'jobs', created: string) => {
    const name = bus.streamName(stream);
    const before = await outbox.readCreation(name);
    if (before !== null && before !== created) return false;
    if (stream === 'jobs') return true; // done tickets leave the stream, so there is nothing to compare with
    const last = await outbox.findLastSent(NOT_EVENTS, new Date(Date.now() - REPUBLISH_MS / 2));
    if (!last) return true;
    const message = await findMessage(manager, name, last.sequence);
    return message?.header.get('Nats-Msg-Id') === last.id;
  };

  /** Publishes everything recent again when a stream has lost what was published to it. */
  const checkStreams = async (): Promise<void> => {
    const manager = await bus.ensureStreams();
    for (const stream of ['events', 'jobs'] as const) {
      const name = bus.streamName(stream);
      const created = String((await manager.streams.info(name)).created);
      if (!(await isComplete(manager, stream, created))) {
        const count = await outbox.markUnsentSince(new Date(Date.now() - REPUBLISH_MS));
        runtime.log.warn({ stream: name, count }, 'the bus lost data; recent events are published again');
      }
      await outbox.writeCreation(name, created); // last, so that a failure on the way is found again
    }
  };

  const natsSubjectOf = ({ subject }: OutboxRow): string =>
    subject.startsWith(DEAD_PREFIX)
      ? bus.deadSubjectOf(subject.slice(DEAD_PREFIX.length))
      : bus.subjectOf(subject as Subject);

  const publishRow = async (js: JetStreamClient, row: OutboxRow): Promise<number> => {
    const ack = await js.publish(natsSubjectOf(row), encoder.encode(JSON.stringify(row.payload)), {
      msgID: row._id,
      headers: toHeaders(row),
      timeout: 5000,
    });
    return ack.seq;
  };

  /** What this relay has published and not yet noted: id -> sequence in the stream. */
  const published = new Map<string, number>();
  let notedAt = 0;
  const note = async (): Promise<void> => {
    const sent = [...published].map(([id, sequence]) => ({ id, sequence }));
    if (sent.length > 0) await outbox.markSent(sent);
    for (const { id } of sent) published.delete(id);
    notedAt = Date.now();
  };

  /** Rows of one aggregate go one after the other, and none after one that failed: their order is kept. */
  const publish = async (rows: OutboxRow[]): Promise<void> => {
    const js = await bus.jetstream();
    if (published.size === 0) notedAt = Date.now();
    const results = await Promise.allSettled(
      groupByAggregate(rows).map(async (group) => {
        for (const row of group) published.set(row._id, await publishRow(js, row));
      }),
    );
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  };

  /** Publishes until the lease is lost or the relay stops. */
  const relayUnderLease = async (): Promise<void> => {
    if (!bus.online) await Promise.race([bus.connected(), askedToStop]); // not each time: see pull.ts
    if (stopped) return;
    const lease = await leases.acquire('outbox-relay', LEASE_MS);
    if (!lease) {
      pending = false;
      await nextWake(POLL_MS);
      return;
    }
    let checkedAt = -1;
    let renewedAt = Date.now();
    isHolder = true;
    try {
      while (!stopped) {
        if (Date.now() - renewedAt > LEASE_MS / 3) {
          if (!(await lease.renew())) return;
          renewedAt = Date.now();
        }
        const { reconnects } = bus;
        if (checkedAt !== reconnects) {
          await note();
          await checkStreams();
          checkedAt = reconnects;
        }
        pending = false;
        const lookedAt = Date.now();
        const rows = await outbox.findUnsent(BATCH, [...published.keys()]);
        if (rows.length > 0) await publish(rows);
        if (published.size >= BATCH || Date.now() - notedAt >= NOTE_MS) await note();
        if (rows.length < BATCH) await nextWake(published.size > 0 ? NOTE_MS : POLL_MS);
        const early = lookedAt + COLLECT_MS - Date.now();
        if (early > 0 && rows.length > 0 && rows.length < BATCH && !stopped) await pause(early);
      }
    } finally {
      isHolder = false;
      await note().catch(() => published.clear());
      await lease.release().catch(() => undefined);
    }
  };

  const loop = async (): Promise<void> => {
    while (!stopped) {
      try {
        await relayUnderLease();
      } catch (error) {
        if (stopped || bus.stopping) return;
        runtime.log.warn(
          { problem: (error as Error).message, mongo: isMongoUnavailable(error) },
          'outbox relay will try again',
        );
        pending = false;
        await nextWake(POLL_MS);
      }
    }
  };
  const running = loop();
  runtime.onStop('outbox relay', async () => {
    stopped = true;
    askToStop();
    wake();
    await Promise.race([running, new Promise((resolve) => setTimeout(resolve, 6000).unref())]);
  });
}

function groupByAggregate(rows: readonly OutboxRow[]): OutboxRow[][] {
  const groups = new Map<string, OutboxRow[]>();
  for (const row of rows) {
    const own = groups.get(row.aggregate) ?? [];
    own.push(row);
    groups.set(row.aggregate, own);
  }
  return [...groups.values()];
}
