import { types } from 'node:util';
import { ConfigError, type Runtime } from '@intake/service';
import mongoose, { type ClientSession, type Connection, type Model, type mongo } from 'mongoose';
import { failCommandsOfClosedSockets } from './closed-sockets';

/** One service's own database. */
export interface Database {
  readonly connection: Connection;
  readonly name: string;
  /** Called in each transaction before it is committed, and again after it was. */
  readonly commitHooks: { before(session: ClientSession): Promise<void>; after(session: ClientSession): void }[];
}

/** Where a service's database is. */
export interface DatabaseOptions {
  /** `mongodb://...`, a replica set (transactions and change streams need one). */
  readonly url: string;
  /** Databases are named `<prefix>_<service>`. */
  readonly prefix: string;
}

/** How long a service that starts waits for MongoDB, in milliseconds. */
const START_MS = 20_000;

const AUTHENTICATION_FAILED = 18;

/** How long an operation waits for a reachable primary before it fails, in milliseconds. */
const SERVER_SELECTION_MS = 1000;

/**
 * Connects to the service's own database. Writes are majority-acknowledged and journaled, and nothing is buffered while
 * MongoDB is away: an operation then fails within about a second (see `isMongoUnavailable`). Only the start waits, for 20
 * seconds.
 */
export async function connectDatabase(runtime: Runtime, options: DatabaseOptions): Promise<Database> {
  failCommandsOfClosedSockets();
  const name = `${options.prefix}_${runtime.name.replaceAll('-', '_')}`;
  const settings = {
    dbName: name,
    bufferCommands: false,
    autoIndex: false,
    autoCreate: false,
    serverSelectionTimeoutMS: SERVER_SELECTION_MS,
    connectTimeoutMS: 2000,
    maxPoolSize: 50,
    writeConcern: { w: 'majority', journal: true },
    readConcern: { level: 'majority' },
  } as const;
  const connection = await whileStarting(async () => {
    const opened = mongoose.createConnection(options.url, settings);
    opened.on('error', (error) => runtime.log.warn({ err: error }, 'MongoDB connection'));
    try {
      return await opened.asPromise();
    } catch (error) {
      await opened.destroy().catch(() => undefined);
      if ((error as Error).name !== 'MongoParseError' && !hasCode(error, AUTHENTICATION_FAILED)) throw error;
      throw new ConfigError(`INTAKE_MONGODB_URL: ${(error as Error).message}`);
    }
  });
  runtime.onStop('MongoDB', () => connection.close());
  await whileStarting(() => requireTransactions(connection));
  runtime.addReadiness('MongoDB', async () => {
    await connection.db?.command({ ping: 1 });
  });
  return { connection, name, commitHooks: [] };
}

/** Throws ConfigError when MongoDB is neither a replica set nor a sharded cluster: it would refuse every transaction. */
async function requireTransactions(connection: Connection): Promise<void> {
  const answer = await connection.db?.admin().command({ hello: 1 });
  // One that is not initiated yet, or a router, is none that stands alone.
  if (!answer?.setName && !answer?.isreplicaset && answer?.msg !== 'isdbgrid')
    throw new ConfigError(
      'INTAKE_MONGODB_URL: this MongoDB is no replica set; start it with --replSet, and initiate the set',
    );
}

/** Tries again while MongoDB cannot be reached: a service that starts has time to wait for it. */
async function whileStarting<T>(task: () => Promise<T>): Promise<T> {
  const end = Date.now() + START_MS;
  for (;;) {
    try {
      return await task();
    } catch (error) {
      if (!isMongoUnavailable(error) || Date.now() > end) throw error;
    }
  }
}

/**
 * Filters of indexes that hold only the rows in which a field is filled: with an id, a text or a time. MongoDB uses such an index
 * where a query implies its filter. Being equal to an id or a text does; a range of times has to say it, too. (It would never take a
 * `$type` for implied.)
 */
export const FILLED = { id: { $gt: 0 }, text: { $gt: '' }, date: { $gt: new Date(0) } } as const;

/**
 * Creates the indexes of the service's models; called once by each service after its models are defined. An index that an earlier
 * version made with other options is made anew; others that somebody added stay.
 */
export async function createIndexes(database: Database): Promise<void> {
  for (const model of Object.values(database.connection.models)) {
    await whileStarting(() => model.createCollection());
    await whileStarting(() => dropOutdated(model));
    await whileStarting(() => model.createIndexes());
  }
}

const INDEX_NOT_FOUND = 27;

/** Drops indexes that are there under the name of one of the model's, but are other ones. */
async function dropOutdated(model: Model<unknown>): Promise<void> {
  const { toDrop, toCreate } = await model.diffIndexes();
  const missing = toCreate.map((keys) => Object.entries(keys).flat().join('_'));
  for (const name of toDrop.filter((there) => missing.includes(there))) {
    await model.collection.dropIndex(name).catch((error) => {
      // Another process of the service was faster.
      if (!hasCode(error, INDEX_NOT_FOUND)) throw error;
    });
  }
}

/**
 * A collection without mongoose between: nothing is cast, defaulted or checked, which costs a fraction. For what every
 * document and every event passes through; the caller writes rows that are complete. What is undefined is left out.
 */
export function rowsOf<Row extends mongo.Document>(database: Database, collection: string): mongo.Collection<Row> {
  return database.connection.getClient().db(database.name).collection<Row>(collection, { ignoreUndefined: true });
}

