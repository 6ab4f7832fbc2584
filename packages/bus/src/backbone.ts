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
import { type Environment, namePrefix, type Runtime, readConfig, type StuckSource, textLike } from '@intake/service';
import { BUS_SETTINGS, type Bus, connectBus } from './connection';
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

const mongodbAddress = textLike(/^mongodb(\+srv)?:\/\/[^/\s]/, 'mongodb://... or mongodb+srv://...');

/** Connects the service's database and the bus, and relays the outbox from the one to the other. */
export async function connectBackbone(runtime: Runtime, env: Environment): Promise<Backbone> {
  const { mongodbUrl, mongodbPrefix, ...busOptions } = readConfig(env, {
    mongodbUrl: mongodbAddress('INTAKE_MONGODB_URL', 'MongoDB, a replica set'),
    mongodbPrefix: namePrefix('INTAKE_MONGODB_PREFIX', 'databases are named <prefix>_<service>', 'intake'),
    ...BUS_SETTINGS,
  });
  const database = await connectDatabase(runtime, { url: mongodbUrl, prefix: mongodbPrefix });
  const bus = connectBus(runtime, busOptions);
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
