import {
  type ClientSession,
  connectDatabase,
  createIds,
  createInbox,
  createLeases,
  createOutbox,
  type Database,
  type Ids,
  type Inbox,
  type Leases,
  type Outbox,
} from '@intake/mongo';
import { type Environment, type Runtime, readConfig, type StuckSource, text } from '@intake/service';
import { type Bus, connectBus } from './connection';
import { type NewEvent, toOutboxRow } from './event';
import { startRelay } from './relay';

/** What a service with a database of its own stands on. */
export interface Backbone {
  readonly database: Database;
  readonly ids: Ids;
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly leases: Leases;
  readonly bus: Bus;
  /** Adds an event to the transaction of the change it tells of. */
  emit(session: ClientSession, event: NewEvent): void;
  /** Events that are not on the bus, for `intake status`. The relay never stops trying, so there is nothing to try again. */
  readonly stuck: StuckSource;
}

/** Connects the service's database and the bus, and relays the outbox from the one to the other. */
export async function connectBackbone(runtime: Runtime, env: Environment): Promise<Backbone> {
  const config = readConfig(env, {
    mongodbUrl: text('INTAKE_MONGODB_URL', 'MongoDB, a replica set'),
    mongodbPrefix: text('INTAKE_MONGODB_PREFIX', 'databases are named <prefix>_<service>', 'intake'),
    natsUrl: text('INTAKE_NATS_URL', 'NATS with JetStream; several servers separated by commas'),
    natsPrefix: text('INTAKE_NATS_PREFIX', 'streams and subjects begin with it', 'intake'),
  });
  const database = await connectDatabase(runtime, { url: config.mongodbUrl, prefix: config.mongodbPrefix });
  const bus = connectBus(runtime, { url: config.natsUrl, prefix: config.natsPrefix });
  const outbox = createOutbox(database);
  const leases = createLeases(database);
  startRelay(runtime, bus, outbox, leases);
  return {
    database,
    ids: createIds(database),
    inbox: createInbox(database),
    outbox,
    leases,
    bus,
    stuck: {
      kind: 'event',
      async list(before, limit) {
        const rows = (await outbox.findUnsent(limit)).filter(({ at }) => at < before);
        return rows.map(({ _id, at }) => ({
          id: _id,
          since: at,
          reason: 'It is not on the bus: NATS is away, or refuses it.',
        }));
      },
      retry: async () => false,
    },
    emit: (session, event) => outbox.add(session, toOutboxRow(event)),
  };
}
