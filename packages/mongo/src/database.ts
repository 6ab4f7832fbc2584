import type { Runtime } from '@intake/service';
import mongoose, { type ClientSession, type Connection } from 'mongoose';

/** One service's own database. */
export interface Database {
  readonly connection: Connection;
  readonly name: string;
}

/** Where a service's database is. */
export interface DatabaseOptions {
  /** `mongodb://...`, a replica set (transactions and change streams need one). */
  readonly url: string;
  /** Databases are named `<prefix>_<service>`. */
  readonly prefix: string;
}

/** How long an operation waits for a reachable primary before it fails, in milliseconds. */
const SERVER_SELECTION_MS = 1000;

/**
 * Connects to the service's own database. Writes are majority-acknowledged and journaled, and nothing is buffered while
 * MongoDB is away: an operation then fails within about a second (see `isMongoUnavailable`).
 */
export async function connectDatabase(runtime: Runtime, options: DatabaseOptions): Promise<Database> {
  const name = `${options.prefix}_${runtime.name.replaceAll('-', '_')}`;
  const connection = mongoose.createConnection(options.url, {
    dbName: name,
    bufferCommands: false,
    autoIndex: false,
    autoCreate: false,
    serverSelectionTimeoutMS: SERVER_SELECTION_MS,
    connectTimeoutMS: 2000,
    maxPoolSize: 50,
    writeConcern: { w: 'majority', journal: true },
    readConcern: { level: 'majority' },
  });
  connection.on('error', (error) => runtime.log.warn({ err: error }, 'MongoDB connection'));
  await connection.asPromise();
  runtime.onStop('MongoDB', () => connection.close());
  runtime.addReadiness('MongoDB', async () => {
    await connection.db?.command({ ping: 1 });
  });
  return { connection, name };
}

/** Creates the indexes of the service's models; called once by each service after its models are defined. */
export async function createIndexes(database: Database): Promise<void> {
  for (const model of Object.values(database.connection.models)) {
    await model.createCollection();
    await model.createIndexes();
  }
}

/** Runs `fn` in a transaction (majority, journaled), again from its start when MongoDB says that a conflict or fail-over makes that worth it. */
export async function transaction<T>(database: Database, fn: (session: ClientSession) => Promise<T>): Promise<T> {
  const session = await database.connection.startSession();
  try {
    return await session.withTransaction(() => fn(session), {
      readConcern: { level: 'snapshot' },
      writeConcern: { w: 'majority', journal: true },
      maxCommitTimeMS: 5000,
    });
  } finally {
    await session.endSession();
  }
}

const UNAVAILABLE =
  /^(MongoServerSelectionError|MongooseServerSelectionError|MongoNetworkError|MongoNetworkTimeoutError|MongoPoolClearedError|PoolClearedOnNetworkError|MongoNotConnectedError|MongoTopologyClosedError|MongooseError|MongoExpiredSessionError|MongoWriteConcernError)$/;

/** Whether an error says that MongoDB cannot be reached now, so that the same call may succeed later. */
export function isMongoUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const labelled = error as Error & { hasErrorLabel?: (label: string) => boolean };
  if (typeof labelled.hasErrorLabel === 'function') {
    const { hasErrorLabel } = labelled;
    if (
      ['RetryableWriteError', 'TransientTransactionError', 'UnknownTransactionCommitResult'].some((label) =>
        hasErrorLabel.call(error, label),
      )
    )
      return true;
  }
  return UNAVAILABLE.test(error.name) || UNAVAILABLE.test(error.constructor.name);
}

/** Whether an error says that a unique index already holds this value. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof Error && (error as Error & { code?: number }).code === 11000;
}
