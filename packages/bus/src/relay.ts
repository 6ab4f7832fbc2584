import type { Leases, Outbox, OutboxRow } from '@intake/mongo';
import { isMongoUnavailable } from '@intake/mongo';
import type { Runtime } from '@intake/service';
import { Gauge } from 'prom-client';
import type { Bus } from './connection';
import { toHeaders } from './event';
import { type Subject, streamOf } from './subjects';

const BATCH = 200;
const POLL_MS = 1000;
const LEASE_MS = 6000;
/** Sent rows younger than this are published again when the bus lost its data (the outbox keeps them as long). */
const REPUBLISH_MS = 3 * 24 * 3600 * 1000;

/**
 * Publishes the service's outbox to the bus, in order, at least once, from one replica at a time. Wakes by change stream,
 * with a poll as fallback. When a stream turns out to be new or shorter than it was, everything recent is published again.
 */
export function startRelay(runtime: Runtime, bus: Bus, outbox: Outbox, leases: Leases): void {
  let stopped = false;
  let wake: () => void = () => undefined;
  let rest: NodeJS.Timeout | undefined;
  let pending = false;
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

  /** Compares the streams with what was last known of them. */
  const checkStreams = async (): Promise<void> => {
    const manager = await bus.ensureStreams();
    for (const stream of ['events', 'jobs'] as const) {
      const name = bus.streamName(stream);
      const info = await manager.streams.info(name);
      const created = String(info.created);
      const mark = await outbox.readMark(name);
      if (mark && (mark.created !== created || info.state.last_seq < mark.lastSequence)) {
        const count = await outbox.markUnsentSince(new Date(Date.now() - REPUBLISH_MS));
        runtime.log.warn({ stream: name, count }, 'the bus lost data; recent events are published again');
      }
      await outbox.writeMark(name, { created, lastSequence: info.state.last_seq });
    }
  };

  const publish = async (rows: OutboxRow[]): Promise<void> => {
    const js = await bus.jetstream();
    const encoder = new TextEncoder();
    const results = await Promise.allSettled(
      rows.map((row) =>
        js.publish(bus.subjectOf(row.subject as Subject), encoder.encode(JSON.stringify(row.payload)), {
          msgID: row._id,
          headers: toHeaders(row),
          timeout: 5000,
        }),
      ),
    );
    const sent = rows.filter((_, i) => results[i]?.status === 'fulfilled');
    await outbox.markSent(sent.map((row) => row._id));
    const sequences = new Map<'events' | 'jobs', number>();
    rows.forEach((row, i) => {
      const result = results[i];
      if (result?.status !== 'fulfilled') return;
      const stream = streamOf(row.subject as Subject);
      sequences.set(stream, Math.max(sequences.get(stream) ?? 0, result.value.seq));
    });
    for (const [stream, lastSequence] of sequences) {
      const mark = await outbox.readMark(bus.streamName(stream));
      if (mark && mark.lastSequence < lastSequence)
        await outbox.writeMark(bus.streamName(stream), { ...mark, lastSequence });
    }
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw (failed as PromiseRejectedResult).reason;
  };

  /** Publishes until the lease is lost or the relay stops. */
  const relayUnderLease = async (): Promise<void> => {
    const lease = await leases.acquire('outbox-relay', LEASE_MS);
    if (!lease) {
      await nextWake(POLL_MS);
      return;
    }
    await bus.connected();
    let checkedAt = -1;
    let renewedAt = Date.now();
    const watching = outbox.watch(
      () => wake(),
      (error) => runtime.log.debug({ err: error }, 'change stream ended, polling until it is opened again'),
    );
    try {
      while (!stopped) {
        if (Date.now() - renewedAt > LEASE_MS / 3) {
          if (!(await lease.renew())) return;
          renewedAt = Date.now();
        }
        const { reconnects } = bus;
        if (checkedAt !== reconnects) {
          await checkStreams();
          checkedAt = reconnects;
        }
        pending = false;
        const rows = await outbox.findUnsent(BATCH);
        if (rows.length > 0) await publish(rows);
        if (rows.length < BATCH) await nextWake(POLL_MS);
      }
    } finally {
      await watching.close().catch(() => undefined);
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
    wake();
    await Promise.race([running, new Promise((resolve) => setTimeout(resolve, 6000).unref())]);
  });
}