/** How long conflicts and fail-overs are tried again, in milliseconds. */
const RETRY_MS = 15_000;
const LONGEST_PAUSE_MS = 200;

/** What else a transaction may be asked. */
export interface TransactionOptions {
  /** Whether an error of `fn` itself means that it is worth to be run again: what it had read before is not true any more. */
  readonly again?: (error: unknown) => boolean;
}

/**
 * Runs `fn` in a transaction (majority, journaled), again from its start when MongoDB says that a conflict or fail-over makes
 * that worth it. When MongoDB cannot be reached it fails within about a second (the driver's own helper would try for two minutes).
 */
export async function transaction<T>(
  database: Database,
  fn: (session: ClientSession) => Promise<T>,
  { again: isOutdated = () => false }: TransactionOptions = {},
): Promise<T> {
  const end = Date.now() + RETRY_MS;
  for (let attempt = 0; ; attempt++) {
    const session = await database.connection.startSession();
    let unreachable = false;
    try {
      session.startTransaction({
        readConcern: { level: 'snapshot' },
        writeConcern: { w: 'majority', journal: true },
        maxCommitTimeMS: 5000,
      });
      const result = await fn(session);
      for (const hook of database.commitHooks) await hook.before(session);
      await commit(session, end);
      for (const hook of database.commitHooks) hook.after(session);
      return result;
    } catch (error) {
      unreachable = isUnreachable(error);
      const again = (hasLabel(error, 'TransientTransactionError') || isOutdated(error)) && Date.now() < end;
      if (!again || (unreachable && attempt > 0) || isSelectionFailure(error)) throw error;
      await pause(Math.random() * Math.min(5 * 1.5 ** attempt, LONGEST_PAUSE_MS));
    } finally {
      // It rolls back what was not committed, which must not be waited for when nobody answers.
      const ended = session.endSession().catch(() => undefined);
      if (!unreachable) await ended;
    }
  }
}

async function commit(session: ClientSession, end: number): Promise<void> {
  for (;;) {
    try {
      await session.commitTransaction();
      return;
    } catch (error) {
      const again = hasLabel(error, 'UnknownTransactionCommitResult') && !hasCode(error, MAX_TIME_EXPIRED);
      if (!again || isUnreachable(error) || Date.now() > end) throw error;
      await pause(LONGEST_PAUSE_MS);
    }
  }
}

const SELECTION_FAILURE = /^(MongoServerSelectionError|MongooseServerSelectionError)$/;
const UNREACHABLE =
  /^(MongoServerSelectionError|MongooseServerSelectionError|MongoNetworkError|MongoNetworkTimeoutError|MongoPoolClearedError|MongoPoolClosedError|PoolClearedOnNetworkError|MongoNotConnectedError|MongoTopologyClosedError|MongoServerClosedError|MongoExpiredSessionError)$/;
/** Codes by which a server says that it stops, or is not the primary any more (MongoDB: "retryable writes" specification). */
const STEPPING_DOWN = [91, 189, 10_107, 11_600, 11_602, 13_435, 13_436];
const MAX_TIME_EXPIRED = 50;

/** Whether an error says that MongoDB cannot be reached now, so that the same call may succeed later. */
export function isMongoUnavailable(error: unknown): boolean {
  if (!isError(error)) return false;
  const labels = ['RetryableWriteError', 'TransientTransactionError', 'UnknownTransactionCommitResult'];
  return (
    isUnreachable(error) ||
    labels.some((label) => hasLabel(error, label)) ||
    STEPPING_DOWN.some((code) => hasCode(error, code)) ||
    error.name === 'MongoWriteConcernError' ||
    (error.name === 'MongooseError' && /initial connection/.test(error.message))
  );
}

/** A bulk write makes an error of its own out of what happened to its connection, and keeps only the text. */
const CONNECTION_LOST =
  /^(connect|read|write) E[A-Z]+|^connection \d+ to \S+ (closed|timed out)|^Server selection timed out/;

/** The driver passes some errors of a socket that the server has just closed on as they are. */
const SOCKET_CLOSED = [
  'EPIPE',
  'ECONNRESET',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
  'ERR_SOCKET_CLOSED',
];

/** Also of another realm, as Node's own errors are inside a sandbox. */
function isError(error: unknown): error is Error {
  return error instanceof Error || types.isNativeError(error);
}

function isUnreachable(error: unknown): boolean {
  if (!isError(error)) return false;
  if (SOCKET_CLOSED.some((code) => hasCode(error, code))) return true;
  if (error.name === 'MongoBulkWriteError') return CONNECTION_LOST.test(error.message);
  return UNREACHABLE.test(error.name) || UNREACHABLE.test(error.constructor.name);
}

function isSelectionFailure(error: unknown): boolean {
  return error instanceof Error && SELECTION_FAILURE.test(error.name);
}

function hasLabel(error: unknown, label: string): boolean {
  const { hasErrorLabel } = error as { hasErrorLabel?: (label: string) => boolean };
  return typeof hasErrorLabel === 'function' && hasErrorLabel.call(error, label);
}

function hasCode(error: unknown, code: number | string): boolean {
  return (error as { code?: unknown }).code === code;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Whether an error says that a unique index already holds this value. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof Error && (error as Error & { code?: number }).code === 11000;
}
